"""Scales of conjoint measurement."""

from __future__ import annotations

import pandas as pd

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.series import bold, series_of

_VALUE = "perceptual scale (units of the noise)"


@as_figure
def conjoint_curves(table: pd.DataFrame) -> Plot:
    """Contributions of the levels of each dimension, with bands.

    table: `tripletscope.core.scales.ConjointScales.curves`.
    """
    lines = series_of(
        table, "dimension", "number", "value", line=True, band=True, text=lambda row: bold(
            f"{row.dimension} {row.level}", f"{row.value:.2f} ({row.low:.2f} to {row.high:.2f})"
        ),
    )
    return Plot(lines, Axis("level", "whole"), Axis(_VALUE), revision="conjoint")


@as_figure
def conjoint_surface(table: pd.DataFrame, along: str, by: str) -> Plot:
    """Values of combinations: a line for each level of one dimension along the other.

    table: Columns `along`, `by`, ``number`` (of the level along) and ``value``.
    """
    lines = series_of(
        table.assign(name=by + " " + table[by].astype(str)), "name", "number", "value", line=True,
        text=lambda row: bold(row.name, f"{row.value:.2f}"),
    )
    return Plot(lines, Axis(f"level of {along}", "whole"), Axis(_VALUE), revision="surface")
