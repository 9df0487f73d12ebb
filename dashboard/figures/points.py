"""Data, style and points that all maps share."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.colours import Group, groups, is_quantity, numbers_of
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_labels, shorten, shorten_each
from tripletscope.dashboard.figures.spectral import colour_scale
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, TEXT, TOOLS, Canvas
from tripletscope.dashboard.words.formats import number

#: Opacity of unselected points, and colour of their labels: both legible on any ground.
DIM = 0.65
DIM_TEXT = "#748082"
#: That opacity in a crowd, and the least number of its points.
DIM_CROWD, _CROWDED = 0.4, 500
#: Weight of the labels of selected points.
BOLD = 600
#: How far rings reach beyond points, in pixels of the screen.
REACH = 3.5
#: Most rings in full strength, and most rings in the plane.
_FULL, _RINGS = 30, 300
#: Name of the traces that the page draws in the colour of its text.
RING = "ring"
#: Of those below pictures, less bright at night.
PLATES = "plates"
#: Of those around categories.
OUTLINE = "outline"
#: Of crosses on points whose positions the answers do not determine, and opacity of such pictures.
UNDETERMINED, PALE = "undetermined", 0.4
#: Most objects that all have an outline of uncertainty; number of outlines in a crowd.
MANY, SPREAD = 150, 60
#: Least height of a colour bar below its title, in sizes of the figure's font.
_LONG = 14.0
_BAR = 150.0  # pixels of one that lies above a map


@dataclass(frozen=True)
class MapStyle:
    """A user's settings of a map.

    marks: one of {"points", "labels", "pictures"}.
    uncertainty, coverage: Whether ellipses, ellipsoids or error bars are drawn, and of which share.
    against: In one dimension: numeric column of the objects for the other axis; None is the order.
    flat: Whether more than two dimensions are cut to the first two principal axes.
    picture_size: Relative to the default, which depends on the distances of objects.
    outlined: Whether lines in the plane go around categories.
    sized: Numeric column of the objects by which points in the plane are larger.
    dense: Whether lines in the plane go around where most objects lie.
    """

    marks: str = "labels"
    colour: str | None = None
    uncertainty: bool = True
    coverage: float = 0.95
    against: str | None = None
    flat: bool = True
    picture_size: float = 1.0
    outlined: bool = False
    sized: str | None = None
    dense: bool = False


@dataclass(frozen=True)
class MapData:
    """A map and its objects.

    positions (n, d): NaN for objects without a place.
    covariances (n, d, d) or None: NaN for objects whose positions the answers do not determine.
    pictures: Address of the picture of an object.
    degrees: Of freedom of the covariances; None where there are many.
    moved: Offsets of labels that a user has dragged, as of
        `tripletscope.dashboard.figures.placing.Spot`; for maps in the plane.
    arrows: Directions, as `tripletscope.dashboard.figures.arrows.Arrow`; in two dimensions or more.
    """

    positions: np.ndarray
    objects: pd.DataFrame
    covariances: np.ndarray | None = None
    pictures: Mapping[int, str] = field(default_factory=dict)
    selected: Collection[int] = ()
    degrees: float | None = None
    moved: Mapping[int, tuple[float, float]] = field(default_factory=dict)
    arrows: Sequence[Any] = ()

    @property
    def undetermined(self) -> np.ndarray:
        """(n,) bool: objects with a place that the answers do not determine."""
        if self.covariances is None:
            return np.zeros(len(self.positions), dtype=bool)
        there = np.isfinite(self.positions).all(axis=1)
        return there & ~np.isfinite(self.covariances).all(axis=(1, 2))


def with_ellipses(data: MapData, dimensions: int = 2) -> np.ndarray:
    """Objects with an outline of their uncertainty: all, unless they are a crowd.

    Of a crowd the selected ones or, without a selection, some that are spread over the map.
    """
    n = len(data.positions)
    if n <= MANY:
        return np.arange(n)
    if len(data.selected):
        return np.array(sorted(data.selected), dtype=int)
    positions = data.positions[:, :dimensions]
    there = np.flatnonzero(np.isfinite(positions).all(axis=1) & ~data.undetermined)
    if not len(there):
        return there
    distance = np.linalg.norm(positions[there] - positions[there].mean(axis=0), axis=1)
    chosen = []
    for _ in range(min(SPREAD, len(there))):
        chosen.append(int(np.argmax(distance)))
        step = np.linalg.norm(positions[there] - positions[there[chosen[-1]]], axis=1)
        distance = step if len(chosen) == 1 else np.minimum(distance, step)
    return there[chosen]


def point_traces(
    data: MapData, style: MapStyle, shown: np.ndarray, kind: type, canvas: Canvas
) -> list[go.Scatter | go.Scatter3d]:
    """One trace per category, or one on a colour scale, without coordinates yet."""
    column = data.objects[style.colour] if style.colour else None
    hover = _hover(data, style)
    traces = []
    if column is not None and is_quantity(column):
        members = np.flatnonzero(shown)
        values = numbers_of(column)
        traces.append(
            _point_trace(kind, members, data.selected, hover, marker={
                "color": values[members], "showscale": True,
                "colorscale": colour_scale(style.colour, values[members]),
                "colorbar": {"title": {"text": escape(style.colour)},
                             "thickness": 12, "len": 0.6, "outlinewidth": 0},
            })
        )
        _fit_bar(traces[0], canvas)
        return traces
    categories = groups(column, len(data.objects))
    names = short_labels([group.label for group in categories])
    for group, name in zip(categories, names, strict=True):
        members = group.members[shown[group.members]]
        symbol = group.symbol
        if kind is go.Scatter3d and symbol in ("triangle-up", "star", "triangle-down"):
            symbol = "circle-open"  # scattered points in space know fewer symbols
        trace = _point_trace(
            kind, members, data.selected, hover, marker={"color": group.colour, "symbol": symbol}
        )
        trace.name = escape(name)
        trace.showlegend = column is not None
        traces.append(trace)
    return traces


def _point_trace(
    kind: type, members: np.ndarray, selected: Collection[int], hover: list[str], marker: dict
) -> go.Scatter | go.Scatter3d:
    trace = kind(
        customdata=members.tolist(), hovertext=[hover[i] for i in members], marker=marker,
        hovertemplate="%{hovertext}<extra></extra>", name="", showlegend=False,
    )
    if kind is not go.Scatter3d:
        if len(selected):
            trace.selectedpoints = np.flatnonzero(np.isin(members, list(selected))).tolist()
        # While a lasso is drawn, the page shows by this what is in it.
        crowded = len(hover) > _CROWDED
        trace.unselected = {"marker": {"opacity": DIM_CROWD if crowded else DIM}}
    return trace


def add_rings(
    figure: go.Figure, traces: Sequence[go.Scatter | go.Scatter3d], selected: Collection[int], *,
    size: float | None = None, **place: int,
) -> None:
    """Draw rings around the selected ones of some points, above all of them.

    traces: With the objects of their points as ``customdata``.
    """
    axes, where = _places(traces, selected)
    if where and (len(where) <= _RINGS or axes == "xyz"):
        share = min(1.0, (_FULL / len(where)) ** 0.5)  # many would be one blot
        further = 2 * share * (REACH - 1) / (2 if axes == "xyz" else 1)
        size = (traces[0].marker.size if size is None else size) + further
        kind = go.Scatter3d if axes == "xyz" else go.Scatter
        figure.add_trace(kind(
            **dict(zip(axes, zip(*where, strict=True), strict=True)), mode="markers",
            name=RING, hoverinfo="skip", showlegend=False,
            marker={"symbol": "circle-open", "size": float(size), "color": TEXT,
                    "line": {"width": max(2 * share, 0.6), "color": TEXT}},
        ), **place)


def add_crosses(
    figure: go.Figure, traces: Sequence[go.Scatter | go.Scatter3d], data: MapData, style: MapStyle
) -> None:
    """Draw crosses on the points whose positions the answers do not determine.

    traces: With the objects of their points as ``customdata``.
    """
    pictured = data.pictures if style.marks == "pictures" else {}
    crossed = set(np.flatnonzero(data.undetermined).tolist()) - set(pictured)
    axes, where = _places(traces, crossed if style.uncertainty else ())
    if where:
        solid = axes == "xyz"
        figure.add_trace((go.Scatter3d if solid else go.Scatter)(
            **dict(zip(axes, zip(*where, strict=True), strict=True)), mode="markers",
            name=UNDETERMINED, hoverinfo="skip", showlegend=False,
            marker={"symbol": "x" if solid else "x-thin", "size": 5.0 if solid else 11.0,
                    "color": TEXT, "line": {"width": 0.0 if solid else 1.2, "color": TEXT}},
        ))


def _places(
    traces: Sequence[go.Scatter | go.Scatter3d], chosen: Collection[int]
) -> tuple[str, list[tuple]]:
    """Axes of the traces, and coordinates of the points of some objects."""
    axes = "xyz" if traces and isinstance(traces[0], go.Scatter3d) else "xy"
    where: list[tuple] = []
    for trace in traces:
        which = np.flatnonzero(np.isin(trace.customdata, list(chosen)))
        where += zip(*(np.asarray(trace[axis])[which].tolist() for axis in axes), strict=True)
    return axes, where


def _hover(data: MapData, style: MapStyle) -> list[str]:
    texts = []
    column = data.objects[style.colour] if style.colour else None
    values = [None] * len(data.objects) if column is None else column.tolist()
    labels = shorten_each(data.objects["label"].tolist(), 30.0)
    identifiers = shorten_each(data.objects["id"].tolist(), 30.0)
    for label, identifier, value, unknown in zip(
        labels, identifiers, values, data.undetermined, strict=True
    ):
        text = f"<b>{escape(label)}</b>"
        if identifier != label:
            text += f"<br>id {escape(identifier)}"
        if value is not None:
            shown = number(value) if isinstance(value, float) else str(value)
            text += f"<br>{escape(f'{style.colour}: {shown}')}"
        if unknown:
            text += "<br>position not determined by the answers"
        texts.append(text)
    return texts


def shades(data: MapData, style: MapStyle) -> list[Group]:
    """Groups for filled shapes, which have one colour per trace: a colour scale in steps."""
    column = data.objects[style.colour] if style.colour else None
    if column is None or not is_quantity(column):
        return groups(column, len(data.objects))
    values = numbers_of(column)
    low, high = np.nanmin(values), np.nanmax(values)
    share = np.nan_to_num((values - low) / (high - low or 1.0))
    scale = colour_scale(style.colour, values)  # filled shapes share its colours
    step = np.minimum((share * len(scale)).astype(int), len(scale) - 1)
    step[np.isnan(values)] = len(scale)  # no value is not the lowest
    colours = [*scale, FAINT]
    return [
        Group("", np.flatnonzero(step == s), colours[s], "circle") for s in np.unique(step)
    ]


def _fit_bar(trace: go.Scatter | go.Scatter3d, canvas: Canvas) -> None:
    """Give a colour bar the room of its numbers, or fewer numbers where there is less."""
    bar, height = trace.marker.colorbar, canvas.height / FONT_SIZE  # in sizes of the letters
    if 0.6 * height < _LONG:
        bar.len = 1.0
        if height < _LONG:
            beside_the_bar(trace, height - 2)
    title = 0 if bar.title.side == "right" else 2
    bar.nticks = int(np.clip((bar.len * (height - 3) - title) / 1.7, 3, 10))


def above_the_map(traces: Sequence[go.Scatter | go.Scatter3d], canvas: Canvas) -> None:
    """Lay a colour bar beside the tools of a page, or alone: the map then has the whole width."""
    tools = TOOLS if canvas.screen else 0.0
    for trace in traces:
        if trace.marker.showscale:
            bar = trace.marker.colorbar
            room = canvas.least_width - tools - FONT_SIZE
            title = shorten(bar.title.text, (room - _BAR / 2.5) / FONT_SIZE)
            wide = float(width_of([title], FONT_SIZE)[0])
            length = float(np.clip(room - 1.4 * wide, _BAR / 3, _BAR))
            bar.update(
                orientation="h", xanchor="left", y=1.0, yanchor="bottom", xpad=0, ypad=1,
                # Plotly writes the title within this length, a long one partly outside of it.
                x=0.2 * wide / canvas.least_width, lenmode="pixels", len=length + 1.1 * wide,
                thickness=7,
                nticks=4 if length == _BAR else 2, tickfont={"size": 0.85 * FONT_SIZE},
                title={"text": title, "side": "right"},
            )


def beside_the_bar(trace: go.Scatter | go.Scatter3d, width: float = 16.0) -> None:
    """Write the title of a colour bar along it: above it, a long one takes the figure's width."""
    bar = trace.marker.colorbar
    if bar.title.text:
        bar.title = {"text": shorten(bar.title.text, width), "side": "right"}


def mark_size(n_shown: int) -> float:
    """Diameter of points in pixels of the screen, the smaller the more there are."""
    sizes = ((60, 9.0), (500, 7.0), (3_000, 4.5), (12_000, 3.0))
    return next((size for most, size in sizes if n_shown <= most), 2.2)


def transparent(colour: str, opacity: float) -> str:
    if colour.startswith("rgb("):
        return f"rgba({colour[4:-1]}, {opacity})"
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity})"
