"""How a fit is getting on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.axes import log_axis
from tripletscope.dashboard.interface.theme import FAINT, PALETTE, SCREEN, Canvas, template


def loss_curves(losses: Mapping[int, Sequence[float]], canvas: Canvas = SCREEN) -> go.Figure:
    """Loss against iteration, a line for every start, the lowest in colour."""
    figure = go.Figure()
    lowest = min(losses, key=lambda start: losses[start][-1], default=None)
    for start, curve in sorted(losses.items(), key=lambda item: item[0] == lowest):
        best = start == lowest
        figure.add_scatter(
            x=np.arange(len(curve)), y=np.asarray(curve), mode="lines",
            name=f"restart {start + 1}", showlegend=False,
            line={"color": PALETTE[0] if best else FAINT, "width": 2 if best else 1},
            opacity=1.0 if best else 0.45,
            hovertemplate=f"restart {start + 1}, iteration %{{x}}: %{{y:.6g}}<extra></extra>",
        )
    return figure.update_layout(
        template=template(canvas), uirevision="loss", dragmode="zoom",
        xaxis={"title": "iteration", "zeroline": False, "rangemode": "tozero"},
        yaxis={"title": "loss", **log_axis(*losses.values())},
    )
