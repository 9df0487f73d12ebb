"""Explanation of answers by features: accuracies, weights, unique and shared parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.chart import Axis, Plot, add_layers, as_figure
from tripletscope.dashboard.figures.labels import escape
from tripletscope.dashboard.figures.layers import Bars, Level
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.figures.series import bold, series_of
from tripletscope.dashboard.figures.theme import (
    FONT_SIZE,
    PALETTE,
    SCREEN,
    Canvas,
    finished,
    with_rows,
)
from tripletscope.dashboard.words.formats import interval, number

#: Models in words, in their order, and patterns of their bars.
MODEL_NAMES = {
    "raw": "as they are", "weighted": "weighted dimensions", "linear": "linear transform",
}
_PATTERNS = {"raw": "", "weighted": "/", "linear": "x"}
#: Schemes as titles of panels.
SCHEME_NAMES = {"objects": "held-out objects", "trials": "held-out trials"}
#: Narrower than this, in sizes of the letters, panels stand one below the other.
_SIDE_BY_SIDE = 46.0
#: Height of a bar, in sizes of the letters, and the gap after a space of features.
_BAR, _GAP = 1.25, 0.8


def accuracy_bars(
    table: pd.DataFrame,
    *,
    ceilings: Mapping[str, tuple[float, float]] | None = None,
    caption: str = "",
    canvas: Canvas = SCREEN,
) -> go.Figure:
    """Accuracy of every space and model as a bar from chance on, a panel for each scheme.

    table: Columns ``space``, ``model``, ``held_out``, ``accuracy``, ``low``, ``high``, ``chance``
        and ``choices``; spaces from above in the order of the table.
    ceilings: Bounds of the noise ceiling by scheme.
    """
    schemes = [name for name in SCHEME_NAMES if name in set(table["held_out"])]
    spaces = list(dict.fromkeys(table["space"]))
    models = [name for name in MODEL_NAMES if name in set(table["model"])]
    beside = canvas.screen or canvas.width >= _SIDE_BY_SIDE * FONT_SIZE
    rows, columns = (1, len(schemes)) if beside else (len(schemes), 1)
    canvas = with_rows(canvas, rows * (len(spaces) * (_BAR * len(models) + _GAP) + 4))
    figure = make_subplots(
        rows, columns, shared_yaxes=beside, shared_xaxes=not beside, horizontal_spacing=0.05,
        vertical_spacing=0.16, subplot_titles=[SCHEME_NAMES[name] for name in schemes],
    )
    figure.update_annotations(font_size=FONT_SIZE)
    span = _span(table, ceilings or {})
    for k, scheme in enumerate(schemes):
        place = {"row": 1 + (0 if beside else k), "col": 1 + (k if beside else 0)}
        part = table[table["held_out"] == scheme]
        chance = float(part["chance"].iloc[0])
        bounds = (ceilings or {}).get(scheme)
        layers = [
            *(_bars(part, model, spaces, chance) for model in models),
            None if bounds is None else Level(at=bounds[0], to=bounds[1]),
            *(Level(at=bound, dash="dash") for bound in bounds or ()), Level(at=chance, width=1.4),
        ]
        add_layers(figure, layers, sideways=True, **place)
        figure.update_xaxes(
            range=span, tickformat=".2~f", zeroline=False,
            title="accuracy" if beside or k == len(schemes) - 1 else None, **place,
        )
    for trace in figure.data:
        trace.showlegend = trace.xaxis == "x" and len(models) > 1
    rows_of = Axis(names=spaces).settings([], rows=True)
    figure.update_yaxes(**rows_of)
    figure.update_layout(
        dragmode="zoom", uirevision="accuracy", bargap=0,
        barmode="overlay", legend={"y": 1.0 + 2.2 * FONT_SIZE / canvas.height},
        margin_t=1.8 * FONT_SIZE,
    )
    return finished(figure, caption, canvas, top=78 if len(models) > 1 else 52)


def accuracy_height(n_spaces: int, n_models: int) -> float:
    return 160.0 + n_spaces * (19.0 * n_models + 14.0)


def _span(
    table: pd.DataFrame, ceilings: Mapping[str, tuple[float, float]]
) -> tuple[float, float]:
    """Ends of the axis, the same for all panels."""
    bounds = [bound for both in ceilings.values() for bound in both]
    ends = [*table["low"], *table["high"], *table["chance"], *bounds]
    reach = max(ends) - min(ends)
    return min(ends) - 0.04 * reach, max(ends) + 0.04 * reach


def _bars(
    part: pd.DataFrame, model: str, spaces: Sequence[str], chance: float
) -> Bars:
    """The bars of a model; those of a space stand around its name, however many it has."""
    is_model, rank = part["model"] == model, list(MODEL_NAMES).index(model)
    rows, colour = part[is_model], PALETTE[rank]
    number_of = part.groupby("space")["model"].size()
    thick = 0.78 / part["model"].nunique()
    middle = (rows["space"].map(number_of).to_numpy() - 1) / 2
    places = np.array([spaces.index(name) for name in rows["space"]], dtype=float)
    return Bars(
        at=places + thick * (part.groupby("space").cumcount()[is_model].to_numpy() - middle),
        length=rows["accuracy"] - chance, base=chance, low=rows["low"], high=rows["high"],
        width=0.9 * thick, name=MODEL_NAMES[model], text=[
            bold(row.space, MODEL_NAMES[model],
                 f"{interval(row.accuracy, row.low, row.high)} of {row.choices:,.0f} choices")
            for row in rows.itertuples()
        ],
        further={"marker": {
            "color": transparent(colour, 0.75), "line": {"color": colour, "width": 1},
            "pattern": {"shape": _PATTERNS[model], "size": 0.5 * FONT_SIZE, "fgcolor": colour,
                        "fillmode": "overlay"},
        }},
    )


@as_figure
def interval_rows(
    table: pd.DataFrame,
    *,
    value: str,
    zero: float | None = 0.0,
    band: tuple[float, float] | None = None,
    selected: Collection[int] = (),
) -> Plot:
    """Estimates with their intervals, a row for each.

    table: Columns ``name``, ``value``, ``low`` and ``high``, and optionally ``kind`` for colours
        and symbols, and ``object`` for those that can be selected.
    zero, band: Position of the line of no effect, and bounds of noise.
    """
    names = list(dict.fromkeys(table["name"]))
    several = table["name"].duplicated().any()

    def text(row: Any) -> str:
        kind = [escape(row.kind)] if "kind" in table else []
        return bold(row.name, *kind,
                    f"{number(row.value)} [{number(row.low)}, {number(row.high)}]")

    return Plot(
        [
            None if band is None else Level(at=band[0], to=band[1]),
            *series_of(table, "kind" if "kind" in table else "", "value", "name", names=names,
                       spacing=0.18 * several, size=9.0, text=text,
                       columns={"objects": "object"} if "object" in table else None),
            None if zero is None else Level(at=zero),
        ],
        Axis(value), Axis(names=names), revision=value, selected=selected,
    )


def rows_height(n_rows: int) -> float:
    return 110.0 + 26.0 * n_rows
