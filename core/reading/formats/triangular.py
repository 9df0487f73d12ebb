"""Triangles of numbers, whose rows have ever more or fewer cells, as square tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tripletscope.core.reading.names import counted
from tripletscope.core.reading.numerals import NUMERAL

#: Most bytes and rows of one, and the least objects.
_MOST_BYTES, _MOST_ROWS, _LEAST = 2**24, 4_000, 4
_NUMBER = re.compile(f"{NUMERAL}|nan|na|-", re.IGNORECASE)
#: What a column of all pairs is called.
_CONDENSED = re.compile(r"dist|dissim|simil|ähnlich|rdm|proxim", re.IGNORECASE)
_SEPARATORS = ("\t", ";", ",", None)  # None is any white space


def squared(data: bytes) -> tuple[bytes, str] | None:
    """A square table, separated by tabs, of UTF-8 text that is a triangle, and a note; else None.

    Lower triangles begin with one number and have one more in each row, upper ones end with one;
    with or without a diagonal, names in front, and names above. A column of numbers that is called
    distance, say, has the pairs as the upper triangle has them row by row.
    """
    if len(data) > _MOST_BYTES or data.count(b"\n") > _MOST_ROWS:
        return None
    lines = [line for line in data.decode().splitlines() if line.strip()]
    if not 2 < len(lines) <= _MOST_ROWS:
        return None
    for separator in _SEPARATORS:
        rows = [_split(line, separator) for line in lines]
        found = _triangle(rows) or _condensed(rows)
        if found is not None:
            names, lower, what = found
            n = len(names)
            square = [["", *names]]
            square += [[names[i], *lower[i], *[""] * (n - len(lower[i]))] for i in range(n)]
            text = "\n".join("\t".join(row) for row in square)
            return text.encode(), f"The numbers are {what} of {counted(n, 'object')}."
    return None


def _split(line: str, separator: str | None) -> list[str]:
    cells = [cell.strip().strip('"') for cell in line.split(separator)]
    while cells and not cells[-1]:
        cells.pop()
    return cells


def _triangle(rows: list[list[str]]) -> tuple[list[str], list[list[str]], str] | None:
    """Names, and the numbers of each row up to the diagonal or to the object before it."""
    above = None
    if len(rows[0]) > 1 and not any(map(_is_number, rows[0])):
        above, rows = rows[0], rows[1:]
    names = None
    if all(row and not _is_number(row[0]) for row in rows):
        names, rows = [row[0] for row in rows], [row[1:] for row in rows]
    if len(rows) < _LEAST - 1 or not all(_is_number(cell) for row in rows for cell in row):
        return None
    lengths = [len(row) for row in rows]
    if not lengths[-1]:  # the last object has nobody after it
        rows, lengths = rows[:-1], lengths[:-1]
    if lengths == [*range(len(rows), 0, -1)]:  # an upper one, from the last column down
        columns = [[row[i - k] for k, row in enumerate(rows[: i + 1])] for i in range(len(rows))]
        return _named(columns, names, above, "the upper triangle", first=True)
    if lengths == [*range(len(rows))]:
        return _named(rows[1:], names, above, "the lower triangle")
    if lengths == [*range(1, len(rows) + 1)]:
        return _named(rows, names, above, "the lower triangle")
    return None


def _named(
    rows: Sequence[list[str]], names: list[str] | None, above: list[str] | None, what: str, *,
    first: bool = False,
) -> tuple[list[str], list[list[str]], str] | None:
    """With names of all objects; of rows of 1, 2, ... numbers.

    first: Whether names are in front of rows that are columns now, and lack the last object's.
    """
    k = len(rows)
    last = [row[-1] for row in rows]
    has_diagonal = len({*last}) == 1 and k > 2
    n = k if has_diagonal else k + 1
    if n < _LEAST:
        return None
    lower = list(rows) if has_diagonal else [[], *rows]
    known = above or names or []
    if above and names and len(above) == n - 1:
        known = [*above, names[-1]] if not first else [names[0], *above]
    elif names and len(names) == n - 1:
        known = [*names, str(n)] if first else ["1", *names]
    if len(known) != n:
        if known:
            return None
        known = [str(i + 1) for i in range(n)]
    return (known, lower, what) if len({*known}) == n else None


def _condensed(rows: list[list[str]]) -> tuple[list[str], list[list[str]], str] | None:
    """Of one column with a name, the pairs 1 and 2, 1 and 3, ..."""
    if any(len(row) != 1 for row in rows) or not _CONDENSED.search(rows[0][0]):
        return None
    values = [row[0] for row in rows[1:]]
    n = round((1 + (1 + 8 * len(values)) ** 0.5) / 2)
    if n < _LEAST or n * (n - 1) // 2 != len(values) or not all(map(_is_number, values)):
        return None
    begins = [i * n - i * (i + 1) // 2 for i in range(n)]
    lower = [[values[begins[j] + i - j - 1] for j in range(i)] for i in range(n)]
    return [str(i + 1) for i in range(n)], lower, "all pairs, the upper triangle row by row,"


def _is_number(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell))
