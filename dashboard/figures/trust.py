"""Calibration of uncertainty, abstention, and gains by more answers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.uncertainty.calibration import Calibration
from tripletscope.core.inference.uncertainty.reliability import Reliability
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.layers import Series
from tripletscope.dashboard.figures.series import ceiling_layers, diagonal, series_of

#: Names of the two probabilities.
NAMES = {"response": "response probability", "order": "order certainty"}


@as_figure
def reliability(calibration: Calibration) -> Plot:
    """Accuracy of simulated orders against their certainty."""
    used = calibration.counts > 0
    said, right = calibration.confidence[used], calibration.accuracy[used]
    share = calibration.counts[used] / calibration.counts.sum()
    points = Series(
        x=said, y=right, line=True, size=6 + 22 * np.sqrt(share), opacity=0.75,
        text=[f"predicted {p:.1%}, correct {a:.1%}<br>{s:.1%} of the comparisons"
              for p, a, s in zip(said, right, share, strict=True)],
    )
    return Plot(
        [diagonal(0.5, 1.0), points], Axis("order certainty", "percent"),
        Axis("proportion of true orders", "percent"),
    )


@as_figure
def response_reliability(result: Reliability) -> Plot:
    """Share of held-out responses as predicted, against both probabilities."""
    layers = [diagonal(0.5, 1.0)]
    for k, (which, name) in enumerate(NAMES.items()):
        bins = result.bins(which)
        if not len(bins.counts):
            continue
        layers.append(Series(
            x=bins.said, y=bins.right, low=bins.low, high=bins.high, rank=k, name=name, line=True,
            text=[f"{name} {p:.1%}<br>given {a:.1%} ({low:.1%} to {high:.1%}) of {n:,} responses"
                  for p, a, low, high, n in zip(*vars(bins).values(), strict=True)],
        ))
    return Plot(
        layers, Axis("predicted probability", "percent"),
        Axis("held-out responses as predicted", "percent"),
    )


@as_figure
def coverage(calibration: Calibration) -> Plot:
    """Share of true positions inside their ellipses, one point for every simulated data set."""
    held = calibration.coverage[np.isfinite(calibration.coverage).all(axis=1)]
    hover = "%{x:.0%} ellipses contained %{y:.1%}"
    return Plot(
        [
            diagonal(0.0, 1.0),
            Series(x=np.tile(calibration.levels, len(held)), y=held.ravel(), name="one data set",
                   opacity=0.35, hover=hover),
            Series(x=calibration.levels if len(held) else [],
                   y=held.mean(axis=0) if len(held) else [], name="mean", line=True,
                   symbol="diamond", hover=f"{hover} on average"),
        ],
        Axis("nominal coverage", "percent", ends=(0.4, 1.02),
             further={"tickvals": calibration.levels}),
        Axis("empirical coverage", "percent"),
    )


@as_figure
def abstention_curves(
    threshold: np.ndarray, shares: Mapping[str, np.ndarray], *, ceiling: Ceiling | None = None
) -> Plot:
    """Shares of answers against the lowest response probability of a prediction.

    With the errors between the bounds of a precise noise ceiling, for predicting every response.
    """
    return Plot(
        [
            *(Series(x=threshold, y=share, name=name, rank=k, line=True, size=6.0,
                     hover=f"from %{{x:.0%}}: %{{y:.1%}} {escape(name)}")
              for k, (name, share) in enumerate(shares.items())),
            *ceiling_layers(ceiling),
        ],
        Axis("predict only when at least this sure", "percent"),
        Axis("share", "percent", zero=True),
    )


@as_figure
def asking_curves(table: pd.DataFrame) -> Plot:
    """Error against the number of answers, for each way to choose questions.

    table: Columns ``design``, ``answers``, ``error`` and ``reach``, half the width of an interval.
    """
    table = table.assign(low=table["error"] - table["reach"], high=table["error"] + table["reach"])
    return Plot(
        series_of(table, "design", "answers", "error", line=True, band=True,
                  hover="%{fullData.name}: %{x:,} answers, error %{y:.3f}"),
        Axis("answers", further={"tickformat": ","}), Axis("error on all comparisons"),
    )
