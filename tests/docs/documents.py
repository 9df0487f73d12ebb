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
#: How far a point of a figure may be from where it was drawn before, in its own pixels.
_NEAR = 1.0

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
    for file in (DOCS / "samples").glob("*.*"):
        shutil.copy(file, folder)
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run(document: Path, folder: Path) -> None:
    """Run the code of a document in a folder.

    Raises
    ------
    SybilFailure
        If something that is shown is not what comes of it.
    """
    parsed = _sybil.parse(document)
    with desk(folder):
        for example in parsed.examples():
            example.evaluate()


def is_same_drawing(one: str, other: str) -> bool:
    """Whether two SVG figures have the same words and lines, up to a pixel."""
    bare = [_ASIDE.sub("", text) for text in (one, other)]
    first, second = ([float(n) for n in _NUMBER.findall(text)] for text in bare)
    same_words = _NUMBER.sub("", bare[0]) == _NUMBER.sub("", bare[1])
    return same_words and len(first) == len(second) and all(
        abs(a - b) <= _NEAR for a, b in zip(first, second, strict=True)
    )


def main(names: list[str]) -> None:
    """Keep the figures of documents."""
    for document in documents():
        if not has_code(document) or (names and document.stem not in names):
            continue
        with tempfile.TemporaryDirectory() as folder:
            run(document, Path(folder))
            for name in sorted(shown(document)):
                if (Path(folder) / name).exists():
                    shutil.copy(Path(folder) / name, PICTURES / name)
                    print(f"{document.name}: {name}")


if __name__ == "__main__":
    main(sys.argv[1:])
