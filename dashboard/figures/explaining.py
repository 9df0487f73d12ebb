"""How well features explain answers: accuracies, weights, and parts that are unique or shared."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.labels import short_labels
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    FAINT,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    interval,
    number,
    template,
    with_rows,
)

#: Models in words, in their order, and what fills their bars beside their colours.
MODEL_NAMES = {
    "raw": "as they are", "weighted": "weighted dimensions", "linear": "linear transform",
}
_PATTERNS = {"raw": "", "weighted": "/", "linear": "x"}
#: Schemes as titles of panels.
SCHEME_NAMES = {"objects": "held-out objects", "trials": "held-out trials"}
#: Narrower than this, in sizes of the letters, panels stand one below the other.
_SIDE_BY_SIDE = 46.0
#: Height of a bar, in sizes of the letters, and what a space of features leaves free.
_BAR, _GAP = 1.25, 0.8
_NAMES = 14.0


def accuracy_bars(
    table: pd.DataFrame,
    *,
    ceilings: Mapping[str, tuple[float, float]] | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Accuracy of every space and model as a bar from chance on, a panel for what was held out.

    table: Columns ``space``, ``model``, ``held_out``, ``accuracy``, ``low``, ``high``, ``chance``
        and ``choices``; spaces from above in the order of the table.
    ceilings: Lower and upper bound of the noise ceiling by what was held out; drawn as a band.
    """
    schemes = [name for name in SCHEME_NAMES if name in set(table["held_out"])]
    spaces = list(dict.fromkeys(table["space"]))
    models = [name for name in MODEL_NAMES if name in set(table["model"])]
    beside = canvas.screen or canvas.width >= _SIDE_BY_SIDE * canvas.font
    rows, columns = (1, len(schemes)) if beside else (len(schemes), 1)
    canvas = with_rows(canvas, rows * (len(spaces) * (_BAR * len(models) + _GAP) + 4))
    figure = make_subplots(
        rows, columns, shared_yaxes=beside, shared_xaxes=not beside, horizontal_spacing=0.05,
        vertical_spacing=0.16, subplot_titles=[SCHEME_NAMES[name] for name in schemes],
    )
    figure.update_annotations(font_size=canvas.font)
    span = _span(table, ceilings or {})
    for k, scheme in enumerate(schemes):
        place = {"row": 1 + (0 if beside else k), "col": 1 + (k if beside else 0)}
        part = table[table["held_out"] == scheme]
        chance = float(part["chance"].iloc[0])
        bounds = (ceilings or {}).get(scheme)
        # Bars first: plotly adds no lines to a panel that is empty.
        for model in models:
            _add_bars(
                figure, part, model, spaces, chance, canvas,
                showlegend=k == 0 and len(models) > 1, **place,
            )
        if bounds is not None:
            figure.add_vrect(
                *bounds, fillcolor=transparent(FAINT, 0.16), line_width=0, layer="below", **place
            )
            for bound in bounds:
                figure.add_vline(
                    bound, line={"color": FAINT, "dash": "dash", "width": canvas.scale}, **place
                )
        figure.add_vline(
            chance, line={"color": FAINT, "dash": "dot", "width": 1.4 * canvas.scale}, **place
        )
        figure.update_xaxes(
            range=span, tickformat=".2~f", zeroline=False,
            title="accuracy" if beside or k == len(schemes) - 1 else None, **place,
        )
    ticks = [html.escape(name, quote=False) for name in short_labels(spaces, _NAMES)]
    figure.update_yaxes(
        tickvals=np.arange(len(spaces)), ticktext=ticks, range=[len(spaces) - 0.5, -0.5],
        showgrid=False, zeroline=False,
    )
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision="accuracy", bargap=0,
        barmode="overlay", legend={"y": 1.0 + 2.2 * canvas.font / canvas.height},
    )
    return finished(figure, caption, canvas, top=78 if len(models) > 1 else 52)


def accuracy_height(n_spaces: int, n_models: int) -> float:
    """Height of `accuracy_bars` on the screen, in pixels."""
    return 160.0 + n_spaces * (19.0 * n_models + 14.0)


def _span(
    table: pd.DataFrame, ceilings: Mapping[str, tuple[float, float]]
) -> tuple[float, float]:
    """Ends of the axis, the same for all panels: they are there to be compared."""
    bounds = [bound for both in ceilings.values() for bound in both]
    ends = [*table["low"], *table["high"], *table["chance"], *bounds]
    reach = max(ends) - min(ends)
    return min(ends) - 0.04 * reach, max(ends) + 0.04 * reach


