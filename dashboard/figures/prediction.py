"""Errors of trees and forests: curves with intervals, predicted against true values."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.labels import escape, shorten, shorten_each
from tripletscope.dashboard.figures.layers import Level, Series
from tripletscope.dashboard.figures.series import bold, diagonal
from tripletscope.dashboard.figures.theme import PALETTE, SCREEN, Canvas, finished
from tripletscope.dashboard.words.formats import number

#: Distance of neighbouring lines, as a share, so that their error bars do not overlap.
_SPACING = 0.02
#: Most values along an axis that are all written.
_MOST_TICKS = 12


@as_figure
def error_curves(
    table: pd.DataFrame,
    *,
    line: str,
    x: str,
    value: str,
    mark: float | None = None,
) -> Plot:
    """Lines with intervals over a logarithmic axis.

    table: Columns `line` (its name), `x`, `value`, and optionally ``low`` and ``high``. Where `x`
        is missing, the value is drawn as a level across.
    """
    spread = table[x].dropna()
    ticks = sorted(set(spread.tolist()))
    layers = []
    for k, name in enumerate(dict.fromkeys(table[line])):
        rows = table[(table[line] == name) & table[value].notna()].sort_values(x)
        if rows.empty:
            continue
        level = bool(rows[x].isna().all())
        if level:
            rows = pd.concat([rows.iloc[:1].assign(**{x: end}) for end in (ticks[0], ticks[-1])])
        layers.append(Series(
            x=rows[x] * (1.0 if level else 1.0 + _SPACING * k), y=rows[value], low=rows.get("low"),
            high=rows.get("high"), band=level and "low" in rows, line=True, points=not level,
            dash="dash" if level else None, rank=k, name=shorten(str(name)), text=[
                _hover(str(name), x, value, row, level) for row in rows.to_dict("records")
            ],
        ))
    if mark is not None:
        layers.append(Level(at=mark, upright=True))
    return Plot(
        layers,
        Axis(x, "log", grid=False,
             ticks={t: f"{t:g}" for t in ticks} if len(ticks) <= _MOST_TICKS else None),
        Axis(value, zero=True), revision=f"{x} {value}",
    )


def _hover(name: str, x: str, value: str, row: dict, level: bool) -> str:
    interval = f" [{number(row['low'])}, {number(row['high'])}]" if "low" in row else ""
    at = [] if level else [f"{x} {row[x]:,.4g}"]
    return bold(name, *at, f"{value} {number(row[value])}{interval}")


def _names(labels: Sequence[str], members: Sequence[int]) -> list[str]:
    """Names of objects for the pointer; of thousands this is much quicker than one by one."""
    short = shorten_each([labels[i] for i in members], 30.0)
    return [f"<b>{escape(name)}</b>" for name in short]


@as_figure
def predicted_against_true(
    truth: np.ndarray,
    predicted: np.ndarray,
    labels: Sequence[str],
    *,
    name: str,
    selected: Collection[int] = (),
) -> Plot:
    """A point for every object; on the diagonal the prediction is right.

    truth, predicted (n,): NaN for objects that are not shown.
    """
    shown = np.flatnonzero(np.isfinite(truth) & np.isfinite(predicted))
    low = min(truth[shown].min(), predicted[shown].min())
    high = max(truth[shown].max(), predicted[shown].max())
    points = Series(
        x=truth[shown], y=predicted[shown], size=7.0, opacity=0.8, objects=shown.tolist(),
        text=_names(labels, shown),
        hover="%{hovertext}<br>true %{x:.4g}, predicted %{y:.4g}",
    )
    title = shorten(name)
    return Plot(
        [diagonal(low, high), points], Axis(f"{title}, true"), Axis(f"{title}, predicted"),
        revision=name, selected=selected,
    )


def expansion_box(
    rates: np.ndarray, members: Sequence[int], labels: Sequence[str], *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A box plot of expansion rates (k,), with a point for every object."""
    figure = go.Figure(
        go.Box(
            x=rates, customdata=list(members), boxpoints="all", jitter=0.6, pointpos=-1.6,
            name="", showlegend=False, line={"color": PALETTE[0]}, marker={"size": 5},
            text=_names(labels, members),
            hovertemplate="%{text}<br>%{x:.3g}<extra></extra>", hoveron="points",
        )
    )
    figure.update_layout(
        dragmode="lasso", uirevision="expansion",
        xaxis={"title": "expansion rate", "zeroline": False}, yaxis={"visible": False},
    )
    return finished(figure, caption, canvas)
