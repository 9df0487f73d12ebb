"""Three objects in a cell, such as ``cat, dog, car`` or ``cat_dog_car.png``, made into columns."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from tripletscope.core.reading.columns.pair_columns import is_beside
from tripletscope.core.reading.names import common_start, file_name, is_usual_name, stem
from tripletscope.core.reading.table import Table, encoded

#: Between the objects, the plainest first.
_SIGNS = (", ", "; ", " | ", " / ", " - ", " > ", " vs. ", " vs ", ",", ";", "|", "/", ">", "__",
          "--", "_", "-", " ")
#: Fewest rows, rows and columns that are looked at; share of the cells that have three parts.
_FEWEST, _ROWS, _MOST, _THREE = 10, 2_000, 60, 0.98
#: An ending of a file.
_ENDING = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")


def objects_in_cells(table: Table) -> Table | None:
    """The table with a column for each of three objects that a cell names, if only one column does.

    Objects recur, in different places, and differ within a cell.
    """
    if not table.header or table.n_rows < _FEWEST:
        return None
    sample = table.head(_ROWS)
    found = {}
    for column in table.columns[:_MOST]:
        if is_beside(column) or (is_usual_name(column) and column.casefold() != "trial"):
            continue
        values = sample.codes(column).values
        if len(values) >= _FEWEST and (sign := _sign_between(values)) is not None:
            found[column] = sign
    if len(found) != 1:
        return None
    ((column, sign),) = found.items()
    coded = table.codes(column)
    around = _around(coded.values, sign)
    split = [_parts(text, sign, around) for text in coded.values]
    if hold_already(sample, {one for parts in split for one in parts}):
        return None
    added = {
        f"{column} {k + 1}": encoded(
            None if code < 0 or len(split[code]) != 3 else split[code][k] for code in coded.codes
        )
        for k in range(3)
    }
    shown = sign.strip() or "a space"
    return table.with_columns(
        added, f"Cells of column {column} name three objects, with {shown} between them."
    )


def hold_already(sample: Table, objects: set[str]) -> bool:
    """Whether columns name the three objects of each row: then a cell only repeats them."""
    named = 0
    for column in sample.columns[:_MOST]:
        values = {stem(text) for text in sample.codes(column).values}
        named += len(values) > 1 and 2 * len(values & objects) > len(values)
    return named > 2


def _sign_between(values: list[str]) -> str | None:
    """The sign that divides nearly all cells into three objects."""
    for sign in _SIGNS:
        if sum(sign in text for text in values) < _THREE * len(values):
            continue
        around = _around(values, sign)
        split = [_parts(text, sign, around) for text in values]
        three = [parts for parts in split if len(parts) == 3 and all(parts)]
        if len(three) < _THREE * len(values):
            continue
        places = [Counter(parts[k] for parts in three) for k in range(3)]
        times = sum(places, Counter())
        recur = sum(n for n in times.values() if n > 1) >= 0.9 * 3 * len(three)
        somewhere = np.mean([sum(one in place for place in places) > 1 for one in times])
        apart = np.mean([len({*parts}) == 3 for parts in three])
        numbers = all(re.fullmatch(r"[\d.:]+", one) for one in times)  # dates and moments
        if len(times) > 3 and recur and somewhere > 0.5 and apart >= 0.95 and not numbers:
            return sign
    return None


def _around(values: list[str], sign: str) -> tuple[int, int]:
    """Letters before and behind the objects that are the same in all cells, up to a sign."""
    bare = [_bare(text, sign) for text in values]
    start, end = common_start(bare), common_start([text[::-1] for text in bare])[::-1]
    before = start.rfind(sign) + len(sign) if sign in start else 0
    behind = len(end) - end.find(sign) if sign in end else 0
    return before, behind


def _parts(text: str, sign: str, around: tuple[int, int]) -> list[str]:
    bare = _bare(text, sign)
    bare = bare[around[0] : len(bare) - around[1]].strip(" ()[]{}\"'")
    return [part.strip(" \"'") for part in bare.split(sign)]


def _bare(text: str, sign: str) -> str:
    """A text without the ending and the folder of a file."""
    return _ENDING.sub("", text if "/" in sign else file_name(text))
