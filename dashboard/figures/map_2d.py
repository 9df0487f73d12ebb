"""A map in the plane, with ellipses, labels or pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go
from scipy.interpolate import RegularGridInterpolator
from scipy.ndimage import gaussian_filter
from scipy.spatial import ConvexHull, cKDTree

from tripletscope.core.data.geometry import coverage_radius, ellipsoids, outlines
from tripletscope.dashboard.figures.arrows import PlaneArrows
from tripletscope.dashboard.figures.colours import is_quantity, numbers_of
from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_names
from tripletscope.dashboard.figures.placing import Spot, by_importance, place_labels
from tripletscope.dashboard.figures.points import (
    BOLD,
    DIM_TEXT,
    OUTLINE,
    PALE,
    PLATES,
    REACH,
    RING,
    MapData,
    MapStyle,
    above_the_map,
    add_crosses,
    add_rings,
    mark_size,
    point_traces,
    shades,
    transparent,
    with_ellipses,
)
from tripletscope.dashboard.figures.spectral import colour_scale
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    GRID,
    SEQUENTIAL,
    TEXT,
    Canvas,
    meets_tools,
    note_hidden,
)

#: Size of labels, in sizes of the figure's font.
_FONT = 0.92
_FRAME = 0.45, 1.1  # least and highest height of a frame in a file, divided by its width
_TOOLS = 34.0  # pixels above a map on a page
_LEAST_PICTURE = 26.0  # pixels of a page in which a picture is recognised
_LEAST_ON_PAPER = 18.5  # the same of a file: 4 mm, where letters have 8 pt
#: Diameters of the smallest and the largest points that are sized by a column.
_SMALLEST, _LARGEST = 0.6, 2.4
#: Shares of the objects that lines of density hold, the inner one first, and cells on a side.
DENSE_SHARES, _CELLS = (0.25, 0.5, 0.9), 120
#: More points than these are drawn by the graphics card on a page, and as one picture in a file.
CROWD = 3_000
#: Axes without numbers, around the map.
_AXES = {
    "visible": True, "showgrid": False, "zeroline": False, "showticklabels": False, "ticks": "",
    "showline": True, "mirror": True, "title": None, "automargin": False, "constrain": "range",
}


def plane(
    data: MapData, style: MapStyle, canvas: Canvas,
    window: tuple[np.ndarray, np.ndarray] | None = None,
) -> go.Figure:
    figure = go.Figure()
    positions = data.positions[:, :2]
    shown = np.isfinite(positions).all(axis=1)
    low, high = window or _window(positions[shown], _loops(positions, data, 0.95))
    if style.uncertainty:
        _add_ellipses(figure, _loops(positions, data, style.coverage), data, style, canvas)
    pictures = data.pictures if style.marks == "pictures" else {}
    kind = go.Scattergl if shown.sum() > CROWD and not pictures else go.Scatter
    traces = point_traces(data, style, shown, kind, canvas)
    if canvas.legend == "above":
        above_the_map(traces, canvas)
    sizes = _sizes(data, style, 8.0 if pictures else mark_size(shown.sum()))
    size = float(sizes[shown].max(initial=0.0)) or 8.0
    if style.dense:
        _add_density(figure, positions[shown], low, high)
    view = View(low, high, area_of(traces, style.colour or "", canvas))
    side = style.picture_size * _picture_size(
        positions[[*pictures]], *_span_and_least(view, low, high, canvas)
    )
    covered = _covered(traces, style.colour or "", view, canvas)
    arrows = None
    if data.arrows:
        arrows = PlaneArrows(data.arrows, positions[shown], low, high, view.scale, view.frame)
        covered = np.vstack([covered, arrows.boxes])
        arrows.add_wedges(figure)
    labels = Labels(data, style, shown, view, size / 2, side, canvas, covered)
    if style.outlined:
        _add_hulls(figure, positions, data, style, traces)
    # Points below the pictures take clicks and lassos, and make the legend.
    below = float(min(26.0, 0.7 * side * view.scale))
    for trace in traces:
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y = positions[members, 0], positions[members, 1]
        trace.mode = "markers"
        trace.marker.size = sizes[members] if style.sized else size
        if style.uncertainty and data.covariances is not None and canvas.screen:
            trace.meta = {"ellipses": _ellipses(data, style, members)}
        if pictures:
            trace.marker.size = [below if i in pictures else size for i in members]
            trace.marker.opacity, trace.marker.line.width = 1.0, 0
    figure.add_traces(traces)
    add_crosses(figure, traces, data, style)
    add_rings(figure, traces, set(data.selected) - set(pictures), size=size)
    if pictures:
        _add_pictures(figure, data, style, side)
    hidden = 0
    if arrows is not None:
        arrows.add_arrows(figure)
        hidden = arrows.n_hidden
    figure.add_traces(labels.at_their_points())
    figure.update_layout(annotations=labels.further_away())
    note_hidden(figure, labels.n_hidden + hidden, labels.n_wanted + hidden)
    figure.update_xaxes(_AXES, range=[low[0], high[0]])
    figure.update_yaxes(_AXES, range=[low[1], high[1]], scaleanchor="x")
    return figure


def _span_and_least(
    view: View, low: np.ndarray, high: np.ndarray, canvas: Canvas
) -> tuple[float, float]:
    """Extent of a map, and least side of its pictures."""
    span = float(np.max(high - low))
    if canvas.screen:
        return span, min(0.045 * span, _LEAST_PICTURE / view.scale)
    return span, max(0.045 * span, _LEAST_ON_PAPER / view.scale)


def _loops(positions: np.ndarray, data: MapData, coverage: float) -> np.ndarray:
    """(n, points, 2) outlines of the ellipses; NaN where there is none."""
    if data.covariances is None:
        return np.full((len(positions), 1, 2), np.nan)
    shapes = ellipsoids(data.covariances[:, :2, :2], coverage, data.degrees)
    return outlines(positions, shapes)


def _window(positions: np.ndarray, loops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the points, with a margin and most of the ellipses.

    Independent of the style, so that a zoom survives its change; without huge ellipses.
    """
    if not len(positions):
        return np.array([-1.0, -1.0]), np.array([1.0, 1.0])
    low, high = positions.min(axis=0), positions.max(axis=0)
    margin = 0.05 * max(float(np.max(high - low)), 1e-9)
    low, high = low - margin, high + margin
    reach = 0.4 * (high - low)
    inside = np.clip(loops[np.isfinite(loops).all(axis=(1, 2))], low - reach, high + reach)
    if inside.size:
        edge = 0.01 * float(np.max(high - low))
        low = np.minimum(low, inside.min(axis=(0, 1)) - edge)
        high = np.maximum(high, inside.max(axis=(0, 1)) + edge)
    return low, high


