"""Charts as data: series, bands, bars, cells and reference lines, drawn by one renderer."""

from __future__ import annotations

import html
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.basedatatypes import BaseTraceType

from tripletscope.core.evaluation.ceiling import Ceiling
from tripletscope.core.evaluation.score import CHANCE
from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.labels import short_labels, shorten
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import add_rings, transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    SEQUENTIAL,
    SYMBOLS,
    Canvas,
    finished,
    note_hidden,
    template,
    with_rows,
)

#: Opacity of bands, of intervals, and of those of more points than so many.
_BAND, _INTERVAL, _CROWD, _CROWDED = 0.16, 0.55, 0.3, 40
#: Size of notes, relative to the letters of the figure.
_NOTE = 0.9
#: Pixels above a plot on a page: of its tool bar, or of the entries of its legend.
_TOP = 40.0


@dataclass(frozen=True, kw_only=True)
class Layer:
    """What is drawn in a chart; in one with rows, quantities are along x.

    low, high (p,): Ends of the intervals of the quantity.
    name: In the legend, which without one has no entry.
    rank: Number of its colour and its symbol.
    colour: In place of that of the rank, also one of each point.
    text (p,): What the pointer shows.
    hover: Template of what the pointer shows, where it is not the text.
    objects (p,): Which can be selected.
    further: What plotly knows beyond.
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
        """The colour of what has only one."""
        one = isinstance(self.colour, str)
        return self.colour if one else PALETTE[self.rank % len(PALETTE)]

    @property
    def said(self) -> dict[str, Any]:
        """What legend and pointer show."""
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

    x, y (p,): Places.
    symbol, size: In place of those of the rank, or of each point.
    points, line, band: What is drawn; a band is drawn in place of intervals.
    edges (p,): Widths of a line around each point.
    labels, sides (p,): What is written at each, and on which side, such as "top center".
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

    def traces(self, canvas: Canvas, sideways: bool) -> Iterator[BaseTraceType]:
        """What plotly draws."""
        if self.band:
            yield self._band(sideways)
        parts = {"lines": self.line, "markers": self.points, "text": self.labels is not None}
        if not any(parts.values()):
            return
        bars = None
        if self.low is not None and not self.band:
            values = self.x if sideways else self.y
            bars = intervals(values, self.low, self.high, self.shade, canvas)
        trace = go.Scatter({
            "x": self.x, "y": self.y, "error_x" if sideways else "error_y": bars, **self.said,
            "mode": "+".join(part for part, drawn in parts.items() if drawn),
        })
        if self.line:
            trace.line = {
                "color": self.shade, "width": self.width * canvas.scale, "dash": self.dash,
            }
        if self.points:
            trace.marker = {
                "color": self.shade if self.colour is None else self.colour,
                "symbol": SYMBOLS[self.rank % len(SYMBOLS)] if self.symbol is None else self.symbol,
                "size": np.multiply(self.size, canvas.scale), "opacity": self.opacity,
            }
        if self.edges is not None:
            width = np.multiply(self.edges, canvas.scale)
            trace.marker.line = {"color": FAINT, "width": width}
        if self.labels is not None:
            trace.update(text=self.labels, textposition=self.sides, cliponaxis=False,
                         textfont_size=0.85 * canvas.font)
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

    at (p,): Where each stands.
    length (p,): From `base`.
    width: Of a bar, as a share of the distance of two rows.
    """

    at: Any
    length: Any
    base: Any = None
    width: Any = None

    def traces(self, canvas: Canvas, sideways: bool) -> Iterator[BaseTraceType]:
        """What plotly draws."""
        bars = None
        if self.low is not None:
            ends = np.add(self.length, 0.0 if self.base is None else self.base)
            bars = intervals(ends, self.low, self.high, FAINT, canvas) | {"color": FAINT}
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
    title: Of the bar of colours.
    ends: Of the colours; None for those of the values.
    written (r, c): What stands in the cells.
    data (r, c): What the template `hover` takes beside the value.
    gap: Between cells, in pixels.
    """

    values: np.ndarray
    title: str
    ends: tuple[float | None, float | None] = (0.0, 1.0)
    percent: bool = False
    written: Any = None
    data: Any = None
    gap: int = 1

    def traces(self, canvas: Canvas, sideways: bool) -> Iterator[BaseTraceType]:
        """What plotly draws."""
        bar = {"title": {"text": escape(self.title), "side": "right"}, "thickness": 12,
               "outlinewidth": 0, "tickformat": ".0%" if self.percent else None}
        rows, columns = self.values.shape
        yield go.Heatmap({
            **self.said, "z": self.values, "x": np.arange(columns), "y": np.arange(rows),
            "zmin": self.ends[0], "zmax": self.ends[1], "colorscale": SEQUENTIAL, "colorbar": bar,
            "xgap": self.gap, "ygap": self.gap, "hoverongaps": False, "customdata": self.data,
            "text": self.written, "texttemplate": None if self.written is None else "%{text}",
            "textfont": {"size": _NOTE * canvas.font},
        }).update(dict(self.further))


@dataclass(frozen=True, kw_only=True)
class Level:
    """A line from side to side, or a band between two.

    at, to: Of the quantity.
    upright: Whether it is upright; in a chart with rows it always is.
    note: What is written at it, on a side such as "bottom right", at an angle.
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

    def draw(
        self, figure: go.Figure, canvas: Canvas, sideways: bool, logarithmic: bool, **place: int
    ) -> None:
        """Add it to a figure."""
        upright = sideways or self.upright
        if self.to is not None:
            (figure.add_vrect if upright else figure.add_hrect)(
                self.at, self.to, fillcolor=transparent(FAINT, _BAND), line_width=0, layer="below",
                **place,
            )
            return
        note = {"text": escape(self.note), "font": {"size": _NOTE * canvas.font},
                "textangle": self.angle}
        at_once = bool(self.note) and not (upright and logarithmic)
        (figure.add_vline if upright else figure.add_hline)(
            self.at, **place,
            line={"color": self.colour, "dash": self.dash, "width": self.width * canvas.scale},
            **({"annotation": note, "annotation_position": self.side} if at_once else {}),
        )
        if self.note and not at_once:
            # On a logarithmic axis a note stands at the logarithm, its line at the number.
            figure.add_annotation(
                **note, x=np.log10(self.at), y=1, yref="paper", yanchor="top", xanchor="left",
                showarrow=False,
            )


