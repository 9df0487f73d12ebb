"""Meadows' annotations: names of three objects, start and end as ISO times, the chosen label."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import named
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS

_TIME = "response time (s)"


def _is_meadows(table: Table) -> bool:
    needed = ("task", "participation", "stim1name", "stim2name", "stim3name", "label")
    return all(named(table.columns, [name]) for name in needed)


def _propose(table: Table) -> list[Reading]:
    if not _is_meadows(table):
        return []
    items = {f"item{i}": named(table.columns, [f"stim{i}name"]) for i in (1, 2, 3)}
    sides = {
        "choice": named(table.columns, ["label"]),
        "participant": named(table.columns, ["participation"]),
        "block": named(table.columns, ["task"]),
        **({"time": c} if (c := named(table.columns, ["start"])) else {}),
        **({"response_time": _TIME} if _TIME in table.columns else {}),
    }
    unit = "s" if "response_time" in sides else None
    return [
        Reading(
            "meadows", f"Meadows: {TASKS[task].title.lower()}", items | sides, task=task,
            choice_coding="item", response_time_unit=unit,
            reasons=(
                "Columns participation, stim1_name and label are those of Meadows' annotations.",
                "Label is the object that was chosen; whether as the odd one or another the file "
                "does not say: check the sentences.",
            ),
        )
        for task in ("odd_one_out", "most_central")
    ]


def _reshape(table: Table) -> Table | None:
    """Response times are the difference of two moments."""
    start, end = named(table.columns, ["start"]), named(table.columns, ["resp"])
    if not _is_meadows(table) or not start or not end:
        return None
    first, last = (table.moments(column) for column in (start, end))
    seconds = (last - first) / np.timedelta64(1, "s")
    return table.with_columns(
        {_TIME: pa.array(seconds)}, f"{_TIME} is {end} minus {start}."
    )


LAYOUT = Layout("meadows", "Meadows annotations", 15, _propose, reshape=_reshape)
