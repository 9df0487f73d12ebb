"""Perceptual scales against their stimulus: several in one figure, or one for every group."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.core.inference.evaluation.score import CHANCE
from tripletscope.core.inference.evaluation.units import over_units
from tripletscope.dashboard.figures.labels import short_labels, shorten
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    add_rings,
    beside_the_bar,
    mark_size,
    point_traces,
    transparent,
)
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    SYMBOLS,
    Canvas,
    finished,
    interval,
    number,
    panelled,
    template,
    with_caption,
    with_rows,
)

#: Up to so many values are joined by a line with a band; more are points with error bars.
_JOINED = 40
_DASHES = ("solid", "dash", "dot", "dashdot")
#: Panels beside each other.
_ACROSS = 4
#: Neighbouring methods stand this far apart, so that their error bars do not cover each other.
_APART = 0.16


@dataclass(frozen=True)
class Curve:
    """A scale over its stimulus.

    name: In the legend.
    stimulus, values (m,): The stimulus ascending; NaN where there is no value.
    low, high (m,) or None: Ends of the band.
    objects (m,) or None: Whose values these are; None where several objects share one.
    """

    name: str
    stimulus: np.ndarray
    values: np.ndarray
    low: np.ndarray | None = None
    high: np.ndarray | None = None
    objects: np.ndarray | None = None

    def known(self) -> Curve:
        """Without missing values."""
        kept = np.isfinite(self.values)
        parts = (self.stimulus, self.values, self.low, self.high, self.objects)
        return Curve(self.name, *(None if part is None else part[kept] for part in parts))

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

    data: Names the objects of the curves and says which are selected; its positions do not matter.
    stimulus, value: Titles of the axes, with their units.
    colour: Column of the objects that colours the points.
    """
    figure = go.Figure()
    curves = [curve.known() for curve in curves]
    for k, curve in enumerate(curves):
        add_band(figure, curve, _shade(k, colour))
    for k, curve in enumerate(curves):
        _add_curve(figure, curve, k, data, colour, canvas)
    several = len(curves) > 1 or colour is not None
    figure.update_layout(
        template=template(canvas), uirevision=revision, showlegend=several,
        dragmode="lasso" if data is not None else "zoom",
        xaxis={"title": html.escape(stimulus, quote=False), "zeroline": False},
        yaxis={"title": value, "zeroline": False},
    )
    return finished(figure, caption, canvas, top=62 if several else 34)


def _shade(rank: int, colour: str | None) -> str:
    """Colour of a method; where a column takes the colours, symbols and dashes tell them apart."""
    return PALETTE[rank % len(PALETTE)] if colour is None else FAINT


def add_band(
    figure: go.Figure, curve: Curve, colour: str, *, opacity: float = 0.16, **place: int
) -> None:
    """The band of a curve that is joined by a line."""
    if curve.low is None or not curve.is_joined:
        return
    figure.add_scatter(
        x=np.concatenate([curve.stimulus, curve.stimulus[::-1]]),
        y=np.concatenate([curve.low, curve.high[::-1]]), mode="lines", fill="toself",
        fillcolor=transparent(colour, opacity), line={"width": 0}, hoverinfo="skip",
        showlegend=False, name="band", **place,
    )


