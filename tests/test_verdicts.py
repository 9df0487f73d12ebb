"""What concludes names in its docstring null data on which it is silent, and the test of that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.paths import ROOT

LINE = re.compile(r"Silent on: [^()]+ \((tests/[\w/]+\.py)::(test_\w+)\)\.")
KINDS = (ast.FunctionDef, ast.ClassDef, ast.Module)


def docstrings(file: Path) -> Iterator[str]:
    """Each on one line."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, KINDS) and (found := ast.get_docstring(node)):
            yield " ".join(found.split())


def silences() -> Iterator[tuple[str, str]]:
    """What says it, and its docstring."""
    for folder in ("core", "dashboard"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for text in docstrings(file):
                if "Silent on:" in text:
                    yield str(file.relative_to(ROOT)), text


@pytest.mark.parametrize(("place", "text"), [*silences()])
def test_who_concludes_names_the_test_of_its_silence(place, text):
    found = LINE.findall(text)
    assert len(found) == text.count("Silent on:"), f"{place}: {text}"
    for file, name in found:
        tests = ast.walk(ast.parse((ROOT / file).read_text()))
        assert any(isinstance(node, ast.FunctionDef) and node.name == name for node in tests), (
            f"{place}: {file} has no test {name}"
        )