@dataclass(frozen=True)
class Axis:
    """An axis.

    scale {"", "log", "whole", "percent"}: How its numbers are written.
    ends: First and last value.
    room: Factor by which a logarithmic axis reaches beyond its values.
    names: Of rows or columns, the first at 0; rows begin at the top.
    width: Of names, in sizes of the letters.
    row: Height that a row takes, in the same.
    pitch: Pixels from a name to the next, where not all may have room.
    ticks: Values that are written, and how.
    zero: Whether it begins at 0.
    further: What plotly knows beyond.
    """

    title: str = ""
    scale: str = ""
    ends: tuple[float, float] | None = None
    room: float | None = None
    names: Sequence[str] | None = None
    width: float = 14.0
    row: float = 1.4
    pitch: float | None = None
    ticks: Mapping[float, str] | None = None
    zero: bool = False
    grid: bool = True
    further: Mapping[str, Any] = field(default_factory=dict)

    def settings(self, values: list[Any], canvas: Canvas, rows: bool = False) -> dict[str, Any]:
        """What plotly is told, for the values along it."""
        made: dict[str, Any] = {"title": escape(self.title), "zeroline": False}
        logarithmic = self.scale == "log"
        if logarithmic:
            made |= log_axis(*values)
        elif self.scale == "whole":
            made |= whole_axis(*values)
        elif self.scale == "percent":
            made["tickformat"] = ".0%"
        if self.names is not None:
            made |= self._names(canvas, rows)
        if self.ticks is not None:
            made |= {"tickvals": list(self.ticks), "ticktext": list(self.ticks.values())}
        ends = self.ends
        if self.room is not None:
            shown = np.concatenate([np.ravel(part).astype(float) for part in values])
            ends = np.nanmin(shown) / self.room, np.nanmax(shown) * self.room
        if ends is not None:
            made["range"] = np.log10(ends).tolist() if logarithmic else list(ends)
        if self.zero:
            made["rangemode"] = "tozero"
        if not self.grid:
            made["showgrid"] = False
        return made | dict(self.further)

    def _names(self, canvas: Canvas, rows: bool) -> dict[str, Any]:
        """Ticks of names."""
        n = len(self.names)
        short = short_labels([str(name) for name in self.names], self.width) if n else []
        made = {"showgrid": False, "range": [max(n, 1) - 0.5, -0.5] if rows else [-0.5, n - 0.5]}
        ticks = list(range(n))
        if self.pitch is not None:
            size, ticks = row_labels(np.arange(n), self.pitch, _NOTE * canvas.font)
            made |= {"tickfont": {"size": size}, "ticklabeloverflow": "allow"}
        return made | {
            "tickvals": ticks, "ticktext": [escape(short[k]) for k in ticks]
        }


