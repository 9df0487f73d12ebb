"""Arrows on a map, from its middle, with wedges or cones of their uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.fonts import width_of
from tripletscope.dashboard.figures.labels import escape, short_labels
from tripletscope.dashboard.figures.placing import place_labels
from tripletscope.dashboard.figures.points import BOLD, RING, transparent
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, TEXT

#: Size of names in sizes of the figure's font, their most width in em, and size of heads in pixels.
_FONT, _WIDTH, _HEAD = 0.96, 14.0, 13.0
#: Share of the way to the edge that an arrow takes at most; edges of a cone.
_REACH, _EDGES = 0.8, 32
#: Length of a head in space, as a share of the longest arrow; its half angle; opacity of cones.
_TIP, _SHARP, _PALE = 0.13, 16.0, 0.2
#: Pixels around shafts, and around heads, without names.
_ROOM, _AROUND = 4.0, 9.0


@dataclass(frozen=True)
class Arrow:
    """A direction on a map.

    direction (d,): Unit vector; cut to the axes that are seen, it is shorter.
    length: As a share of the longest possible one.
    half_angle: Degrees to the edge of the wedge, or cone.
    about: Seen with the pointer on its head.
    """

    name: str
    direction: np.ndarray
    length: float
    half_angle: float
    about: str


class PlaneArrows:
    """Arrows in the plane, in units of the map, and the places of their names.

    pixels: Scale, lower left corner and edges of the frame.
    """

    def __init__(
        self, arrows: Sequence[Arrow], positions: np.ndarray, low: np.ndarray, high: np.ndarray,
        scale: float, frame: Sequence[float],
    ) -> None:
        self._arrows, self._middle = arrows, positions.mean(axis=0)
        self._steps = _steps(arrows, self._middle, low, high)
        self._tips = self._middle + self._steps
        share = np.linspace(0.1, 0.9, 9)[:, None, None]
        shafts = (self._middle + share * self._steps).reshape(-1, 2)
        points = scale * (np.concatenate([self._tips, shafts, positions]) - low)
        self._points = points[: len(points) - len(positions)]
        radius = np.full(len(points), _ROOM)
        radius[: len(arrows)] = _AROUND
        self._names = short_labels([a.name for a in arrows], _WIDTH)
        self._spots = place_labels(
            points, dict(enumerate(self._names)), font_size=_FONT * FONT_SIZE, room=frame,
            radius=radius, lines=False, over=range(len(arrows)), kept_inside=True,
        )

    @property
    def n_hidden(self) -> int:
        """Names without room."""
        return len(self._names) - len(self._spots)

    @property
    def boxes(self) -> np.ndarray:
        """(k, 4) edges of names, shafts and heads in pixels."""
        size, chosen = _FONT * FONT_SIZE, list(self._spots)
        wide = width_of([self._names[k] for k in chosen], size)
        half = np.column_stack([wide / 2, np.full(len(chosen), size / 2)])
        offsets = np.array([spot.offset for spot in self._spots.values()]).reshape(-1, 2)
        centre = np.vstack([self._points[chosen] + size * offsets, self._points])
        half = np.vstack([half, np.full(self._points.shape, _ROOM)])
        return np.hstack([centre - half, centre + half])

    def add_wedges(self, figure: go.Figure) -> None:
        """Below points."""
        for arrow, step in zip(self._arrows, self._steps, strict=True):
            if not arrow.half_angle > 0:
                continue
            angle = np.arctan2(step[1], step[0]) + np.radians(
                np.linspace(-arrow.half_angle, arrow.half_angle, _EDGES)
            )
            edge = np.linalg.norm(step) * np.column_stack([np.cos(angle), np.sin(angle)])
            path = self._middle + np.vstack([[0.0, 0.0], edge, [0.0, 0.0]])
            figure.add_scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", name="wedges", fill="toself",
                fillcolor=transparent(FAINT, _PALE), line={"width": 0}, hoverinfo="skip",
                showlegend=False,
            )

    def add_arrows(self, figure: go.Figure) -> None:
        """Above points, with their names."""
        gap = np.full((len(self._tips), 1, 2), np.nan)
        shafts = np.stack([np.broadcast_to(self._middle, self._tips.shape), self._tips], axis=1)
        path = np.concatenate([shafts, gap], axis=1).reshape(-1, 2)
        figure.add_scatter(
            x=path[:, 0], y=path[:, 1], mode="lines", name=RING, hoverinfo="skip",
            line={"color": TEXT, "width": 2.0}, showlegend=False,
        )
        figure.add_scatter(
            x=self._tips[:, 0], y=self._tips[:, 1], mode="markers", name=RING, showlegend=False,
            marker={"symbol": "triangle-up", "size": _HEAD, "color": TEXT, "line": {"width": 0},
                    "opacity": 1.0,
                    "angle": np.degrees(np.arctan2(self._steps[:, 0], self._steps[:, 1]))},
            hovertext=[arrow.about for arrow in self._arrows],
            hovertemplate="%{hovertext}<extra></extra>",
        )
        named = list(self._spots)
        figure.add_scatter(
            x=self._tips[named, 0], y=self._tips[named, 1], mode="markers+text", name="arrows",
            text=[escape(self._names[k]) for k in named], hoverinfo="skip", showlegend=False,
            textposition=[spot.position for spot in self._spots.values()],
            textfont={"size": _FONT * FONT_SIZE, "weight": BOLD},
            marker={"size": 2 * _AROUND, "opacity": 0},
        )


def add_arrows_in_space(
    figure: go.Figure, arrows: Sequence[Arrow], positions: np.ndarray, low: np.ndarray,
    high: np.ndarray,
) -> None:
    """Arrows with cones; `positions` (n, 3), and corners of the box."""
    if not arrows:
        return
    middle = positions.mean(axis=0)
    steps = _steps(arrows, middle, low, high)
    longest = float(np.linalg.norm(steps, axis=1).max())
    gap = np.full((len(steps), 1, 3), np.nan)
    shafts = np.stack([np.broadcast_to(middle, steps.shape), middle + steps], axis=1)
    path = np.concatenate([shafts, gap], axis=1).reshape(-1, 3)
    figure.add_scatter3d(
        **dict(zip("xyz", path.T, strict=True)), mode="lines", name=RING, hoverinfo="skip",
        line={"color": TEXT, "width": 5.0}, showlegend=False,
    )
    for arrow, step in zip(arrows, steps, strict=True):
        tip, ahead = middle + step, step / np.linalg.norm(step)
        _add_cone(figure, tip, -ahead, _TIP * longest, _SHARP, 1.0)
        if arrow.half_angle > 0:
            _add_cone(figure, middle, ahead, np.linalg.norm(step), arrow.half_angle, _PALE)
    tips = middle + 1.06 * steps
    figure.add_scatter3d(
        **dict(zip("xyz", tips.T, strict=True)), mode="text", name="arrows", showlegend=False,
        text=[escape(name) for name in short_labels([a.name for a in arrows], _WIDTH)],
        textfont={"size": _FONT * FONT_SIZE, "weight": BOLD},
        hovertext=[arrow.about for arrow in arrows], hovertemplate="%{hovertext}<extra></extra>",
    )


def _steps(
    arrows: Sequence[Arrow], middle: np.ndarray, low: np.ndarray, high: np.ndarray
) -> np.ndarray:
    """(k, d) from the middle to the heads: as long as all fit, in one proportion."""
    steps = np.array([arrow.length * arrow.direction[: len(middle)] for arrow in arrows])
    edge = np.where(steps > 0, high - middle, middle - low)
    times = np.min(edge / np.maximum(np.abs(steps), 1e-12))
    return _REACH * times * steps


def _add_cone(
    figure: go.Figure, apex: np.ndarray, axis: np.ndarray, length: float, half_angle: float,
    opacity: float,
) -> None:
    """A cone whose side has the length."""
    across = np.linalg.svd(axis[None])[2][1:]
    angle = np.linspace(0, 2 * np.pi, _EDGES, endpoint=False)
    wide = np.radians(half_angle)
    circle = np.column_stack([np.cos(angle), np.sin(angle)]) @ across
    rim = apex + length * (np.cos(wide) * axis + np.sin(wide) * circle)
    x, y, z = np.vstack([apex, rim]).T
    here = np.arange(1, _EDGES + 1)
    figure.add_mesh3d(
        x=x, y=y, z=z, i=np.zeros(_EDGES, dtype=int), j=here, k=here % _EDGES + 1, color=FAINT,
        opacity=opacity, hoverinfo="skip", name="wedges", showlegend=False,
    )
