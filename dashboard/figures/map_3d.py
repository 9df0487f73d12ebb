"""A map in space, with ellipsoids."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.data.geometry import ellipsoids
from tripletscope.dashboard.figures.arrows import add_arrows_in_space
from tripletscope.dashboard.figures.labels import escape, short_names
from tripletscope.dashboard.figures.placing import by_importance, place_labels
from tripletscope.dashboard.figures.points import (
    BOLD,
    DIM_TEXT,
    MapData,
    MapStyle,
    add_crosses,
    add_rings,
    mark_size,
    point_traces,
    shades,
    transparent,
    with_ellipses,
)
from tripletscope.dashboard.figures.theme import FONT_SIZE, GRID, Canvas, note_hidden

#: With more objects than this, surfaces of ellipsoids would hide each other; outlines do not.
CROWD = 40
#: Place and vertical angle of plotly's camera.
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
    size = 0.6 * mark_size(shown.sum())
    traces = point_traces(data, style, shown, go.Scatter3d, canvas)
    for trace in traces:
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y, trace.z = positions[members].T
        trace.mode, trace.marker.size = "markers", size
        figure.add_trace(trace)
    add_crosses(figure, traces, data, style)
    add_rings(figure, traces, data.selected)
    add_arrows_in_space(figure, data.arrows, positions[shown], low, high)
    seen = sides * (positions - (low + high) / 2) / (high - low)
    figure.add_traces(_labels(figure, data, style, seen, size, canvas))
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
) -> list[go.Scatter3d]:
    """The labels; those with coordinates are free as the map is first seen.

    A page, where the map rotates, chooses by itself among all, which are in ``meta`` by importance.
    """
    shown, positions = np.isfinite(places).all(axis=1), data.positions[:, :3]
    here = np.flatnonzero(shown)
    wanted = here if style.marks == "labels" else here[np.isin(here, list(data.selected))]
    if not len(wanted) or not canvas.named:
        return []
    rank = np.cumsum(shown) - 1
    size = _FONT * FONT_SIZE
    area = np.array([canvas.least_width, canvas.height])
    points = _seen(places[here]) * area[1]
    first = [int(rank[i]) for i in data.selected if shown[i]]
    order = by_importance(points, rank[wanted], first, font_size=size)
    names = short_names(data.objects["label"].tolist(), here[order].tolist())
    spots = place_labels(
        points, {k: names[int(here[k])] for k in order}, font_size=size, radius=1.4 * radius,
        room=[*-area / 2, *area / 2], lines=False, over=first,
    )
    if canvas.screen and len(spots) < len(wanted):
        figure.update_layout(meta={"remark": "Labels without room are hidden."})
    else:
        note_hidden(figure, len(wanted) - len(spots), len(wanted))
    chosen = np.isin(here, list(data.selected))
    texts = {k: escape(names[int(here[k])]) for k in order}

    def places_of(which: list[int], visible: Collection[int]) -> dict[str, np.ndarray]:
        places = np.where(np.isin(which, list(visible))[:, None], positions[here[which]], np.nan)
        return dict(zip("xyz", places.T, strict=True))

    traces = []
    for bold in (True, False):
        which = [k for k in order if (bool(chosen[k]) or not chosen.any()) == bold]
        look = {} if not chosen.any() else {"weight": BOLD} if bold else {"color": DIM_TEXT}
        if which:
            traces.append(go.Scatter3d(
                **places_of(which, spots), mode="text", name="labels", hoverinfo="skip",
                showlegend=False, textfont={"size": size} | look, text=[texts[k] for k in which],
                textposition=[spots[k].position if k in spots else "top center" for k in which],
                meta={
                    "radius": radius,
                    **{axis: at.tolist() for axis, at in places_of(which, which).items()},
                } if canvas.screen else None,
            ))
    return traces


def _seen(places: np.ndarray) -> np.ndarray:
    """(n, 2) points on the picture, from its middle, in units of its height."""
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
    low, high = np.nanmin(points, axis=1), np.nanmax(points, axis=1)
    margin = 0.06 * max(float(np.max(high - low)), 1e-9)
    return low - margin, high + margin


def _add_ellipsoids(
    figure: go.Figure, positions: np.ndarray, data: MapData, style: MapStyle
) -> None:
    """All ellipsoids of a colour as one mesh; in a crowd as lines, but for selected objects."""
    shape = ellipsoids(data.covariances[:, :3, :3], style.coverage, data.degrees)
    sphere, faces = _sphere()
    surface = (sphere * shape.half_axes[:, None, :]) @ shape.directions.transpose(0, 2, 1)
    surface += positions[:, None, :]
    finite = np.isfinite(surface).all(axis=(1, 2))
    which = list(data.selected) if data.selected else with_ellipses(data, 3)
    drawn = finite & np.isin(np.arange(len(finite)), which)
    filled = drawn & (len(data.selected) > 0 or len(finite) <= CROWD)
    rings = (_rings() * shape.half_axes[:, None, :]) @ shape.directions.transpose(0, 2, 1)
    rings += positions[:, None, :]
    for group in shades(data, style):
        lines = rings[group.members[(drawn & ~filled)[group.members]]].reshape(-1, 3)
        if len(lines):
            figure.add_scatter3d(
                x=lines[:, 0], y=lines[:, 1], z=lines[:, 2], mode="lines", name="ellipsoids",
                line={"color": transparent(group.colour, 0.6), "width": 1.0},
                hoverinfo="skip", showlegend=False,
            )
        members = group.members[filled[group.members]]
        if not len(members):
            continue
        points = surface[members].reshape(-1, 3).astype(np.float32)
        corners = (faces + len(sphere) * np.arange(len(members))[:, None, None]).reshape(-1, 3)
        figure.add_mesh3d(
            x=points[:, 0], y=points[:, 1], z=points[:, 2],
            i=corners[:, 0], j=corners[:, 1], k=corners[:, 2],
            color=group.colour, opacity=0.3 if len(data.selected) else 0.14,
            hoverinfo="skip", name="ellipsoids", showlegend=False, flatshading=False,
        )


def _rings() -> np.ndarray:
    """Three circles around the unit sphere, one after the other with gaps."""
    angle = np.linspace(0, 2 * np.pi, 33)
    circle = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)
    circle = np.vstack([circle, np.full(3, np.nan)])
    return np.vstack([np.roll(circle, k, axis=1) for k in range(3)])


def _sphere() -> tuple[np.ndarray, np.ndarray]:
    """Points on the unit sphere and the triangles between them."""
    n_around, n_up = 12, 7
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
