"""Gorilla: one row per event; those of response zones are answers.

The experimenter's spreadsheet columns stand in every row; ``Zone Type`` tells what happened.
"""

from __future__ import annotations

import re

from tripletscope.core.io.columns.guess import numbered_columns, option_roles
from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.layouts import Layout
from tripletscope.core.io.names import ALIASES, listing, named, normalised
from tripletscope.core.io.table import Table
from tripletscope.core.io.tasks import TASKS

_SIDES = {
    "participant": ("participantprivateid", "participantpublicid"),
    "response_time": ("reactiontime",), "time": ("trialnumber", "eventindex"),
    "block": ("spreadsheetrow",),
}


def _propose(table: Table) -> list[Reading]:
    participant = named(table.columns, _SIDES["participant"])
    zone = named(table.columns, ("zonetype", "responsetype"))
    response = named(table.columns, ("response",))
    if participant is None or zone is None or response is None:
        return []
    sides = {role: column for role, names in _SIDES.items() if role != "block"
             if (column := named(table.columns, names))}
    kinds = [kind for kind in table.codes(zone).values if re.match("response", kind, re.I)]
    only = {zone: tuple(kinds)} if kinds else {}
    free = [c for c in table.columns if normalised(c) not in ("response", "responsetype")]
    anchor = named(free, ALIASES["anchor"])
    options = {role: named(free, ALIASES[role]) for role in ("left", "right")}
    found: list[tuple[str, dict[str, str]]] = []
    if anchor and all(options.values()):
        found = [("nearer", {"anchor": anchor} | options)]
    else:
        roles, _ = option_roles(table)
        groups = [g for g in numbered_columns(free).values() if len(g) == 3]
        if {"anchor", "left", "right"} <= set(roles):
            found = [("nearer", {role: roles[role] for role in ("anchor", "left", "right")})]
        elif groups:
            items = {f"item{i}": column for i, column in enumerate(groups[0], 1)}
            found = [("odd_one_out", items), ("most_central", items)]
    return [
        Reading(
            "gorilla", f"Gorilla: {TASKS[task].title.lower()}",
            roles | {"choice": response} | {r: c for r, c in sides.items() if r not in roles},
            task=task, only=only,
            reasons=(
                f"Columns {participant} and {zone} are Gorilla's; answers are the rows of "
                f"{listing(kinds) if kinds else 'every zone'}.",
            ),
        )
        for task, roles in found
    ]


LAYOUT = Layout("gorilla", "Gorilla", 14, _propose)
