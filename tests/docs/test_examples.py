"""The examples in the docstrings of public names do what they say."""

from __future__ import annotations

import doctest

import pytest

import tripletscope as ts
from tests.paths import ROOT

EXAMPLES = {
    found.name: found
    for name in ts.__all__
    for found in doctest.DocTestFinder(recurse=False).find(getattr(ts, name), name, globs={})
    if found.examples
}
#: Public names without an example; the list only ever becomes shorter.
WITHOUT: set[str] = set()


def test_every_public_name_has_an_example():
    assert set(ts.__all__) - EXAMPLES.keys() == WITHOUT


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
