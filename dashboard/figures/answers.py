"""Histograms of properties of the answers."""

from __future__ import annotations

import numpy as np

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Bars

_STEPS = 30


@as_figure
def histogram(values: np.ndarray, *, title: str, of: str, logarithmic: bool = False) -> Plot:
    """Counts of a quantity in about thirty steps; whole numbers get equal steps.

    values: NaN is left out, and on a logarithmic axis everything that is not positive.
    """
    values = np.asarray(values, dtype=float)
    values = values[np.isfinite(values) & ((values > 0) | (not logarithmic))]
    if logarithmic and len(values):
        edges = np.geomspace(values.min(), max(values.max(), values.min() * 1.01), _STEPS + 1)
    elif len(values) and not (values % 1).any():
        step = max(1.0, np.ceil(np.ptp(values) / _STEPS))
        edges = np.arange(values.min() - 0.5, values.max() + step, step)
    else:
        edges = np.histogram_bin_edges(values, bins=min(_STEPS, max(len(np.unique(values)), 1)))
    counts, edges = np.histogram(values, edges)
    low, high = edges[:-1], edges[1:]
    middle = np.sqrt(low * high) if logarithmic else (low + high) / 2
    bars = Bars(
        at=middle, length=counts, width=high - low,
        hover="%{customdata[0]:.3~g} to %{customdata[1]:.3~g}: %{y}",
        further={"customdata": np.column_stack([low, high]).round(3).tolist()},
    )
    ticks = {}
    if not logarithmic and len(values) and np.ptp(values) < 1:
        # Around a single value plotly would count in fractions.
        ticks["tickvals"] = np.unique(values)
        if len(counts) == 1:  # a bar among many that are empty, in place of a wall
            ticks["range"] = [low[0] - _STEPS / 2, high[0] + _STEPS / 2]
    return Plot(
        [bars], Axis(title, "log" if logarithmic else "", grid=False, further=ticks),
        Axis(of, "whole", further={"tickformat": ","}), revision=title, layout={"bargap": 0.04},
    )
