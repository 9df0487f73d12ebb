"""Layouts of files: every `Layout` in a file of this folder."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import pandas as pd

from tripletscope.core.reading.columns.guess import side_roles
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.interpretation.imported import Note
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.names import by_names
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import TASKS


def _nothing(*_: Any) -> None:
    return None


@dataclass(frozen=True)
class Layout:
    """One family of files."""

    name: str  # part of readings; never changed
    title: str  # for the user
    rank: int  # proposals of lower rank come first
    #: ``propose(table)``: readings that fit, best first, possibly without coding of the choice and
    #: unit of response times; none if the table is of another kind.
    propose: Callable[[Table], list[Reading] | None] = _nothing
    #: ``describe(table, reading)``: a data frame with ``id`` of the objects and any of ``label``,
    #: ``image``; or None.
    describe: Callable[[Table, Reading], pd.DataFrame | None] = _nothing
    #: ``unpack(document)``: rows of a JSON document, as dicts; or None.
    unpack: Callable[[Any], Sequence[Mapping[str, Any]] | None] = _nothing
    #: ``told(records)``: sentences on what was unpacked.
    told: Callable[[Sequence[Mapping[str, Any]]], list[str]] = lambda records: []
    #: ``reshape(table)``: the table with readable columns for objects in codes or lists; or None.
    reshape: Callable[[Table], Table | None] = _nothing
    #: ``checks(table, reading)``: ``row``, ``participant`` and ``correct`` of attention checks, if
    #: the file says which these are; or None for rows whose anchor is one of the options.
    checks: Callable[[Table, Reading], pd.DataFrame | None] = _nothing
    #: ``brings(table)``: notes on what the file brings along.
    brings: Callable[[Table], list[Note]] = lambda table: []
    in_places: bool = False  # whether options always have the order in which they were shown
    certain: bool = False  # whether the first proposal can hardly be wrong

    def columns(self, table: Table) -> dict[str, str]:
        """The column of each role, by the names of this layout."""
        return by_names(table.columns, WORDS["layouts"][self.name])

    def reading(
        self, table: Table, roles: Mapping[str, str], *reasons: str, program: str = "",
        side: Mapping[str, str] | None = None, task: str = "nearer", **settings: Any,
    ) -> Reading:
        """A reading with the roles of `side`, by default of all usual columns that are left.

        With `program`, whose answers may be of several tasks, the title includes the task.
        """
        more: list[str] = []
        if side is None:
            side, more = side_roles(table, roles)
        title = f"{program}: {TASKS[task].title.lower()}" if program else self.title
        settings = {"title": title, "task": task} | settings
        return Reading(self.name, roles={**side, **roles}, reasons=(*reasons, *more), **settings)


def items(columns: Sequence[str]) -> dict[str, str]:
    """Roles of objects in the order of their columns."""
    return {f"item{i}": column for i, column in enumerate(columns, 1)}


@lru_cache
def layouts() -> dict[str, Layout]:
    """All layouts by name, the most specific first."""
    modules = (import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    several = (v for module in modules for v in vars(module).values() if isinstance(v, Layout))
    return {layout.name: layout for layout in sorted(several, key=lambda layout: layout.rank)}