@dataclass(frozen=True)
class Chart:
    """Layers, and the axes that they lie on.

    layers: From below; what is None is not drawn.
    x, y: Where y has names, the chart has rows, and quantities are along x.
    sideways: Whether quantities are along x, also where y has no names of rows.
    revision: While it is the same, a page keeps what it shows of the figure; by default the name
        of the function that declares the chart.
    selected: Objects with a ring.
    layout: What plotly knows beyond.
    """

    layers: Sequence[Layer | Level | None]
    x: Axis
    y: Axis
    revision: str = ""
    sideways: bool = False
    selected: Collection[int] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, caption: str = "", canvas: Canvas = SCREEN) -> go.Figure:
        """What plotly draws."""
        sideways, figure = self.sideways or self.y.names is not None, go.Figure()
        if self.y.names is not None:
            canvas = with_rows(canvas, self.y.row * len(self.y.names) + 3)
        add_layers(figure, self.layers, canvas, sideways=sideways, selected=self.selected,
                   logarithmic=self.x.scale == "log")
        axes = {}
        for axis, name in ((self.x, "x"), (self.y, "y")):
            made = axes[f"{name}axis"] = axis.settings(_drawn(figure, name), canvas, name == "y")
            if axis.pitch is not None:
                figure.layout.meta = None  # a table names the same on both sides
                note_hidden(figure, len(axis.names) - len(made["tickvals"]), len(axis.names))
        several = len({getattr(layer, "name", "") for layer in self.layers} - {""}) > 1
        figure.update_layout(
            **axes, template=template(canvas), uirevision=self.revision, showlegend=several,
            dragmode="lasso" if any(map(_is_picked, self.layers)) else "zoom",
        )
        if not self.layout.get("showlegend", several):
            figure.update_traces(showlegend=False)
        return finished(figure.update_layout(self.layout), caption, canvas, top=_TOP)


def as_figure(declare: Callable[..., Chart]) -> Callable[..., go.Figure]:
    """Draw the chart that a function declares, which then takes ``caption`` and ``canvas``, too."""

    @wraps(declare)
    def draw(
        *args: Any, caption: str = "", canvas: Canvas = SCREEN, **further: Any
    ) -> go.Figure:
        chart = declare(*args, **further)
        revision = chart.revision or declare.__name__
        return replace(chart, revision=revision).figure(caption, canvas)

    return draw


def add_layers(
    figure: go.Figure, layers: Iterable[Layer | Level | None], canvas: Canvas, *,
    sideways: bool = False, selected: Collection[int] = (), logarithmic: bool = False,
    **place: int,
) -> None:
    """Add layers to a figure.

    sideways: Whether quantities are along the first axis.
    logarithmic: Whether the first axis is.
    **place: Row and column, if the figure has several.
    """
    for layer in layers:
        if layer is None:
            continue
        if isinstance(layer, Level):
            layer.draw(figure, canvas, sideways, logarithmic, **place)
            continue
        traces = list(layer.traces(canvas, sideways))
        for trace in traces:
            figure.add_trace(trace, **place)
        if _is_picked(layer):
            add_rings(figure, traces[-1:], selected, canvas, **place)


def _is_picked(layer: Layer | Level | None) -> bool:
    """Whether points can be selected by a lasso."""
    return isinstance(layer, Series) and layer.objects is not None


