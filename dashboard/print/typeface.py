"""The typeface of pages and files, and how files embed it."""

from __future__ import annotations

import base64
import io
import string
from functools import lru_cache

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont
from fontTools.varLib.instancer import instantiateVariableFont

from tripletscope.dashboard.figures.fonts import font_file

#: Its name on pages and in figures; it comes with Streamlit.
NAME = "Source Sans"
_ALWAYS = frozenset(string.printable) | frozenset("–—…−×±≤≥≈°²³½αβγδεκλμπρσχω")


#: Weights of letters in files, and the ranges that they replace. PDFs would contain a variable
#: typeface as drawings of its letters, which some journals refuse.
_WEIGHTS = {400: "200 500", 600: "501 900"}


def whole_face() -> str:
    """A CSS rule with all letters; empty where the font is missing."""
    file = font_file()
    return _rule(file.read_bytes(), "200 900") if file else ""


def _rule(font: bytes, weights: str) -> str:
    content = base64.b64encode(font).decode()
    return (
        f"@font-face{{font-family:'{NAME}';font-weight:{weights};"
        f"src:url(data:font/woff2;base64,{content}) format('woff2')}}"
    )


def face_for(text: str) -> str:
    """CSS rules with the letters of a text, regular and bold."""
    return _face_of(frozenset(text) - _ALWAYS)


@lru_cache(maxsize=64)
def _face_of(further: frozenset[str]) -> str:
    if font_file() is None:
        return ""
    options = Options()
    options.layout_features = ["kern", "liga", "mark", "mkmk", "ccmp"]
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(_ALWAYS | further))
    # Only what is needed is unpacked; each weight starts from the few letters.
    few = io.BytesIO()
    with TTFont(font_file(), lazy=True, recalcTimestamp=False) as font:
        subsetter.subset(font)
        font.flavor = None
        font.save(few)
    rules = []
    for weight, stands_for in _WEIGHTS.items():
        face = TTFont(few, recalcTimestamp=False)
        instantiateVariableFont(face, {"wght": weight}, inplace=True)
        face.flavor = "woff2"
        buffer = io.BytesIO()
        face.save(buffer)
        rules.append(_rule(buffer.getvalue(), stands_for))
    return "".join(rules)
