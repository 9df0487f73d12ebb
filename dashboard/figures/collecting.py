"""An experiment that runs: the error of its map as answers come in."""

from __future__ import annotations

import pandas as pd

from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.dashboard.figures.chart import Axis, Plot, as_figure
from tripletscope.dashboard.figures.layers import Level
from tripletscope.dashboard.figures.series import series_of


@as_figure
def error_as_it_comes(looks: pd.DataFrame, *, enough: float | None = None) -> Plot:
    """Held-out error at every look, with its interval, and the error that ends the experiment.

    looks: Columns ``answers``, ``error``, ``low`` and ``high``.
    """
    level = {"side": "bottom right"}
    return Plot(
        [
            *series_of(looks, "", "answers", "error", line=True,
                       hover="%{x:,} answers: %{y:.3f}"),
            None if enough is None else Level(at=enough, note="enough", **level),
            Level(at=CHANCE, note="chance", dash="dash", **level),
        ],
        Axis("answers collected", "log", room=1.12),
        Axis("held-out error", ends=(0, max(float(looks["high"].max()), CHANCE) + 0.03)),
    )
