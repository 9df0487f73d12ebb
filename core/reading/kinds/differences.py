"""Two pairs of objects, or a triad of levels: which pair differs more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from tripletscope.core.reading.columns.object_columns import (
    Response,
    in_order,
    object_groups,
    responses,
)
from tripletscope.core.reading.columns.reading import CHOICE_CODINGS
from tripletscope.core.reading.columns.values import NEARLY_ALL, ColumnCells, Columns
from tripletscope.core.reading.kinds import CERTAIN, LIKELY, POSSIBLE, Claim, Kind, Sign, answers
from tripletscope.core.reading.layouts import items
from tripletscope.core.reading.names import normalised
from tripletscope.core.reading.tasks import TASKS

#: Stems of the names of levels.
_LEVELS = ("s", "stim", "stimulus", "level", "object")


def _evidence(columns: Columns) -> list[Claim]:
    found: list[Claim] = []
    for objects in object_groups(columns):
        for response in responses(columns, objects)[:2]:
            if 0 < len(response.column.values) <= 2 and response.how in (
                "position", "keys", "words"
            ):
                found += _of(columns, objects, response)
    return found


def _of(columns: Columns, objects: Sequence[ColumnCells], response: Response) -> list[Claim]:
    names = in_order([column.name for column in objects])
    levels = all(normalised(name).rstrip("0123456789") in _LEVELS for name in names)
    numbers = all(column.is_numeric for column in objects)
    # Objects that were made of several features have numbers, too.
    made = all(normalised(name).startswith("object") for name in names)
    if len(objects) == 3 and not (levels and (numbers or made)):
        return []
    larger, smaller = ("larger_pair", "smaller_pair") if len(objects) == 4 else (
        "larger_difference", "smaller_difference"
    )
    codings = [
        coding for coding in response.codings
        if isinstance(coding, Mapping) or len(CHOICE_CODINGS[coding].words) in (2, 9)
    ]
    words = {text.casefold() for text in response.column.values}
    # As in R's MLDS: 1 is the second pair, 0 the first; the middle level is between the others.
    ascends = made or len(names) == 4 or _ascend(columns, names)
    usual = levels and words <= {"0", "1"} and response.called and ascends
    found = []
    for coding in codings:
        for task in (larger, smaller):
            sign = Sign("mlds", {"choice": response.column.name})
            if usual:
                certain = task == larger and coding == "position_0"
                points = CERTAIN if certain else POSSIBLE
            else:
                points = LIKELY if response.called and ascends else POSSIBLE
            found.append(answers(
                columns, "pairs", points, task, items(names) | {"choice": response.column.name},
                sign, coding=coding, title=TASKS[task].title,
            ))
    return sorted(found, key=lambda one: -one.points)


def _ascend(columns: Columns, names: Sequence[str]) -> bool:
    """Whether the second of three levels is between the others, in nearly every row."""
    first, second, third = (columns[name].numbers for name in names)
    between = (second - first) * (third - second)
    written = np.isfinite(between)
    return bool(written.any() and np.mean(between[written] > 0) > NEARLY_ALL)


PAIRS = Kind(
    "pairs", "two pairs, or a triad, and which pair differs more", 29, _evidence,
    "tripletscope.read",
)
