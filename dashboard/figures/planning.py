"""Simulated experiments: curves against the number of answers, and suggested dimensions."""

from __future__ import annotations

import numpy as np
import pandas as pd

from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.studies.design.detection import Detection
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Bars, Level
from tripletscope.dashboard.figures.series import series_of
from tripletscope.dashboard.figures.theme import PALETTE
from tripletscope.dashboard.words.formats import count

#: Two figures side by side have as many lines of names, so that their axes are in line.
_LEGEND = {"entrywidthmode": "fraction", "entrywidth": 0.48}
#: Colours of wrong numbers of dimensions, by how far off they are.
_TOO_FEW, _TOO_MANY = (PALETTE[9], "#7C888A", PALETTE[8]), (PALETTE[1], PALETTE[3], PALETTE[7])


#: Criteria of a plan: titles of axes.
QUANTITIES = {
    "accuracy": "further answers predicted", "ellipse": "radius of ellipses / size of map",
    "disparity": "shape unexplained",
}


@as_figure
def plan_curves(
    table: pd.DataFrame,
    quantity: str,
    *,
    ceiling: float | None = None,
    wanted: float | None = None,
) -> Plot:
    """A criterion against the number of answers; a line with its band for every plan.

    table: Columns ``plan``, ``answers``, ``mean``, ``low`` and ``high``.
    ceiling, wanted: The value of the true model, and the user's target, as lines.
    """
    percent = quantity != "ellipse"
    several = len(set(table["plan"])) > 1
    layers = series_of(
        table, "plan", "answers", "mean", line=True, band=True,
        hover=("<b>%{fullData.name}</b><br>" if several else "")
        + f"%{{x:,}} answers: %{{y:{'.1%' if percent else '.3f'}}}",
    )
    if ceiling is not None:
        layers.append(Level(at=ceiling, note="upper limit (noise)", side="top left", dash="dash"))
    if wanted is not None:
        layers.append(Level(at=wanted, note="wanted", side="bottom right"))
    if quantity == "accuracy" and table["low"].min() < CHANCE + 0.05:
        layers.append(Level(at=CHANCE, note="guessing", side="bottom right"))
    return Plot(
        layers, Axis("answers collected", "log", room=1.12),
        Axis(QUANTITIES[quantity], "percent" if percent else "", zero=quantity != "accuracy"),
        revision=quantity, layout={"legend": _LEGEND},
    )


@as_figure
def noise_curves(table: pd.DataFrame, quantity: str, varied: str) -> Plot:
    """A criterion of a plan against the noise, with its band.

    table: Columns ``series``, ``level``, ``mean``, ``low`` and ``high``.
    """
    percent = quantity != "ellipse"
    return Plot(
        series_of(
            table, "series", "level", "mean", line=True, band=True,
            hover=f"<b>%{{fullData.name}}</b><br>{varied.lower()} %{{x:.3g}}: "
            f"%{{y:{'.1%' if percent else '.3f'}}}",
        ),
        Axis(varied.lower()),
        Axis(QUANTITIES[quantity], "percent" if percent else "", zero=quantity != "accuracy"),
        revision=quantity, layout={"showlegend": True, "legend": _LEGEND},
    )


@as_figure
def detection_bars(detection: Detection) -> Plot:
    """Shares of the suggested numbers of dimensions, by the number of answers.

    Too few are grey and too many orange, the darker the further off.
    """
    true, suggested = detection.true, detection.suggested
    others = [d for d in range(1, int(suggested.max(initial=true)) + 1) if d != true]
    layers = []
    for d in (true, *others):
        share = np.mean(suggested == d, axis=0)
        if d != true and not share.any():
            continue
        shades = _TOO_FEW if d < true else _TOO_MANY
        layers.append(Bars(
            at=[f"{n:,}" for n in detection.n_answers], length=share,
            name=f"{count(d, 'dimension')}{' (true)' if d == true else ''}",
            colour=PALETTE[0] if d == true else shades[min(abs(d - true), len(shades)) - 1],
            hover=f"%{{x}} answers: %{{y:.0%}} of the simulations suggest {d}",
        ))
    return Plot(
        layers, Axis("answers collected", grid=False, further={"type": "category"}),
        Axis("share of the simulations", "percent", ends=(0.0, 1.0)),
        layout={"barmode": "stack", "bargap": 0.35, "legend_traceorder": "normal"},
    )
