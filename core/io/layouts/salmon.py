"""Salmon's responses.csv, of versions 0.4 to 1.0.

Objects are integers counted from 0. Their names stand beside them, as file names of pictures or
as the HTML that was shown. Response times are in seconds. ``score`` is the sampler's business.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.data.cells import plain_number
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import (
    file_name,
    is_picture_name,
    named,
    normalised,
    stem,
    without_tags,
)
from tripletscope.core.io.table import Table

_OWN = ("puid", "algident", "sampler", "networklatency", "timereceived")
_NAMED_BY = ("filename", "html", "object")


def _propose(table: Table) -> list[Reading]:
    roles = LAYOUT.columns(table)
    own = [column for column in table.columns if normalised(column) in _OWN]
    if len(roles) < 4 or not own:
        return []
    named_by = _name_columns(table)
    source = (
        f"their names are in columns such as {next(iter(named_by.values()))}"
        if named_by else "the file does not name them"
    )
    return [LAYOUT.reading(
        table, roles, f"Columns head, left, right, winner and {own[0]} are Salmon's.",
        f"Objects are numbers counted from 0; {source}.", choice_coding="item",
    )]


def _describe(table: Table, reading: Reading) -> pd.DataFrame | None:
    named_by = _name_columns(table)
    shown: dict[str, str] = {}
    for role in ("anchor", "left", "right"):
        column = reading.roles.get(role)
        if column not in named_by:
            continue
        objects, names = table.codes(column), table.codes(named_by[column])
        # Writing from the end leaves each object with the first row that names it.
        row = np.full(len(objects.values) + 1, -1)
        written = np.flatnonzero(names.codes >= 0)[::-1]
        row[objects.codes[written]] = written
        for i, text in zip(row, objects.values, strict=False):
            if i >= 0:
                shown.setdefault(plain_number(text), without_tags(names.values[names.codes[i]]))
    if not shown:
        return None
    table_of_objects = pd.DataFrame({"id": list(shown), "label": map(stem, shown.values())})
    if all(map(is_picture_name, shown.values())):
        table_of_objects["image"] = [file_name(text) for text in shown.values()]
    return table_of_objects


def _name_columns(table: Table) -> dict[str, str]:
    """Column of object numbers -> column of what was shown."""
    return {
        column: beside
        for column in table.columns
        if (beside := named(table.columns, [normalised(column) + name for name in _NAMED_BY]))
    }


LAYOUT = Layout("salmon", "Salmon responses", 10, _propose, _describe)