def _drawn(figure: go.Figure, axis: str) -> list[Any]:
    """What traces and lines of a figure take of an axis."""
    drawn = [getattr(shape, f"{axis}{end}") for shape in figure.layout.shapes for end in (0, 1)
             if shape[f"{axis}ref"] == axis]
    for trace in figure.data:
        drawn.append(trace[axis])
        if trace.type == "bar" and axis == ("x" if trace.orientation == "h" else "y"):
            base = 0.0 if trace.base is None else trace.base
            drawn += [base, np.add(trace[axis], base)]
        error = getattr(trace, f"error_{axis}", None)
        if error is not None and error.array is not None:
            drawn += [np.add(trace[axis], error.array), np.subtract(trace[axis], error.arrayminus)]
    return [part for part in drawn if part is not None]


# Parts that charts have in common ----------------------------------------------------------------


def series_of(
    table: pd.DataFrame,
    by: str,
    x: str,
    y: str,
    *,
    apart: float = 0.0,
    text: Callable[[Any], str] | None = None,
    names: Sequence[Any] | None = None,
    columns: Mapping[str, str] | None = None,
    **further: Any,
) -> list[Series]:
    """A series for every value of a column, with intervals where the table has them.

    table: Columns `by`, `x`, `y`, and optionally ``low`` and ``high``. Without `by` there is one
        series without a name; rows without the quantity are left out.
    apart: By how much neighbouring series stand apart, so that their intervals do not cover each
        other.
    text: What the pointer shows of a row, given as a named tuple.
    names: Of the rows of a chart that has them, where `y` is the column with a row's name.
    columns: Of what each point has of its own, by its name in `Series`.
    **further: As of `Series`.
    """
    kinds = list(dict.fromkeys(table[by])) if by else [""]
    made = []
    for k, kind in enumerate(kinds):
        rows = table[table[by] == kind] if by else table
        rows = rows[rows[y if names is None else x].notna()]
        if further.get("line"):
            rows = rows.sort_values(x, kind="stable")
        aside = apart * (k - (len(kinds) - 1) / 2)
        across, up = rows[x], rows[y]
        if names is None:
            across = across + aside if aside else across
        else:
            up = [list(names).index(name) + aside for name in up]
        further |= {field: rows[column] for field, column in (columns or {}).items()}
        made.append(Series(
            x=across, y=up, low=rows.get("low"), high=rows.get("high"), rank=k,
            name=str(kind),
            text=None if text is None else [text(row) for row in rows.itertuples()], **further,
        ))
    return made


def escape(text: str) -> str:
    """A text as plotly shows it literally."""
    return html.escape(text, quote=False)


def bold(name: object, *further: str) -> str:
    """A name, and lines below it, for the pointer."""
    return "<br>".join([f"<b>{escape(shorten(str(name), 30.0))}</b>", *further])


def diagonal(low: float, high: float) -> Series:
    """A line on which both axes say the same."""
    return Series(x=[low, high], y=[low, high], points=False, line=True, colour=FAINT, dash="dot",
                  width=1.0)


def chance_level(table: pd.DataFrame, value: str, side: str | None = None) -> Level | None:
    """A line at the error of guessing, where errors come near it."""
    if not table[value].max() > 0.7 * CHANCE:
        return None
    return Level(at=CHANCE, note="chance", side=side)


def ceiling_layers(ceiling: Ceiling | None) -> list[Level]:
    """The errors between the bounds of a noise ceiling, if these are precise."""
    if ceiling is None or not ceiling.is_precise:
        return []
    bounds = [1 - bound.value for bound in (ceiling.upper, ceiling.lower)]
    note = "noise ceiling, {} bound".format
    return [
        Level(at=min(bounds), to=max(bounds)),
        Level(at=bounds[0], note=note("upper"), side="bottom right", dash="dash"),
        Level(at=bounds[1], note=note("lower"), side="top right", dash="dash"),
    ]


def intervals(
    values: Any, low: Any, high: Any, colour: str, canvas: Canvas
) -> dict[str, Any]:
    """Intervals as plotly takes them."""
    values, low, high = (np.asarray(part, dtype=float) for part in (values, low, high))
    return {
        "type": "data", "array": np.maximum(high - values, 0.0),
        "arrayminus": np.maximum(values - low, 0.0), "thickness": 1.2 * canvas.scale, "width": 0,
        "color": transparent(colour, _INTERVAL if len(values) <= _CROWDED else _CROWD),
    }
