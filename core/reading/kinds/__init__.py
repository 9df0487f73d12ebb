"""What kind of table this is, by evidence: every `Kind` in a file of this folder.

A kind says what of a table speaks for it and what against, and which columns have which roles. The
evidence is of the values; names of columns only help. A table that no kind claims is no table of
judgements.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import Columns
from tripletscope.core.reading.languages import FORMS

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

    def arguments(self) -> str:
        """How Python reads the table so, without the name of the file."""
        call = kinds()[self.kind].call
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
