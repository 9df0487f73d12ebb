"""Scales of paired preferences."""

from __future__ import annotations

import pandas as pd

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.series import bold, series_of


@as_figure
def preference_dots(table: pd.DataFrame) -> Plot:
    """Values with their intervals, the most preferred object on top.

    table: `tripletscope.core.ratings.PreferenceScale.table`.
    """
    names = table["object"].tolist()
    points = series_of(
        table, "", "value", "object", names=names, size=9.0, text=lambda row: bold(
            row.object, f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})",
            f"preferred {row.preferred:g} times"),
    )
    return Plot(points, Axis("preference", further={"zeroline": True}), Axis(names=names, row=1.0))
