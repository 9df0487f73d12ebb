"""R's MLDS as a signed matrix: ``resp`` and one column per level, without that of the first.

In a row of a triad the middle level has weight -2 and the outer ones 1; in one of a quadruple the
outer ones have 1 and the inner ones -1. What is missing to a sum of 0 is the first level's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.formats.several import FILE
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import named
from tripletscope.core.io.table import Table, decoded

_NAME = "S{}"


def _reshape(table: Table) -> Table | None:
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
        _NAME.format(k): decoded(pairs[:, place], names) for k, place in enumerate(places, 1)
    }
    kept = table.data.select([c for c in table.columns if c in (response, FILE)])
    for name, column in added.items():
        kept = kept.append_column(name, column)
    note = "A matrix of signs, as written by R's MLDS: levels are counted from 1."
    return replace(table, data=kept, header=True, notes=[*table.notes, note])


def _propose(table: Table) -> list[Reading]:
    # The columns that were made are those of a difference scale.
    return []


LAYOUT = Layout("indicators", "Difference scale as a matrix of signs", 37, _propose,
                reshape=_reshape)
