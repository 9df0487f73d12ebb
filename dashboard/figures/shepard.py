"""Shepard plots: distances in a map against dissimilarities."""

from __future__ import annotations

import numpy as np

from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Series
from tripletscope.dashboard.figures.theme import FAINT

#: Most pairs; of more, a random part is drawn.
MOST = 5_000


@as_figure
def shepard_plot(
    dissimilarities: np.ndarray, distances: np.ndarray, fit: np.ndarray | None = None
) -> Plot:
    """A point for every pair of objects, and the monotone regression as a line.

    Shapes: dissimilarities, distances (p,).
    fit (p,): Disparities.
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
            further={"line_shape": "hv"}, hover="dissimilarity %{x:.4g}, disparity %{y:.4g}",
        ))
    return Plot(layers, Axis("dissimilarity, as given"), Axis("distance in the map", zero=True))
