"""What simulated experiments show: curves against the number of answers, and dimensions found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.score import CHANCE
from tripletscope.core.studies.design.detection import Detection
from tripletscope.dashboard.figures.axes import log_axis
from tripletscope.dashboard.figures.curves import line_with_band
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    count,
    finished,
    template,
)

#: Colours of wrong numbers of dimensions, by how far off they are.
_TOO_FEW, _TOO_MANY = (PALETTE[9], "#7C888A", PALETTE[8]), (PALETTE[1], PALETTE[3], PALETTE[7])


@dataclass(frozen=True)
class Quantity:
    """Something that is measured of a plan.

    title: Of its axis.
    percent: Whether it is a share, shown in percent.
    """

    title: str
    percent: bool = False

    @property
    def form(self) -> str:
        """How plotly writes it."""
        return ".1%" if self.percent else ".3f"


QUANTITIES = {
    "accuracy": Quantity("further answers predicted", percent=True),
    "ellipse": Quantity("radius of ellipses / size of map"),
    "disparity": Quantity("shape unexplained", percent=True),
}


def plan_curves(
    table: pd.DataFrame,
    quantity: str,
    *,
    ceiling: float | None = None,
    wanted: float | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """What is learned, against the number of answers; a line with its band for every plan.

    table: Columns ``plan``, ``answers``, ``mean``, ``low`` and ``high``.
    quantity: One of `QUANTITIES`.
    ceiling: What knowing the truth would reach, as a dashed line.
    wanted: What the user wants to reach, as a dotted line.
    """
    figure = go.Figure()
    shown = QUANTITIES[quantity]
    names = list(dict.fromkeys(table["plan"]))
    several = "<b>%{fullData.name}</b><br>" if len(names) > 1 else ""
    for k, name in enumerate(names):
        rows = table[table["plan"] == name]
        line_with_band(
            figure, *(rows[c].to_numpy() for c in ("answers", "mean", "low", "high")), number=k,
            name=name if len(names) > 1 else None, canvas=canvas,
            hover=f"{several}%{{x:,}} answers: %{{y:{shown.form}}}",
        )
    for level, words, dash, side in (
        (ceiling, "upper limit (noise)", "dash", "top left"),
        (wanted, "wanted", "dot", "bottom right"),
    ):
        if level is not None:
            figure.add_hline(
                level, line={"color": FAINT, "dash": dash, "width": 1.2 * canvas.scale},
                annotation_text=words, annotation_font_size=0.9 * canvas.font,
                annotation_position=side,
            )
    if quantity == "accuracy" and table["low"].min() < CHANCE + 0.05:
        figure.add_hline(
            CHANCE, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="guessing", annotation_font_size=0.9 * canvas.font,
            annotation_position="bottom right",
        )
    low, high = table["answers"].min(), table["answers"].max()
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=quantity,
        xaxis={"title": "answers collected", "zeroline": False, **log_axis([low, high]),
               "range": [np.log10(low / 1.12), np.log10(high * 1.12)]},
        yaxis={"title": shown.title, "zeroline": False,
               "tickformat": ".0%" if shown.percent else "",
               "rangemode": "normal" if quantity == "accuracy" else "tozero"},
        # Two figures side by side have as many lines of names, so that their axes are in line.
        legend={"entrywidthmode": "fraction", "entrywidth": 0.48},
    )
    return finished(figure, caption, canvas, top=40)


#: What is measured against the noise: titles of axes and of lists.
NOISY = {
    "error": "Comparisons wrong", "disparity": "Shape unexplained",
    "mse": "Mean squared error of the scale", "uncertainty": "Average uncertainty",
}


def noise_curves(
    table: pd.DataFrame, quantity: str, varied: str, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """What is learned, against the noise; a line with its band for every number of answers.

    table: Columns ``level``, ``answers``, ``mean``, ``low`` and ``high``.
    quantity: One of `NOISY`.
    varied: Title of the horizontal axis.
    """
    figure = go.Figure()
    for k, (answers, rows) in enumerate(table.groupby("answers")):
        line_with_band(
            figure, *(rows[c].to_numpy() for c in ("level", "mean", "low", "high")), number=k,
            name=f"{answers:,} answers", canvas=canvas,
            hover=f"<b>%{{fullData.name}}</b><br>{varied.lower()} %{{x:.3g}}: %{{y:.3f}}",
        )
    if quantity in ("error", "uncertainty") and table["high"].max() > 0.7 * CHANCE:
        figure.add_hline(
            CHANCE, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="chance", annotation_font_size=0.9 * canvas.font,
            annotation_position="bottom right",
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=quantity, showlegend=True,
        xaxis={"title": varied.lower(), "zeroline": False},
        yaxis={"title": NOISY[quantity].lower(), "zeroline": False, "rangemode": "tozero"},
        legend={"entrywidthmode": "fraction", "entrywidth": 0.48},
    )
    return finished(figure, caption, canvas, top=40)


def detection_bars(
    detection: Detection, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Which numbers of dimensions were found how often, by the number of answers.

    The true number is at the foot of every bar; too few are in grey and too many in orange, the
    darker the further off.
    """
    figure = go.Figure()
    true, suggested = detection.true, detection.suggested
    others = [d for d in range(1, int(suggested.max(initial=true)) + 1) if d != true]
    labels = [f"{n:,}" for n in detection.n_answers]
    for d in (true, *others):
        share = np.mean(suggested == d, axis=0)
        if d != true and not share.any():
            continue
        shades = _TOO_FEW if d < true else _TOO_MANY
        colour = PALETTE[0] if d == true else shades[min(abs(d - true), len(shades)) - 1]
        figure.add_bar(
            x=labels, y=share, name=f"{count(d, 'dimension')}{' (true)' if d == true else ''}",
            marker={"color": colour, "line": {"width": 0}},
            hovertemplate=f"%{{x}} answers: %{{y:.0%}} of the simulations suggest {d}"
            "<extra></extra>",
        )
    figure.update_layout(
        template=template(canvas), barmode="stack", dragmode="zoom", uirevision="detection",
        bargap=0.35, showlegend=True, legend_traceorder="normal",
        xaxis={"title": "answers collected", "type": "category", "showgrid": False},
        yaxis={"title": "share of the simulations", "tickformat": ".0%", "range": [0, 1],
               "zeroline": False},
    )
    return finished(figure, caption, canvas, top=40)
