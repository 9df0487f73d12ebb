"""An experiment that runs: the error of its map as answers come in."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.score import CHANCE
from tripletscope.dashboard.figures.axes import log_axis
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    template,
)


def error_as_it_comes(
    looks: pd.DataFrame, *, enough: float | None = None, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Held-out error at every look, with its interval.

    looks: Columns ``answers``, ``error``, ``low`` and ``high``.
    enough: The error at which it is enough, as a dotted line.
    """
    figure = go.Figure(go.Scatter(
        x=looks["answers"], y=looks["error"], mode="lines+markers", showlegend=False,
        line={"color": PALETTE[0], "width": 1.6 * canvas.scale},
        marker={"size": 7 * canvas.scale},
        error_y={
            "array": looks["high"] - looks["error"], "symmetric": False, "thickness": canvas.scale,
            "arrayminus": looks["error"] - looks["low"], "width": 3 * canvas.scale,
        },
        hovertemplate="%{x:,} answers: %{y:.3f}<extra></extra>",
    ))
    for level, words, dash in ((enough, "enough", "dot"), (CHANCE, "chance", "dash")):
        if level is not None:
            figure.add_hline(
                level, line={"color": FAINT, "dash": dash, "width": canvas.scale},
                annotation_text=words, annotation_font_size=0.9 * canvas.font,
                annotation_position="bottom right",
            )
    counts = looks["answers"].to_numpy(dtype=float)
    low, high = counts.min(), counts.max()
    top = max(float(looks["high"].max()), CHANCE) + 0.03
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="looks",
        xaxis={"title": "answers collected", "zeroline": False, **log_axis([low, high]),
               "range": [np.log10(low / 1.12), np.log10(high * 1.12)]},
        yaxis={"title": "held-out error", "range": [0, top], "zeroline": False},
    )
    return finished(figure, caption, canvas)
