"""Depths of objects, the most typical on top."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.explaining import interval_rows, rows_height
from tripletscope.dashboard.figures.theme import SCREEN, Canvas

#: Pixels of a row with a picture, beyond one without; the picture's share of it.
_TALLER, _SIDE = 14.0, 0.92


def depth_height(n_rows: int, pictured: bool) -> float:
    return rows_height(n_rows) + _TALLER * n_rows * pictured


def depth_rows(
    table: pd.DataFrame, *, value: str, average: float, pictures: Mapping[int, str],
    selected: Collection[int] = (), caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Depths with their intervals, and pictures of the objects right of them.

    table: As of `interval_rows`; rows without an object are gaps.
    average: Depth of the average object.
    """
    figure = interval_rows(
        table, value=value, zero=average, selected=selected, caption=caption, canvas=canvas
    )
    shown = [(k, one) for k, one in enumerate(table["object"]) if one in pictures]
    if shown:
        side = _SIDE * figure.layout.height / (len(table) + 3) if figure.layout.height else 30.0
        figure.update_layout(margin_r=side + 12, images=[{
            "source": pictures[one], "xref": "paper", "yref": "y", "x": 1.0, "y": k,
            "xanchor": "left", "yanchor": "middle", "sizex": 1.2 * side / canvas.width,
            "sizey": _SIDE, "sizing": "contain", "layer": "above",
        } for k, one in shown])
    return figure
