"""What kind of table this is, by evidence: every `Kind` in a file of this folder.

A kind says what of a table speaks for it and what against, and which columns have which roles. The
evidence is of the values; names of columns only help. A table that no kind claims is no table of
judgements.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from tripletscope.core.reading.columns.guess import side_roles
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import ColumnCells, Columns
from tripletscope.core.reading.languages import FORMS
from tripletscope.core.reading.names import PLAIN, listing, normalised
from tripletscope.core.reading.tasks import TASKS

#: How strongly a table speaks for a kind: it bears the marks of a program that writes nothing else;
#: its values and names can hardly mean anything else; its values alone say so; it may be.
MARKED, CERTAIN, LIKELY, POSSIBLE = 4, 3, 2, 1


@dataclass(frozen=True)
class Sign:
    """What speaks for or against a kind: a code of `forms.toml`, and the values of its words."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def said(self) -> str:
        """A sentence."""
        return FORMS["signs"][self.code].format(**self.values)


@dataclass(frozen=True)
class Claim:
    """One meaning that a table may have.

    kind: Of `kinds`.
    title: Its name for the user, in lower case.
    points: `MARKED`, `CERTAIN`, `LIKELY` or `POSSIBLE`.
    signs: What speaks for it, the most telling first, and what against.
    roles: Role -> column, if it has any.
    options: Further arguments of what reads it.
    reading: Of answers.
    """

    kind: str
    title: str
    points: int
    signs: tuple[Sign, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    reading: Reading | None = None

    @property
    def read_as(self) -> str:
        """The kind by which it is read: counts in a square are confusions."""
        return self.options.get("kind", self.kind)

    def arguments(self) -> str:
        """How Python reads the table so, without the name of the file."""
        call = kinds()[self.read_as].call
        if self.reading is None:
            said = "".join(f", {name}={value!r}" for name, value in self.options.items())
            return f"{call}(…{said})" if call else "not read"
        return f"{call}(…, {self.reading.short()!r})"


@dataclass(frozen=True)
class Kind:
    """A kind of table.

    name: Never changed.
    title: For the user, in the plural.
    rank: Of several that are equally strong, those of lower rank come first.
    evidence: ``evidence(columns)``: every meaning that the table may have under this kind.
    call: How Python reads such a table; empty if it does not.
    """

    name: str
    title: str
    rank: int
    evidence: Callable[[Columns], list[Claim]]
    call: str = ""


@lru_cache
def kinds() -> dict[str, Kind]:
    """All kinds by name."""
    modules = (import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    several = {v.name: v for module in modules for v in vars(module).values()
               if isinstance(v, Kind)}
    return dict(sorted(several.items(), key=lambda item: item[1].rank))


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
