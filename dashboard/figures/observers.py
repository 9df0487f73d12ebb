"""Comparisons of participants: accuracy between them, pools, and maps of each."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.people.predictions import PoolingCurve
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_labels
from tripletscope.dashboard.figures.layers import Cells, Level
from tripletscope.dashboard.figures.map_2d import Labels, View, area_of
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    add_rings,
    beside_the_bar,
    point_traces,
)
from tripletscope.dashboard.figures.series import bold, series_of
from tripletscope.dashboard.figures.theme import (
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    note_hidden,
    panelled,
    remark,
    with_caption,
)
from tripletscope.dashboard.words.formats import interval

#: Most rows with numbers in the cells.
_WRITTEN = 14
#: Most rows with longer names; width of a colour bar, in sizes of the letters.
_FEW, _BAR = 6, 7.0
#: Most numbers of participants that are all written at their axis.
_COUNTED = 8
#: Width of the names of rows, in sizes of the letters.
_ROW = 20.0
#: Maps beside each other, the share of the width of one between two of them, and pixels of the
#: narrowest one in a file.
_ACROSS, _GAP, _LEAST = 4, 0.06, 150.0
#: Pixels above all maps, and between rows for their titles; diameter of points.
_TOP, _TITLE, _POINT = 62.0, 34.0, 5


def square_matrix(
    values: np.ndarray,
    names: Sequence[str],
    *,
    title: str,
    across: str = "",
    down: str = "",
    limits: tuple[float, float],
    borders: Sequence[int] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A square table in colours, with the numbers in its cells where they have room.

    values (p, p): NaN is left empty.
    limits: Ends of the colours.
    borders: Rows before which a new group begins.
    """
    p = len(names)
    width = 10.0 if p > _FEW else 20.0
    short = short_labels(list(names), width)
    written = p <= _WRITTEN and _fit_cells(short, canvas)
    texts = np.where(np.isfinite(values), np.char.mod("%.2f", np.nan_to_num(values)), "")
    labels = [escape(name) for name in short]
    side = 0.65 * min(canvas.least_width, canvas.height)
    sides = Axis(names=names, width=width, pitch=side / max(p, 1), row=0.0)
    wide = p > _FEW or float(width_of(short, 0.9 * FONT_SIZE).max(initial=0.0)) > side / max(p, 1)
    cells = Cells(
        values=values, title=title, ends=limits, written=texts if written else None,
        data=[[f"{a}<br>{b}" for b in labels] for a in labels],
        hover="%{customdata}<br>%{z:.3f}",
    )
    return Plot(
        [cells], replace(sides, title=across, further={"tickangle": -60 if wide else 0}),
        replace(sides, title=down), revision=title,
        layout={"shapes": [
            {"type": "line", "layer": "above", "line": {"color": PALETTE[3], "width": 2},
             f"{along}0": border - 0.5, f"{along}1": border - 0.5, f"{other}0": -0.5,
             f"{other}1": p - 0.5}
            for border in borders for along, other in ("xy", "yx")
        ]},
    ).figure(caption, canvas)


def _fit_cells(names: Sequence[str], canvas: Canvas) -> bool:
    """Whether cells are as wide as the numbers that stand in them."""
    beside = float(width_of(names, 0.9 * FONT_SIZE).max(initial=0.0)) + _BAR * FONT_SIZE
    number = float(width_of(["0.00"], 0.85 * FONT_SIZE)[0])
    return (canvas.least_width - beside) / max(len(names), 1) >= number + 2.0


@as_figure
def relation_dots(table: pd.DataFrame) -> Plot:
    """Accuracy by relation of the predicting participants.

    table: `tripletscope.core.people.Predictions.relations`.
    """
    names = table["relation"].tolist()
    ends = np.append(table[["accuracy", "low", "high"]].to_numpy(dtype=float), CHANCE)
    low, high = np.nanmin(ends), np.nanmax(ends)
    room = 0.06 * (high - low)
    return Plot(
        [
            *series_of(
                table, "", "accuracy", "relation", names=names, size=10.0, text=lambda row: bold(
                    row.relation, interval(row.accuracy, row.low, row.high),
                    f"mean of {row.participants}"),
            ),
            Level(at=CHANCE, note="chance"),
        ],
        Axis("accuracy", ends=(low - room, high + room)), Axis(names=names, row=2.0, width=_ROW),
    )


