"""What changes over views: a dot for each view, beside random sets of its size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import Axis, add_layers
from tripletscope.dashboard.figures.layers import Bars, Series, escape
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold
from tripletscope.dashboard.figures.theme import (
    FAINT,
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    template,
    with_rows,
)
from tripletscope.dashboard.wording.formats import interval

#: Narrower than this, in sizes of the letters, panels stand one below the other.
_SIDE_BY_SIDE = 46.0


def view_dots(
    table: pd.DataFrame, *, titles: Sequence[str], band: str, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A panel for each statistic, with a row for each view.

    table: `tripletscope.core.inference.uncertainty.robustness.Robustness.table`.
    titles: Of the axes, in the order of the statistics.
    band: What the grey bars are.
    """
    views = list(dict.fromkeys(table["view"]))
    beside = canvas.screen or canvas.width >= _SIDE_BY_SIDE * FONT_SIZE
    rows, columns = (1, len(titles)) if beside else (len(titles), 1)
    canvas = with_rows(canvas, rows * (1.6 * len(views) + 4))
    figure = make_subplots(rows, columns, shared_yaxes=beside, horizontal_spacing=0.05,
                           vertical_spacing=0.2)
    for k, (title, (_, part)) in enumerate(
        zip(titles, table.groupby("statistic", sort=False), strict=True)
    ):
        place = {"row": 1 + (0 if beside else k), "col": 1 + (k if beside else 0)}
        at, part = np.arange(len(views)), part.reset_index(drop=True)
        changed = (part["p"] <= 0.05).to_numpy()
        add_layers(figure, [
            Bars(at=at, length=part["chance_high"] - part["chance_low"], base=part["chance_low"],
                 width=0.6, colour=transparent(FAINT, 0.35), name=band),
            Series(
                x=part["value"], y=at, low=part["low"], high=part["high"], symbol="circle",
                colour=np.where(changed, PALETTE[3], PALETTE[0]), size=9.0, text=[
                    bold(row.view, f"{interval(row.value, row.low, row.high)}")
                    for row in part.itertuples()
                ],
            ),
        ], sideways=True, **place)
        ends = part[["value", "low", "high", "chance_low", "chance_high"]].to_numpy()
        room = 0.06 * (np.nanmax(ends) - np.nanmin(ends)) if np.isfinite(ends).any() else 0.0
        if room:  # bars would begin at 0
            figure.update_xaxes(range=[np.nanmin(ends) - room, np.nanmax(ends) + room], **place)
        figure.update_xaxes(title=escape(title), zeroline=False, tickformat=".3~f", nticks=4,
                            **place)
    for k, trace in enumerate(figure.data):
        trace.showlegend = k == 0
    figure.update_yaxes(**Axis(names=views).settings([], rows=True))
    figure.update_layout(template=template(canvas), dragmode="zoom", uirevision="robustness",
                         barmode="overlay")
    return finished(figure, caption, canvas, top=44)


def dots_height(n_views: int) -> float:
    """Height of `view_dots` on the screen, in pixels."""
    return 150.0 + 30.0 * n_views
