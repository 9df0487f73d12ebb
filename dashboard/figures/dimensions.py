"""Interpretable dimensions: strips of their highest objects, and histograms."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.data.lazy import cached_property
from tripletscope.dashboard.figures.chart import Axis, Panels, Plot, as_figure
from tripletscope.dashboard.figures.fonts import wrapped
from tripletscope.dashboard.figures.labels import escape, shorten, shorten_each
from tripletscope.dashboard.figures.layers import Bars, Level
from tripletscope.dashboard.figures.points import DIM_TEXT, RING
from tripletscope.dashboard.figures.theme import FONT_SIZE, PALETTE, SCREEN, TEXT, Canvas, finished
from tripletscope.dashboard.words.formats import number

#: Heights of a row of a strip with pictures and without, and of a line of a sheet of objects, in
#: sizes of the letters.
_PICTURED, _WRITTEN = 6.6, 4.6
#: Shares of the width for name and facts of a dimension, and for its histogram.
_HEAD, _TAIL = 0.2, 0.12
#: Width of a name without a picture, in sizes of the letters, and of the gap between two.
_NAME, _GAP = 9.5, 0.9
#: Bars of a histogram in a strip, and of one that stands alone.
_FEW_BINS, _BINS = 18, 36
#: An axis of numbers of objects.
_DECADES = {"type": "log", "dtick": 1}
#: Share of the largest weight of a dimension below which weights count as zero.
NOTHING = 0.02


@dataclass(frozen=True)
class DimensionData:
    """The dimensions of a fit.

    weights (n, d): Not negative.
    sd (n, d) or None: Standard deviations of the weights.
    names: By position of the dimension.
    """

    weights: np.ndarray
    objects: pd.DataFrame
    sd: np.ndarray | None = None
    names: Mapping[int, str] = field(default_factory=dict)
    pictures: Mapping[int, str] = field(default_factory=dict)
    selected: Collection[int] = ()

    @property
    def n_dimensions(self) -> int:
        return self.weights.shape[1]

    @cached_property
    def labels(self) -> list[str]:
        return self.objects["label"].astype(str).tolist()

    @cached_property
    def largest(self) -> float:
        """The largest weight of all dimensions, to which bars are relative."""
        return float(self.weights.max(initial=0.0)) or 1.0

    def title(self, dimension: int) -> str:
        name = self.names.get(dimension, "")
        return f"{dimension + 1} {name}" if name else f"Dimension {dimension + 1}"

    def highest(self, dimension: int, most: int | None = None) -> np.ndarray:
        """Objects by descending weight, without those next to 0."""
        weights = self.weights[:, dimension]
        order = np.argsort(-weights, kind="stable")[:most]
        return order[weights[order] > NOTHING * weights.max(initial=0.0)]

    def along(self, dimension: int, number: int) -> np.ndarray:
        """So many objects with evenly spaced weights, descending."""
        weights = self.weights[:, dimension]
        steps = np.linspace(weights.max(), weights.min(), min(number, len(weights)))
        chosen: list[int] = []
        left = np.ones(len(weights), dtype=bool)
        for step in steps:
            nearest = int(np.argmin(np.where(left, np.abs(weights - step), np.inf)))
            left[nearest] = False
            chosen.append(nearest)
        return np.array(sorted(chosen, key=lambda i: (-weights[i], i)))

    def ends(self, things: Any, dimensions: Any) -> tuple[np.ndarray | None, np.ndarray | None]:
        """Ends of the 95 % intervals of weights, which are not negative; None without them."""
        if self.sd is None:
            return None, None
        weights, reach = self.weights[things, dimensions], 1.96 * self.sd[things, dimensions]
        return np.maximum(weights - reach, 0.0), weights + reach

    def hover(self, thing: int, dimension: int) -> str:
        weight = number(float(self.weights[thing, dimension]))
        if self.sd is not None:
            weight += f" ± {number(float(self.sd[thing, dimension]), 2)}"
        name = escape(shorten(self.labels[thing], 30.0))
        title = escape(shorten(self.title(dimension), 30.0))
        return f"<b>{name}</b><br>{title}: {weight}"


def strips(
    data: DimensionData,
    which: Sequence[int],
    *,
    facts: Mapping[int, str] | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A row for every dimension: its name, its highest objects, and the logarithmic histogram of
    its weights.

    All are relative to the largest weight of all dimensions, so that weak dimensions look weak.
    facts: Texts below the names.
    """
    canvas = canvas if canvas.screen else _grown(canvas, strips_height(data, len(which), canvas))
    figure, width, font = go.Figure(), canvas.width, FONT_SIZE
    head, tail = _HEAD * width, _TAIL * width
    row = (canvas.height - _above(canvas)) / max(len(which), 1)
    drawn = _Cells(data, canvas)
    room = (head + 0.5 * font, width - tail - font)
    for k, dimension in enumerate(which):
        drawn.row(dimension, data.highest(dimension, 60), room, -k * row, row)
        _histogram_in(figure, data, dimension, (width - tail, width), -(k + 0.86) * row, 0.6 * row,
                      font)
    drawn.add_to(figure)
    _heads(figure, data, which, facts or {}, head, row)
    _plain_axes(figure, width, -len(which) * row, canvas, f"strips {list(which)}")
    return finished(figure, caption, canvas)


