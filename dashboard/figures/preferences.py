"""Scales of paired preferences."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    template,
    with_rows,
)


def preference_dots(
    table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Values with their intervals, the most preferred object on top.

    table: `tripletscope.core.ratings.PreferenceScale.table`.
    """
    canvas = with_rows(canvas, len(table))
    figure = go.Figure()
    figure.add_scatter(
        x=table["value"], y=table["object"], mode="markers", showlegend=False,
        marker={"color": PALETTE[0], "size": 9 * canvas.scale},
        error_x={
            "type": "data", "array": table["high"] - table["value"],
            "arrayminus": table["value"] - table["low"], "thickness": 1.5 * canvas.scale,
            "width": 0, "color": transparent(PALETTE[0], 0.55),
        },
        text=[f"{low:.2f} to {high:.2f}" for low, high in zip(table["low"], table["high"],
                                                             strict=True)],
        customdata=table["preferred"],
        hovertemplate="%{y}: %{x:.2f}<br>%{text}<br>preferred %{customdata:g} times"
        "<extra></extra>",
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="preferences",
        xaxis={"title": "preference", "zeroline": True},
        yaxis={"range": [len(table) - 0.5, -0.5], "zeroline": False, "type": "category"},
    )
    return finished(figure, caption, canvas)