def shape_of(data: MapData, style: MapStyle, canvas: Canvas) -> float:
    """Height of a file, divided by its width, whose frame has the shape of the map."""
    positions = data.positions[:, :2]
    shown = np.isfinite(positions).all(axis=1)
    low, high = _window(positions[shown], _loops(positions, data, 0.95))
    traces = point_traces(data, style, shown, go.Scatter, canvas)
    width, height = area_of(traces, style.colour or "", canvas)
    across, up = np.maximum(high - low, 1e-12)
    lowest, highest = np.array(_FRAME) * canvas.width
    fitting = float(np.clip(width * up / across, lowest, highest))
    return (canvas.height - height + fitting) / canvas.width


def height_of(data: MapData, width: float, least: float, most: float) -> float:
    """Height of a frame of the map's shape, in pixels, within bounds."""
    positions = data.positions[:, :2]
    shown = np.isfinite(positions).all(axis=1)
    low, high = _window(positions[shown], _loops(positions, data, 0.95))
    across, up = np.maximum(high - low, 1e-12)
    return float(np.clip(width * up / across, least, most))


def _sizes(data: MapData, style: MapStyle, usual: float) -> np.ndarray:
    """(n,) diameters of points: their areas grow with a column; without a value, the smallest."""
    sizes = np.full(len(data.positions), usual)
    if style.sized:
        values = numbers_of(data.objects[style.sized])
        known = np.isfinite(values)
        low = values[known].min(initial=np.inf)
        span = values[known].max(initial=-np.inf) - low
        if span > 0:
            share = (np.where(known, values, low) - low) / span
            sizes = usual * np.sqrt(_SMALLEST**2 + (_LARGEST**2 - _SMALLEST**2) * share)
    return sizes


