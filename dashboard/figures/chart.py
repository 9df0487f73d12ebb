"""Charts as data, drawn by one renderer: layers on two axes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.labels import escape, short_labels
from tripletscope.dashboard.figures.layers import NOTE, Layer, Level, Series
from tripletscope.dashboard.figures.placing import row_labels
from tripletscope.dashboard.figures.points import add_rings
from tripletscope.dashboard.figures.theme import (
    FONT_SIZE,
    SCREEN,
    Canvas,
    broken,
    finished,
    note_hidden,
    panelled,
    with_caption,
    with_rows,
)

#: Pixels above a plot on a page: of its tool bar, or of the entries of its legend.
_TOP = 40.0
#: Room above and below the titles of axes beside small charts, in sizes of the letters.
_BESIDE = 4.0


@dataclass(frozen=True)
class Axis:
    """An axis.

    scale {"", "log", "whole", "percent"}: Of its numbers.
    room: Factor by which a logarithmic axis reaches beyond its values.
    names: Of rows or columns, the first at 0; rows begin at the top.
    width, row: Of names, and height of a row, in sizes of the letters.
    pitch: Pixels between names, where not all may have room.
    ticks: Texts by value.
    further: Other settings of plotly.
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

    def settings(self, values: list[Any], rows: bool = False) -> dict[str, Any]:
        """Plotly's settings, for the values along it."""
        made: dict[str, Any] = {"title": escape(self.title), "zeroline": False}
        logarithmic = self.scale == "log"
        if logarithmic:
            made |= log_axis(*values)
        elif self.scale == "whole":
            made |= whole_axis(*values)
        elif self.scale == "percent":
            made["tickformat"] = ".0%"
        if self.names is not None:
            made |= self._names(rows)
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

    def _names(self, rows: bool) -> dict[str, Any]:
        n = len(self.names)
        short = short_labels([str(name) for name in self.names], self.width) if n else []
        made = {"showgrid": False, "range": [max(n, 1) - 0.5, -0.5] if rows else [-0.5, n - 0.5]}
        ticks = list(range(n))
        if self.pitch is not None:
            size, ticks = row_labels(np.arange(n), self.pitch, NOTE * FONT_SIZE)
            made |= {"tickfont": {"size": size}, "ticklabeloverflow": "allow"}
        return made | {"tickvals": ticks, "ticktext": [escape(short[k]) for k in ticks]}


@dataclass(frozen=True)
class Plot:
    """Layers from below, and the axes that they lie on.

    x, y: If y has names, the chart has rows, and quantities are along x.
    sideways: Quantities along x also without names of rows.
    revision: While it is the same, a page keeps its view; by default the declaring function's name.
    selected: Objects with a ring.
    layout: Other settings of plotly.
    """

    layers: Sequence[Layer | Level | None]
    x: Axis
    y: Axis
    revision: str = ""
    sideways: bool = False
    selected: Collection[int] = ()
    layout: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, caption: str = "", canvas: Canvas = SCREEN) -> go.Figure:
        sideways, figure = self.sideways or self.y.names is not None, go.Figure()
        if self.y.names is not None:
            canvas = with_rows(canvas, self.y.row * len(self.y.names) + 3)
        add_layers(figure, self.layers, sideways=sideways, selected=self.selected,
                   logarithmic=self.x.scale == "log")
        axes = {}
        for axis, name in ((self.x, "x"), (self.y, "y")):
            made = axes[f"{name}axis"] = axis.settings(_drawn(figure, name), name == "y")
            if axis.pitch is not None:
                figure.layout.meta = None  # a table names the same on both sides
                note_hidden(figure, len(axis.names) - len(made["tickvals"]), len(axis.names))
        several = len({getattr(layer, "name", "") for layer in self.layers} - {""}) > 1
        figure.update_layout(
            **axes, uirevision=self.revision, showlegend=several,
            dragmode="lasso" if any(map(_is_picked, self.layers)) else "zoom",
        )
        if not self.layout.get("showlegend", several):
            figure.update_traces(showlegend=False)
        return finished(figure.update_layout(self.layout), caption, canvas, top=_TOP)


