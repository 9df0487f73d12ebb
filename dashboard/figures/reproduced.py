"""How far dimensions are to be trusted, and what they have to do with columns."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.dimensions import DimensionData
from tripletscope.dashboard.figures.labels import short_labels, shorten
from tripletscope.dashboard.figures.points import add_rings, mark_size, transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    SYMBOLS,
    Canvas,
    finished,
    template,
    with_rows,
)

#: Correlation from which on a dimension counts as found again.
AGAIN = 0.8
#: Log-likelihood of guessing the odd one of three.
GUESSING = -float(np.log(3))
#: Categories that have a row of their own.
MOST_CATEGORIES = 30
#: Up to so many dimensions each has its name below the curve.
_NAMED = 12


def reproducibility_curve(
    data: DimensionData, table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """How well each dimension is found again, from the best on, with the range over fits.

    table: Columns ``dimension`` (position), ``mean``, ``low`` and ``high`` of correlations, and
        ``against``, what was fitted again.
    """
    figure = go.Figure()
    kinds = list(dict.fromkeys(table["against"]))
    first = table[table["against"] == kinds[0]].sort_values("mean", ascending=False)
    order = first["dimension"].tolist()
    place = {dimension: k + 1 for k, dimension in enumerate(order)}
    for k, kind in enumerate(kinds):
        rows = table[table["against"] == kind]
        rows = rows.assign(place=rows["dimension"].map(place)).sort_values("place")
        colour = PALETTE[k]
        x = rows["place"] + 0.12 * (k - (len(kinds) - 1) / 2)
        figure.add_scatter(
            x=x, y=rows["mean"], mode="lines+markers", name=html.escape(kind, quote=False),
            line={"color": transparent(colour, 0.5), "width": canvas.scale},
            marker={"color": colour, "symbol": SYMBOLS[k], "size": 7 * canvas.scale},
            error_y={"type": "data", "array": rows["high"] - rows["mean"], "width": 0,
                     "arrayminus": rows["mean"] - rows["low"], "thickness": 1.2 * canvas.scale,
                     "color": transparent(colour, 0.55)},
            hovertext=[
                f"<b>{html.escape(shorten(data.title(int(d)), 30.0), quote=False)}</b>"
                f"<br>{html.escape(kind, quote=False)}: r {m:.2f} [{low:.2f}, {high:.2f}]"
                for d, m, low, high in rows[["dimension", "mean", "low", "high"]].itertuples(
                    index=False
                )
            ], hovertemplate="%{hovertext}<extra></extra>",
        )
    figure.add_hline(AGAIN, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
    few = len(order) <= _NAMED
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="reproducibility",
        showlegend=len(kinds) > 1,
        xaxis={"title": "" if few else "dimensions, the best reproduced first",
               "showgrid": False, "zeroline": False, "range": [0.4, len(order) + 0.6],
               **({"tickvals": list(range(1, len(order) + 1)), "ticktext": [
                   html.escape(shorten(data.title(d).replace("Dimension ", ""), 9.0), quote=False)
                   for d in order
               ]} if few else {})},
        yaxis={"title": "correlation with its match", "zeroline": False,
               "range": [min(float(np.nanmin(table["low"])), 0.0), 1.03]},
    )
    if few:
        figure.update_xaxes(title="dimensions, the best reproduced first")
    return finished(figure, caption, canvas, top=40)


def penalty_curve(
    table: pd.DataFrame, *, chosen: float, best: float, chance: float, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Held-out log-likelihood by the strength of the penalty, and the number of dimensions.

    table: Columns ``penalty``, ``log_likelihood`` of a trial, ``behind_error``, the standard error
        of its difference from the best one in the same trials, and ``dimensions``, the number that
        was kept on average.
    chosen, best: The penalty that a fit takes, and that of the highest value.
    chance: The log-likelihood of guessing.
    """
    columns = ["penalty", "log_likelihood", "behind_error", "dimensions"]
    shown = table[columns].to_numpy(dtype=float).tolist()
    colours = [PALETTE[3] if p == chosen else PALETTE[0] for p in table["penalty"]]
    sizes = [11 if p in (chosen, best) else 7 for p in table["penalty"]]
    figure = go.Figure(go.Scatter(
        x=table["penalty"], y=table["log_likelihood"], mode="lines+markers", showlegend=False,
        line={"color": PALETTE[0], "width": 2 * canvas.scale},
        marker={"color": colours, "size": [size * canvas.scale for size in sizes]},
        error_y={"type": "data", "array": table["behind_error"], "width": 0,
                 "thickness": 1.2 * canvas.scale, "color": transparent(PALETTE[0], 0.55)},
        hovertext=[
            f"penalty {p:.3g}<br>log-likelihood {v:.4f}<br>{d:.0f} dimensions"
            for p, v, _, d in shown
        ], hovertemplate="%{hovertext}<extra></extra>",
    ))
    for p, v, s, d in shown:
        figure.add_annotation(
            x=float(np.log10(p)), y=v + s, yshift=0.4 * canvas.font, text=f"{d:.0f}",
            showarrow=False, yanchor="bottom", font={"size": 0.85 * canvas.font},
        )
    figure.add_hline(
        float(table["log_likelihood"].max()),
        line={"color": FAINT, "dash": "dash", "width": canvas.scale},
    )
    if table["log_likelihood"].min() < chance + 0.15:
        figure.add_hline(
            chance, line={"color": FAINT, "dash": "dot", "width": canvas.scale},
            annotation_text="chance", annotation_font_size=0.9 * canvas.font,
        )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="penalty",
        xaxis={"title": "penalty", "zeroline": False, **log_axis(table["penalty"])},
        yaxis={"title": "held-out log-likelihood of a trial", "zeroline": False},
    )
    return finished(figure, caption, canvas, top=40)