@as_figure
def pooling_figure(pooling: PoolingCurve, by: str = "participant") -> Plot:
    """Accuracy against the number of participants learned from, with a 95 % band."""
    table = pooling.table.dropna()
    one, many = ("participant", "participants") if by == "participant" else (
        f"value of {by}", f"values of {by}"
    )
    counts = table["participants"].tolist()
    curve = series_of(
        table, "", "participants", "accuracy", line=True, band=True,
        hover=f"%{{x}} {escape(many)}: %{{y:.3f}}<br>%{{hovertext}}",
        text=lambda row: f"{row.low:.3f} to {row.high:.3f}",
    )
    return Plot(
        curve,
        Axis(f"number of {many} in training", "log",
             ticks={n: str(n) for n in counts} if len(counts) <= _COUNTED else None),
        Axis(f"accuracy on another {one}"),
    )


def grid_height(maps: np.ndarray, wide: float = 200.0) -> float:
    """Height in pixels of a grid of maps of some width, by the shape of its window."""
    row = _row_height(*_window(_planes(maps)), wide) + 11.0
    return float(row * -(-len(maps) // _ACROSS) + 60.0)


def _row_height(low: np.ndarray, high: np.ndarray, wide: float) -> float:
    """Height in pixels of a row of maps of some width, with their titles."""
    across, up = high - low
    return float(np.clip(wide * up / across, 0.35 * wide, 1.3 * wide)) + _TITLE


def _planes(maps: np.ndarray) -> np.ndarray:
    """(p, n, 2) visible coordinates of each map."""
    if maps.shape[2] > 1:
        return maps[..., :2]
    return np.concatenate([np.broadcast_to(maps[:1], maps.shape), maps], axis=2)


def _window(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower left and upper right corner of all maps, with a margin."""
    low, high = np.nanmin(planes, axis=(0, 1)), np.nanmax(planes, axis=(0, 1))
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    return low - margin, high + margin


def _small_points(data: MapData, style: MapStyle, canvas: Canvas) -> list[go.Scatter]:
    shown = np.isfinite(data.positions).all(axis=1)
    traces = point_traces(data, style, shown, go.Scatter, canvas)
    for trace in traces:
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y = data.positions[members].T
        trace.mode, trace.marker.size = "markers", _POINT
        trace.legendgroup = trace.name
        beside_the_bar(trace, max(0.6 * canvas.height / FONT_SIZE, 3.0))
        if trace.marker.showscale:  # a bar that has a length is drawn
            trace.marker.colorbar.len = 1.0
    return traces


@dataclass(frozen=True)
class _Grid:
    """Maps in rows on a canvas, pixels above them, and what each has of it, cut to its shape."""

    n_columns: int
    n_rows: int
    canvas: Canvas
    top: float
    view: View

    def labels(self, data: MapData, style: MapStyle) -> Labels:
        shown = np.isfinite(data.positions).all(axis=1)
        return Labels(data, style, shown, self.view, _POINT / 2, 0.0, self.canvas,
                      np.empty((0, 4)))

    def has_names(self, data: MapData, style: MapStyle) -> bool:
        """Whether most objects of a map have room for their names."""
        labels = self.labels(data, style)
        return 2 * labels.n_hidden <= labels.n_wanted


def _grids(
    data: MapData, titles: Sequence[str], style: MapStyle,
    window: tuple[np.ndarray, np.ndarray], canvas: Canvas,
) -> Iterator[_Grid]:
    """Ways to arrange maps, that with most in a row first; a file that may grow has several."""
    n_columns, canvas = panelled(titles, _ACROSS, canvas)
    traces, (low, high) = _small_points(data, style, canvas), window
    is_bare = not canvas.screen and not any(trace.showlegend for trace in traces)
    top = 2.0 * FONT_SIZE if is_bare else _TOP
    has_bar = any(trace.marker.showscale for trace in traces)  # which stays beside the maps
    width, _ = area_of(
        traces, style.colour or "", replace(canvas, legend="right") if has_bar else canvas
    )
    fewest = n_columns
    if canvas.most is not None:
        n_columns, fewest = min(n_columns, max(int(width // _LEAST), 1)), 1
    for across in range(n_columns, fewest - 1, -1):
        n_rows, between = -(-len(titles) // across), _GAP * (across - 1) / across
        wide = width * (1.0 - between) / across
        if canvas.most is not None:
            height = top + n_rows * _row_height(low, high, wide)
            canvas = replace(canvas, height=min(height, canvas.most))
        tall = (canvas.height - top) / n_rows - _TITLE
        scale = np.min(np.maximum([wide, tall], FONT_SIZE) / (high - low))
        yield _Grid(across, n_rows, canvas, top, View(low, high, scale * (high - low)))


def map_grid(
    maps: np.ndarray,
    titles: Sequence[str],
    objects: pd.DataFrame,
    *,
    colour: str | None = None,
    selected: Collection[int] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Small maps that all show the same part of the plane, with names if most have room.

    maps (p, n, d): NaN for objects without a place. Of more than two dimensions the first two are
        drawn; of one, the first map stands on the horizontal axis of all.
    """
    planes, style = _planes(maps), MapStyle(colour=colour)
    window = _window(planes)
    each = [replace(MapData(maps[0], objects, selected=selected), positions=p) for p in planes]
    grids = list(_grids(each[0], titles, style, window, canvas))
    grid = next((one for one in grids if one.has_names(each[0], style)), grids[0])
    n_columns, canvas = grid.n_columns, grid.canvas
    figure = make_subplots(
        grid.n_rows, n_columns, horizontal_spacing=_GAP / n_columns,
        vertical_spacing=min(_TITLE / canvas.height, 0.9 / grid.n_rows),
        subplot_titles=list(map(escape, titles)),
    )
    figure.update_annotations(font={"size": FONT_SIZE})
    points = [_small_points(data, style, canvas) for data in each]
    named = [grid.labels(data, style) for data in each if grid.has_names(each[0], style)]
    note_hidden(figure, sum(one.n_hidden for one in named), sum(one.n_wanted for one in named))
    further: list[dict] = []
    for k, traces in enumerate(points):
        place = {"row": k // n_columns + 1, "col": k % n_columns + 1}
        for trace in traces:
            if k:
                trace.showlegend, trace.marker.showscale = False, False
            figure.add_trace(trace, **place)
        add_rings(figure, traces, selected, **place)
        for labels in named[k : k + 1]:
            figure.add_traces(labels.at_their_points(), place["row"], place["col"])
            axes = {"xref": f"x{k + 1}" if k else "x", "yref": f"y{k + 1}" if k else "y"}
            further += [label | axes for label in labels.further_away()]
    figure.update_layout(annotations=[*figure.layout.annotations, *further])
    plain = {"showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "",
             "showline": True, "mirror": True, "constrain": "domain"}
    for k, update in enumerate((figure.update_xaxes, figure.update_yaxes)):
        update(plain, range=[window[0][k], window[1][k]])
    for k in range(len(maps)):
        figure.update_yaxes(
            scaleanchor="x" if k == 0 else f"x{k + 1}", constraintoward="top",
            row=k // n_columns + 1, col=k % n_columns + 1,
        )
    figure.update_layout(
        dragmode="lasso", uirevision=f"maps {len(maps)}",
        margin_t=grid.top, legend_y=1.0 + 30 / canvas.height,
    )
    return with_caption(figure, f"{caption} {remark(figure)}".strip(), canvas)
