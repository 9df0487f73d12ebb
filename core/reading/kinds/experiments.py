"""Measurements of experiments made here, which say themselves what they are."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.kinds import CERTAIN, Claim, Kind, Sign
from tripletscope.core.reading.layouts.collect import KIND, MEASURED_COLUMNS, TASK, once
from tripletscope.core.reading.names import counted
from tripletscope.core.reading.table import Table

_RATED = ("ratings", "ratings, large means similar", {"direction": "similar"})
#: Kinds by task: few answers would not show them.
_KINDS = {
    "rating": _RATED, "same_different": _RATED, "piles": ("piles", "sorting into piles", {}),
    "arrangement": ("arrangements", "spatial arrangements", {}),
}


def _task(table: Table) -> str | None:
    if not {TASK, KIND} <= set(table.columns):
        return None
    return next((one for one in table.codes(TASK).values if one in MEASURED_COLUMNS), None)


def of_experiment(table: Table) -> Claim | None:
    """What measurements of an experiment are."""
    task = _task(table)
    if task is None:
        return None
    kind, title, options = _KINDS[task]
    names = [name for name in ("participant", *MEASURED_COLUMNS[task]) if name in table.columns]
    return Claim(kind, title, CERTAIN, (Sign("ours"),), {name: name for name in names}, options)


def only_of(table: Table) -> Table:
    """The measurements alone, of experiments without practice and checks; other tables as is."""
    task = _task(table)
    if task is None:
        return table
    table = once(table) or table
    rows = np.flatnonzero(
        np.isin(table.texts(KIND), ABOUT_OBJECTS) & (np.asarray(table.texts(TASK)) == task)
    )
    left_out = table.n_rows - len(rows)
    note = f"{counted(left_out, 'row')} of practice and checks left out."
    return table.only(rows, *[note] * bool(left_out))


def _evidence(columns: Columns) -> list[Claim]:
    found = of_experiment(columns.table)
    return [found] if found else []


EXPERIMENTS = Kind(
    "experiments", "measurements of experiments made here", 8, _evidence,
    "tripletscope.ratings.read_measured",
)