def _add_density(
    figure: go.Figure, positions: np.ndarray, low: np.ndarray, high: np.ndarray
) -> None:
    """Draw lines around the densest parts of the plane that hold some shares of the objects."""
    if len(positions) < 3 or not (np.ptp(positions, axis=0) > 0).all():
        return
    edges = [np.linspace(low[k], high[k], _CELLS + 1) for k in range(2)]
    counts, *_ = np.histogram2d(*positions.T, bins=edges)
    spread = positions.std(axis=0) * len(positions) ** (-1 / 6)  # Scott's rule
    smooth = gaussian_filter(counts, spread / (high - low) * _CELLS, mode="constant")
    centres = [(edge[1:] + edge[:-1]) / 2 for edge in edges]
    here = RegularGridInterpolator(centres, smooth, bounds_error=False, fill_value=0.0)(positions)
    for share, width in zip(DENSE_SHARES, (1.6, 1.2, 0.8), strict=True):
        level = float(np.quantile(here, 1 - share))
        figure.add_contour(
            x=centres[0], y=centres[1], z=smooth.T, name=f"{share:.0%} of the objects",
            contours={"coloring": "lines", "start": level, "end": level, "size": 1.0},
            colorscale=[[0, FAINT], [1, FAINT]], line={"width": width}, opacity=0.8,
            showscale=False, showlegend=False, hoverinfo="skip",
        )


def _add_ellipses(
    figure: go.Figure, loops: np.ndarray, data: MapData, style: MapStyle, canvas: Canvas
) -> None:
    selected = np.zeros(len(loops), dtype=bool)
    selected[list(data.selected)] = True
    solid = 0.32 * min(1.0, (20 / max(selected.sum(), 1)) ** 0.5)  # many would be one blot
    outlined = np.zeros(len(loops), dtype=bool)
    outlined[with_ellipses(data)] = True
    for group in shades(data, style):
        for chosen in (False, True):
            members = group.members[(outlined & (selected == chosen))[group.members]]
            drawn = loops[members]
            drawn = drawn[np.isfinite(drawn).all(axis=(1, 2))]
            if not len(drawn):
                continue
            # One trace, ellipses separated by gaps: far quicker to draw than one trace each.
            gaps = np.full((len(drawn), 1, 2), np.nan)
            path = np.concatenate([drawn, gaps], axis=1).reshape(-1, 2).astype(np.float32)
            edge = 0.5 if len(data.selected) and not chosen else 0.8
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", name="ellipses",
                fill="toself" if chosen else "none",
                fillcolor=transparent(group.colour, solid if chosen else 0.0),
                line={"color": transparent(group.colour, edge), "width": 1.0,
                      "simplify": canvas.screen},
                hoverinfo="skip", showlegend=False,
            )


