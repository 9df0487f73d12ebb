"""Widths of texts in the font of the pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from PIL import ImageFont

#: Size at which widths are measured; they are whole pixels of it.
_MEASURED = 256
_WEIGHT = 400
#: Width of a letter where the font cannot be read, and of an ideogram or a picture, in em.
_LETTER, _WIDE = 0.5, 1.0
#: Wide characters: Hangul, and most from the radicals of Chinese on.
_HANGUL, _RADICALS = (0x1100, 0x1160), 0x2E80
#: Other browsers and other sizes round otherwise.
_SLACK = 1.02


def font_file() -> Path | None:
    """The font of the pages, which comes with Streamlit; None where it is missing."""
    spec = find_spec("streamlit")
    folder = Path(spec.origin).parent / "static" / "static" / "media" if spec else Path()
    return next(iter(sorted(folder.glob("SourceSansVF-Upright*.woff2"))), None)


def width_of(texts: Sequence[str], size: float = 1.0) -> np.ndarray:
    """(n,) widths of texts in one line, in pixels, or in em at size 1.

    Kerning, which narrows a text a little, is ignored. Characters missing from the font are as wide
    as high from the ideograms on.
    """
    lengths = np.array([len(text) for text in texts], dtype=np.intp)
    ends = np.concatenate([[0.0], np.cumsum(advances("".join(texts)), dtype=float)])
    stop = np.cumsum(lengths)
    return size * (ends[stop] - ends[stop - lengths])


def advances(text: str) -> np.ndarray:
    """(len(text),) width of every character, in em."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    table = _widths()
    widths = table[codes]
    if np.isnan(widths).any():
        new = np.unique(codes[np.isnan(widths)])
        table[new] = [_measured(chr(code)) for code in new.tolist()]
        widths = table[codes]
    return widths


@cache
def _widths() -> np.ndarray:
    """Widths by code point, NaN before their first use."""
    return np.full(0x110000, np.nan, dtype=np.float32)


@cache
def _font() -> ImageFont.FreeTypeFont | None:
    path = font_file()
    if path is None:
        return None
    try:
        # The other engine, where it is installed, measures words and fails at some characters.
        font = ImageFont.truetype(path, _MEASURED, layout_engine=ImageFont.Layout.BASIC)
        font.set_variation_by_axes([_WEIGHT])
    except OSError:
        return None
    return font


def _measured(character: str) -> float:
    """Width in em."""
    code, font = ord(character), _font()
    if font is None or _lacks(font, character):
        wide = code >= _RADICALS or _HANGUL[0] <= code < _HANGUL[1]
        return _WIDE if wide else _LETTER
    return _SLACK * font.getlength(character) / _MEASURED


def _lacks(font: ImageFont.FreeTypeFont, character: str) -> bool:
    """Whether the font draws its box for missing characters instead."""
    if character.isspace():
        return False
    mask, box = font.getmask(character), font.getmask("\U0010ffff")
    return mask.size == box.size and bytes(mask) == bytes(box)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text in lines of at most so many pixels, broken between words.

    A word that is wider than a line is broken within.
    """
    ems, lines = width / size, [""]
    space = float(width_of([" "])[0])
    used = 0.0
    for word in text.split():
        wide = float(width_of([word])[0])
        if lines[-1] and used + space + wide <= ems:
            lines[-1], used = f"{lines[-1]} {word}", used + space + wide
            continue
        if lines[-1]:
            lines.append("")
        while wide > ems and len(word) > 1:
            cut = max(int(np.searchsorted(np.cumsum(advances(word)), ems, side="right")), 1)
            lines[-1:] = [word[:cut], ""]
            word = word[cut:]
            wide = float(width_of([word])[0])
        lines[-1], used = word, wide
    return lines if lines[-1] else lines[:-1]
