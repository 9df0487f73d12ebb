"""Numbers, counts and times as pages write them."""

from __future__ import annotations

import re
from math import isnan


def number(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, without an exponent where it can be read."""
    if value == 0 or 1e-3 <= abs(value) < 1e6:
        return f"{float(f'{value:.{digits}g}'):,.10g}"
    return f"{value:.{digits - 1}e}"


def interval(estimate: float, low: float, high: float) -> str:
    """An estimate with its interval, like 0.137 [0.129, 0.146]; alone where that is unknown."""
    return f"{estimate:.3f}" if isnan(low) else f"{estimate:.3f} [{low:.3f}, {high:.3f}]"


def duration(seconds: float) -> str:
    """A time in the unit that reads best."""
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 90:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def count(n: int, noun: str, plural: str | None = None) -> str:
    """A count with its noun, like 1 answer or 17,611 answers."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def plain(text: str) -> str:
    """`text` in one line with Markdown escaped.

    Pages have a space before the sign of per cent, papers have none.
    """
    text = re.sub(r"(?<=\d)%", " %", text)
    return re.sub(r"([\\`*_{}\[\]()#+\-.!|~$:<>])", r"\\\1", " ".join(text.splitlines()))
