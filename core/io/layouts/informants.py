"""One row per triad and one column per participant, as AnthroTools and ANTHROPAC write them.

Also triads told by a code book (``triad`` -> ``top1, left1, right1``), which reading several
files joins: 1 is the top, 2 the left and 3 the right one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tripletscope.core.io.columns.guess import (
    SAMPLE_ROWS,
    numbered_columns,
    plain_texts,
    side_roles,
)
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.formats.several import FILE
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, is_known_name, listing, named
from tripletscope.core.io.table import Table, decoded
from tripletscope.core.io.tasks import TASKS

_WHO, _ANSWER = "informant", "informant's answer"
_CORNERS = (("top1", "left1", "right1"), ("top", "left", "right"))


def _propose(table: Table) -> list[Reading]:
    choice = table.columns[-1] if {_WHO, _ANSWER} <= set(table.columns) else None
    columns = _objects(table) if choice else None
    reason = "Each participant has a column; the answers of all of them follow each other."
    side: dict[str, str] = {"participant": _WHO}
    if choice is None:
        corners = [[named(table.columns, [name]) for name in names] for names in _CORNERS]
        columns = next((found for found in corners if all(found)), None)
        choice = named(table.columns, ALIASES["choice"])
        reason = "Columns for the top, left and right object, and for the one that was chosen."
        if columns and choice:
            side, _ = side_roles(table, {"choice": choice})
    if columns is None or choice is None:
        return []
    items = {f"item{i}": column for i, column in enumerate(columns, 1)}
    return [
        Reading(
            "informants", f"Triad test: {TASKS[task].title.lower()}",
            items | {"choice": choice} | {r: c for r, c in side.items() if c not in columns},
            task=task, reasons=(reason, "Triad tests ask for the odd one, or for another: check "
                                "the sentences."),
        )
        for task in ("odd_one_out", "most_central", "similar_pair")
    ]


def _objects(table: Table) -> list[str] | None:
    groups = numbered_columns(table.columns)
    for name in ("item", "triad", "object", "stimulus", "stim", "word"):
        if len(groups.get(name, ())) == 3:
            return groups[name]
    return None


def _reshape(table: Table) -> Table | None:
    """One row per answer, if each further column holds one of the three objects in every row."""
    objects = _objects(table) if table.header else None
    if objects is None:
        return None
    others = [
        c for c in table.columns
        if c not in [*objects, _file_of(table)] and not c.startswith("column ")
    ]
    if not others or any(is_known_name(c) for c in others):
        return None
    sample = table.head(SAMPLE_ROWS)
    cells = [plain_texts(sample, column) for column in objects]
    for column in others:
        texts = plain_texts(sample, column)
        told = np.isin(texts, ["1", "2", "3", ""])
        offered = np.logical_or.reduce([texts == other for other in cells]) | (texts == "")
        if not (told.all() or offered.all()):
            return None
    return _melted(table, objects, others)


def _file_of(table: Table) -> str | None:
    """The column that tells which of several files a row comes from, if there is one."""
    return FILE if table.rows is not None and FILE in table.columns else None


def _melted(table: Table, objects: list[str], others: list[str]) -> Table:
    n, k = table.n_rows, len(others)
    columns: dict[str, pa.Array] = {}
    for column in filter(None, [*objects, _file_of(table)]):
        coded = table.codes(column)
        columns[column] = decoded(np.repeat(coded.codes, k), coded.values)
    columns[_WHO] = decoded(np.tile(np.arange(k), n), others)
    place: dict[str, int] = {}
    codes = np.empty((n, k), dtype=np.int64)
    for j, column in enumerate(others):
        coded = table.codes(column)
        own = [place.setdefault(text, len(place)) for text in coded.values]
        codes[:, j] = np.array([*own, -1])[coded.codes]
    columns[_ANSWER] = decoded(codes.ravel(), list(place))
    note = (
        f"Columns {listing(others)} are one participant each: {k:,} answers for each row."
    )
    return replace(
        table, data=pa.table(columns), notes=[*table.notes, note],
        rows=np.repeat(table.row_numbers(np.arange(n)), k),
    )


LAYOUT = Layout("informants", "Triad test, one column per participant", 35, _propose,
                reshape=_reshape)
