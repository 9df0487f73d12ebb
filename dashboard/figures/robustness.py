"""Statistics over views: a dot for each view, beside random sets of its size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import Axis, add_layers
from tripletscope.dashboard.figures.layers import Bars, Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    broken,
    finished,
    with_rows,
)
from tripletscope.dashboard.words.formats import interval


def view_dots(
    table: pd.DataFrame, *, titles: Sequence[str], band: str, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A panel for each statistic, with a row for each view.

    table: `tripletscope.core.inference.uncertainty.robustness.Robustness.table`.
    """
    views = list(dict.fromkeys(table["view"]))
    canvas, at = with_rows(canvas, 1.6 * len(views) + 4), np.arange(len(views))
    figure = make_subplots(1, len(titles), shared_yaxes=True, horizontal_spacing=0.05)
    for k, (_, part) in enumerate(table.groupby("statistic", sort=False), 1):
        add_layers(figure, [
            Bars(at=at, length=part["chance_high"] - part["chance_low"], base=part["chance_low"],
                 width=0.6, colour=transparent(FAINT, 0.35), name=band),
            Series(
                x=part["value"], y=at, low=part["low"], high=part["high"], symbol="circle",
                colour=np.where(part["p"] <= 0.05, PALETTE[3], PALETTE[0]), size=9.0,
                text=[bold(row.view, interval(row.value, row.low, row.high))
                      for row in part.itertuples()],
            ),
        ], sideways=True, row=1, col=k)
        ends = part[["value", "low", "high", "chance_low", "chance_high"]].to_numpy()
        ends = ends[np.isfinite(ends)] if np.isfinite(ends).any() else np.array([0.0, 1.0])
        room = 0.06 * np.ptp(ends) or 0.05  # bars would begin at 0
        figure.update_xaxes(
            title=broken(titles[k - 1], canvas.width / 6, FONT_SIZE), zeroline=False,
            tickformat=".3~f", nticks=4, col=k,
            range=[ends.min() - room, ends.max() + room],
        )
    figure.update_traces(showlegend=False, col=2).update_traces(showlegend=False, col=3)
    figure.update_yaxes(**Axis(names=views).settings([], rows=True))
    figure.update_layout(dragmode="zoom", uirevision="robustness",
                         barmode="overlay")
    return finished(figure, caption, canvas, top=44)
