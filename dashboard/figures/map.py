"""A map of objects with the uncertainty of their positions, in one, two or three dimensions."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.line_map import scale
from tripletscope.dashboard.figures.map_2d import plane
from tripletscope.dashboard.figures.map_3d import space
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import SCREEN, Canvas, finished


def embedding_map(
    data: MapData,
    style: MapStyle,
    *,
    caption: str = "",
    revision: str = "",
    window: tuple[np.ndarray, np.ndarray] | None = None,
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Draw a map.

    revision: While it stays the same, zoom and camera survive a change of the figure.
    window: Lower left and upper right corner of a map in the plane; by default all points are seen.
    Returns: Points carry the position of their object in ``customdata``.
    """
    n_components = data.positions.shape[1]
    if n_components == 1:
        figure = scale(data, style, canvas)
    elif n_components == 2 or style.flat:
        figure = plane(data, style, canvas, window)
    else:
        figure = space(data, style, canvas)
    figure.update_layout(uirevision=revision)
    if any(trace.showlegend for trace in figure.data):
        figure.update_layout(legend_title_text=escape(style.colour or ""))
        if style.sized:
            figure.update_layout(legend_itemsizing="constant")
    return finished(figure, caption, canvas)
