"""The one typeface of pages and files, and how it goes along with a file."""

from __future__ import annotations

import base64
import io
import string
from functools import cache, lru_cache
from pathlib import Path

import streamlit
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

#: What pages and figures call it; Streamlit brings it along.
NAME = "Source Sans"
_ALWAYS = frozenset(string.printable) | frozenset("–—…−×±≤≥≈°²³½αβγδεκλμπρσχω")


@cache
def font_file() -> Path:
    """The variable font that pages show, with all weights of its upright letters."""
    folder = Path(streamlit.__file__).parent / "static" / "static" / "media"
    return next(folder.glob("SourceSansVF-Upright*.woff2"))


def face(font: bytes) -> str:
    """A rule for style sheets that brings a font along."""
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
    font = TTFont(font_file())
    options = Options()
    options.layout_features = ["kern", "liga", "mark", "mkmk", "ccmp"]
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(_ALWAYS | further))
    subsetter.subset(font)
    buffer = io.BytesIO()
    font.flavor = "woff2"
    font.save(buffer)
    return face(buffer.getvalue())
