"""How a model fits: the course of a fit, Shepard plots, and diagnostics of a scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.scales import ScaleDiagnostics
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Bars, Level, Series
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.theme import FAINT, PALETTE, SCREEN, Canvas

#: Points along a curve: a screen shows no more.
_MOST_POINTS = 600
_BINS = 30
#: Most pairs; of more, a random part is drawn.
MOST = 5_000


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


@as_figure
def shepard_plot(
    dissimilarities: np.ndarray, distances: np.ndarray, fit: np.ndarray | None = None, *,
    steps: bool = True,
) -> Plot:
    """A point for every pair of objects, and the regression as a line.

    Shapes: dissimilarities, distances (p,).
    fit (p,): Disparities.
    steps: Whether the regression is monotone, else a line through them.
    """
    shown = np.arange(len(dissimilarities))
    if len(dissimilarities) > MOST:
        shown = np.random.default_rng(0).permutation(len(dissimilarities))[:MOST]
    layers = [Series(
        x=dissimilarities[shown], y=distances[shown], name="distance", size=5.0, colour=FAINT,
        opacity=0.6, hover="dissimilarity %{x:.4g}, distance %{y:.4g}",
    )]
    if fit is not None:
        order = np.lexsort((fit, dissimilarities))
        layers.append(Series(
            x=dissimilarities[order], y=fit[order], name="disparity", points=False, line=True,
            further={"line_shape": "hv" if steps else "linear"},
            hover="dissimilarity %{x:.4g}, disparity %{y:.4g}",
        ))
    return Plot(layers, Axis("dissimilarity, as given"), Axis("distance in the map", zero=True))
