"""A map in space, with ellipsoids."""

from __future__ import annotations

import html

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.geometry import ellipsoids
from tripletscope.dashboard.figures.labels import short_names
from tripletscope.dashboard.figures.placing import by_importance, place_labels
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    add_rings,
    mark_size,
    point_traces,
    shades,
)
from tripletscope.dashboard.interface.theme import GRID, NARROW, Canvas, note_hidden

#: With more objects than this, ellipsoids would hide each other.
CROWD = 40
#: Where the camera stands, and the angle that it sees from below to above, which is plotly's.
_EYE, _ANGLE = (1.3, -1.45, 0.8), np.pi / 4
_FONT = 0.85  # size of labels, in sizes of the figure's font


def space(data: MapData, style: MapStyle, canvas: Canvas) -> go.Figure:
    figure = go.Figure()
    positions = data.positions[:, :3]
    shown = np.isfinite(positions).all(axis=1)
    if style.uncertainty and data.covariances is not None:
        _add_ellipsoids(figure, positions, data, style)
    low, high = _box(positions[shown], figure)
    # The same unit on all axes, and the longest of them always in view.
    sides = 1.25 * (high - low) / np.max(high - low)
    size = 0.6 * canvas.scale * mark_size(shown.sum())
    labels = _labels(figure, data, style, sides * (positions - (low + high) / 2) / (high - low),
                     size, canvas)
    traces = point_traces(data, style, shown, go.Scatter3d, canvas)
    for trace in traces:
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y, trace.z = positions[members].T
        trace.mode = "markers+text" if labels else "markers"
        trace.text = [labels.get(i, ("", ""))[0] for i in members.tolist()]
        trace.textposition = [labels.get(i, ("", "top center"))[1] for i in members.tolist()]
        trace.textfont = {"size": _FONT * canvas.font}
        trace.marker.size = size
        figure.add_trace(trace)
    add_rings(figure, traces, data.selected, canvas)
    plain = {
        "showticklabels": False, "title": {"text": ""}, "showspikes": False, "zeroline": False,
        "showgrid": True, "gridcolor": GRID, "showline": True, "linecolor": GRID, "mirror": True,
        "showbackground": False, "ticks": "", "nticks": 6,
    }
    ranges = zip(low.tolist(), high.tolist(), strict=True)
    return figure.update_layout(
        scene={
            **{f"{axis}axis": {**plain, "range": r} for axis, r in zip("xyz", ranges, strict=True)},
            "aspectmode": "manual", "aspectratio": dict(zip("xyz", sides.tolist(), strict=True)),
            "dragmode": "orbit", "camera": {"eye": dict(zip("xyz", _EYE, strict=True))},
        },
    )


def _labels(
    figure: go.Figure, data: MapData, style: MapStyle, places: np.ndarray, radius: float,
    canvas: Canvas,
) -> dict[int, tuple[str, str]]:
    """Text and place of the labels that cover nothing as the map is first looked at."""
    shown = np.isfinite(places).all(axis=1)
    here = np.flatnonzero(shown)
    wanted = here if style.marks == "labels" else here[np.isin(here, list(data.selected))]
    if not len(wanted):
        return {}
    rank = np.cumsum(shown) - 1
    size = _FONT * canvas.font
    area = np.array([min(canvas.width, NARROW) if canvas.screen else canvas.width, canvas.height])
    points = _seen(places[here]) * area[1]
    first = [int(rank[i]) for i in data.selected if shown[i]]
    order = by_importance(points, rank[wanted], first, font_size=size)
    names = short_names(data.objects["label"].tolist(), here[order].tolist())
    spots = place_labels(
        points, {k: names[int(here[k])] for k in order}, font_size=size, radius=1.4 * radius,
        room=[*-area / 2, *area / 2], lines=False, over=first,
    )
    note_hidden(figure, len(wanted) - len(spots), len(wanted))
    return {
        int(here[k]): (html.escape(names[int(here[k])], quote=False), spot.position)
        for k, spot in spots.items()
    }


def _seen(places: np.ndarray) -> np.ndarray:
    """(n, 2) where points are on the picture, from its middle, in units of its height."""
    eye = np.array(_EYE)
    ahead = -eye / np.linalg.norm(eye)
    right = np.cross(ahead, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    across = np.stack([right, np.cross(right, ahead)], axis=-1)
    far = (places - eye) @ ahead
    return (places @ across) / (2 * np.tan(_ANGLE / 2) * far[:, None])


def _box(positions: np.ndarray, figure: go.Figure) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper corner of the points and of everything drawn, with a margin."""
    parts = [np.array([trace.x, trace.y, trace.z], dtype=float) for trace in figure.data]
    points = np.concatenate([positions.T, *parts], axis=1)
    if not points.size:
        return -np.ones(3), np.ones(3)
    low, high = points.min(axis=1), points.max(axis=1)
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    return low - margin, high + margin


def _add_ellipsoids(
    figure: go.Figure, positions: np.ndarray, data: MapData, style: MapStyle
) -> None:
    """All ellipsoids of a colour as one mesh; in a crowd only those of selected objects."""
    shape = ellipsoids(data.covariances[:, :3, :3], style.coverage, data.degrees)
    sphere, faces = _sphere()
    surface = (sphere * shape.half_axes[:, None, :]) @ shape.directions.transpose(0, 2, 1)
    surface += positions[:, None, :]
    known = np.isfinite(surface).all(axis=(1, 2))
    for group in shades(data, style):
        members = group.members[known[group.members]]
        if data.selected or len(known) > CROWD:
            members = members[np.isin(members, list(data.selected))]
        if not len(members):
            continue
        points = surface[members].reshape(-1, 3).astype(np.float32)
        corners = (faces + len(sphere) * np.arange(len(members))[:, None, None]).reshape(-1, 3)
        figure.add_mesh3d(
            x=points[:, 0], y=points[:, 1], z=points[:, 2],
            i=corners[:, 0], j=corners[:, 1], k=corners[:, 2],
            color=group.colour, opacity=0.14, hoverinfo="skip", name="ellipsoids",
            showlegend=False, flatshading=False,
        )


def _sphere(n_around: int = 12, n_up: int = 7) -> tuple[np.ndarray, np.ndarray]:
    """Points on the unit sphere and the triangles between them."""
    up = np.linspace(0, np.pi, n_up)[:, None]
    around = np.linspace(0, 2 * np.pi, n_around, endpoint=False)[None, :]
    points = np.stack(
        [np.sin(up) * np.cos(around), np.sin(up) * np.sin(around), np.cos(up) + 0 * around], axis=-1
    ).reshape(-1, 3)
    number_of = np.arange(n_up * n_around).reshape(n_up, n_around)
    here, below = number_of[:-1], number_of[1:]
    right, below_right = np.roll(here, -1, axis=1), np.roll(below, -1, axis=1)
    faces = [np.stack([here, below, right], -1), np.stack([right, below, below_right], -1)]
    return points, np.concatenate(faces).reshape(-1, 3)
