"""Reproducibility of dimensions, and their relation to columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import Axis, Plot, add_layers, as_figure
from tripletscope.dashboard.figures.dimensions import DimensionData
from tripletscope.dashboard.figures.labels import escape, shorten
from tripletscope.dashboard.figures.layers import Cells, Level, Series
from tripletscope.dashboard.figures.points import mark_size
from tripletscope.dashboard.figures.series import bold, series_of
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    with_rows,
)

#: Correlation from which on a dimension counts as reproduced.
AGAIN = 0.8
#: Log-likelihood of guessing the odd one of three.
GUESSING = -float(np.log(3))
#: Categories that have a row of their own.
MOST_CATEGORIES = 30
#: Most dimensions with names below the curve, and their width.
_NAMED, _WIDTH = 12, 9.0
#: Most points with intervals.
_BARRED = 200
#: Height of a row of matched dimensions, in sizes of the letters, and the width of two panels.
_ROW, _SIDE_BY_SIDE = 1.4, 46.0 * FONT_SIZE


@as_figure
def reproducibility_curve(data: DimensionData, table: pd.DataFrame) -> Plot:
    """How well each dimension is reproduced, from the best on, with the range over fits.

    table: Columns ``dimension`` (position), ``mean``, ``low`` and ``high`` of correlations, and
        ``against``, the other fits.
    """
    first = table[table["against"] == table["against"].iloc[0]]
    order = first.sort_values("mean", ascending=False)["dimension"].tolist()
    places = {dimension: k + 1 for k, dimension in enumerate(order)}

    def text(row: Any) -> str:
        return bold(data.title(int(row.dimension)), f"{escape(row.against)}: r "
                    f"{row.mean:.2f} [{row.low:.2f}, {row.high:.2f}]")

    named = {
        place: escape(shorten(data.title(d).replace("Dimension ", ""), _WIDTH))
        for d, place in places.items()
    }
    return Plot(
        [
            *series_of(table.assign(place=table["dimension"].map(places)), "against", "place",
                       "mean", spacing=0.12, line=True, width=1.0, size=7.0, text=text),
            Level(at=AGAIN),
        ],
        Axis("dimensions, the best reproduced first", grid=False, ends=(0.4, len(order) + 0.6),
             ticks=named if len(order) <= _NAMED else None),
        Axis("correlation with its match", ends=(min(float(np.nanmin(table["low"])), 0.0), 1.03)),
    )


@as_figure
def penalty_curve(table: pd.DataFrame, *, chosen: float, best: float, chance: float) -> Plot:
    """Held-out log-likelihood by the strength of the penalty, and the number of dimensions.

    table: Columns ``penalty``, ``log_likelihood`` of a trial, ``behind_error``, the standard error
        of its difference from the best one in the same trials, and ``dimensions``, their mean
        number.
    """
    value = table["log_likelihood"]
    kept = [f"{d:.0f}" for d in table["dimensions"]]
    return Plot(
        [
            _held_out(table, "penalty", "log_likelihood", (chosen, best), [
                f"penalty {p:.3g}<br>log-likelihood {v:.4f}<br>{d} dimensions"
                for p, v, d in zip(table["penalty"], value, kept, strict=True)
            ]),
            Series(x=table["penalty"], y=value + table["behind_error"], points=False, labels=kept),
            Level(at=float(value.max()), dash="dash"),
            Level(at=chance, note="chance") if value.min() < chance + 0.15 else None,
        ],
        Axis("penalty", "log"), Axis("held-out log-likelihood of a trial"),
    )


@as_figure
def number_curve(table: pd.DataFrame, *, chosen: int, best: int) -> Plot:
    """Explained share of held-out similarities by number of dimensions.

    table: Columns ``dimensions``, ``explained``, and ``behind_error``, as of `penalty_curve`.
    """
    return Plot(
        [
            _held_out(table, "dimensions", "explained", (chosen, best), [
                f"{d} dimensions<br>explained {v:.1%}"
                for d, v in zip(table["dimensions"], table["explained"], strict=True)
            ]),
            Level(at=float(table["explained"].max()), dash="dash"),
        ],
        Axis("number of dimensions", "whole"), Axis("explained share of held-out pairs"),
    )


def _held_out(
    table: pd.DataFrame, by: str, name: str, marked: tuple[float, float], text: list[str]
) -> Series:
    """A held-out curve with its errors; the chosen value is red, and large like the best."""
    value, error, chosen = table[name], table["behind_error"], marked[0]
    return Series(
        x=table[by], y=value, low=value - error, high=value + error, line=True,
        colour=[PALETTE[3] if one == chosen else PALETTE[0] for one in table[by]],
        size=[11 if one in marked else 7 for one in table[by]], text=text,
    )


@as_figure
def object_intervals(data: DimensionData, dimension: int, which: Sequence[int]) -> Plot:
    which = list(which)
    weights = data.weights[which, dimension]
    low, high = data.ends(which, dimension)
    points = Series(x=weights, y=np.arange(len(which)), low=low, high=high, objects=which,
                    text=[data.hover(i, dimension) for i in which])
    return Plot(
        [points], Axis("weight", zero=True), Axis(names=[data.labels[i] for i in which], row=1.25),
        revision=f"intervals {dimension}", selected=data.selected,
    )


@as_figure
def against_quantity(data: DimensionData, dimension: int, values: np.ndarray, name: str) -> Plot:
    """Weights of one dimension against a quantity of the objects.

    values (n,): NaN where missing.
    """
    finite = np.flatnonzero(np.isfinite(values))
    low, high = data.ends(finite, dimension) if len(finite) <= _BARRED else (None, None)
    points = Series(
        x=values[finite], y=data.weights[finite, dimension], low=low, high=high, opacity=0.8,
        objects=finite.tolist(), size=mark_size(len(finite)), text=[
            f"{data.hover(i, dimension)}<br>{escape(name)}: {values[i]:g}"
            for i in finite.tolist()
        ],
    )
    return Plot(
        [points], Axis(name, "whole"), Axis(_of(data, dimension), zero=True),
        revision=f"{dimension} {name}", selected=data.selected,
    )


@as_figure
def against_categories(
    data: DimensionData, dimension: int, table: pd.DataFrame, column: pd.Series
) -> Plot:
    """Weights of one dimension by category, each object a point and the mean of each a line.

    table: Column ``category``, in the order of the rows.
    """
    shown = table["category"].astype(str).tolist()[:MOST_CATEGORIES]
    text, row = column.astype(str).to_numpy(), {name: k for k, name in enumerate(shown)}
    members = np.flatnonzero(column.notna().to_numpy() & np.isin(text, shown))
    weights = data.weights[:, dimension]
    # Spread within a row, the same each time: overlapping points would look like one.
    spread = 0.28 * ((np.arange(len(members)) * 0.618034) % 1.0 * 2 - 1)
    points = Series(
        x=weights[members], y=np.array([row[name] for name in text[members]]) + spread,
        opacity=0.55, size=0.8 * mark_size(len(members)), objects=members.tolist(),
        text=[f"{data.hover(i, dimension)}<br>{escape(text[i])}"
              for i in members.tolist()],
    )
    means = [float(weights[members[text[members] == name]].mean()) for name in shown]
    lines = Series(
        x=np.ravel([[m, m, np.nan] for m in means]),
        y=np.ravel([[k - 0.36, k + 0.36, np.nan] for k in range(len(shown))]),
        points=False, line=True, colour=PALETTE[3], width=2.5,
    )
    # Weights of 0 stand beside the names of the rows, not on them.
    most = float(weights[members].max(initial=0.0)) or 1.0
    return Plot(
        [points, lines], Axis(_of(data, dimension), ends=(-0.025 * most, 1.04 * most)),
        Axis(names=shown), revision=f"{dimension} {column.name}", selected=data.selected,
    )


def _of(data: DimensionData, dimension: int) -> str:
    return f"weight in {shorten(data.title(dimension), 20.0)}"


def matched_dimensions(
    table: pd.DataFrame,
    correlations: np.ndarray,
    partners: Sequence[str],
    *,
    titles: tuple[str, str],
    values: tuple[str, str],
    kinds: tuple[str, str, str],
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Correlations of all dimensions of two fits, and beside them those of matched ones.

    Shapes: correlations (d, e), partners length e.
    table: As of `tripletscope.core.features.shared_dimensions.SharedDimensions`, with d rows.
    kinds: Names of shared dimensions, of others, and of the limit of unrelated ones.
    """
    names, beside = table["dimension"].tolist(), canvas.screen or canvas.width >= _SIDE_BY_SIDE
    canvas = with_rows(canvas, (len(names) * _ROW + 6) * (1 if beside else 2))
    place = {"row": 1, "col": 2} if beside else {"row": 2, "col": 1}
    figure = make_subplots(
        place["row"], place["col"], column_widths=[0.58, 0.42] if beside else None,
        horizontal_spacing=0.13, vertical_spacing=0.2, shared_yaxes=beside,
    )
    bar = {"x": 0.515, "len": 1.0} if beside else {"y": 0.8, "len": 0.4}
    add_layers(figure, [Cells(
        values=correlations, title=values[0], hover="%{customdata}<br>%{z:.2f}",
        data=[[f"{escape(a)}<br>{escape(b)}" for b in partners] for a in names],
        further={"colorbar": bar},
    )], row=1, col=1)
    shown = table.dropna(subset=["correlation"]).sort_values("shared", ascending=False)
    shown = shown.assign(kind=np.where(shown["shared"], *kinds[:2]))
    add_layers(figure, [
        *series_of(shown, "kind", "correlation", "dimension", names=names, text=lambda row: bold(
            row.dimension, escape(row.partner),
            f"r {row.correlation:.2f} [{row.low:.2f}, {row.high:.2f}]",
        )),
        Series(x=table["chance"], y=np.arange(len(names)), name=kinds[2], colour=FAINT,
               symbol="line-ns-open", size=0.9 * FONT_SIZE, hover="%{x:.2f}"),
    ], sideways=True, **place)
    columns = Axis(titles[1], names=partners, pitch=0.5 * canvas.width / max(len(partners), 1),
                   further={"tickangle": -60 if len(partners) > _NAMED // 2 else 0})
    figure.update_xaxes(columns.settings([]), row=1, col=1)
    figure.update_xaxes(Axis(values[1]).settings([]), **place)
    figure.update_yaxes(Axis(names=names, pitch=_ROW * FONT_SIZE).settings([], rows=True))
    figure.update_yaxes(title=escape(titles[0]), row=1, col=1)
    figure.update_layout(
        dragmode="zoom", uirevision=f"matched {titles}",
        legend={"y": 1.0 + 2.2 * FONT_SIZE / canvas.height}, margin_t=2.0 * FONT_SIZE,
    )
    return finished(figure, caption, canvas, top=60)


def matched_height(n_dimensions: int) -> float:
    return 190.0 + _ROW * 13.0 * n_dimensions
