"""Tables that are reshaped before reading. docs/files.md has samples.

A signed matrix of R's MLDS has a column per level except the first. In a row of a triad the middle
level has weight -2 and the outer ones 1; of a quadruple the outer ones 1 and the inner ones -1. The
first level has what is missing to a sum of 0.

Triads by a code book (``triad`` -> ``top1, left1, right1``) are joined from several files: 1 is the
top, 2 the left and 3 the right one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tripletscope.core.reading.columns.guess import (
    SAMPLE_ROWS,
    numbered_columns,
    plain_texts,
    side_roles,
)
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.formats.several import FILE, file_column
from tripletscope.core.reading.formats.wide import ROW, with_row_numbers
from tripletscope.core.reading.layouts import Layout, items
from tripletscope.core.reading.names import ALIASES, is_usual_name, listing, named
from tripletscope.core.reading.table import Table, decoded, encoded

_WHO, _ANSWER = "informant", "informant's answer"
_CORNERS = (("top1", "left1", "right1"), ("top", "left", "right"))


# Objects of several features: their new columns are read as three objects and a choice ---------


def _groups(table: Table) -> dict[str, list[str]] | None:
    """Columns of numbers by feature, one for each of the three objects."""
    if not table.header or named(table.columns, ALIASES["choice"]) is None:
        return None
    sample = table.head(1_000)
    groups = {
        name: columns for name, columns in numbered_columns(table.columns).items()
        if len(columns) == 3
        and all(np.isfinite(sample.numbers(column)).mean() > 0.9 for column in columns)
    }
    ranks = [name for name in groups if name in ("i", "s", "stim", "stimulus")]
    return groups if len(groups) > 1 and not ranks else None


def _with_objects(table: Table) -> Table | None:
    groups = _groups(table)
    if groups is None:
        return None
    added: dict[str, pa.Array] = {}
    for k in range(3):
        parts = [
            table.codes(columns[k]).each(f"{feature} {{}}".format, None, object)
            for feature, columns in groups.items()
        ]
        added[f"object {k + 1}"] = encoded(
            None if None in row else "; ".join(row) for row in zip(*parts, strict=True)
        )
    return table.with_columns(
        added, f"Objects are made of {listing(list(groups))}: {listing(list(added))}."
    )


# A matrix of signs: its new columns are those of a difference scale ----------------------------


def _with_levels(table: Table) -> Table | None:
    response = named(table.columns, ("resp", "response"))
    levels = [column for column in table.columns if column not in (response, FILE)]
    if response is None or not 3 <= len(levels) <= 200 or "S1" in table.columns:
        return None
    if set(table.head(1_000).codes(response).values) - {"0", "1", "0.0", "1.0"}:
        return None
    weights = np.column_stack([table.numbers(column) for column in levels])
    if not np.isin(weights, [-2, -1, 0, 1, 2]).all() or not (weights < 0).any():
        return None
    weights = np.column_stack([-weights.sum(axis=1), weights])
    if not (np.abs(weights).sum(axis=1) == 4).all() or not (weights <= 1).all():
        return None
    # Positions of the two positive and the two negative weights, in the order of the levels.
    levels_of = np.arange(weights.shape[1])
    high = np.array([levels_of[row > 0] for row in weights])
    low = np.array([np.repeat(levels_of, np.maximum(-row, 0).astype(int)) for row in weights])
    outer = high[:, 0] <= low[:, 0]
    pairs = np.where(
        outer[:, None], np.column_stack([high[:, 0], low, high[:, 1]]),
        np.column_stack([low[:, 1], high[:, 1], low[:, 0], high[:, 0]]),
    )
    names = [str(i + 1) for i in levels_of]
    triads = (low[:, 0] == low[:, 1]).all()
    places = [0, 1, 3] if triads else [0, 1, 2, 3]
    added: dict[str, pa.Array] = {
        f"S{k}": decoded(pairs[:, place], names) for k, place in enumerate(places, 1)
    }
    kept = table.data.select([c for c in table.columns if c in (response, FILE)])
    for name, column in added.items():
        kept = kept.append_column(name, column)
    note = "A matrix of signs, as written by R's MLDS: levels are counted from 1."
    return replace(table, data=kept, header=True, notes=[*table.notes, note])


# Informants ----------------------------------------------------------------------------------


def _triad_test(table: Table) -> list[Reading]:
    choice = table.columns[-1] if {_WHO, _ANSWER} <= set(table.columns) else None
    columns = _objects(table) if choice else None
    reason = "Each participant has a column; their answers are put one after the other."
    side: dict[str, str] = {"participant": _WHO}
    if choice is None:
        corners = [[named(table.columns, [name]) for name in names] for names in _CORNERS]
        columns = next((result for result in corners if all(result)), None)
        choice = named(table.columns, ALIASES["choice"])
        reason = "Columns for the top, left and right object, and for the one that was chosen."
        if columns and choice:
            side, _ = side_roles(table, {"choice": choice})
    if columns is None or choice is None:
        return []
    return [
        INFORMANTS.reading(
            table, items(columns) | {"choice": choice}, reason,
            "Triad tests ask for the odd one, or for another: check the sentences.",
            side={r: c for r, c in side.items() if c not in columns}, task=task,
            program="Triad test",
        )
        for task in ("odd_one_out", "most_central", "similar_pair")
    ]


def _objects(table: Table) -> list[str] | None:
    groups = numbered_columns(table.columns)
    for name in ("item", "triad", "object", "stimulus", "stim", "word"):
        if len(groups.get(name, ())) == 3:
            return groups[name]
    return None


def _with_informants(table: Table) -> Table | None:
    """One row per answer, if each further column has one of the three objects in every row."""
    objects = _objects(table) if table.header else None
    if objects is None:
        return None
    others = [
        c for c in table.columns
        if c not in [*objects, file_column(table)] and not c.startswith("column ")
    ]
    if not others or any(is_usual_name(c) for c in others):
        return None
    sample = table.head(SAMPLE_ROWS)
    cells = [plain_texts(sample, column) for column in objects]
    for column in others:
        texts = plain_texts(sample, column)
        is_number = np.isin(texts, ["1", "2", "3", ""])
        is_object = np.logical_or.reduce([texts == other for other in cells]) | (texts == "")
        if not (is_number.all() or is_object.all()):
            return None
    # Two rows about the same objects are two questions, and no copies.
    table, kept = with_row_numbers(table), [*objects, *filter(None, [file_column(table)]), ROW]
    return table.melted(others, {c: c for c in kept}, {_WHO: others}, _ANSWER, [
        f"Columns {listing(others)} are one participant each: {len(others):,} answers for each row."
    ])


FEATURES = Layout("features", "Objects made of several features", 36, reshape=_with_objects)
INDICATORS = Layout("indicators", "Difference scale as a matrix of signs", 37, reshape=_with_levels)
INFORMANTS = Layout(
    "informants", "Triad test, one column per participant", 35, _triad_test,
    reshape=_with_informants,
)
