"""A one-dimensional map: positions with error bars, against a stimulus or in order."""

from __future__ import annotations

import html

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.geometry import coverage_radius
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.points import (
    MapData,
    MapStyle,
    mark_size,
    point_traces,
    transparent,
)
from tripletscope.dashboard.interface.theme import FAINT, Canvas


def scale(data: MapData, style: MapStyle, canvas: Canvas) -> go.Figure:
    figure = go.Figure()
    position = data.positions[:, 0]
    shown = np.isfinite(position)
    if style.against is not None:
        across = pd.to_numeric(data.objects[style.against], errors="coerce").to_numpy(dtype=float)
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
    for trace in point_traces(data, style, shown, go.Scatter):
        members = np.array(trace.customdata, dtype=int)
        trace.x, trace.y = across[members], position[members]
        trace.mode, trace.marker.size = "markers", canvas.scale * mark_size(shown.sum())
        if bars is not None:
            colour = trace.marker.color if isinstance(trace.marker.color, str) else FAINT
            trace.error_y = {
                "type": "data", "array": bars[members], "thickness": canvas.scale, "width": 0,
                "color": transparent(colour, 0.6),
            }
        figure.add_trace(trace)
    if style.against is None:
        order = np.argsort(position[shown])
        every = max(int(np.ceil(shown.sum() * 1.1 * canvas.font / canvas.width)), 1)
        names = short_labels(data.objects["label"][shown].tolist())
        ticks = np.arange(0, shown.sum(), every)
        figure.update_xaxes(
            tickvals=ticks, ticktext=[html.escape(names[order[t]], quote=False) for t in ticks],
            tickangle=-90, title="objects in order" if every == 1 else
            f"objects in order (one name in {every})", showgrid=False, zeroline=False,
        )
    else:
        figure.update_xaxes(title=html.escape(style.against, quote=False), zeroline=False)
    figure.update_yaxes(
        title="position on the scale", showticklabels=False, showgrid=False, zeroline=False
    )
    return figure
