"""Error against the number of dimensions, and against the number of answers."""

from __future__ import annotations

import html
from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.core.inference.evaluation.ceiling import Ceiling
from tripletscope.core.inference.evaluation.compare import LearningCurve
from tripletscope.core.inference.evaluation.score import CHANCE
from tripletscope.dashboard.figures.axes import log_axis
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

#: Neighbouring methods stand this far apart, so that their error bars do not cover each other.
_APART = 0.06


def dimension_curves(
    table: pd.DataFrame,
    *,
    value: str = "held-out error",
    ceiling: Ceiling | None = None,
    marked: dict[str, int] | None = None,
    levels: Mapping[str, float] | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A line for every method over the number of dimensions.

    table: Columns ``method``, ``dimensions``, `value`, and optionally ``low`` and ``high``.
    value: Also the title of the vertical axis.
    ceiling: Shown as a band from its lower to its upper bound, if these are precise.
    marked: Number of dimensions to ring, by method.
    levels: Values of what has no dimensions, as lines from side to side.
    """
    figure = go.Figure()
    names = list(dict.fromkeys(table["method"]))
    shown = table[value].dropna()
    for k, name in enumerate(names):
        rows = table[table["method"] == name].sort_values("dimensions")
        rows = rows[rows[value].notna()]
        colour = PALETTE[k % len(PALETTE)]
        bars = None
        if "low" in rows:
            bars = {
                "type": "data", "array": rows["high"] - rows[value],
                "arrayminus": rows[value] - rows["low"], "thickness": 1.2 * canvas.scale,
                "width": 0, "color": transparent(colour, 0.55),
            }
        ringed = (marked or {}).get(name)
        figure.add_scatter(
            x=rows["dimensions"] + _APART * (k - (len(names) - 1) / 2), y=rows[value],
            error_y=bars, mode="lines+markers", name=html.escape(name, quote=False),
            line={"color": colour, "width": 2 * canvas.scale},
            marker={
                "size": 8 * canvas.scale, "symbol": SYMBOLS[k % len(SYMBOLS)], "color": colour,
                "line": {"color": FAINT,
                         "width": [2.5 * canvas.scale * (d == ringed) for d in rows["dimensions"]]},
            },
            text=[_hover(row, value) for _, row in rows.iterrows()],
            hovertemplate="%{text}<extra></extra>",
        )
    for k, (name, level) in enumerate((levels or {}).items(), len(names)):
        figure.add_hline(
            level, annotation_text=html.escape(name, quote=False),
            annotation_font_size=0.9 * canvas.font,
            line={"color": PALETTE[k % len(PALETTE)], "dash": "dashdot",
                  "width": 1.5 * canvas.scale},
        )
    ceiling_band(figure, ceiling, canvas)
    if "low" in table and len(shown) and shown.max() > 0.7 * CHANCE:
        figure.add_hline(
            CHANCE, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="chance", annotation_font_size=0.9 * canvas.font,
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=value, showlegend=len(names) > 1,
        xaxis={"title": "dimensions", "dtick": 1, "zeroline": False, "showgrid": False},
        yaxis={"title": value, "zeroline": False, "rangemode": "normal"},
    )
    return finished(figure, caption, canvas, top=40)


def _hover(row: pd.Series, value: str) -> str:
    text = f"<b>{html.escape(row['method'], quote=False)}</b>, d = {row['dimensions']:.0f}"
    text += f"<br>{value} {row[value]:.4g}"
    return text + (f" [{row['low']:.3f}, {row['high']:.3f}]" if "low" in row else "")


def ceiling_band(figure: go.Figure, ceiling: Ceiling | None, canvas: Canvas) -> None:
    """Draw the errors between the bounds of a noise ceiling."""
    if ceiling is None or not ceiling.is_precise:
        return
    bounds = [1 - bound.value for bound in (ceiling.upper, ceiling.lower)]
    figure.add_hrect(
        min(bounds), max(bounds), fillcolor=transparent(FAINT, 0.14), line_width=0, layer="below"
    )
    for error, name, place in zip(bounds, ("upper", "lower"), ("bottom", "top"), strict=True):
        figure.add_hline(
            error, line={"color": FAINT, "dash": "dash", "width": canvas.scale},
            annotation_text=f"noise ceiling, {name} bound",
            annotation_font_size=0.9 * canvas.font, annotation_position=f"{place} right",
        )


def line_with_band(
    figure: go.Figure,
    x: np.ndarray,
    mean: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    *,
    hover: str,
    number: int = 0,
    name: str | None = None,
    canvas: Canvas = SCREEN,
) -> None:
    """Add a line with a band behind it.

    Shapes: x, mean, low, high (p,).
    hover: Template of what is said of a point.
    number: Of the line in the palette and among the symbols.
    name: In the legend.
    """
    colour = PALETTE[number % len(PALETTE)]
    figure.add_scatter(
        x=np.concatenate([x, x[::-1]]), y=np.concatenate([low, high[::-1]]), fill="toself",
        mode="lines", fillcolor=transparent(colour, 0.14), line={"width": 0}, hoverinfo="skip",
        showlegend=False,
    )
    figure.add_scatter(
        x=x, y=mean, mode="lines+markers", showlegend=name is not None,
        name=html.escape(name or "", quote=False),
        line={"color": colour, "width": 2 * canvas.scale},
        marker={"size": 8 * canvas.scale, "symbol": SYMBOLS[number % len(SYMBOLS)]},
        hovertemplate=f"{hover}<extra></extra>",
    )


def learning_figure(
    curve: LearningCurve,
    *,
    mark: float,
    ceiling: Ceiling | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Held-out error against the number of answers, with its band.

    mark: d n ln n, for a vertical line; NaN of methods without dimensions.
    ceiling: See `dimension_curves`.
    """
    figure = go.Figure()
    x, mean, reach = curve.n_answers, curve.mean, curve.reach
    line_with_band(
        figure, x, mean, mean - reach, mean + reach, canvas=canvas,
        hover="%{x:,} answers: error %{y:.3f}",
    )
    ceiling_band(figure, ceiling, canvas)
    low, high = np.fmin(x.min(), mark), np.fmax(x.max(), mark)
    if np.isfinite(mark):
        figure.add_vline(mark, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
        # On a logarithmic axis a note stands at the logarithm, its line at the number.
        figure.add_annotation(
            x=np.log10(mark), y=1, yref="paper", yanchor="top", xanchor="left", text="d n ln n",
            showarrow=False, font={"size": 0.9 * canvas.font},
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="learning",
        xaxis={"title": "training answers", "zeroline": False, **log_axis([low, high]),
               "range": [np.log10(low * 0.85), np.log10(high * 1.18)]},
        yaxis={"title": "held-out error", "zeroline": False},
    )
    return finished(figure, caption, canvas)
