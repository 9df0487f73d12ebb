"""The one typeface of pages and files, and how it goes along with a file."""

from __future__ import annotations

import base64
import io
import string
from functools import lru_cache

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

from tripletscope.dashboard.interface.fonts import font_file

#: What pages and figures call it; Streamlit brings it along.
NAME = "Source Sans"
_ALWAYS = frozenset(string.printable) | frozenset("–—…−×±≤≥≈°²³½αβγδεκλμπρσχω")


def whole_face() -> str:
    """A rule for style sheets that brings all letters along; empty where there are none."""
    file = font_file()
    return _face(file.read_bytes()) if file else ""


def _face(font: bytes) -> str:
    content = base64.b64encode(font).decode()
    return (
        f"@font-face{{font-family:'{NAME}';font-weight:200 900;"
        f"src:url(data:font/woff2;base64,{content}) format('woff2')}}"
    )


def face_for(text: str) -> str:
    """The same with no more letters than a text needs."""
    return _face_of(frozenset(text) - _ALWAYS)


@lru_cache(maxsize=64)
def _face_of(further: frozenset[str]) -> str:
    if font_file() is None:
        return ""
    font = TTFont(font_file())
    options = Options()
    options.layout_features = ["kern", "liga", "mark", "mkmk", "ccmp"]
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(_ALWAYS | further))
    subsetter.subset(font)
    buffer = io.BytesIO()
    font.flavor = "woff2"
    font.save(buffer)
    return _face(buffer.getvalue())
