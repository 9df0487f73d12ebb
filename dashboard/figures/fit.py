"""Progress of a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.chart import Axis, Plot
from tripletscope.dashboard.figures.layers import Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT, PALETTE, SCREEN, Canvas


def loss_curves(losses: Mapping[int, Sequence[float]], canvas: Canvas = SCREEN) -> go.Figure:
    """Loss against iteration, a line for every start, the lowest in colour."""
    lowest = min(losses, key=lambda start: losses[start][-1], default=None)
    lines = [
        Series(
            x=np.arange(len(curve)), y=np.asarray(curve), name=f"restart {start + 1}", points=False,
            line=True, width=2.0 if start == lowest else 1.0,
            colour=PALETTE[0] if start == lowest else transparent(FAINT, 0.45),
            hover="%{fullData.name}, iteration %{x}: %{y:.6g}",
        )
        for start, curve in sorted(losses.items(), key=lambda item: item[0] == lowest)
    ]
    return Plot(
        lines, Axis("iteration", zero=True), Axis("loss", "log"), revision="loss",
        layout={"showlegend": False},
    ).figure(canvas=canvas)
