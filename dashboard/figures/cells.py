"""The cells of a comparison tree on a map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.dendrogram import CUT_COLOUR
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT

#: Diameters of rings around points and around pictures, in pixels of the screen.
_RING, _RING_OF_PICTURE = 15.0, 44.0


@dataclass(frozen=True)
class Region:
    """A polygon (k, 2) on the map, and its look."""

    outline: np.ndarray
    colour: str = FAINT
    fill: float = 0.0
    width: float = 1.0


def divided(
    figure: go.Figure, regions: Sequence[Region], displaced: Sequence[np.ndarray] = (), *,
    pictured: bool = False,
) -> go.Figure:
    """A map in the plane with the cells of a tree behind its points.

    displaced (m, 2): Positions of objects outside of their region; they have a ring.
    pictured: Whether objects are pictures, around which rings are wider.
    """
    drawn = []
    for region in regions:
        if len(region.outline):
            path = np.vstack([region.outline, region.outline[:1]])
            drawn.append(go.Scatter(
                x=path[:, 0], y=path[:, 1], mode="lines", fill="toself", hoverinfo="skip",
                fillcolor=transparent(region.colour, region.fill), showlegend=False,
                line={"color": transparent(FAINT, 0.7), "width": region.width},
            ))
    rings = []
    if len(displaced):
        x, y = np.transpose(displaced)
        rings.append(go.Scatter(
            x=x, y=y, mode="markers", hoverinfo="skip", showlegend=False, name="displaced",
            marker={"symbol": "circle-open", "size": _RING_OF_PICTURE if pictured else _RING,
                    "color": CUT_COLOUR, "line": {"width": 2}},
        ))
    return go.Figure([*drawn, *figure.data, *rings], figure.layout)


def window(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a rectangle that contains every view of a map of these positions."""
    finite = positions[np.isfinite(positions).all(axis=1)]
    middle = (finite.max(axis=0) + finite.min(axis=0)) / 2
    reach = 4.0 * max(float(np.ptp(finite, axis=0).max()), 1e-9)
    return middle - reach, middle + reach
