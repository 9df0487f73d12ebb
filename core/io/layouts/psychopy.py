"""PsychoPy and Pavlovia: one row per trial, the experiment's own columns, ``*.keys``, ``*.rt``."""

from __future__ import annotations

from tripletscope.core.io.columns.guess import (
    SAMPLE_ROWS,
    numbered_columns,
    option_roles,
    plain_texts,
    side_roles,
)
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, named, normalised
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS

_OWN = (
    "psychopyversion", "expname", "framerate", "trialsthisn", "trialsthistrialn",
    "trialsthisindex",
)


def _propose(table: Table) -> list[Reading]:
    own = [column for column in table.columns if normalised(column) in _OWN]
    keys = [c for c in table.columns if c.endswith((".keys", ".clicked_name", ".response"))]
    if not own or not keys:
        return []
    # Of several keyboards the one with the most answers is that of the trials.
    choice = max(keys, key=lambda c: int((table.codes(c).codes >= 0).sum()))
    device = choice.rpartition(".")[0]
    if f"{choice}[1]" in table.columns:  # a mouse lists its clicks
        choice = f"{choice}[1]"
    more, reasons = side_roles(table, {"choice": choice})
    timers = [name for name in (f"{device}.rt", f"{device}.time[1]") if name in table.columns]
    if timers:
        more["response_time"] = timers[0]
    reasons = [
        f"Column {own[0]} is PsychoPy's; participants responded by {device}.", *reasons,
    ]
    readings = []
    for task, roles in _objects(table, choice):
        roles = roles | {"choice": choice}
        taken = set(roles.values())
        sides = {role: column for role, column in more.items() if column not in taken}
        readings.append(Reading(
            "psychopy", f"PsychoPy: {TASKS[task].title.lower()}", roles | sides, task=task,
            reasons=tuple(reasons),
        ))
    return readings


def _objects(table: Table, choice: str) -> list[tuple[str, dict[str, str]]]:
    """What may have been asked, with the roles of the objects, the likeliest first."""
    anchor = named(table.columns, ALIASES["anchor"])
    sides = {role: named(table.columns, ALIASES[role]) for role in ("left", "right")}
    if anchor and all(sides.values()):
        return [("nearer", {"anchor": anchor} | sides)]
    roles, _ = option_roles(table)
    if "left" in roles:
        return [("nearer", {role: roles[role] for role in ("anchor", "left", "right")})]
    words = set(plain_texts(table.head(SAMPLE_ROWS), choice)) - {""}
    for columns in numbered_columns(table.columns).values():
        items = {f"item{i}": column for i, column in enumerate(columns, 1)}
        if len(columns) == 3 and len(words) > 2:
            return [("odd_one_out", items), ("most_central", items)]
        if len(columns) == 3:
            anchored = dict(zip(("anchor", "left", "right"), columns, strict=True))
            return [
                ("larger_difference", items), ("smaller_difference", items), ("nearer", anchored)
            ]
        if len(columns) == 4:
            return [("larger_pair", items), ("smaller_pair", items)]
    return []


LAYOUT = Layout("psychopy", "PsychoPy", 13, _propose)