def object_intervals(
    data: DimensionData, dimension: int, which: Sequence[int], *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Weights of some objects in one dimension, with their 95 % intervals, in rows."""
    which = list(which)
    canvas = with_rows(canvas, 1.25 * len(which))
    weights, rows = data.weights[which, dimension], np.arange(len(which))
    bars = None
    if data.sd is not None:
        reach = 1.96 * data.sd[which, dimension]
        bars = {"type": "data", "array": reach, "arrayminus": np.minimum(reach, weights),
                "thickness": 1.4 * canvas.scale, "width": 0,
                "color": transparent(PALETTE[0], 0.55)}
    names = short_labels([data.labels[i] for i in which], 14.0) if which else []
    figure = go.Figure(go.Scatter(
        x=weights, y=rows, mode="markers", error_x=bars, customdata=which, showlegend=False,
        marker={"color": PALETTE[0], "size": 8 * canvas.scale},
        hovertext=[data.hover(i, dimension) for i in which],
        hovertemplate="%{hovertext}<extra></extra>",
    ))
    add_rings(figure, figure.data[:1], data.selected, canvas)
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision=f"intervals {dimension}",
        xaxis={"title": "weight", "zeroline": False, "rangemode": "tozero"},
        yaxis={"range": [max(len(which), 1) - 0.3, -0.7], "tickvals": rows, "ticks": "",
               "ticktext": [html.escape(name, quote=False) for name in names],
               "showgrid": False, "zeroline": False, "tickfont": {"size": 0.92 * canvas.font}},
    )
    return finished(figure, caption, canvas)


def against_quantity(
    data: DimensionData, dimension: int, values: np.ndarray, name: str, *, caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Weights of one dimension against a quantity of the objects.

    values (n,): NaN where it is not known.
    name: Of the column.
    """
    known = np.flatnonzero(np.isfinite(values))
    weights = data.weights[known, dimension]
    bars = None
    if data.sd is not None and len(known) <= 200:
        reach = 1.96 * data.sd[known, dimension]
        bars = {"type": "data", "array": reach, "arrayminus": np.minimum(reach, weights),
                "thickness": canvas.scale, "width": 0, "color": transparent(FAINT, 0.45)}
    figure = go.Figure(go.Scatter(
        x=values[known], y=weights, mode="markers", customdata=known.tolist(), error_y=bars,
        showlegend=False, hovertext=[
            f"{data.hover(i, dimension)}<br>{html.escape(name, quote=False)}: {values[i]:g}"
            for i in known.tolist()
        ], hovertemplate="%{hovertext}<extra></extra>",
        marker={"color": PALETTE[0], "opacity": 0.8, "line": {"width": 0},
                "size": mark_size(len(known)) * canvas.scale},
    ))
    add_rings(figure, figure.data[:1], data.selected, canvas)
    _against(figure, data, dimension, name, canvas)
    figure.update_xaxes(**whole_axis(values))
    return finished(figure, caption, canvas)


def against_categories(
    data: DimensionData, dimension: int, table: pd.DataFrame, column: pd.Series, *,
    caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Weights of one dimension by category, each object a point and the mean of each a line.

    table: Column ``category``, in the order of the rows.
    """
    shown = table["category"].astype(str).tolist()[:MOST_CATEGORIES]
    canvas = with_rows(canvas, 1.4 * len(shown))
    figure, text = go.Figure(), column.astype(str).to_numpy()
    row = {name: k for k, name in enumerate(shown)}
    members = np.array([i for i, (name, there) in enumerate(
        zip(text, column.notna(), strict=True)) if there and name in row], dtype=int)
    weights = data.weights[:, dimension]
    # Spread within a row, the same each time: points that lie on one another would look like one.
    spread = 0.28 * ((np.arange(len(members)) * 0.618034) % 1.0 * 2 - 1)
    figure.add_scatter(
        x=weights[members], y=[row[text[i]] + s for i, s in zip(members, spread, strict=True)],
        mode="markers", customdata=members.tolist(), showlegend=False,
        hovertext=[
            f"{data.hover(i, dimension)}<br>{html.escape(text[i], quote=False)}"
            for i in members.tolist()
        ], hovertemplate="%{hovertext}<extra></extra>",
        marker={"color": PALETTE[0], "opacity": 0.55, "line": {"width": 0},
                "size": 0.8 * mark_size(len(members)) * canvas.scale},
    )
    means = [float(weights[members[text[members] == name]].mean()) for name in shown]
    figure.add_scatter(
        x=np.ravel([[m, m, np.nan] for m in means]),
        y=np.ravel([[k - 0.36, k + 0.36, np.nan] for k in range(len(shown))]), mode="lines",
        line={"color": PALETTE[3], "width": 2.5 * canvas.scale}, hoverinfo="skip",
        showlegend=False,
    )
    add_rings(figure, figure.data[:1], data.selected, canvas)
    names = short_labels(shown, 14.0) if shown else []
    # Weights of 0 stand beside the names of the rows, not on them.
    most = float(weights[members].max(initial=0.0)) or 1.0
    figure.update_layout(
        template=template(canvas), dragmode="lasso",
        uirevision=f"{dimension} {column.name}",
        xaxis={"title": _of(data, dimension), "zeroline": False,
               "range": [-0.025 * most, 1.04 * most]},
        yaxis={"range": [max(len(shown), 1) - 0.4, -0.6], "tickvals": list(range(len(shown))),
               "ticktext": [html.escape(name, quote=False) for name in names], "ticks": "",
               "showgrid": False, "zeroline": False},
    )
    return finished(figure, caption, canvas)


def _against(
    figure: go.Figure, data: DimensionData, dimension: int, name: str, canvas: Canvas
) -> None:
    figure.update_layout(
        template=template(canvas), dragmode="lasso", uirevision=f"{dimension} {name}",
        xaxis={"title": html.escape(name, quote=False), "zeroline": False},
        yaxis={"title": _of(data, dimension), "zeroline": False, "rangemode": "tozero"},
    )


def _of(data: DimensionData, dimension: int) -> str:
    """Title of an axis along which a dimension lies."""
    return f"weight in {html.escape(shorten(data.title(dimension), 20.0), quote=False)}"
