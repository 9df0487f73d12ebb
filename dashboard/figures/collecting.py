"""An experiment that runs: the error of its map as answers come in."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.evaluation.score import CHANCE
from tripletscope.dashboard.figures.chart import Axis, Level, chart, series_of
from tripletscope.dashboard.interface.theme import SCREEN, Canvas


def error_as_it_comes(
    looks: pd.DataFrame, *, enough: float | None = None, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Held-out error at every look, with its interval.

    looks: Columns ``answers``, ``error``, ``low`` and ``high``.
    enough: The error at which it is enough, as a dotted line.
    """
    level = {"side": "bottom right"}
    return chart(
        [
            *series_of(looks, "", "answers", "error", line=True,
                       hover="%{x:,} answers: %{y:.3f}"),
            None if enough is None else Level(at=enough, note="enough", **level),
            Level(at=CHANCE, note="chance", dash="dash", **level),
        ],
        Axis("answers collected", "log", room=1.12),
        Axis("held-out error", ends=(0, max(float(looks["high"].max()), CHANCE) + 0.03)),
        revision="looks", caption=caption, canvas=canvas,
    )
