"""Several figures on one sheet, with letters."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

from tripletscope.dashboard.print.composition import PIXELS_PER_MM
from tripletscope.dashboard.print.render import drawing, placed, size_of, text

#: Gap between panels, in millimetres.
_GAP = 4.0
#: Styles of letters.
LETTERS = {"A": str.upper, "a": str.lower, "(a)": lambda letter: f"({letter.lower()})"}


@dataclass(frozen=True)
class Panel:
    """A figure on a sheet.

    name: For lists.
    svg: In pixels.
    font: In points.
    """

    name: str
    svg: str
    font: float


def lettered(number: int, style: str) -> str:
    """The letter of a panel, counted from 0; after Z come AA, AB, ..."""
    letters = ""
    number += 1
    while number:
        number, place = divmod(number - 1, 26)
        letters = string.ascii_uppercase[place] + letters
    return LETTERS[style](letters)


def sheet(panels: Sequence[Panel], width: float = 180.0, style: str = "A") -> str:
    """SVG of panels from left to right and, where a row is full, below, in pixels.

    width: In millimetres; a wider panel widens the sheet.
    """
    gap, full = _GAP * PIXELS_PER_MM, width * PIXELS_PER_MM
    parts, x, y, below, right = [], 0.0, 0.0, 0.0, 0.0
    for number, panel in enumerate(panels):
        panel_width, height = size_of(panel.svg)
        size = 1.35 * panel.font * 96 / 72
        if x and x + panel_width > full + 0.5:
            x, y = 0.0, y + below + gap
            below = 0.0
        parts.append(text(lettered(number, style), x + 0.2 * size, y + size, size, bold=True))
        parts.append(placed(panel.svg, x, y + 1.3 * size))
        below, right = max(below, height + 1.3 * size), max(right, x + panel_width)
        x += panel_width + gap
    return drawing(max(full, right), y + below, parts)
