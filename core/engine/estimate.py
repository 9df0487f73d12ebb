"""Estimates with intervals, in results and as their plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from tripletscope.core.engine.short_repr import short_repr

#: Endings of the plain values of an estimate, and values that those of a result have in common.
_ENDS = {"value": "", "low": "_low", "high": "_high"}
_COMMON = {"unit": "unit", "n": "n_units"}


@short_repr
@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimates with their 95 % intervals.

    Attributes
    ----------
    value, low, high : float or ndarray
        Of one estimate, or of an array of them.
    unit : {"answers", "participants"}
        Independent units of the intervals.
    n : int or None
        Their number, where it is known.
    """

    value: Any
    low: Any
    high: Any
    unit: str = "answers"
    n: int | None = None

    def __getitem__(self, place: Any) -> Estimate:
        """Some of an array of estimates."""
        return Estimate(self.value[place], self.low[place], self.high[place], self.unit, self.n)

    def __str__(self) -> str:
        if np.ndim(self.value):
            return f"<{'×'.join(map(str, np.shape(self.value)))} estimates>"
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"

    @property
    def interval(self) -> tuple[Any, Any, Any]:
        """Value and ends of the interval."""
        return self.value, self.low, self.high

    @property
    def over(self) -> tuple[str, int | None]:
        """Unit and number."""
        return self.unit, self.n

    def columns(self, name: str) -> dict[str, Any]:
        """Value and ends by the names of columns: `name`, and with the endings low and high."""
        return {name + end: getattr(self, part) for part, end in _ENDS.items()}


def estimates_of(kind: type) -> list[str]:
    """Names of the fields of a class that are estimates; all are of one unit."""
    return [one.name for one in fields(kind) if one.type == Estimate.__name__]


def plain_names(name: str) -> list[str]:
    """Names of the plain values of an estimate alone."""
    return [name + end for end in _ENDS.values()]


def as_plain(state: Mapping[str, Any]) -> dict[str, Any]:
    """Values of a result, with plain ones instead of estimates."""
    result: dict[str, Any] = {}
    for name, value in state.items():
        if isinstance(value, Estimate):
            result |= value.columns(name)
            result |= {plain: getattr(value, own) for own, plain in _COMMON.items()}
        else:
            result[name] = value
    return result


def from_plain(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The inverse of `as_plain`, for the fields of a class; TypeError where some are missing."""
    names = estimates_of(kind)
    if not names:
        return dict(values)
    rest = dict(values)
    common = {own: rest.pop(plain) for own, plain in _COMMON.items() if plain in rest}
    for name in names:
        parts = [rest.pop(plain) for plain in plain_names(name) if plain in rest]
        rest[name] = Estimate(*parts, **common)  # as of other fields, if an older result lacks some
    return rest