def strips_height(data: DimensionData, n_rows: int, canvas: Canvas = SCREEN) -> float:
    rows = _PICTURED if data.pictures else _WRITTEN
    return rows * FONT_SIZE * max(n_rows, 1) + _above(canvas)


def object_sheet(
    data: DimensionData,
    dimension: int,
    which: Sequence[int],
    *,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Objects of one dimension in lines, each with its weight as a bar, as in `strips`."""
    per_line = _per_line(data, canvas.width)
    lines = max(-(-len(which) // per_line), 1)
    canvas = canvas if canvas.screen else _grown(
        canvas, lines * _line(data) + _above(canvas)
    )
    row = (canvas.height - _above(canvas)) / lines
    drawn, figure = _Cells(data, canvas), go.Figure()
    for k in range(lines):
        part = np.asarray(which[k * per_line : (k + 1) * per_line], dtype=int)
        drawn.line(dimension, part, (0.0, canvas.width), -k * row, row, per_line)
    drawn.add_to(figure)
    _plain_axes(figure, canvas.width, -lines * row, canvas, f"sheet {dimension}")
    return finished(figure, caption, canvas)


def sheet_height(data: DimensionData, number: int, canvas: Canvas = SCREEN) -> float:
    lines = max(-(-number // _per_line(data, canvas.width)), 1)
    return lines * _line(data) + _above(canvas)


@as_figure
def histograms(data: DimensionData, which: Sequence[int]) -> Panels:
    """Histograms of the weights of some dimensions, side by side, with one scale for all."""
    titles = shorten_each([data.title(k) for k in which], 14.0)
    edges = np.linspace(0.0, float(data.weights[:, list(which)].max(initial=1e-9)), _BINS // 2 + 1)
    return Panels(
        {title: [_bars(data, k, edges)] for title, k in zip(titles, which, strict=True)},
        Axis("weight", grid=False, further={"nticks": 4}), Axis("objects", further=_DECADES), 6,
        layout={"bargap": 0.06},
    )


@as_figure
def histogram(data: DimensionData, dimension: int) -> Plot:
    """Histogram of the weights of one dimension, with those of the selected objects as lines."""
    weights = data.weights[:, dimension]
    edges = np.linspace(0.0, float(weights.max(initial=1e-9)), _BINS + 1)
    lines = [
        Level(at=float(weights[thing]), upright=True, dash=None, width=1.5, colour=PALETTE[3],
              note=shorten(data.labels[thing], 9.0), side="top left", angle=-90)
        for thing in list(data.selected)[:_FEW_BINS]
    ]
    return Plot(
        [_bars(data, dimension, edges), *lines], Axis("weight", grid=False),
        Axis("objects (logarithmic)", further=_DECADES), revision=f"histogram {dimension}",
        layout={"bargap": 0.06},
    )


def _bars(data: DimensionData, dimension: int, edges: np.ndarray) -> Bars:
    """A histogram without empty bars, as the axis is logarithmic."""
    counts, _ = np.histogram(data.weights[:, dimension], edges)
    some = counts > 0
    return Bars(
        at=((edges[:-1] + edges[1:]) / 2)[some], length=counts[some], width=np.diff(edges)[some],
        hover="weight about %{x:.2f}: %{y:,} objects",
    )


# Parts of strips -----------------------------------------------------------------------------


def _above(canvas: Canvas) -> float:
    """Pixels above the first row: the tools of a page."""
    return 34.0 if canvas.screen else 0.0


def _grown(canvas: Canvas, height: float) -> Canvas:
    """The canvas of a file, as high as its rows need where it may be."""
    return replace(canvas, height=max(canvas.height, height)) if canvas.most is not None else canvas


def _line(data: DimensionData) -> float:
    return (8.0 if data.pictures else 2.3) * FONT_SIZE


def _per_line(data: DimensionData, width: float) -> int:
    cell = (6.8 if data.pictures else _NAME) * FONT_SIZE
    return max(int(width // cell), 1)


class _Cells:
    """Objects of strips, gathered so that each kind of mark is one trace."""

    def __init__(self, data: DimensionData, canvas: Canvas) -> None:
        self._data, self._canvas = data, canvas
        self._bars: tuple[list, list] = ([], [])
        self._rings: tuple[list, list] = ([], [])
        self._marks: dict[str, list] = {name: [] for name in ("x", "y", "object", "hover")}
        self._names: dict[str, list] = {name: [] for name in ("x", "y", "text")}
        self._images: list[dict] = []
        self._chosen = set(data.selected)

    def row(
        self, dimension: int, objects: np.ndarray, room: tuple[float, float], top: float,
        height: float,
    ) -> None:
        """As many of the first objects as have room; names alone stand in two lines."""
        if self._data.pictures:
            n_lines, cell = 1, height - 1.5 * FONT_SIZE
        else:
            n_lines = max(int(height // (2.1 * FONT_SIZE)), 1)
            cell = _NAME * FONT_SIZE
        across = max(int((room[1] - room[0]) // cell), 1)
        for line in range(n_lines):
            part = objects[line * across : (line + 1) * across]
            self.line(dimension, part, room, top - line * height / n_lines, height / n_lines,
                      across)

    def line(
        self, dimension: int, objects: np.ndarray, room: tuple[float, float], top: float,
        height: float, across: int,
    ) -> None:
        data, font = self._data, FONT_SIZE
        cell = (room[1] - room[0]) / across
        weights = data.weights[:, dimension]
        largest = data.largest
        small = 0.82 * font if data.pictures else 0.95 * font
        names = shorten_each(
            [data.labels[i] for i in objects], (cell - _GAP * font) / small
        )
        named = self._canvas.named and (not data.pictures or height > 4.2 * font)
        below = (1.5 * small if named else 0.0) + 0.55 * font
        for k, (thing, name) in enumerate(zip(objects.tolist(), names, strict=True)):
            left = room[0] + k * cell
            right = left + cell - _GAP * font
            foot = top - height + 0.5 * font
            if thing in data.pictures:
                size = min(right - left, height - below - 0.5 * font)
                self._images.append({
                    "source": data.pictures[thing], "xref": "x", "yref": "y",
                    "x": left + size / 2, "y": foot + below + size / 2, "sizex": size,
                    "sizey": size, "xanchor": "center", "yanchor": "middle", "sizing": "contain",
                })
            if named or thing not in data.pictures:
                self._names["x"].append(left)
                self._names["y"].append(foot + 0.35 * font + 0.75 * small)
                self._names["text"].append(escape(name))
            share = float(weights[thing]) / largest
            self._rectangle(self._bars, left, left + share * (right - left), foot,
                            foot + 0.22 * font)
            if thing in self._chosen:
                self._rectangle(self._rings, left - 0.3 * font, right + 0.3 * font,
                                foot - 0.25 * font, top - 0.1 * font)
            self._marks["x"].append((left + right) / 2)
            self._marks["y"].append(top - height / 2)
            self._marks["object"].append(thing)
            self._marks["hover"].append(data.hover(thing, dimension))

    @staticmethod
    def _rectangle(
        path: tuple[list, list], left: float, right: float, low: float, high: float
    ) -> None:
        path[0].extend([left, right, right, left, left, None])
        path[1].extend([low, low, high, high, low, None])

    def add_to(self, figure: go.Figure) -> None:
        still = {"hoverinfo": "skip", "showlegend": False}
        figure.update_layout(images=self._images)
        figure.add_scatter(
            x=self._bars[0], y=self._bars[1], mode="lines", fill="toself", name="weights",
            fillcolor=PALETTE[0], line={"width": 0, "color": PALETTE[0]}, **still,
        )
        if self._rings[0]:
            figure.add_scatter(
                x=self._rings[0], y=self._rings[1], mode="lines", name=RING,
                line={"color": TEXT, "width": 1.8}, **still,
            )
        if self._names["text"]:
            small = (0.82 if self._data.pictures else 0.95) * FONT_SIZE
            figure.add_scatter(
                x=self._names["x"], y=self._names["y"], mode="text", text=self._names["text"],
                textposition="middle right", textfont={"size": small}, name="objects", **still,
            )
        # Invisible marks take clicks.
        size = (5.0 if self._data.pictures else 2.2) * FONT_SIZE
        figure.add_scatter(
            x=self._marks["x"], y=self._marks["y"], mode="markers", showlegend=False,
            customdata=self._marks["object"], hovertext=self._marks["hover"], name="marks",
            hovertemplate="%{hovertext}<extra></extra>",
            marker={"size": size, "opacity": 0.0, "symbol": "square"},
            unselected={"marker": {"opacity": 0.0}}, selected={"marker": {"opacity": 0.0}},
        )


def _heads(
    figure: go.Figure, data: DimensionData, which: Sequence[int], facts: Mapping[int, str],
    width: float, row: float,
) -> None:
    font, small = FONT_SIZE, 0.82 * FONT_SIZE
    for bold in (True, False):
        texts, heights = [], []
        for k, dimension in enumerate(which):
            title = wrapped(data.title(dimension), width, 1.06 * font)[:2]
            lines = title
            if not bold:
                free = int((row - 0.5 * font - 1.35 * font * len(title)) // (1.3 * small))
                lines = [
                    line for fact in facts.get(dimension, "").split("\n")
                    for line in wrapped(fact, width, small)
                ][:max(free, 0)]
            texts.append("<br>".join(escape(line) for line in lines) or " ")
            heights.append(-k * row - (0.5 * font if bold else 0.5 * font
                                       + 1.35 * font * len(title)))
        figure.add_scatter(
            x=np.zeros(len(which)), y=heights, mode="text", text=[
                f"<b>{text}</b>" if bold and text.strip() else text for text in texts
            ], textposition="bottom right", hoverinfo="skip", showlegend=False,
            name="titles" if bold else "facts",
            textfont={"size": font} if bold else {"size": small, "color": DIM_TEXT},
        )


def _histogram_in(
    figure: go.Figure, data: DimensionData, dimension: int, room: tuple[float, float],
    foot: float, height: float, font: float,
) -> None:
    weights = data.weights[:, dimension]
    edges = np.linspace(0.0, data.largest, _FEW_BINS + 1)
    counts, _ = np.histogram(weights, edges)
    high = np.log1p(counts) / np.log1p(len(weights))
    step = (room[1] - room[0]) / _FEW_BINS
    left = room[0] + step * np.arange(_FEW_BINS)
    x = np.column_stack([left, left, left + 0.85 * step, left + 0.85 * step]).ravel()
    y = np.column_stack([np.zeros_like(high), high, high, np.zeros_like(high)]).ravel()
    figure.add_scatter(
        x=x, y=foot + height * y, mode="lines", fill="toself",
        fillcolor=PALETTE[9], line={"width": 0}, hoverinfo="skip",
        showlegend=False, name="histogram",
    )


def _plain_axes(
    figure: go.Figure, width: float, bottom: float, canvas: Canvas, revision: str
) -> None:
    hidden = {"visible": False, "fixedrange": False}
    figure.update_layout(
        dragmode="lasso", uirevision=revision, showlegend=False,
        xaxis={**hidden, "range": [0, width]}, yaxis={**hidden, "range": [bottom, 0]},
        margin={"l": 2, "r": 2, "t": 0, "b": 0},
    )
