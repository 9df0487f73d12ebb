"""The examples in the docstrings of public names do what they say."""

from __future__ import annotations

import doctest

import pytest

from tests.paths import ROOT
from tests.public import public_things

PUBLIC = public_things()
EXAMPLES = {
    found.name: found
    for name, one in PUBLIC.items()
    for found in doctest.DocTestFinder(recurse=False).find(one, name, globs={})
    if found.examples
}
#: Public names without an example; the list only ever becomes shorter.
WITHOUT: set[str] = set()


def test_every_public_name_has_an_example():
    assert PUBLIC.keys() - EXAMPLES.keys() == WITHOUT


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, monkeypatch):
    monkeypatch.chdir(ROOT)  # where sample_data is
    runner = doctest.DebugRunner(verbose=False)
    try:
        runner.run(EXAMPLES[name], clear_globs=False)
    except doctest.DocTestFailure as failure:
        pytest.fail(
            f"{name}: {failure.example.source.strip()} gives {failure.got.strip()}, "
            f"not {failure.example.want.strip()}"
        )
