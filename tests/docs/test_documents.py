"""What documents show in Python is what comes of it, and their figures are what it draws."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from tests.browser import CHROMIUM, REQUIRED
from tests.docs.documents import (
    DOCS,
    PICTURES,
    documents,
    has_code,
    is_same_drawing,
    made,
    run,
    shown,
)
from tests.paths import ROOT


def named(document) -> str:
    return str(document.relative_to(DOCS))


@pytest.mark.parametrize("document", [*filter(has_code, documents())], ids=named)
def test_the_code_gives_what_is_shown(document, tmp_path):
    if CHROMIUM is None and not REQUIRED and ".save(" in document.read_text():
        pytest.skip("drawing figures takes Chrome or Chromium, and none is installed")
    run(document, tmp_path)
    figures = {name: made(tmp_path, name) for name in shown(document) if name.endswith(".svg")}
    assert document.parent.name != "tutorials" or any(figures.values()), "it ends in a figure"
    for name, figure in figures.items():
        if figure is not None:
            assert is_same_drawing(figure.read_text(), (PICTURES / name).read_text()), (
                f"{name} has changed: make pictures"
            )


def test_code_that_gives_something_else_is_found(tmp_path):
    document = tmp_path / "wrong.md"
    document.write_text("```python\n>>> 1 + 1\n3\n```\n")
    (tmp_path / "desk").mkdir()
    with pytest.raises(Exception, match="Expected:\n    3\nGot:\n    2"):
        run(document, tmp_path / "desk")


def test_drawings_are_compared():
    one = '<svg id="a1"><text x="10">cat</text><path d="M1,2L3.5,40"/></svg>'
    assert is_same_drawing(one, one.replace("a1", "b2").replace("3.5", "3.9"))
    assert not is_same_drawing(one, one.replace("cat", "dog"))
    assert not is_same_drawing(one, one.replace("40", "90"))
    assert not is_same_drawing(one, one.replace("L3.5,40", ""))
    letters = "<style>url(data:font/woff2;base64,d09G12)</style>"
    assert is_same_drawing(letters + one, letters.replace("G12", "H345") + one)


@pytest.mark.parametrize("document", documents(), ids=named)
def test_pictures_are_there_and_described(document):
    text = document.read_text()
    assert [name for name in shown(document) if not (PICTURES / name).exists()] == []
    assert not re.search(r"!\[\s*\]\(", text), "a picture without a description"
    for figure in re.findall(r"\{(?:figure|image)\} .*?```", text, re.DOTALL):
        assert ":alt: " in figure, figure


def test_every_picture_is_shown_somewhere():
    used = set().union(*map(shown, documents()))
    assert {path.name for path in PICTURES.iterdir() if path.is_file()} - used == set()


def test_pictures_are_small():
    assert [path.name for path in PICTURES.iterdir() if path.stat().st_size > 400_000] == []
    assert [path.name for path in PICTURES.glob("*.webp") if path.stat().st_size > 120_000] == []


@pytest.mark.parametrize("document", documents(), ids=named)
def test_headings_are_in_order(document):
    text = re.sub(r"^(```+|~~~+).*?^\1", "", document.read_text(), flags=re.DOTALL | re.MULTILINE)
    levels = [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]
    if "{include}" not in document.read_text():
        assert levels[:1] == [1]
        assert levels.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(levels)), levels


@pytest.mark.parametrize("document", documents(), ids=named)
def test_files_of_the_code_are_where_it_says(document):
    places = re.findall(
        r"`((?:core|dashboard|pages|reproductions|tests|benchmarks)/[\w./]+)`", document.read_text()
    )
    assert [place for place in places if not (ROOT / place).exists()] == []
