"""How a table may be meant: every layout is asked, the most specific one first."""

from __future__ import annotations

from dataclasses import replace

from tripletscope.core.io.columns.guess import complete
from tripletscope.core.io.columns.reading import Reading, can_be_kept
from tripletscope.core.io.columns.refused import refusal
from tripletscope.core.io.layouts import layouts
from tripletscope.core.io.names import GROUP_NAMES, normalised
from tripletscope.core.io.table import Table


def propose(table: Table, *, insist: bool = False) -> list[Reading]:
    """Readings that fit a table, best first; never none."""
    refused = None if insist else refusal(table)
    if refused is not None:
        raise refused
    found: list[Reading] = []
    for layout in layouts().values():
        for proposed in layout.propose(table) or ():
            for reading in complete(table, proposed):
                if not any(_same(reading, other) for other in found):
                    keep = dict.fromkeys((*reading.keep, *_groups(table, reading)))
                    found.append(replace(reading, keep=tuple(keep)))
    return found


def _groups(table: Table, reading: Reading) -> tuple[str, ...]:
    """Columns that nobody asked for, but that divide the answers into groups."""
    return tuple(
        column for column in can_be_kept(table, reading)
        if normalised(column) in GROUP_NAMES and len(table.codes(column).values) > 1
    )


def _same(reading: Reading, other: Reading) -> bool:
    return (reading.task, reading.roles, reading.choice_coding) == (
        other.task, other.roles, other.choice_coding
    )
