"""How trees and forests err: curves with intervals, and predicted against true values."""

from __future__ import annotations

import html
from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.axes import log_axis
from tripletscope.dashboard.figures.labels import shorten, shorten_each
from tripletscope.dashboard.figures.points import add_rings, transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    SYMBOLS,
    Canvas,
    finished,
    number,
    template,
)

#: Neighbouring lines stand this share apart, so that their error bars do not cover each other.
_APART = 0.02


def error_curves(
    table: pd.DataFrame,
    *,
    line: str,
    x: str,
    value: str,
    logarithmic: bool = False,
    mark: float | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Lines with intervals over a logarithmic axis.

    table: Columns `line` (its name), `x`, `value`, and optionally ``low`` and ``high``. Where `x`
        is missing, the value is drawn as a level across.
    logarithmic: Whether the vertical axis is logarithmic too.
    mark: A vertical line.
    """
    figure = go.Figure()
    spread = table[x].dropna()
    ends = [spread.min(), spread.max()]
    for k, name in enumerate(dict.fromkeys(table[line])):
        rows = table[table[line] == name]
        rows = rows[rows[value].notna()].sort_values(x)
        if rows.empty:
            continue
        colour, level = PALETTE[k % len(PALETTE)], bool(rows[x].isna().all())
        at = ends if level else rows[x].tolist()
        column = {c: (rows[c].tolist() * 2)[: len(at)] for c in rows}
        bars = None
        if "low" in rows and level:
            figure.add_scatter(
                x=[*at, *at[::-1]], y=[*column["low"], *column["high"][::-1]], mode="lines",
                fill="toself", fillcolor=transparent(colour, 0.10), line={"width": 0},
                hoverinfo="skip", showlegend=False, legendgroup=name,
            )
        elif "low" in rows:
            bars = {
                "type": "data", "array": rows["high"] - rows[value],
                "arrayminus": rows[value] - rows["low"], "thickness": 1.2 * canvas.scale,
                "width": 0, "color": transparent(colour, 0.55),
            }
            at = [place * (1.0 + _APART * k) for place in at]
        figure.add_scatter(
            x=at, y=column[value], error_y=bars, mode="lines" if level else "lines+markers",
            name=html.escape(shorten(str(name)), quote=False), legendgroup=name,
            line={"color": colour, "width": 2 * canvas.scale, "dash": "dash" if level else None},
            marker={"size": 8 * canvas.scale, "symbol": SYMBOLS[k % len(SYMBOLS)]},
            text=[_hover(str(name), x, value, row, level) for row in
                  pd.DataFrame(column).to_dict("records")],
            hovertemplate="%{text}<extra></extra>",
        )
    if mark is not None:
        figure.add_vline(mark, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
    ticks = sorted(set(spread.tolist()))
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=f"{x} {value}",
        xaxis={
            "title": x, "zeroline": False, "showgrid": False, **log_axis(spread),
            **({"tickvals": ticks, "ticktext": [f"{t:g}" for t in ticks]}
               if len(ticks) <= 12 else {}),
        },
        yaxis={
            "title": value, "zeroline": False, "rangemode": "tozero",
            **(log_axis(table[value]) if logarithmic else {}),
        },
    )
    return finished(figure, caption, canvas, top=60)


def _hover(name: str, x: str, value: str, row: dict, level: bool) -> str:
    text = f"<b>{html.escape(name, quote=False)}</b>"
    if not level:
        text += f"<br>{x} {row[x]:,.4g}"
    text += f"<br>{value} {number(row[value])}"
    return text + (f" [{number(row['low'])}, {number(row['high'])}]" if "low" in row else "")


def predicted_against_true(
    truth: np.ndarray,
    predicted: np.ndarray,
    labels: Sequence[str],
    *,
    name: str,
    selected: Collection[int] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A point for every object; on the diagonal the prediction is right.

    Shapes: labels length n.
    truth, predicted (n,): NaN for objects that are not shown.
    name: Of what is predicted.
    """
    shown = np.flatnonzero(np.isfinite(truth) & np.isfinite(predicted))
    low = min(truth[shown].min(), predicted[shown].min())
    high = max(truth[shown].max(), predicted[shown].max())
    figure = go.Figure()
    figure.add_scatter(
        x=[low, high], y=[low, high], mode="lines", hoverinfo="skip", showlegend=False,
        line={"color": FAINT, "dash": "dash", "width": canvas.scale},
    )
    figure.add_scatter(
        x=truth[shown], y=predicted[shown], mode="markers", showlegend=False,
        customdata=shown.tolist(),
        hovertext=[
            html.escape(name, quote=False)
            for name in shorten_each([labels[i] for i in shown], 30.0)
        ],
        hovertemplate="<b>%{hovertext}</b><br>true %{x:.4g}, predicted %{y:.4g}<extra></extra>",
        marker={"color": PALETTE[0], "size": 7 * canvas.scale, "opacity": 0.8},
    )
    add_rings(figure, figure.data[-1:], selected, canvas)
    title = html.escape(shorten(name), quote=False)
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision=name,
        xaxis={"title": f"{title}, true", "zeroline": False},
        yaxis={"title": f"{title}, predicted", "zeroline": False},
    )
    return finished(figure, caption, canvas)


def expansion_box(
    rates: np.ndarray, members: Sequence[int], labels: Sequence[str], *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A box plot of expansion rates, with a point for every object.

    Shapes: rates (k,), labels length n.
    members length k: Positions of the objects.
    """
    figure = go.Figure(
        go.Box(
            x=rates, customdata=list(members), boxpoints="all", jitter=0.6, pointpos=-1.6,
            name="", showlegend=False, line={"color": PALETTE[0]}, marker={"size": 5},
            text=[
                html.escape(name, quote=False)
                for name in shorten_each([labels[i] for i in members], 30.0)
            ],
            hovertemplate="<b>%{text}</b><br>%{x:.3g}<extra></extra>", hoveron="points",
        )
    )
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision="expansion",
        xaxis={"title": "expansion rate", "zeroline": False}, yaxis={"visible": False},
    )
    return finished(figure, caption, canvas)
