"""Perceptual scales against their stimulus: several in one figure, or one for every group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Panels, Plot, add_layers, as_figure
from tripletscope.dashboard.figures.labels import WIDTH, escape, shorten
from tripletscope.dashboard.figures.layers import Series, intervals
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    add_rings,
    beside_the_bar,
    mark_size,
    point_traces,
)
from tripletscope.dashboard.figures.series import bold, chance_level, series_of
from tripletscope.dashboard.figures.theme import FAINT, PALETTE, SCREEN, SYMBOLS, Canvas, finished
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import interval, number

#: Most values joined by a line with a band; more are points with error bars.
_JOINED = 40
_DASHES = ("solid", "dash", "dot", "dashdot")
#: Panels beside each other.
_ACROSS = 4
#: Distance of neighbouring methods, so that their error bars do not overlap.
_SPACING = 0.16
_VALUE = "perceptual scale (units of the noise)"


@dataclass(frozen=True)
class Curve:
    """A scale over its stimulus.

    stimulus, values (m,): The stimulus ascending; NaN where there is no value.
    objects (m,) or None: None where several objects share a value.
    """

    name: str
    stimulus: np.ndarray
    values: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    objects: np.ndarray | None = None

    def complete(self) -> Curve:
        kept = np.isfinite(self.values)
        parts = (self.stimulus, self.values, self.low, self.high, self.objects)
        return Curve(self.name, *(None if part is None else part[kept] for part in parts))

    def band(self, colour: str) -> Series | None:
        if self.low is None or not self.is_joined:
            return None
        return Series(x=self.stimulus, low=self.low, high=self.high, colour=colour, band=True,
                      points=False, further={"name": "band"})

    def series(self, rank: int) -> Series:
        """Points, with their intervals where they have no band, and a line where it joins them."""
        ends = [""] * len(self.values)
        if self.low is not None:
            ends = [f" [{number(low)}, {number(high)}]"
                    for low, high in zip(self.low, self.high, strict=True)]
        low, high = (None, None) if self.is_joined else (self.low, self.high)
        return Series(
            x=self.stimulus, y=self.values, low=low, high=high, rank=rank, line=self.is_joined,
            name=shorten(self.name, 30.0), text=ends,
            size=8.0 if self.is_joined else 0.8 * mark_size(len(self.values)),
            hover="<b>%{fullData.name}</b><br>%{x:.5g}: %{y:.3f}%{hovertext}",
        )

    @property
    def is_joined(self) -> bool:
        """Whether a line leads through the values; never back and forth at one stimulus."""
        return len(self.values) <= _JOINED and len(np.unique(self.stimulus)) == len(self.stimulus)


def scale_curves(
    curves: Sequence[Curve],
    data: MapData | None = None,
    *,
    stimulus: str,
    value: str,
    colour: str | None = None,
    caption: str = "",
    revision: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Scales with their bands, a colour and a symbol for each.

    data: Names and selection of the objects, without positions.
    """
    figure = go.Figure()
    curves = [curve.complete() for curve in curves]
    for k, curve in enumerate(curves):
        add_layers(figure, [curve.band(_shade(k, colour))])
    for k, curve in enumerate(curves):
        _add_curve(figure, curve, k, data, colour, canvas)
    several = len(curves) > 1 or colour is not None
    figure.update_layout(
        uirevision=revision, showlegend=several,
        dragmode="lasso" if data is not None else "zoom",
        xaxis={"title": escape(stimulus), "zeroline": False},
        yaxis={"title": value, "zeroline": False},
    )
    return finished(figure, caption, canvas, top=62 if several else 34)


def in_order(figure: go.Figure, along: np.ndarray) -> go.Figure:
    """A map with a line in the order of the stimulus below its points.

    along (m, d): Positions in that order.
    """
    add = figure.add_scatter if along.shape[1] == 2 else figure.add_scatter3d
    add(**dict(zip("xyz", along.T, strict=False)), mode="lines", hoverinfo="skip", opacity=0.6,
        showlegend=False, line={"color": FAINT, "width": 1.5})
    figure.data = (figure.data[-1], *figure.data[:-1])
    return figure


def _shade(rank: int, colour: str | None) -> str:
    """Colour of a method; where a column takes the colours, symbols and dashes differ."""
    return PALETTE[rank % len(PALETTE)] if colour is None else FAINT