def _add_bars(
    figure: go.Figure, part: pd.DataFrame, model: str, spaces: Sequence[str], chance: float,
    canvas: Canvas, **place: int | bool,
) -> None:
    """The bars of a model; those of a space stand around its name, however many it has."""
    own, colour = part["model"] == model, PALETTE[list(MODEL_NAMES).index(model)]
    rows = part[own]
    number_of = part.groupby("space")["model"].size()
    rank = part.groupby("space").cumcount()[own]
    thick = 0.78 / part["model"].nunique()
    at = np.array([spaces.index(name) for name in rows["space"]], dtype=float)
    middle = (rows["space"].map(number_of).to_numpy() - 1) / 2
    at += thick * (rank.to_numpy() - middle)
    figure.add_bar(
        x=rows["accuracy"] - chance, base=chance, y=at, width=0.9 * thick, orientation="h",
        name=MODEL_NAMES[model], legendgroup=model,
        marker={"color": transparent(colour, 0.75), "line": {"color": colour, "width": 1},
                "pattern": {"shape": _PATTERNS[model], "size": 0.5 * canvas.font,
                            "fgcolor": colour, "fillmode": "overlay"}},
        error_x={"type": "data", "array": rows["high"] - rows["accuracy"],
                 "arrayminus": rows["accuracy"] - rows["low"], "thickness": 1.5 * canvas.scale,
                 "width": 0, "color": FAINT},
        hovertext=[
            f"<b>{html.escape(row.space, quote=False)}</b>, {MODEL_NAMES[model]}<br>"
            f"{interval(row.accuracy, row.low, row.high)} of {row.choices:,.0f} choices"
            for row in rows.itertuples()
        ],
        hovertemplate="%{hovertext}<extra></extra>", **place,
    )


def interval_rows(
    table: pd.DataFrame, *, value: str, zero: float | None = 0.0,
    band: tuple[float, float] | None = None, caption: str = "", canvas: Canvas = SCREEN,
) -> go.Figure:
    """Estimates with their intervals, a row for each.

    table: Columns ``name``, ``value``, ``low`` and ``high``, and optionally ``kind``, which gives
        points a colour and a symbol; from above in the order of the table.
    value: Title of the axis.
    zero: Where a line says that there is nothing.
    band: Bounds of what noise allows.
    """
    names = list(dict.fromkeys(table["name"]))
    canvas = with_rows(canvas, 1.4 * len(names) + 4)
    kinds = list(dict.fromkeys(table["kind"])) if "kind" in table else [""]
    figure = go.Figure()
    if band is not None:
        figure.add_vrect(*band, fillcolor=transparent(FAINT, 0.16), line_width=0, layer="below")
    for k, kind in enumerate(kinds):
        rows = table[table["kind"] == kind] if "kind" in table else table
        at = np.array([names.index(name) for name in rows["name"]], dtype=float)
        colour = PALETTE[k % len(PALETTE)]
        figure.add_scatter(
            x=rows["value"], y=at + 0.18 * (k - (len(kinds) - 1) / 2), mode="markers", name=kind,
            marker={"color": colour, "size": 9 * canvas.scale,
                    "symbol": ("circle", "diamond", "square")[k % 3]},
            error_x={"type": "data", "array": rows["high"] - rows["value"],
                     "arrayminus": rows["value"] - rows["low"], "width": 0,
                     "thickness": 2 * canvas.scale, "color": transparent(colour, 0.55)},
            hovertext=[
                f"<b>{html.escape(row.name, quote=False)}</b>"
                f"{f', {kind}' if kind else ''}<br>{number(row.value)} "
                f"[{number(row.low)}, {number(row.high)}]"
                for row in rows.itertuples()
            ],
            hovertemplate="%{hovertext}<extra></extra>",
        )
    if zero is not None:
        figure.add_vline(zero, line={"color": FAINT, "dash": "dot", "width": canvas.scale})
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=value, showlegend=len(kinds) > 1,
        xaxis={"title": value, "zeroline": False},
        yaxis={"tickvals": np.arange(len(names)), "zeroline": False, "showgrid": False,
               "range": [len(names) - 0.5, -0.5],
               "ticktext": [html.escape(name, quote=False)
                            for name in short_labels(names, _NAMES)]},
    )
    return finished(figure, caption, canvas, top=62 if len(kinds) > 1 else 34)


def rows_height(n_rows: int) -> float:
    """Height of `interval_rows` on the screen, in pixels."""
    return 110.0 + 26.0 * n_rows
