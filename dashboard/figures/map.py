"""A map of objects with the uncertainty of their positions, in one, two or three dimensions."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.data.geometry import coverage_radius
from tripletscope.dashboard.figures.colours import numbers_of
from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.map_2d import plane
from tripletscope.dashboard.figures.map_3d import space
from tripletscope.dashboard.figures.placing import named_rows
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    add_crosses,
    add_rings,
    mark_size,
    point_traces,
    transparent,
)
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    SCREEN,
    Canvas,
    finished,
    note_hidden,
)

_SHARE = 0.35  # of the height that names take at most


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
        figure = line(data, style, canvas)
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


def line(data: MapData, style: MapStyle, canvas: Canvas) -> go.Figure:
    figure = go.Figure()
    position = data.positions[:, 0]
    shown = np.isfinite(position)
    if style.against is not None:
        across = numbers_of(data.objects[style.against])
        shown &= np.isfinite(across)
        # A scale has no direction of its own: let it rise with the stimulus.
        if shown.sum() > 2 and np.corrcoef(across[shown], position[shown])[0, 1] < 0:
            position = -position
    else:
        across = np.full(len(position), np.nan)
        across[shown] = np.argsort(np.argsort(position[shown]))
    bars = None
    if style.uncertainty and data.covariances is not None:
        bars = coverage_radius(style.coverage, 1, data.degrees) * np.sqrt(data.covariances[:, 0, 0])
    traces = point_traces(data, style, shown, go.Scatter, canvas)
    for trace in traces:
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y = across[members], position[members]
        trace.mode, trace.marker.size = "markers", mark_size(shown.sum())
        if bars is not None:
            colour = trace.marker.color if isinstance(trace.marker.color, str) else FAINT
            trace.error_y = {
                "type": "data", "array": bars[members], "thickness": 1.0, "width": 0,
                "color": transparent(colour, 0.6),
            }
        figure.add_trace(trace)
    add_crosses(figure, traces, data, style)
    add_rings(figure, traces, data.selected)
    if style.against is None:
        _name_objects(figure, data, np.flatnonzero(shown)[np.argsort(position[shown])], canvas)
    else:
        figure.update_xaxes(title=escape(style.against), zeroline=False)
    figure.update_yaxes(
        title="position on the scale", showticklabels=False, showgrid=False, zeroline=False
    )
    return figure


def _name_objects(
    figure: go.Figure, data: MapData, order: np.ndarray, canvas: Canvas
) -> None:
    pitch = (canvas.least_width - 4 * FONT_SIZE) / max(len(order), 1)
    first = np.flatnonzero(np.isin(order, list(data.selected))).tolist()
    size, ticks, texts = named_rows(
        data.objects["label"].tolist(), order, pitch, FONT_SIZE, _SHARE * canvas.height, first
    )
    figure.update_xaxes(
        tickvals=ticks, ticktext=texts,
        tickangle=-90, tickfont={"size": size}, title="objects in order", showgrid=False,
        zeroline=False, range=[-0.7, len(order) - 0.3], ticklabeloverflow="allow",
    )
    note_hidden(figure, len(order) - len(ticks), len(order))
