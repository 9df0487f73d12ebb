"""The documents of the site: their code, run as it stands there, and the figures that it makes.

``python -m tests.docs.documents`` runs all of them, or those that are named, and keeps the figures
that they show in `docs/pictures`.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path

from sybil import Sybil
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser

from tests.paths import ROOT, SAMPLES

DOCS = ROOT / "docs"
PICTURES = DOCS / "pictures"
#: Not of the site, or made while it is built.
_APART = ("_build", "gallery", "generated")
_SHOWN = re.compile(r"(?:!\[[^\]]*\]\(|\{figure\} |\{image\} )(?:\.\./)*pictures/([\w.-]+)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?")
#: What does not matter: names of elements, and letters that are cut out with a date.
_ASIDE = re.compile(r'(?:id="|#|class=")[^"\')]*|url\(data:font[^)]*\)')
_PATH = re.compile(r' d="([^"]*)"')
#: How far something may be from where it was drawn before, in pixels of the figure.
_NEAR = 3.0

_sybil = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS | NORMALIZE_WHITESPACE),
             SkipParser()],
)


def documents() -> list[Path]:
    """All documents of the site, by name."""
    return sorted(
        path for path in DOCS.rglob("*.md") if not set(path.parts) & set(_APART)
    )


def has_code(document: Path) -> bool:
    return "```python" in document.read_text()


def shown(document: Path) -> set[str]:
    """Files of `docs/pictures` that a document shows."""
    return set(_SHOWN.findall(document.read_text()))


@contextlib.contextmanager
def desk(folder: Path) -> Iterator[None]:
    """A folder to work in, with the data that documents speak of."""
    (folder / "sample_data").symlink_to(SAMPLES)
    shutil.copytree(DOCS / "samples", folder, dirs_exist_ok=True)
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(document: Path, folder: Path) -> None:
    """Run the code of a document in a folder."""
    parsed = _sybil.parse(document)
    with desk(folder):
        for example in parsed.examples():
            example.evaluate()


def made(folder: Path, name: str) -> Path | None:
    """The figure of a name that a document has saved in a folder, wherever that was."""
    return next(folder.rglob(name), None)


def is_same_drawing(one: str, other: str) -> bool:
    """Whether two SVG figures have the same words, and marks and lines of the same extent.

    Points of a line in between do not count: those that make no difference are left out, and
    which these are depends on the last bit.
    """
    bare = [_ASIDE.sub("", text) for text in (one, other)]
    (first, found), (second, others) = map(_measured, bare)
    return first == second and len(found) == len(others) and all(
        abs(a - b) <= _NEAR for a, b in zip(found, others, strict=True)
    )


def _measured(drawing: str) -> tuple[str, list[float]]:
    """A drawing without its numbers, and these; of a path the smallest and the largest ones."""
    rest = _PATH.sub("", drawing)
    numbers = _numbers(rest)
    for path in filter(None, map(_numbers, _PATH.findall(drawing))):
        numbers += [min(path), max(path)]
    return _NUMBER.sub("", rest), numbers


def _numbers(text: str) -> list[float]:
    return [float(number) for number in _NUMBER.findall(text)]


def main(names: list[str]) -> None:
    """Keep the figures of documents."""
    for document in documents():
        if not has_code(document) or (names and document.stem not in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run(document, Path(folder))
            for name in sorted(shown(document)):
                figure = made(Path(folder), name)
                before = PICTURES / name
                if figure is not None and not (
                    before.exists() and is_same_drawing(figure.read_text(), before.read_text())
                ):
                    shutil.copy(figure, before)
                    print(f"{document.name}: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
