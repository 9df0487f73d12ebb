"""Whether uncertainty can be trusted: calibration, abstention, and what asking more brings."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.ceiling import Ceiling
from tripletscope.core.inference.uncertainty.calibration import Calibration
from tripletscope.core.inference.uncertainty.reliability import Reliability
from tripletscope.dashboard.figures.curves import ceiling_band, line_with_band
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    SYMBOLS,
    Canvas,
    finished,
    template,
)

#: What each of the two probabilities is called.
NAMES = {"response": "response probability", "order": "order certainty"}


def reliability(
    calibration: Calibration, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """How often simulated orders of some certainty were right; on the diagonal it holds."""
    figure = go.Figure()
    known = calibration.counts > 0
    said, right = calibration.confidence[known], calibration.accuracy[known]
    share = calibration.counts[known] / calibration.counts.sum()
    _diagonal(figure, 0.5, 1.0, canvas)
    figure.add_scatter(
        x=said, y=right, mode="lines+markers", showlegend=False,
        line={"color": PALETTE[0], "width": 2 * canvas.scale},
        marker={"size": (6 + 22 * np.sqrt(share)) * canvas.scale,
                "color": transparent(PALETTE[0], 0.75), "line": {"width": 0}},
        text=[f"predicted {p:.1%}, correct {a:.1%}<br>{s:.1%} of the comparisons"
              for p, a, s in zip(said, right, share, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )
    _percent_axes(figure, "order certainty", "proportion of true orders")
    return _finished(figure, "reliability", caption, canvas)


def response_reliability(
    found: Reliability, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """How often held-out responses were given as predicted, by both probabilities."""
    figure = go.Figure()
    _diagonal(figure, 0.5, 1.0, canvas)
    for k, (which, name) in enumerate(NAMES.items()):
        bins = found.bins(which)
        if not len(bins.counts):
            continue
        figure.add_scatter(
            x=bins.said, y=bins.right, mode="lines+markers", name=name,
            line={"color": PALETTE[k], "width": 2 * canvas.scale},
            marker={"size": 7 * canvas.scale, "symbol": SYMBOLS[k]},
            error_y={
                "type": "data", "symmetric": False,
                "array": np.maximum(bins.high - bins.right, 0.0),
                "arrayminus": np.maximum(bins.right - bins.low, 0.0),
                "thickness": canvas.scale, "width": 3 * canvas.scale,
            },
            text=[f"{name} {p:.1%}<br>given {a:.1%} ({low:.1%} to {high:.1%}) of {n:,} responses"
                  for p, a, low, high, n in zip(*vars(bins).values(), strict=True)],
            hovertemplate="%{text}<extra></extra>",
        )
    _percent_axes(figure, "predicted probability", "held-out responses as predicted")
    return _finished(figure, "response-reliability", caption, canvas)


def coverage(
    calibration: Calibration, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Share of true positions inside their ellipses, one point for every simulated data set."""
    figure = go.Figure()
    held = calibration.coverage[np.isfinite(calibration.coverage).all(axis=1)]
    _diagonal(figure, 0.0, 1.0, canvas)
    figure.add_scatter(
        x=np.tile(calibration.levels, len(held)), y=held.ravel(), mode="markers",
        name="one data set", marker={"size": 8 * canvas.scale,
                                     "color": transparent(PALETTE[0], 0.35)},
        hovertemplate="%{x:.0%} ellipses contained %{y:.1%}<extra></extra>",
    )
    figure.add_scatter(
        x=calibration.levels if len(held) else [],
        y=held.mean(axis=0) if len(held) else [], mode="lines+markers", name="mean",
        line={"color": PALETTE[0], "width": 2 * canvas.scale},
        marker={"size": 9 * canvas.scale, "symbol": "diamond"},
        hovertemplate="%{x:.0%} ellipses contained %{y:.1%} on average<extra></extra>",
    )
    _percent_axes(figure, "nominal coverage", "empirical coverage")
    figure.update_xaxes(range=[0.4, 1.02], tickvals=calibration.levels)
    return _finished(figure, "coverage", caption, canvas)


def abstention_curves(
    threshold: np.ndarray, shares: Mapping[str, np.ndarray], *, ceiling: Ceiling | None = None,
    caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Shares of answers against the response probability from which a prediction is made.

    With the errors between the bounds of the noise ceiling, where they are known well enough: of
    predicting every response, sure or not.
    """
    figure = go.Figure()
    for k, (name, share) in enumerate(shares.items()):
        figure.add_scatter(
            x=threshold, y=share, mode="lines+markers", name=html.escape(name, quote=False),
            line={"color": PALETTE[k], "width": 2 * canvas.scale},
            marker={"size": 6 * canvas.scale, "symbol": SYMBOLS[k]},
            hovertemplate=f"from %{{x:.0%}}: %{{y:.1%}} {name}<extra></extra>",
        )
    _percent_axes(figure, "minimum response probability to predict", "share")
    figure.update_yaxes(rangemode="tozero")
    ceiling_band(figure, ceiling, canvas)
    return _finished(figure, "abstention", caption, canvas)


def asking_curves(table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN) -> go.Figure:
    """Error against the number of answers, for each way to choose questions.

    table: Columns ``design``, ``answers``, ``error`` and ``reach``, half the width of an interval.
    """
    figure = go.Figure()
    for k, (name, rows) in enumerate(table.groupby("design", sort=False)):
        x, mean, reach = (rows[c].to_numpy() for c in ("answers", "error", "reach"))
        line_with_band(
            figure, x, mean, mean - reach, mean + reach, number=k, name=name, canvas=canvas,
            hover=f"{name}: %{{x:,}} answers, error %{{y:.3f}}",
        )
    figure.update_xaxes(title="answers", tickformat=",", zeroline=False)
    figure.update_yaxes(title="error on all comparisons", zeroline=False)
    return _finished(figure, "asking", caption, canvas)


def _diagonal(figure: go.Figure, low: float, high: float, canvas: Canvas) -> None:
    figure.add_scatter(
        x=[low, high], y=[low, high], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": FAINT, "dash": "dot", "width": canvas.scale},
    )


def _percent_axes(figure: go.Figure, x: str, y: str) -> None:
    for update, title in ((figure.update_xaxes, x), (figure.update_yaxes, y)):
        update(title=title, tickformat=".0%", zeroline=False)


def _finished(figure: go.Figure, revision: str, caption: str, canvas: Canvas) -> go.Figure:
    figure.update_layout(template=template(canvas), dragmode="zoom", uirevision=revision)
    return finished(figure, caption, canvas)
