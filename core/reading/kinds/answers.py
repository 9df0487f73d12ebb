"""Claims of answers about objects: what the kinds of comparisons share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tripletscope.core.reading.columns.guess import side_roles
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import ColumnCells, Columns
from tripletscope.core.reading.kinds import POSSIBLE, Claim, Sign
from tripletscope.core.reading.names import PLAIN, listing, normalised
from tripletscope.core.reading.tasks import TASKS


def answers(
    columns: Columns, kind: str, points: int, task: str, roles: Mapping[str, str],
    *signs: Sign, title: str = "", coding: str | Mapping[str, int] | None = None,
) -> Claim:
    """A claim of one reading, with the usual columns beside those that are needed."""
    if _named_otherwise(roles):
        points = min(points, POSSIBLE)
    side, reasons = side_roles(columns.table, roles)
    title = title or TASKS[task].title
    reading = Reading(
        kind, title, {**side, **roles}, choice_coding=coding, task=task,
        reasons=(*(sign.said() for sign in signs), *reasons),
    )
    return Claim(kind, title, points, signs, roles, reading=reading)


def _named_otherwise(roles: Mapping[str, str]) -> bool:
    """Whether columns that are called anchor, nearer and farther are taken for something else.

    Keys and clicks beside them are details of the answer, and so are all columns that were kept.
    """
    called = {role: next((column for column in roles.values() if normalised(column) in names), None)
              for role, names in PLAIN.items()}
    return None not in called.values() and any(
        roles.get(role) != column for role, column in called.items()
    )


def named_together(objects: Sequence[ColumnCells]) -> str:
    return listing([column.name for column in objects])