def _add_hulls(
    figure: go.Figure, positions: np.ndarray, data: MapData, style: MapStyle,
    traces: Sequence[go.Scatter],
) -> None:
    there = np.isfinite(positions).all(axis=1)
    if not there.any():
        return
    angle = np.linspace(0, 2 * np.pi, 32, endpoint=False)
    reach = 0.025 * float(np.max(np.ptp(positions[there], axis=0))) or 0.1
    disc = reach * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    for group, trace in zip(shades(data, style), traces, strict=True):
        members = group.members[there[group.members]]
        if not len(members):
            continue
        edge = (positions[members][:, None] + disc).reshape(-1, 2)
        corners = ConvexHull(edge).vertices
        path = edge[[*corners, corners[0]]]
        trace.legendgroup = trace.name
        figure.add_scatter(
            x=path[:, 0], y=path[:, 1], mode="lines", name=OUTLINE, legendgroup=trace.name,
            line={"color": transparent(group.colour, 0.8), "width": 1.3},
            hoverinfo="skip", showlegend=False,
        )


def _ellipses(data: MapData, style: MapStyle, members: np.ndarray) -> list[list[float]]:
    """Every object's squared ellipse, which the page fills when the pointer is on the object."""
    radius = coverage_radius(style.coverage, 2, data.degrees)
    rows, columns = [0, 0, 1], [0, 1, 1]
    squared = radius**2 * data.covariances[members][:, rows, columns]
    return np.where(np.isfinite(squared), squared, 0.0).astype(np.float32).tolist()


def _picture_size(places: np.ndarray, span: float, least: float) -> float:
    """Side of pictures in units of the map: most do not hide their neighbours.

    least: So small they can still be recognised.
    """
    places = places[np.isfinite(places).all(axis=1)]
    typical = span
    if len(places) > 1:
        typical = float(np.median(cKDTree(places).query(places, k=2)[0][:, 1]))
    return float(np.clip(0.9 * typical, min(least, 0.09 * span), 0.09 * span))


def _add_pictures(
    figure: go.Figure, data: MapData, style: MapStyle, side: float
) -> None:
    """Pictures on plates with rims for the category, and the selection."""
    positions = data.positions[:, :2]
    there = np.zeros(len(positions), dtype=bool)
    there[list(data.pictures)] = True
    there &= np.isfinite(positions).all(axis=1)
    rim = {"width": 3 if style.colour else 1}
    rims: dict[int, str] = {}  # of which the page makes a plate below each picture
    # Pictures of colours show them, and plates would hide neighbours and ellipses.
    for group in [] if _is_seen(data, style) else shades(data, style):
        members = group.members[there[group.members]]
        colour = group.colour if style.colour else GRID
        rims |= dict.fromkeys(members.tolist(), f"{rim['width']} {colour}")
        _add_squares(figure, positions[members], side, name=PLATES, fillcolor="#FFFFFF",
                     fill="toself", line=rim | {"color": colour})
    chosen = [i for i in data.selected if there[i]]
    _add_squares(figure, positions[chosen], 1.22 * side, name=RING,
                 line={"width": 2.5, "color": TEXT})
    pale = data.undetermined & style.uncertainty
    # All at once: plotly checks every picture again for each that is added alone.
    figure.update_layout(images=[
        {
            "source": source, "x": positions[i, 0], "y": positions[i, 1], "xref": "x", "yref": "y",
            "xanchor": "center", "yanchor": "middle", "sizex": 0.9 * side, "sizey": 0.9 * side,
            "sizing": "contain", "layer": "above", "name": rims.get(i, ""),
        } | ({"opacity": PALE} if pale[i] else {})
        for i, source in sorted(data.pictures.items(), key=lambda item: item[0] in chosen)
        if there[i]
    ])


def _is_seen(data: MapData, style: MapStyle) -> bool:
    """Whether objects are coloured by their own colour."""
    column = data.objects[style.colour] if style.colour else None
    if column is None or not is_quantity(column):
        return False
    values = numbers_of(column)
    return colour_scale(style.colour, values) is not SEQUENTIAL


