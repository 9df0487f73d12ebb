"""The layouts that are recognised. A file in this folder that defines ``LAYOUT`` adds one."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any

import pandas as pd

from tripletscope.core.io.columns.reading import Reading
from tripletscope.core.io.table import Table


def _nothing_known(table: Table, reading: Reading) -> None:
    return None


def _no_records(document: Any) -> None:
    return None


def _as_it_is(table: Table) -> None:
    return None


def _by_the_anchor(table: Table, reading: Reading) -> None:
    return None


@dataclass(frozen=True)
class Layout:
    """One family of files."""

    name: str  # written into readings; never changed once files have been read
    title: str  # what the user calls it
    rank: int  # proposals of lower rank come first; 100 is the layout that fits everything
    #: ``propose(table)`` is the readings that fit, best first; none if the table is of another
    #: kind. The coding of the choice and the unit of response times may be left open.
    propose: Callable[[Table], list[Reading]]
    #: ``describe(table, reading)`` is what the file itself says of the objects: a data frame with
    #: ``id`` and any of ``label``, ``image``; or None.
    describe: Callable[[Table, Reading], pd.DataFrame | None] = _nothing_known
    #: ``unpack(document)`` makes rows of a JSON document: a list of dicts; or None.
    unpack: Callable[[Any], Sequence[Mapping[str, Any]] | None] = _no_records
    #: ``reshape(table)`` is the table with columns that can be read, where the layout hides objects
    #: in codes or lists; or None.
    reshape: Callable[[Table], Table | None] = _as_it_is
    #: ``checks(table, reading)`` is ``row``, ``participant`` and ``correct`` of the rows that show
    #: who pays attention, where the file says which these are; or None, and they are those whose
    #: anchor is one of the options.
    checks: Callable[[Table, Reading], pd.DataFrame | None] = _by_the_anchor


@lru_cache
def layouts() -> dict[str, Layout]:
    """All layouts by name, the most specific ones first."""
    modules = (import_module(f"{__name__}.{m.name}") for m in pkgutil.iter_modules(__path__))
    found = sorted((module.LAYOUT for module in modules), key=lambda layout: layout.rank)
    return {layout.name: layout for layout in found}
