"""The Python of the tutorials runs, says what they print, and draws their figures."""

from __future__ import annotations

import doctest
import re

import pytest

from tests.browser import needs_browser
from tests.paths import ROOT

TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"\]\(\.\./(pictures/[\w-]+\.svg)\)")


@needs_browser
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=lambda path: path.stem)
def test_tutorial(tutorial, tmp_path, monkeypatch):
    text = tutorial.read_text()
    (tmp_path / "sample_data").symlink_to(ROOT / "sample_data")
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for block in _BLOCK.findall(text):
        if ">>>" in block:
            run_examples(block, known, tutorial.name)
        else:
            exec(block, known)
    pictures = _PICTURE.findall(text)
    assert pictures, "a tutorial ends in a figure"
    for name in pictures:
        assert (ROOT / "docs" / name).stat().st_size < 1_000_000
        assert (tmp_path / "docs" / name).read_bytes().startswith(b"<svg"), name


def run_examples(block: str, known: dict[str, object], name: str) -> None:
    """Run a block with prompts, and compare what it prints."""
    example = doctest.DocTestParser().get_doctest(block, known, name, name, 0)
    example.globs = known  # not a copy: later blocks use what this one defines
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    said: list[str] = []
    runner.run(example, out=said.append, clear_globs=False)
    assert not runner.failures, "".join(said)