def _add_squares(
    figure: go.Figure, places: np.ndarray, side: float, **look: Any
) -> None:
    """Squares as one trace, with gaps between them: they are as quick to pan as one line."""
    if len(places):
        corners = side / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1], [np.nan] * 2])
        path = (places[:, None] + corners).reshape(-1, 2)
        figure.add_scatter(x=path[:, 0], y=path[:, 1], mode="lines", hoverinfo="skip",
                           showlegend=False, **look)


@dataclass(frozen=True)
class View:
    """A map on the canvas: its corners, and width and height of its frame in pixels."""

    low: np.ndarray
    high: np.ndarray
    area: np.ndarray

    @property
    def scale(self) -> float:
        """Pixels per unit of the map."""
        return float(np.min(self.area / np.maximum(self.high - self.low, 1e-12)))

    def pixels(self, positions: np.ndarray) -> np.ndarray:
        return self.scale * (positions - self.low)

    @property
    def frame(self) -> list[float]:
        """Its edges: where its shape is not the map's, the axes reach further than the map."""
        size = self.scale * (self.high - self.low)
        beyond = (self.area - size) / 2
        return [*-beyond, *(size + beyond)]


def area_of(traces: Sequence[go.Scatter], title: str, canvas: Canvas) -> np.ndarray:
    """Width and height that legend, colour bar and margins leave for the frame."""
    edge = 0.6 * FONT_SIZE
    width = canvas.least_width - 2 * edge
    height = canvas.height - edge - (_TOOLS if canvas.screen else edge)
    for trace in traces:
        if trace.marker.showscale and canvas.legend == "above":
            height -= 0.0 if canvas.screen else 2.2 * FONT_SIZE
        elif trace.marker.showscale:
            title, numbers = trace.marker.colorbar.title, 12 + 4 * FONT_SIZE
            room = float(width_of([title.text or ""], 1.2 * FONT_SIZE)[0])
            beside = numbers + 1.6 * FONT_SIZE if title.side == "right" else max(room, numbers)
            width -= beside + 24 + 0.02 * width
    named = [trace.name for trace in traces if trace.showlegend]
    if named and canvas.legend == "right":
        width -= _legend(named, title)[0] + 0.02 * width
    if named and canvas.legend == "above":
        # Plotly writes them one after the other, or in columns as wide as the widest.
        entries = width_of(named, 0.92 * FONT_SIZE) + 40
        beside = width - float(width_of([title], FONT_SIZE)[0]) - 10
        above = bool(title) and not canvas.screen  # then its title is above several lines
        columns = max(int((width if above else beside) / entries.max()), 1)
        rows = 1 if entries.sum() <= beside else -(-len(named) // columns) + above
        below = canvas.screen and not meets_tools(named, title, canvas)
        height -= rows * (1.2 * FONT_SIZE + 3) + 8 - (_TOOLS - edge) * below
    return np.maximum([width, height], 4 * FONT_SIZE)


def _legend(named: Sequence[str], title: str) -> np.ndarray:
    """Width and height of a legend with one entry a line."""
    size = 0.92 * FONT_SIZE
    width = max(float(width_of(named, size).max()) + 40, float(width_of([title], size)[0]))
    return np.array([width + 10, (len(named) + bool(title)) * 1.5 * size + 10])


def _covered(
    traces: Sequence[go.Scatter], title: str, view: View, canvas: Canvas
) -> np.ndarray:
    """(k, 4) boxes of a legend in a corner of the frame, as edges in pixels."""
    named = [trace.name for trace in traces if trace.showlegend]
    if not named or canvas.legend in ("above", "right", "none"):
        return np.empty((0, 4))
    size, (left, low, right, high) = _legend(named, title), view.frame
    left, right = (left, left + size[0]) if "left" in canvas.legend else (right - size[0], right)
    low, high = (low, low + size[1]) if "bottom" in canvas.legend else (high - size[1], high)
    return np.array([[left, low, right, high]])


class Labels:
    """The labels of a map: which, their texts, and their places."""

    def __init__(
        self, data: MapData, style: MapStyle, shown: np.ndarray, view: View, radius: float,
        side: float, canvas: Canvas, covered: np.ndarray,
    ) -> None:
        places = data.positions[:, :2]
        shown = shown & ((places >= view.low) & (places <= view.high)).all(axis=1)
        pictured = [i for i in data.pictures if shown[i]] if style.marks == "pictures" else []
        if not canvas.named:
            wanted = []
        elif style.marks == "points":
            wanted = [i for i in sorted(data.selected) if shown[i]]
        else:
            wanted = np.setdiff1d(np.flatnonzero(shown), pictured).tolist()
        self._size, self._data, self._canvas = _FONT * FONT_SIZE, data, canvas
        self._chosen = set(data.selected)
        self._radius = np.full(len(shown), radius)
        self._radius[list(data.selected)] += REACH
        self._spots: dict[int, Spot] = {}
        self._texts: dict[int, str] = {}
        self.n_wanted = len(wanted)
        if not wanted:
            return
        here = np.flatnonzero(shown)
        rank = np.cumsum(shown) - 1
        points = view.pixels(data.positions[here, :2])
        first = [int(rank[i]) for i in data.selected if shown[i]]
        moved = {int(rank[i]): offset for i, offset in data.moved.items() if shown[i]}
        order = by_importance(points, rank[wanted], [*moved, *first], font_size=self._size)
        names = short_names(data.objects["label"].tolist(), here[order].tolist())
        half = view.scale * side / 2
        place = points[rank[pictured]]
        spots = place_labels(
            points, {k: names[int(here[k])] for k in order}, font_size=self._size,
            room=view.frame, radius=self._radius[here],
            blocked=np.vstack([np.hstack([place - half, place + half]), covered]),
            over=first, moved=moved, kept_inside=not canvas.screen,
        )
        self._spots = {int(here[k]): spot for k, spot in spots.items()}
        self._texts = {i: escape(names[i]) for i in self._spots}

    @property
    def n_hidden(self) -> int:
        return self.n_wanted - len(self._spots)

    def _is_faint(self, i: int) -> bool:
        return len(self._chosen) > 0 and i not in self._chosen

    def _font(self, faint: bool) -> dict:
        look = {"color": DIM_TEXT} if faint else {"weight": BOLD} if self._data.selected else {}
        return {"size": self._size} | look

    def at_their_points(self) -> list[go.Scatter]:
        """Labels beside invisible marks: those of the points would have empty texts.

        Plotly draws nothing when a text that is empty at first changes.
        """
        traces = []
        for faint in (True, False):
            members = [
                i for i, spot in self._spots.items() if spot.position and self._is_faint(i) == faint
            ]
            if members:
                traces.append(go.Scatter(
                    x=self._data.positions[members, 0], y=self._data.positions[members, 1],
                    ids=[f"label {i}" for i in members], mode="markers+text", name="labels",
                    text=[self._texts[i] for i in members],
                    textposition=[self._spots[i].position for i in members],
                    textfont=self._font(faint),
                    marker={"size": 2 * float(self._radius[members[0]]), "opacity": 0},
                    hoverinfo="skip", showlegend=False,
                ))
        return traces

    def further_away(self) -> list[dict]:
        """Labels with a line to their points, as plotly's annotations."""
        return [
            {
                "name": f"label {i}", "text": self._texts[i], "xref": "x", "yref": "y",
                "x": self._data.positions[i, 0], "y": self._data.positions[i, 1],
                "ax": self._size * spot.offset[0], "ay": -self._size * spot.offset[1],
                "xanchor": "center", "yanchor": "middle", "borderpad": 0, "arrowhead": 0,
                "arrowwidth": 0.8, "standoff": float(self._radius[i]),
                "arrowcolor": transparent(FAINT, 0.7), "font": self._font(self._is_faint(i)),
            }
            for i, spot in self._spots.items() if not spot.position
        ]
