"""Depths of objects, the most typical on top."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.explaining import interval_rows
from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT, FONT_SIZE, SCREEN, Canvas

#: Pixels of a row, and around all; the share of a row that a picture takes.
_ROW, _AROUND, _SIDE = 22.0, 80.0, 0.92


def depth_height(n_rows: int) -> float:
    return _AROUND + _ROW * n_rows


def depth_rows(
    table: pd.DataFrame, *, value: str, average: float, pictures: Mapping[int, str],
    faint: str = "", selected: Collection[int] = (), caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Depths with their intervals, and pictures of the objects right of them.

    table: As of `interval_rows`; rows without a value are gaps.
    average: Depth of the average object.
    faint: Kind of the objects of which nothing is sure.
    """
    figure = interval_rows(
        table, value=value, zero=average, selected=selected, caption=caption, canvas=canvas
    )
    figure.update_traces(
        {"marker.color": FAINT, "error_x.color": transparent(FAINT, 0.6)},
        selector={"name": escape(faint)},
    )
    shown = [(k, one) for k, one in enumerate(table["object"]) if one in pictures]
    if 2 * len(shown) < len(table):  # a few here and there would seem to mean something
        shown = []
    if shown:
        # A file may be higher than its canvas.
        side = max(_SIDE * (canvas.height - _AROUND) / len(table), 1.8 * FONT_SIZE)
        figure.update_layout(margin_r=side + 12, images=[{
            "source": pictures[one], "xref": "paper", "yref": "y", "x": 1.0, "y": k,
            "xanchor": "left", "yanchor": "middle", "sizex": 1.3 * side / canvas.width,
            "sizey": _SIDE, "sizing": "contain", "layer": "above",
        } for k, one in shown])
    return figure
