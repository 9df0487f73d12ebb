"""Layers of charts as data: series, bands, bars, cells and reference lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, PALETTE, SEQUENTIAL, SYMBOLS

#: Opacity of bands, intervals, and those of a crowd, and its number of points.
_BAND, _INTERVAL, _CROWD, _CROWDED = 0.16, 0.55, 0.3, 40
#: Size of notes, relative to the letters of the figure.
NOTE = 0.9


@dataclass(frozen=True, kw_only=True)
class Layer:
    """A layer of a chart; in one with rows, quantities are along x.

    low, high (p,): Ends of the intervals of the quantity.
    rank: Number of its colour and its symbol.
    colour: Instead of that of the rank, also one of each point.
    text (p,), hover: For the pointer; a template instead of the text.
    objects (p,): To be selected.
    further: Other settings of plotly.
    """

    low: Any = None
    high: Any = None
    name: str = ""
    rank: int = 0
    colour: Any = None
    text: Sequence[str] | None = None
    hover: str = ""
    objects: Sequence[int] | None = None
    further: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shade(self) -> str:
        """The colour of parts that have only one."""
        one = isinstance(self.colour, str)
        return self.colour if one else PALETTE[self.rank % len(PALETTE)]

    @property
    def said(self) -> dict[str, Any]:
        """Settings of legend and pointer."""
        template = f"{self.hover or '%{hovertext}'}<extra></extra>"
        silent = self.text is None and not self.hover
        return {
            "name": escape(self.name) or None, "legendgroup": escape(self.name) or None,
            "showlegend": bool(self.name), "hovertext": self.text, "customdata": self.objects,
            **({"hoverinfo": "skip"} if silent else {"hovertemplate": template}),
        }


@dataclass(frozen=True, kw_only=True)
class Series(Layer):
    """Points, and a line through them.

    symbol, size: Instead of those of the rank, also of each point.
    band: Instead of intervals.
    edges (p,): Widths of a line around each point.
    labels, sides (p,): Texts at the points, and their sides, such as "top center".
    """

    x: Any = None
    y: Any = None
    symbol: Any = None
    size: Any = 8.0
    opacity: float | None = None
    points: bool = True
    line: bool = False
    band: bool = False
    width: float = 2.0
    dash: str | None = None
    edges: Any = None
    labels: Sequence[str] | None = None
    sides: Any = "top center"

    def traces(self, sideways: bool) -> Iterator[go.Scatter]:
        if self.band:
            yield self._band(sideways)
        parts = {"lines": self.line, "markers": self.points, "text": self.labels is not None}
        if not any(parts.values()):
            return
        bars = None
        if self.low is not None and not self.band:
            values = self.x if sideways else self.y
            bars = intervals(values, self.low, self.high, self.shade)
        trace = go.Scatter({
            "x": self.x, "y": self.y, "error_x" if sideways else "error_y": bars, **self.said,
            "mode": "+".join(part for part, drawn in parts.items() if drawn),
        })
        if self.line:
            trace.line = {"color": self.shade, "width": self.width, "dash": self.dash}
        if self.points:
            trace.marker = {
                "color": self.shade if self.colour is None else self.colour,
                "symbol": SYMBOLS[self.rank % len(SYMBOLS)] if self.symbol is None else self.symbol,
                "size": self.size, "opacity": self.opacity,
            }
        if self.edges is not None:
            trace.marker.line = {"color": FAINT, "width": self.edges}
        if self.labels is not None:
            trace.update(text=self.labels, textposition=self.sides, cliponaxis=False,
                         textfont_size=0.85 * FONT_SIZE)
        yield trace.update(dict(self.further))

    def _band(self, sideways: bool) -> go.Scatter:
        """From the low ends to the high ones and back; alone it has the entry of the legend."""
        along = np.asarray(self.y if sideways else self.x)
        there = np.concatenate([along, along[::-1]])
        across = np.concatenate([np.asarray(self.low), np.asarray(self.high)[::-1]])
        x, y = (across, there) if sideways else (there, across)
        named = {} if self.points or self.line else {
            "showlegend": bool(self.name), "name": escape(self.name), **self.further,
        }
        return go.Scatter({
            "x": x, "y": y, "mode": "lines", "fill": "toself", "line": {"width": 0},
            "fillcolor": transparent(self.shade, self.opacity or _BAND), "hoverinfo": "skip",
            "legendgroup": escape(self.name) or None, "showlegend": False,
        } | named)


@dataclass(frozen=True, kw_only=True)
class Bars(Layer):
    """Bars, from left to right in a chart with rows.

    at (p,): Places.
    length (p,): From `base`.
    width: As a share of the distance of two rows.
    """

    at: Any
    length: Any
    base: Any = None
    width: Any = None

    def traces(self, sideways: bool) -> Iterator[go.Bar]:
        bars = None
        if self.low is not None:
            ends = np.add(self.length, 0.0 if self.base is None else self.base)
            bars = intervals(ends, self.low, self.high, FAINT) | {"color": FAINT}
        along, across = ("y", "x") if sideways else ("x", "y")
        colour = self.shade if self.colour is None else self.colour
        yield go.Bar({
            along: self.at, across: self.length, f"error_{across}": bars, "base": self.base,
            "width": self.width, "orientation": "h" if sideways else "v",
            "marker": {"color": colour, "line": {"width": 0}}, **self.said,
        }).update(dict(self.further))


@dataclass(frozen=True, kw_only=True)
class Cells(Layer):
    """A table in colours.

    values (r, c): NaN is left empty.
    ends: Of the colours; None for those of the values.
    written (r, c): Texts in the cells.
    data (r, c): For the template `hover`, beside the value.
    """

    values: np.ndarray
    title: str
    ends: tuple[float | None, float | None] = (0.0, 1.0)
    percent: bool = False
    written: Any = None
    data: Any = None
    gap: int = 1

    def traces(self, sideways: bool) -> Iterator[go.Heatmap]:
        bar = {"title": {"text": escape(self.title), "side": "right"}, "thickness": 12,
               "outlinewidth": 0, "tickformat": ".0%" if self.percent else None}
        rows, columns = self.values.shape
        yield go.Heatmap({
            **self.said, "z": self.values, "x": np.arange(columns), "y": np.arange(rows),
            "zmin": self.ends[0], "zmax": self.ends[1], "colorscale": SEQUENTIAL, "colorbar": bar,
            "xgap": self.gap, "ygap": self.gap, "hoverongaps": False, "customdata": self.data,
            "text": self.written, "texttemplate": None if self.written is None else "%{text}",
            "textfont": {"size": NOTE * FONT_SIZE},
        }).update(dict(self.further))


@dataclass(frozen=True, kw_only=True)
class Level:
    """A line from side to side, or a band between two.

    upright: In a chart with rows it always is.
    within: Ends of an upright one that does not reach from side to side.
    """

    at: float
    to: float | None = None
    note: str = ""
    side: str | None = None
    angle: float | None = None
    dash: str | None = "dot"
    width: float = 1.0
    colour: str = FAINT
    upright: bool = False
    within: tuple[float, float] | None = None

    def draw(
        self, figure: go.Figure, sideways: bool, logarithmic: bool, **place: int
    ) -> None:
        upright = sideways or self.upright
        line = {"color": self.colour, "dash": self.dash, "width": self.width}
        if self.within is not None:
            band = self.to is not None
            figure.add_shape(
                type="rect" if band else "line", x0=self.at, x1=self.to if band else self.at,
                y0=self.within[0], y1=self.within[1], line=line, layer="below" if band else None,
                fillcolor=transparent(FAINT, _BAND) if band else None, **place,
            )
            return
        if self.to is not None:
            (figure.add_vrect if upright else figure.add_hrect)(
                self.at, self.to, fillcolor=transparent(FAINT, _BAND), line_width=0, layer="below",
                **place,
            )
            return
        note = {"text": escape(self.note), "font": {"size": NOTE * FONT_SIZE},
                "textangle": self.angle}
        at_once = bool(self.note) and not (upright and logarithmic)
        (figure.add_vline if upright else figure.add_hline)(
            self.at, **place, line=line,
            **({"annotation": note, "annotation_position": self.side} if at_once else {}),
        )
        if self.note and not at_once:
            # On a logarithmic axis a note stands at the logarithm, its line at the number.
            figure.add_annotation(
                **note, x=np.log10(self.at), y=1, yref="paper", yanchor="top", xanchor="left",
                showarrow=False,
            )


def intervals(values: Any, low: Any, high: Any, colour: str) -> dict[str, Any]:
    values, low, high = (np.asarray(part, dtype=float) for part in (values, low, high))
    return {
        "type": "data", "array": np.maximum(high - values, 0.0),
        "arrayminus": np.maximum(values - low, 0.0), "thickness": 1.2, "width": 0,
        "color": transparent(colour, _INTERVAL if len(values) <= _CROWDED else _CROWD),
    }