@dataclass(frozen=True)
class Panels:
    """Small charts by title, at most so many side by side, with common axes."""

    layers: Mapping[str, Sequence[Layer | Level | None]]
    x: Axis
    y: Axis
    most: int
    revision: str = ""
    layout: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, caption: str = "", canvas: Canvas = SCREEN) -> go.Figure:
        titles = list(self.layers)
        columns, canvas = panelled(titles, self.most, canvas)
        rows = -(-len(titles) // columns)
        along_y = broken(self.y.title, canvas.height - _BESIDE * FONT_SIZE, FONT_SIZE)
        figure = make_subplots(
            rows, columns, shared_xaxes="all", shared_yaxes="all",
            subplot_titles=list(map(escape, titles)), horizontal_spacing=0.09 / columns,
            vertical_spacing=min(34.0 / canvas.height, 0.9 / rows),
            x_title=escape(self.x.title), y_title=along_y,
        )
        figure.update_annotations(font={"size": FONT_SIZE})
        figure.layout.annotations[-2].yshift = -1.8 * FONT_SIZE
        figure.layout.annotations[-1].xshift = -3.4 * FONT_SIZE
        for k, layers in enumerate(self.layers.values()):
            add_layers(figure, layers, row=k // columns + 1, col=k % columns + 1)
        named: set[str] = set()
        for trace in figure.data:
            trace.showlegend = bool(trace.showlegend) and trace.name not in named
            named.add(trace.name)
        figure.update_xaxes(self.x.settings([]) | {"title": None})
        figure.update_yaxes(self.y.settings([]) | {"title": None})
        # The lowest panel of every column has numbers, also where the last row is not full, and an
        # empty title: the common one is a note, for which no room is made.
        for k in range(max(len(titles) - columns, 0), len(titles)):
            figure.update_xaxes(showticklabels=True, title=" ", row=k // columns + 1,
                                col=k % columns + 1)
        figure.update_layout(
            dragmode="zoom", uirevision=self.revision,
            margin={"l": 68 + 1.3 * FONT_SIZE * along_y.count("<br>"), "t": 62},
            legend={"y": 1.0 + 30 / canvas.height},
        )
        return with_caption(figure.update_layout(self.layout), caption, canvas)


def as_figure(declare: Callable[..., Plot | Panels]) -> Callable[..., go.Figure]:
    """Draw the chart that a function declares, with arguments ``caption`` and ``canvas``, too."""

    @wraps(declare)
    def draw(*args: Any, caption: str = "", canvas: Canvas = SCREEN, **further: Any) -> go.Figure:
        plot = declare(*args, **further)
        return replace(plot, revision=plot.revision or declare.__name__).figure(caption, canvas)

    return draw


def add_layers(
    figure: go.Figure, layers: Iterable[Layer | Level | None], *,
    sideways: bool = False, selected: Collection[int] = (), logarithmic: bool = False,
    **place: int,
) -> None:
    """Add layers to a figure.

    sideways, logarithmic: Of the first axis: whether quantities are along it, and its scale.
    **place: Row and column, if the figure has several.
    """
    for layer in layers:
        if layer is None:
            continue
        if isinstance(layer, Level):
            layer.draw(figure, sideways, logarithmic, **place)
            continue
        traces = list(layer.traces(sideways))
        for trace in traces:
            figure.add_trace(trace, **place)
        if _is_picked(layer):
            add_rings(figure, traces[-1:], selected, **place)


def _is_picked(layer: Layer | Level | None) -> bool:
    return isinstance(layer, Series) and layer.objects is not None


def _drawn(figure: go.Figure, axis: str) -> list[Any]:
    """Values of traces and lines along an axis."""
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
