"""Sheets: panels keep their size, stand in order, and do not disturb each other."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from tripletscope.dashboard.print.composition import PIXELS_PER_MM
from tripletscope.dashboard.print.render import drawing, placed, size_of
from tripletscope.dashboard.print.sheet import LETTERS, Panel, lettered, sheet

SVG = "{http://www.w3.org/2000/svg}"


def panel(width: float, height: float = 100.0, words: str = "id=\"a\" url(#a) & <b>") -> Panel:
    content = (
        '<defs><clipPath id="a"><rect width="1" height="1"/></clipPath></defs>'
        f'<g clip-path="url(#a)"><use xlink:href="#a"/></g><text>{words.replace("&", "&amp;")}'
        "</text>"
    ).replace("<b>", "&lt;b&gt;")
    return Panel("p", drawing(width * PIXELS_PER_MM, height, [content]), 8.0)


def places(svg: str) -> list[tuple[float, float]]:
    inner = [e for e in ElementTree.fromstring(svg) if e.tag == f"{SVG}svg"]
    return [(float(e.get("x")), float(e.get("y"))) for e in inner]


def test_panels_stand_side_by_side_as_long_as_there_is_room():
    svg = sheet([panel(85), panel(85), panel(85)], 180.0)
    (x1, y1), (x2, y2), (x3, y3) = places(svg)
    assert x1 == x3 == 0
    assert x2 == pytest.approx(89 * PIXELS_PER_MM, abs=0.01)
    assert y1 == y2 < y3 - 100
    assert size_of(svg)[0] == pytest.approx(180 * PIXELS_PER_MM, rel=1e-4)
    assert size_of(sheet([panel(200)], 180.0))[0] == pytest.approx(200 * PIXELS_PER_MM, rel=1e-4)


def test_names_within_panels_stay_their_own():
    root = ElementTree.fromstring(sheet([panel(40), panel(40)]))
    names = [e.get("id") for e in root.iter() if e.get("id")]
    assert len(names) == len(set(names)) == 2
    used = [e.get("clip-path") for e in root.iter(f"{SVG}g")]
    assert used == [f"url(#{name})" for name in names]
    linked = [e.get("{http://www.w3.org/1999/xlink}href") for e in root.iter(f"{SVG}use")]
    assert linked == [f"#{name}" for name in names]
    texts = [e.text for e in root.iter(f"{SVG}text")]
    assert texts.count('id="a" url(#a) & <b>') == 2, "what is written is not touched"


@pytest.mark.parametrize("style", LETTERS)
def test_letters_go_on_after_the_last(style):
    letters = [lettered(k, style) for k in (0, 25, 26, 27)]
    assert [letter.strip("()").upper() for letter in letters] == ["A", "Z", "AA", "AB"]
    texts = [e.text for e in ElementTree.fromstring(sheet([panel(40)], style=style)).iter()
             if e.tag == f"{SVG}text"]
    assert lettered(0, style) in texts


def test_a_panel_keeps_its_size():
    root = ElementTree.fromstring(placed(panel(40).svg, 3.0, 5.0))
    assert (root.get("x"), root.get("y")) == ("3", "5")
    assert float(root.get("width")) == pytest.approx(40 * PIXELS_PER_MM, rel=1e-4)