def _add_curve(
    figure: go.Figure, curve: Curve, rank: int, data: MapData | None, colour: str | None,
    canvas: Canvas,
) -> None:
    """Line and points, with one trace for each category of a column."""
    shade = _shade(rank, colour)
    series = replace(curve.series(rank), colour=shade, dash=None if colour is None else
                     _DASHES[rank % len(_DASHES)])
    if curve.objects is None or data is None:
        add_layers(figure, [series])
        return
    # The points are drawn by category, so that the legend's entry needs a trace of its own.
    entry = replace(series, x=[None], y=[None], low=None, high=None, text=None, hover="")
    line = replace(series, low=None, high=None, points=False, text=None, hover="",
                   further={"showlegend": False})
    add_layers(figure, [entry, line if curve.is_joined else None])
    places = dict(zip(curve.objects.tolist(), range(len(curve.objects)), strict=True))
    shown = np.zeros(len(data.objects), dtype=bool)
    shown[curve.objects] = True
    traces = point_traces(data, MapStyle(colour=colour), shown, go.Scatter, canvas)
    name, symbol = escape(series.name), SYMBOLS[rank % len(SYMBOLS)]
    for trace in traces:
        at = [places[i] for i in trace.customdata]
        trace.x, trace.y = curve.stimulus[at], curve.values[at]
        trace.text = [series.text[i] for i in at]
        trace.mode, trace.marker.symbol = "markers", symbol
        trace.marker.size = series.size
        trace.hovertemplate = f"%{{hovertext}}<br>{name}: %{{y:.3f}}%{{text}}<br>at %{{x:.5g}}" \
                              "<extra></extra>"
        if colour is None:
            trace.marker.color, trace.name, trace.legendgroup = shade, name, name
        elif rank:  # the first curve's points explain the colours
            trace.showlegend, trace.marker.showscale = False, False
        if series.low is not None:
            trace.error_y = intervals(trace.y, series.low[at], series.high[at], shade)
        beside_the_bar(trace)
        figure.add_trace(trace)
    add_rings(figure, traces, data.selected)


def panel_height(n_panels: int) -> float:
    return 200.0 * -(-n_panels // _ACROSS) + 110.0


@as_figure
def scale_multiples(
    panels: Mapping[str, Sequence[Curve]], common: Sequence[Curve], *, stimulus: str, value: str
) -> Panels:
    """A small panel for every group, all with the same axes.

    panels: By title; in each the same methods in the same order.
    common: Of all answers, drawn faintly in every panel.
    """
    faint = [
        Series(
            x=curve.stimulus, y=curve.values, line=curve.is_joined, points=not curve.is_joined,
            name="all answers", colour=FAINT, width=1.2, dash="dot", size=3.0,
            further={"opacity": 0.6},
        ) for curve in (c.complete() for c in common)
    ]

    def layers(curves: Sequence[Curve]) -> Iterator[Series | None]:
        yield from faint
        for rank, curve in enumerate(c.complete() for c in curves):
            yield curve.band(_shade(rank, None))
            yield replace(curve.series(rank), width=1.6, size=4.5)

    return Panels(
        {title: list(layers(curves)) for title, curves in panels.items()}, Axis(stimulus),
        Axis(value), _ACROSS, f"multiples {len(panels)}",
    )


@as_figure
def group_errors(table: pd.DataFrame) -> Plot:
    """Held-out error of every group, a symbol for each method.

    table: Columns ``name``, ``answers``, ``method``, ``error``, ``low``, ``high`` and
        ``participants``, as `tripletscope.core.people.GroupErrors.table`.
    """
    names = list(dict.fromkeys(table["name"]))
    table = table.assign(method=[shorten(method, 30.0) for method in table["method"]])

    def text(row: Any) -> str:
        people = words.over("participants", row.participants or None)
        return bold(row.name, f"{row.answers:,} answers", f"{escape(row.method)}: "
                    f"{interval(row.error, row.low, row.high)}{people}")

    return Plot(
        [
            *series_of(table, "method", "error", "name", names=names, spacing=_SPACING, text=text),
            chance_level(table, "error"),
        ],
        Axis("held-out error", zero=True), Axis(names=names, width=WIDTH, row=1.0),
    )


@as_figure
def conjoint_curves(table: pd.DataFrame) -> Plot:
    """Contributions of the levels of each dimension, with bands.

    table: `tripletscope.core.scales.ConjointScales.curves`.
    """
    lines = series_of(
        table, "dimension", "number", "value", line=True, band=True, text=lambda row: bold(
            f"{row.dimension} {row.level}", f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})"
        ),
    )
    return Plot(lines, Axis("level", "whole"), Axis(_VALUE), revision="conjoint")


@as_figure
def conjoint_surface(table: pd.DataFrame, along: str, by: str) -> Plot:
    """Values of combinations: a line for each level of one dimension along the other.

    table: Columns `along`, `by`, ``number`` (of the level along) and ``value``.
    """
    lines = series_of(
        table.assign(name=by + " " + table[by].astype(str)), "name", "number", "value", line=True,
        text=lambda row: bold(row.name, f"{row.value:.2f}"),
    )
    return Plot(lines, Axis(f"level of {along}", "whole"), Axis(_VALUE), revision="surface")