def _add_curve(
    figure: go.Figure, curve: Curve, rank: int, data: MapData | None, colour: str | None,
    canvas: Canvas,
) -> None:
    """Line and points; the points of a column's categories are traces of their own."""
    own, symbol = _shade(rank, colour), SYMBOLS[rank % len(SYMBOLS)]
    name = html.escape(shorten(curve.name, 30.0), quote=False)
    size = canvas.scale * (8.0 if curve.is_joined else 0.8 * mark_size(len(curve.values)))
    look = {
        "x": curve.stimulus, "y": curve.values, "name": name, "legendgroup": name,
        "line": {"color": own, "width": 2 * canvas.scale,
                 "dash": None if colour is None else _DASHES[rank % len(_DASHES)]},
        "marker": {"color": own, "symbol": symbol, "size": size},
    }
    texts = _intervals(curve)
    if curve.objects is None or data is None:
        figure.add_scatter(
            **look, mode="lines+markers" if curve.is_joined else "markers", text=texts,
            error_y=_bars(curve, own, canvas),
            hovertemplate=f"<b>{name}</b><br>%{{x:.5g}}: %{{y:.3f}}%{{text}}<extra></extra>",
        )
        return
    # The points are drawn by category, so that the legend's entry needs a trace of its own.
    mode = "lines+markers" if curve.is_joined else "markers"
    figure.add_scatter(**look | {"x": [None], "y": [None]}, mode=mode)
    if curve.is_joined:
        figure.add_scatter(**look, mode="lines", hoverinfo="skip", showlegend=False)
    places = dict(zip(curve.objects.tolist(), range(len(curve.objects)), strict=True))
    shown = np.zeros(len(data.objects), dtype=bool)
    shown[curve.objects] = True
    traces = point_traces(data, MapStyle(colour=colour), shown, go.Scatter, canvas)
    for trace in traces:
        at = [places[i] for i in trace.customdata]
        trace.x, trace.y = curve.stimulus[at], curve.values[at]
        trace.text = [texts[i] for i in at]
        trace.mode, trace.marker.symbol, trace.marker.size = "markers", symbol, size
        trace.hovertemplate = f"%{{hovertext}}<br>{name}: %{{y:.3f}}%{{text}}<br>at %{{x:.5g}}" \
                              "<extra></extra>"
        if colour is None:
            trace.marker.color, trace.name, trace.legendgroup = own, name, name
        elif rank:  # the first curve's points explain the colours
            trace.showlegend, trace.marker.showscale = False, False
        trace.error_y = _bars(curve, own, canvas, at)
        beside_the_bar(trace)
        figure.add_trace(trace)
    add_rings(figure, traces, data.selected, canvas)


def _intervals(curve: Curve) -> list[str]:
    if curve.low is None:
        return [""] * len(curve.values)
    return [
        f" [{number(low)}, {number(high)}]"
        for low, high in zip(curve.low, curve.high, strict=True)
    ]


def _bars(
    curve: Curve, colour: str, canvas: Canvas, at: list[int] | slice = slice(None)
) -> dict | None:
    if curve.low is None or curve.is_joined:
        return None
    return {
        "type": "data", "array": (curve.high - curve.values)[at],
        "arrayminus": (curve.values - curve.low)[at], "thickness": canvas.scale, "width": 0,
        "color": transparent(colour, 0.3),
    }


