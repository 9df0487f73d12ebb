"""Measures of participants or objects, with intervals, and over time."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.labels import WIDTH, escape
from tripletscope.dashboard.figures.layers import Level, Series
from tripletscope.dashboard.figures.series import bold, series_of
from tripletscope.dashboard.figures.theme import PALETTE, SCREEN, Canvas
from tripletscope.dashboard.words.formats import interval, number

#: People whose rates are drawn; the others are in the table.
MOST_RATES = 15


@as_figure
def measures(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    names: str,
    titles: dict[str, str],
    logarithmic: bool = False,
    chance: float | None = None,
    chosen: Collection[str] = (),
) -> Plot:
    """A point for every row of a table, by two of its columns; points can be picked.

    table: Columns like `y` with ``_low`` and ``_high`` are its interval. Rows without a value in
        both are left out.
    """
    valid = np.isfinite(table[x]) & np.isfinite(table[y]) & ((table[x] > 0) | (not logarithmic))
    rows = np.flatnonzero(valid)
    shown = table.iloc[rows]
    marked = shown[names].isin(chosen).to_numpy()
    points = Series(
        x=shown[x], y=shown[y], low=shown.get(f"{y}_low"), high=shown.get(f"{y}_high"),
        objects=rows.tolist(), colour=np.where(marked, PALETTE[3], PALETTE[0]),
        size=np.where(marked, 11, 8), opacity=0.85, text=[
            bold(row[names], *(f"{titles[c]}: {number(row[c])}" for c in dict.fromkeys((x, y))))
            for _, row in shown.iterrows()
        ],
    )
    level = None if chance is None else Level(at=chance, note="chance", side="bottom right")
    return Plot(
        [points, level], Axis(titles[x], "log" if logarithmic else "whole", grid=False),
        Axis(titles[y], "whole"), revision=f"{x} {y}",
    )


def lapse_rates(
    table: pd.DataFrame, *, usual: float, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Rates of answers like guesses, the highest first, with intervals.

    table: As `tripletscope.core.people.lapses.LapseFit.table`.
    """
    shown = table.sort_values("lapse", ascending=False).head(MOST_RATES)
    clearly = np.where(
        shown["stands_out"], "clearly more often than usual", "may be as often as usual"
    )
    table = pd.DataFrame({
        "name": shown["participant"], "value": shown["lapse"], "low": shown["lapse_low"],
        "high": shown["lapse_high"], "series": clearly,
    })
    figure = shares(
        table, title="answers like guesses", chance=usual, caption=caption, canvas=canvas
    )
    return figure.update_xaxes(range=[0.0, 1.01], tickformat=".0%")


@as_figure
def shares(table: pd.DataFrame, *, title: str, chance: float | None = None) -> Plot:
    """Shares with their intervals, one below the other.

    table: ``name``, ``series``, ``value``, ``low`` and ``high``; rows without a value are left out.
    """
    table = table[table["value"].notna()]
    names = list(dict.fromkeys(table["name"]))
    return Plot(
        [
            *series_of(table, "series", "value", "name", spacing=0.16, names=names, size=9.0,
                       text=lambda row: bold(row.name, escape(row.series), interval(
                           row.value, row.low, row.high))),
            None if chance is None else Level(at=chance),
        ],
        Axis(title), Axis(names=names, width=WIDTH, further={"ticklabelstandoff": 6}),
        revision=title,
    )


@as_figure
def stretches(table: pd.DataFrame, column: str, *, title: str) -> Plot:
    """A measure over equal parts of every participant's answers.

    table: ``stretch`` and `column`; of ``predicted`` also ``low`` and ``high``.
    """
    low, high = (table.get(c) if column == "predicted" else None for c in ("low", "high"))
    n = len(table)
    parts = Series(
        x=[f"{100 * k // n}–{100 * (k + 1) // n} %" for k in range(n)], y=table[column], low=low,
        high=high, line=True, size=9.0, text=[f"{count:,} answers" for count in table["answers"]],
        hover="%{x}: %{y:.3f}<br>%{hovertext}",
    )
    return Plot(
        [parts], Axis("part of each participant's answers", grid=False), Axis(title),
        revision=column,
    )
