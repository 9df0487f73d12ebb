"""Shepard plots: distances in a map against what was measured, and what every object adds."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    template,
)

#: Pairs that are drawn at most; of more, a random part.
MOST = 5_000


def shepard_plot(
    given: np.ndarray, apart: np.ndarray, fit: np.ndarray | None = None, *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A point for every pair of objects, and the monotone regression as a line.

    given, apart (p,): Dissimilarities, and distances in the map.
    fit (p,): Disparities.
    """
    shown = np.arange(len(given))
    if len(given) > MOST:
        shown = np.random.default_rng(0).permutation(len(given))[:MOST]
    figure = go.Figure()
    figure.add_scatter(
        x=given[shown], y=apart[shown], mode="markers", name="distance",
        marker={"size": 5 * canvas.scale, "color": transparent(FAINT, 0.6)},
        hovertemplate="dissimilarity %{x:.4g}, distance %{y:.4g}<extra></extra>",
    )
    if fit is not None:
        order = np.lexsort((fit, given))
        figure.add_scatter(
            x=given[order], y=fit[order], mode="lines", name="disparity",
            line={"color": PALETTE[0], "width": 2 * canvas.scale, "shape": "hv"},
            hovertemplate="dissimilarity %{x:.4g}, disparity %{y:.4g}<extra></extra>",
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="shepard",
        xaxis={"title": "dissimilarity, as given", "zeroline": False},
        yaxis={"title": "distance in the map", "zeroline": False, "rangemode": "tozero"},
    )
    return finished(figure, caption, canvas, top=62)
