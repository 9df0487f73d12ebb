"""Whether the model of difference scaling describes the answers."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from tripletscope.core.scale import ScaleDiagnostics
from tripletscope.dashboard.figures.axes import whole_axis
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    template,
)

#: Points along a curve: a screen shows no more.
_MOST_POINTS = 600
_BINS = 30


def residual_curve(
    found: ScaleDiagnostics, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Distribution of the deviance residuals, with the envelope of those of simulated answers."""
    n = len(found.residuals)
    shown = np.unique(np.linspace(0, n - 1, min(n, _MOST_POINTS)).astype(int))
    share = (shown + 0.5) / n
    low, high, residuals = (part[shown] for part in (found.low, found.high, found.residuals))
    outside = (residuals < low) | (residuals > high)
    figure = go.Figure()
    figure.add_scatter(
        x=np.concatenate([low, high[::-1]]), y=np.concatenate([share, share[::-1]]), mode="lines",
        fill="toself", fillcolor=transparent(FAINT, 0.4), line={"width": 0}, hoverinfo="skip",
        name="95 % simulated",
    )
    hover = "%{y:.0%} of the residuals are below %{x:.2f}<extra></extra>"
    figure.add_scatter(
        x=residuals, y=share, mode="lines", name="answers", hovertemplate=hover,
        line={"color": PALETTE[0], "width": 2 * canvas.scale},
    )
    figure.add_scatter(
        x=residuals[outside], y=share[outside], mode="markers", name="outside",
        marker={"size": 4 * canvas.scale, "color": PALETTE[3]}, hovertemplate=hover,
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="residuals",
        xaxis={"title": "deviance residual", "zeroline": False},
        yaxis={"title": "cumulative proportion", "tickformat": ".0%", "zeroline": False,
               "range": [-0.02, 1.02]},
    )
    return finished(figure, caption, canvas, top=62)


def simulated_against(
    simulated: np.ndarray, observed: float, *, title: str, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Histogram of a quantity of simulated answers, with a line at that of the answers.

    Shapes: simulated (b,).
    title: What the quantity is.
    """
    if simulated.dtype.kind in "iu":  # bins of unequal numbers of whole numbers would look jagged
        step = max(1, -(-int(np.ptp(simulated)) // _BINS))
        edges = np.arange(simulated.min() - 0.5, simulated.max() + step, step)
    else:
        edges = np.histogram_bin_edges(simulated, bins=_BINS)
    counts, edges = np.histogram(simulated, edges)
    figure = go.Figure(
        go.Bar(
            x=(edges[:-1] + edges[1:]) / 2, y=counts, width=np.diff(edges),
            marker={"color": transparent(FAINT, 0.55), "line": {"width": 0}},
            hovertemplate="%{x:.4g}: %{y} simulations<extra></extra>",
        )
    )
    figure.add_vline(
        observed, line={"color": PALETTE[3], "width": 2.5 * canvas.scale},
        annotation_text="answers", annotation_font_size=0.9 * canvas.font,
        annotation_position="top left" if observed > np.median(simulated) else "top right",
    )
    ends = [min(edges[0], observed), max(edges[-1], observed)]
    room = 0.04 * (ends[1] - ends[0] or 1.0)
    figure.update_layout(
        template=template(canvas), bargap=0.04, dragmode="zoom", uirevision=title,
        xaxis={"title": title, "showgrid": False, "zeroline": False,
               **whole_axis(simulated, [observed]),
               "range": [ends[0] - room, ends[1] + room]},
        yaxis={"title": "simulations", "zeroline": False},
    )
    return finished(figure, caption, canvas)
