"""No text has the words that the style guide avoids."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.documents import DOCS, documents
from tests.paths import ROOT
from tests.sources import files_of, tree_of

GUIDE = DOCS / "style.md"
#: First column of the guide's table.
_ROW = re.compile(r"^\| (`[^|]+`) \|", re.MULTILINE)
_CODE = re.compile(r"^(```+|~~~+).*?^\1|`[^`\n]*`", re.DOTALL | re.MULTILINE)
_NO_ANTECEDENT = re.compile(r"(?:^|[.:;!?] )(Who [^.?!]*[.!])", re.MULTILINE)


def avoided() -> list[str]:
    """The words and phrases of the guide."""
    rows = _ROW.findall(GUIDE.read_text())
    return [word for row in rows for word in re.findall(r"`([^`]+)`", row)]


_AVOIDED = re.compile(rf"\b(?:{'|'.join(map(re.escape, avoided()))})\b", re.IGNORECASE)


def flagged(text: str) -> list[str]:
    """What the guide does not want in a text."""
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n|\n(?=[-|:] )", text)]
    return [
        found for paragraph in paragraphs for pattern in (_AVOIDED, _NO_ANTECEDENT)
        for found in pattern.findall(paragraph)
    ]


def prose(document: Path) -> str:
    """A document without its code."""
    return _CODE.sub("", document.read_text())


def strings(file: Path) -> Iterator[str]:
    """Texts of a module, without docstrings; a formatted one with gaps."""
    tree = tree_of(file)
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    aside = {
        id(node.body[0].value) for node in ast.walk(tree)
        if isinstance(node, kinds) and ast.get_docstring(node) is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part for part in node.values if isinstance(part, ast.Constant)]
            aside |= {id(part) for part in parts}
            yield " … ".join(str(part.value) for part in parts)
        elif (
            isinstance(node, ast.Constant) and isinstance(node.value, str)
            and id(node) not in aside and " " in node.value
        ):
            yield node.value


def catalogue(table: dict) -> Iterator[str]:
    for value in table.values():
        if isinstance(value, dict):
            yield from catalogue(value)
        elif isinstance(value, str):
            yield value


WRITTEN = [
    *documents(), ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "benchmarks/RESULTS.md",
    ROOT / "benchmarks/ENGINEERING.md",
]


@pytest.mark.parametrize(
    "document", [path for path in WRITTEN if path != GUIDE],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_documents_are_in_style(document):
    assert flagged(prose(document)) == []


def test_sentences_of_the_interface_are_in_style():
    table = tomllib.loads((ROOT / "dashboard/words/sentences.toml").read_text())
    texts = [*catalogue(table)]
    assert len(texts) > 500
    assert [found for text in texts for found in flagged(text)] == []


def test_texts_of_views_are_in_style():
    files = files_of("dashboard/ui", "pages")
    assert len(files) > 50
    found = {
        str(file.relative_to(ROOT)): words for file in files
        if (words := [word for text in strings(file) for word in flagged(text)])
    }
    assert found == {}


@pytest.mark.parametrize(("text", "found"), [
    ("Whoever answers is paid.", ["Whoever"]),
    ("The rate of who guesses", ["of who"]),
    ("The rate of people who guess, of whom few are careful", []),
    ("Maps are fitted\nanew.", ["anew"]),
    ("The renewed canewood sceneanew", []),
    ("Who gave few answers is left out.", ["Who gave few answers is left out."]),
    ("Read it. Who answers all\ngets a code.", ["Who answers all gets a code."]),
    ("Who predicts whom?", []),
    ("## Who\n\nPeople.", []),
    ("People, who know it, answer.", []),
])
def test_what_is_flagged(text, found):
    assert flagged(text) == found


def test_code_is_not_read(tmp_path):
    document = tmp_path / "text.md"
    document.write_text("Write `anew`.\n\n```python\nanew = upon\n```\n\nOnce upon a time.\n")
    assert flagged(prose(document)) == ["upon"]
    module = tmp_path / "module.py"
    module.write_text('"""Made anew."""\nx = f"Compute {1} anew"\ny = "drawn anew"\n')
    assert [word for text in strings(module) for word in flagged(text)] == ["anew", "anew"]
