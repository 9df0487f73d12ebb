"""Diagnostics of difference scaling."""

from __future__ import annotations

import numpy as np

from tripletscope.core.scales import ScaleDiagnostics
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Bars, Level, Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT, PALETTE

#: Points along a curve: a screen shows no more.
_MOST_POINTS = 600
_BINS = 30


@as_figure
def residual_curve(diagnostics: ScaleDiagnostics) -> Plot:
    """Distribution of the deviance residuals, with the envelope of simulated answers."""
    n = len(diagnostics.residuals)
    shown = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(int))
    share = (shown + 0.5) / n
    low, high = diagnostics.low[shown], diagnostics.high[shown]
    residuals = diagnostics.residuals[shown]
    outside = (residuals < low) | (residuals > high)
    hover = "%{y:.0%} of the residuals are below %{x:.2f}"
    return Plot(
        [
            Series(y=share, low=low, high=high, band=True, points=False, name="95 % simulated",
                   colour=FAINT, opacity=0.4),
            Series(x=residuals, y=share, name="answers", points=False, line=True, hover=hover),
            Series(x=residuals[outside], y=share[outside], name="outside", colour=PALETTE[3],
                   size=4.0, hover=hover),
        ],
        Axis("deviance residual"), Axis("cumulative proportion", "percent", ends=(-0.02, 1.02)),
        sideways=True,
    )


@as_figure
def simulated_against(simulated: np.ndarray, observed: float, *, title: str) -> Plot:
    """Histogram of a quantity of simulated answers, with a line at that of the answers."""
    if simulated.dtype.kind in "iu":  # bins of unequal numbers of whole numbers would look jagged
        step = max(1, -(-int(np.ptp(simulated)) // _BINS))
        edges = np.arange(simulated.min() - 0.5, simulated.max() + step, step)
    else:
        edges = np.histogram_bin_edges(simulated, bins=_BINS)
    counts, edges = np.histogram(simulated, edges)
    ends = [min(edges[0], observed), max(edges[-1], observed)]
    room = 0.04 * (ends[1] - ends[0] or 1.0)
    return Plot(
        [
            Bars(at=(edges[:-1] + edges[1:]) / 2, length=counts, width=np.diff(edges),
                 colour=transparent(FAINT, 0.55), hover="%{x:.4g}: %{y} simulations"),
            Level(at=observed, note="answers", upright=True, dash=None, width=2.5,
                  colour=PALETTE[3],
                  side="top left" if observed > np.median(simulated) else "top right"),
        ],
        Axis(title, "whole", grid=False, ends=(ends[0] - room, ends[1] + room)),
        Axis("simulations"), revision=title, layout={"bargap": 0.04},
    )
