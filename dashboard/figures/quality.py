"""What answers are worth: measures of participants or objects, with intervals, and over time."""

from __future__ import annotations

import html
from collections.abc import Collection

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    number,
    template,
    with_caption,
)

#: People whose rates are drawn; the others are in the table.
MOST_RATES = 15


def measures(
    table: pd.DataFrame,
    x: str,
    y: str,
    *,
    names: str,
    titles: dict[str, str],
    logarithmic: bool = False,
    chance: float | None = None,
    chosen: Collection[str] = (),
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """A point for every row of a table, by two of its columns; points can be picked.

    table: Where it has columns called as `y` and ``_low`` and ``_high``, these are its interval.
    x, y: Columns; rows without a value in both are left out.
    names: Column with the names of the rows.
    titles: Titles of columns, with their units.
    logarithmic: Whether x is on a logarithmic scale.
    chance: A value of y to draw a line at.
    chosen: Names of rows to mark.
    """
    known = np.isfinite(table[x]) & np.isfinite(table[y]) & ((table[x] > 0) | (not logarithmic))
    rows = np.flatnonzero(known)
    shown = table.iloc[rows]
    marked = shown[names].isin(chosen).to_numpy()
    colours = np.where(marked, PALETTE[3], PALETTE[0])
    bars = None
    if f"{y}_low" in table:
        bars = {
            "type": "data", "array": shown[f"{y}_high"] - shown[y],
            "arrayminus": shown[y] - shown[f"{y}_low"], "width": 0, "thickness": canvas.scale,
            "color": transparent(FAINT, 0.45),
        }
    hover = [
        f"<b>{html.escape(str(row[names]), quote=False)}</b>"
        + "".join(f"<br>{titles[c]}: {number(row[c])}" for c in dict.fromkeys((x, y)))
        for _, row in shown.iterrows()
    ]
    figure = go.Figure(
        go.Scatter(
            x=shown[x], y=shown[y], mode="markers", error_y=bars, customdata=rows.tolist(),
            text=hover, hovertemplate="%{text}<extra></extra>", showlegend=False,
            marker={
                "size": np.where(marked, 11, 8) * canvas.scale, "color": colours, "opacity": 0.85,
                "line": {"width": 0},
            },
        )
    )
    if chance is not None:
        figure.add_hline(
            chance, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="chance", annotation_font_size=0.9 * canvas.font,
            annotation_position="bottom right",
        )
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision=f"{x} {y}",
        xaxis={"title": titles[x], **(log_axis if logarithmic else whole_axis)(shown[x]),
               "zeroline": False, "showgrid": False},
        yaxis={"title": titles[y], "zeroline": False,
               **({} if bars else whole_axis(shown[y], [] if chance is None else [chance]))},
    )
    return with_caption(figure, caption, canvas)


def lapse_rates(
    table: pd.DataFrame, *, usual: float, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """Rates of answers like guesses, the highest first, with intervals.

    table: As `tripletscope.core.people.careless.LapseFit.table`.
    usual: Rate of the median person, at which a line is drawn.
    """
    shown = table.sort_values("lapse", ascending=False).head(MOST_RATES)
    figure = shares(
        pd.DataFrame({
            "name": shown["participant"], "value": shown["lapse"], "low": shown["lapse_low"],
            "high": shown["lapse_high"], "series": np.where(
                shown["stands_out"], "clearly more often than usual", "may be as often as usual"
            ),
        }), title="answers like guesses", chance=usual, caption=caption, canvas=canvas,
    )
    figure.update_yaxes(ticks="", showline=False)
    return figure.update_xaxes(range=[0.0, 1.01], tickformat=".0%")


def shares(
    table: pd.DataFrame, *, title: str, chance: float | None = None, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Shares with their intervals, one below the other.

    table: ``name``, ``series``, ``value``, ``low`` and ``high``; rows without a value are left out.
    title: Of the horizontal axis.
    chance: A value to draw a line at.
    """
    table = table[table["value"].notna()]
    figure = go.Figure()
    names = short_labels([str(name) for name in dict.fromkeys(table["name"])])
    names = [html.escape(name, quote=False) for name in names]
    places = {name: k for k, name in enumerate(dict.fromkeys(table["name"]))}
    series = list(dict.fromkeys(table["series"]))
    for k, one in enumerate(series):
        rows = table[table["series"] == one]
        figure.add_scatter(
            x=rows["value"], mode="markers", name=html.escape(one, quote=False),
            y=[places[name] + 0.16 * (k - (len(series) - 1) / 2) for name in rows["name"]],
            error_x={
                "type": "data", "array": rows["high"] - rows["value"],
                "arrayminus": rows["value"] - rows["low"], "width": 0,
                "thickness": 1.6 * canvas.scale,
            },
            marker={"size": 9 * canvas.scale, "color": PALETTE[k % len(PALETTE)]},
            text=[f"{v:.3f} [{low:.3f}, {high:.3f}]" for v, low, high in
                  rows[["value", "low", "high"]].to_numpy()],
            hovertemplate="%{text}<extra>%{fullData.name}</extra>",
        )
    if chance is not None:
        figure.add_vline(chance, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=title,
        showlegend=len(series) > 1,
        xaxis={"title": title, "zeroline": False},
        yaxis={"tickvals": list(range(len(names))), "ticktext": names,
               "zeroline": False, "showgrid": False, "ticklabelstandoff": 6,
               "range": [len(names) - 0.5, -0.5]},
    )
    return with_caption(figure, caption, canvas)


def stretches(
    table: pd.DataFrame, column: str, *, title: str, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """A measure over equal parts of every participant's answers.

    table: ``stretch`` and `column`; of ``predicted`` also ``low`` and ``high``.
    title: Of the vertical axis.
    """
    bars = None
    if column == "predicted":
        bars = {
            "type": "data", "array": table["high"] - table[column],
            "arrayminus": table[column] - table["low"], "width": 0, "thickness": canvas.scale,
        }
    n = len(table)
    names = [f"{100 * k // n}–{100 * (k + 1) // n} %" for k in range(n)]
    figure = go.Figure(
        go.Scatter(
            x=names, y=table[column], mode="lines+markers", error_y=bars, showlegend=False,
            line={"color": PALETTE[0], "width": 2 * canvas.scale},
            marker={"size": 9 * canvas.scale},
            text=[f"{count:,} answers" for count in table["answers"]],
            hovertemplate="%{x}: %{y:.3f}<br>%{text}<extra></extra>",
        )
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=column,
        xaxis={"title": "part of each participant's answers", "showgrid": False},
        yaxis={"title": title, "zeroline": False, "rangemode": "normal"},
    )
    return with_caption(figure, caption, canvas)
