"""Layers that charts share: series of a table, chance, the ceiling, the diagonal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.dashboard.figures.labels import escape, shorten
from tripletscope.dashboard.figures.layers import Level, Series
from tripletscope.dashboard.figures.theme import FAINT


def series_of(
    table: pd.DataFrame,
    by: str,
    x: str,
    y: str,
    *,
    spacing: float = 0.0,
    text: Callable[[Any], str] | None = None,
    names: Sequence[Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **further: Any,
) -> list[Series]:
    """A series for every value of a column, with intervals where the table has them.

    table: Columns `by`, `x`, `y`, and optionally ``low`` and ``high``. Without `by` there is one
        series without a name; rows without the quantity are left out.
    spacing: Distance of neighbouring series, so that their intervals do not cover each other.
    text: For the pointer, of a row as a named tuple.
    names: Of rows, where `y` is the column with a row's name.
    columns: Of properties of each point, by field of `Series`.
    """
    kinds = list(dict.fromkeys(table[by])) if by else [""]
    made = []
    for k, kind in enumerate(kinds):
        rows = table[table[by] == kind] if by else table
        rows = rows[rows[y if names is None else x].notna()]
        if further.get("line"):
            rows = rows.sort_values(x, kind="stable")
        aside = spacing * (k - (len(kinds) - 1) / 2)
        across, up = rows[x], rows[y]
        if names is None:
            across = across + aside if aside else across
        else:
            up = [list(names).index(name) + aside for name in up]
        further |= {field: rows[column] for field, column in (columns or {}).items()}
        made.append(Series(
            x=across, y=up, low=rows.get("low"), high=rows.get("high"), rank=k, name=str(kind),
            text=None if text is None else [text(row) for row in rows.itertuples()], **further,
        ))
    return made


def bold(name: object, *further: str) -> str:
    """A name, and lines below it, for the pointer."""
    return "<br>".join([f"<b>{escape(shorten(str(name), 30.0))}</b>", *further])


def diagonal(low: float, high: float) -> Series:
    return Series(x=[low, high], y=[low, high], points=False, line=True, colour=FAINT, dash="dot",
                  width=1.0)


def chance_level(table: pd.DataFrame, value: str) -> Level | None:
    """A line at the error of guessing, where errors come near it."""
    if not table[value].max() > 0.7 * CHANCE:
        return None
    return Level(at=CHANCE, note="chance")


def ceiling_layers(ceiling: Ceiling | None) -> list[Level]:
    """The errors between the bounds of a noise ceiling, if these are precise."""
    if ceiling is None or not ceiling.is_precise:
        return []
    bounds = [1 - bound.value for bound in (ceiling.upper, ceiling.lower)]
    # The bounds are not named: the upper one of accuracy is the lower one of errors.
    return [
        Level(at=min(bounds), to=max(bounds)),
        Level(at=bounds[0], dash="dash"),
        Level(at=bounds[1], note="band: lowest possible error", side="top right", dash="dash"),
    ]
