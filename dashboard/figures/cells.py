"""The cells of a comparison tree on a map."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.dendrogram import CUT_COLOUR
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle, transparent
from tripletscope.dashboard.figures.theme import FAINT, SCREEN, Canvas

#: Diameters of rings around points and around pictures, in pixels of the screen.
_RING, _RING_OF_PICTURE = 15.0, 44.0


@dataclass(frozen=True)
class Region:
    """A polygon (k, 2) on the map, and its look."""

    outline: np.ndarray
    colour: str = FAINT
    fill: float = 0.0
    width: float = 1.0


def divided_map(
    data: MapData,
    style: MapStyle,
    regions: Sequence[Region],
    *,
    displaced: Collection[int] = (),
    caption: str = "",
    revision: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A map in the plane with the cells of a tree behind its points.

    displaced: Objects outside of their region; they have a ring.
    """
    figure = embedding_map(
        data, replace(style, uncertainty=False), caption=caption, revision=revision,
        canvas=canvas,
    )
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
        x, y = data.positions[list(displaced)].T
        size = _RING_OF_PICTURE if style.marks == "pictures" else _RING
        rings.append(go.Scatter(
            x=x, y=y, mode="markers", hoverinfo="skip", showlegend=False, name="displaced",
            marker={"symbol": "circle-open", "size": size, "color": CUT_COLOUR,
                    "line": {"width": 2}},
        ))
    return go.Figure([*drawn, *figure.data, *rings], figure.layout)


def window(positions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners of a rectangle that contains every view of a map of these positions."""
    finite = positions[np.isfinite(positions).all(axis=1)]
    middle = (finite.max(axis=0) + finite.min(axis=0)) / 2
    reach = 4.0 * max(float(np.ptp(finite, axis=0).max()), 1e-9)
    return middle - reach, middle + reach