def panel_height(n_panels: int) -> float:
    """Height in pixels of small multiples on the screen."""
    return 200.0 * -(-n_panels // _ACROSS) + 110.0


def scale_multiples(
    panels: Mapping[str, Sequence[Curve]],
    common: Sequence[Curve],
    *,
    stimulus: str,
    value: str,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A small panel for every group, all with the same axes.

    panels: By title; in each the same methods in the same order.
    common: Of all answers, drawn faintly in every panel.
    """
    across, canvas = panelled(list(panels), _ACROSS, canvas)
    figure = _grid(list(panels), across, stimulus, value, canvas)
    for k, curves in enumerate(panels.values()):
        place = {"row": k // across + 1, "col": k % across + 1}
        for curve in (c.known() for c in common):
            figure.add_scatter(
                x=curve.stimulus, y=curve.values, mode="lines" if curve.is_joined else "markers",
                line={"color": FAINT, "width": 1.2 * canvas.scale, "dash": "dot"},
                marker={"color": FAINT, "size": 3 * canvas.scale}, hoverinfo="skip",
                name="all answers", legendgroup="all answers", opacity=0.6,
                showlegend=k == 0 and curve.name == common[0].name, **place,
            )
        for rank, curve in enumerate(c.known() for c in curves):
            colour = PALETTE[rank % len(PALETTE)]
            name = html.escape(shorten(curve.name, 30.0), quote=False)
            add_band(figure, curve, colour, **place)
            figure.add_scatter(
                x=curve.stimulus, y=curve.values, name=name, legendgroup=name, showlegend=k == 0,
                mode="lines+markers" if curve.is_joined else "markers", text=_intervals(curve),
                error_y=_bars(curve, colour, canvas),
                line={"color": colour, "width": 1.6 * canvas.scale},
                marker={"color": colour, "symbol": SYMBOLS[rank % len(SYMBOLS)],
                        "size": 4.5 * canvas.scale},
                hovertemplate=f"<b>{name}</b><br>%{{x:.5g}}: %{{y:.3f}}%{{text}}<extra></extra>",
                **place,
            )
    figure.update_layout(dragmode="zoom", uirevision=f"multiples {len(panels)}")
    return with_caption(figure, caption, canvas)


def _grid(
    titles: Sequence[str], n_columns: int, across: str, up: str, canvas: Canvas
) -> go.Figure:
    """Panels with common axes and a title each."""
    n_rows = -(-len(titles) // n_columns)
    figure = make_subplots(
        n_rows, n_columns, shared_xaxes="all", shared_yaxes="all",
        subplot_titles=[html.escape(title, quote=False) for title in titles],
        horizontal_spacing=0.09 / n_columns,
        vertical_spacing=min(34.0 * canvas.scale / canvas.height, 0.9 / n_rows),
        x_title=html.escape(across, quote=False), y_title=up,
    )
    figure.update_annotations(font={"size": canvas.font})
    figure.layout.annotations[-2].yshift = -1.8 * canvas.font
    figure.layout.annotations[-1].xshift = -3.4 * canvas.font
    # The lowest panel of every column has ticks, also where the last row is not full.
    for k in range(len(titles)):
        if k + n_columns >= len(titles):
            figure.update_xaxes(showticklabels=True, row=k // n_columns + 1, col=k % n_columns + 1)
    figure.update_xaxes(zeroline=False)
    figure.update_yaxes(zeroline=False)
    figure.update_layout(template=template(canvas))
    # The titles of all panels together are notes, for which no room is made: an empty title of
    # the lowest axes makes it.
    for k in range(max(len(titles) - n_columns, 0), len(titles)):
        figure.update_xaxes(title=" ", row=k // n_columns + 1, col=k % n_columns + 1)
    margin = {"l": 68 * canvas.scale, "t": 62 * canvas.scale}
    figure.update_layout(margin=margin, legend={"y": 1.0 + 30 * canvas.scale / canvas.height})
    return figure


def group_errors(
    table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Held-out error of every group, a symbol for each method.

    table: Columns ``name``, ``answers``, ``method``, ``error``, ``low``, ``high`` and
        ``participants``, as `tripletscope.core.people.GroupErrors.table`.
    """
    figure = go.Figure()
    names = list(dict.fromkeys(table["name"]))
    canvas = with_rows(canvas, len(names))
    methods = list(dict.fromkeys(table["method"]))
    for k, method in enumerate(methods):
        rows = table[(table["method"] == method) & table["error"].notna()]
        place = np.array([names.index(name) for name in rows["name"]], dtype=float)
        colour, title = PALETTE[k % len(PALETTE)], html.escape(shorten(method, 30.0), quote=False)
        figure.add_scatter(
            x=rows["error"], y=place + _APART * (k - (len(methods) - 1) / 2), mode="markers",
            name=title, error_x={
                "type": "data", "array": rows["high"] - rows["error"],
                "arrayminus": rows["error"] - rows["low"], "thickness": 1.2 * canvas.scale,
                "width": 0, "color": transparent(colour, 0.55),
            },
            marker={"color": colour, "symbol": SYMBOLS[k % len(SYMBOLS)],
                    "size": 8 * canvas.scale},
            text=[
                f"<b>{html.escape(str(name), quote=False)}</b>, {answers:,} answers<br>{title}: "
                f"{interval(error, low, high)}{over_units('participants', people or None)}"
                for name, answers, error, low, high, people in rows[[
                    "name", "answers", "error", "low", "high", "participants"
                ]].itertuples(index=False)
            ],
            hovertemplate="%{text}<extra></extra>",
        )
    if table["error"].max() > 0.7 * CHANCE:
        figure.add_vline(
            CHANCE, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="chance", annotation_font_size=0.9 * canvas.font,
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="group errors",
        showlegend=len(methods) > 1,
        xaxis={"title": "held-out error", "zeroline": False, "rangemode": "tozero"},
        yaxis={"tickvals": np.arange(len(names)), "zeroline": False,
               "ticktext": [
                   html.escape(name, quote=False) for name in short_labels(list(map(str, names)))
               ],
               "range": [len(names) - 0.5, -0.5]},
    )
    return finished(figure, caption, canvas, top=62 if len(methods) > 1 else 34)
