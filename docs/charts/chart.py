"""Figures of rebuilt papers: how the table of an experiment is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pandas.api.types import is_numeric_dtype
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.chart import add_layers
from tripletscope.dashboard.figures.layers import Bars, Cells, Layer, Series, escape
from tripletscope.dashboard.figures.theme import (
    FONT_SIZE,
    SCREEN,
    SYMBOLS,
    Canvas,
    finished,
    legend_height,
    panelled,
    template,
)


@dataclass(frozen=True)
class Chart:
    """How the table of an experiment is drawn.

    kind {"lines", "points", "curves", "bars", "matrix", "map"}: Curves are drawn in the order of
        the rows, with equal units on both axes; a missing place parts them. Of a matrix, `x` and
        `y` are its columns and rows and `value` what is in its cells. A map has objects at `x` and
        `y`, with names in `label` and categories in `series`.
    x, y: Columns of the table. Of bars, `x` is a category.
    series, panel: Columns whose values are lines (bars, colours), and panels side by side.
    spread: Column with the standard deviation or error of `y`, drawn as a bar.
    published: Column with the paper's own values, drawn hollow beside ours.
    value, label: See `kind`.
    outline: Of a map: column with the name of the polygon of which a row is a corner, in their
        order; empty in rows that are objects.
    x_title, y_title: Of the axes; by default the columns' names.
    colours: Of values of `series`, where these name colours; by default those of the palette.
    where: Rows of the table that are drawn: those whose columns have these values.
    title: What is drawn, in a few words; of items with several charts.
    """

    kind: str
    x: str
    y: str
    series: str = ""
    panel: str = ""
    spread: str = ""
    published: str = ""
    value: str = ""
    label: str = ""
    outline: str = ""
    colours: Mapping[str, str] = field(default_factory=dict)
    x_title: str = ""
    y_title: str = ""
    log_x: bool = False
    log_y: bool = False
    where: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""

    @property
    def columns(self) -> set[str]:
        """Names of the columns that it is drawn of."""
        named = (self.x, self.y, self.series, self.panel, self.spread, self.published, self.value,
                 self.label, self.outline, *self.where)
        return {name for name in named if name}

    def rows(self, table: pd.DataFrame) -> pd.DataFrame:
        """The rows that are drawn."""
        for column, value in self.where.items():
            table = table[table[column] == value]
        return table


#: Sides of a mark, against the clock from the right, for its name.
_SIDES = ("middle right", "top right", "top center", "top left", "middle left", "bottom left",
          "bottom center", "bottom right")
#: Colour of outlines and of edges of bars.
_EDGE = "#7C888A"


def abreast(n_panels: int) -> int:
    """How many panels stand side by side: three at most, and no row with a single one of four."""
    return 2 if n_panels == 4 else min(n_panels, 3)


def panels_of(chart: Chart, table: pd.DataFrame) -> list[str]:
    """Titles of the panels; one without a title where there are none."""
    if not chart.panel:
        return [""]
    return list(dict.fromkeys(chart.rows(table)[chart.panel].astype(str)))


def chart_figure(
    chart: Chart, table: pd.DataFrame, *, caption: str = "", canvas: Canvas = SCREEN
) -> go.Figure:
    """A chart of a table, with panels side by side and a line of each kind for every series."""
    rows = chart.rows(table)
    panels = panels_of(chart, table)
    names = list(dict.fromkeys(rows[chart.series].dropna().astype(str))) if chart.series else [""]
    wide, canvas = panelled(panels, abreast(len(panels)), canvas)
    n_rows = -(-len(panels) // wide)
    figure = make_subplots(
        n_rows, wide, subplot_titles=[escape(p) for p in panels],
        horizontal_spacing=0.13 / max(wide - 0.5, 1), vertical_spacing=0.3 / max(n_rows, 1.5),
    )
    for place, panel in enumerate(panels):
        part = rows[rows[chart.panel].astype(str) == panel] if chart.panel else rows
        at = {"row": place // wide + 1, "col": place % wide + 1}
        add_layers(figure, _layers(chart, part, names), **at)
        _set_axes(figure, chart, part, at, last=place + wide >= len(panels))
    listed = {""}
    for trace in figure.data:
        trace.showlegend = len(names) > 1 and (trace.name or "") not in listed
        listed.add(trace.name or "")
    figure.update_annotations(font={"size": FONT_SIZE})
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=chart.title or chart.y,
        barmode="group", bargap=0.25, showlegend=len(names) > 1,
    )
    # The names of lines stand above the titles of panels, and both below a page's tool bar.
    titles = 2.4 * FONT_SIZE if any(panels) else 0.6 * FONT_SIZE
    top = max(legend_height(figure, canvas), 30.0 * canvas.screen) + titles
    figure.update_layout(
        legend={"yref": "container", "y": 1.0 - 0.3 * FONT_SIZE / canvas.height, "yanchor": "top"}
    )
    figure = finished(figure, caption, canvas)
    return figure.update_layout(margin_t=top)


def _layers(chart: Chart, rows: pd.DataFrame, names: list[str]) -> Iterator[Layer]:
    """What is drawn in a panel: of each series that has rows, and the paper's own values."""
    if chart.kind == "matrix":
        yield _cells(chart, rows)
        return
    if chart.outline:
        named = rows[chart.outline].notna()
        yield _outlines(chart, rows[named])
        rows = rows[~named]
    for k, name in enumerate(names):
        part = rows[rows[chart.series].astype(str) == name] if chart.series else rows
        if part.empty:
            continue
        if chart.kind == "lines":
            part = part.sort_values(chart.x)
        layer = _layer(chart, part, name, k)
        if chart.kind == "map":
            labels = part[chart.label].map(_named) if chart.label else None
            yield replace(
                layer, labels=labels, sides=_outwards(chart, part, rows),
                colour=chart.colours.get(name), hover="%{text}" if chart.label else "",
            )
        else:
            yield layer
        if chart.published:
            yield _published(layer, part[chart.published], name)


def _layer(chart: Chart, rows: pd.DataFrame, name: str, rank: int) -> Series | Bars:
    x, y = rows[chart.x], rows[chart.y]
    spread = rows[chart.spread] if chart.spread else None
    look: dict[str, Any] = {
        "name": name, "rank": rank, "low": None if spread is None else y - spread,
        "high": None if spread is None else y + spread,
        "hover": f"<b>{escape(name)}</b> %{{x}}: %{{y:.4g}}",
    }
    if chart.kind == "bars":
        return Bars(at=x.astype(str), length=y, further={"offsetgroup": str(rank)}, **look)
    if chart.kind == "curves":
        return Series(x=x, y=y, points=False, line=True, **look | {"hover": escape(name)})
    return Series(x=x, y=y, size=7.0, line=chart.kind == "lines", **look)


def _published(layer: Series | Bars, values: pd.Series, name: str) -> Series | Bars:
    """The paper's own values: hollow marks, or the edge of a bar without a face in its place."""
    hover = f"<b>{escape(name)}</b>, published, %{{x}}: %{{y:.4g}}"
    together = {"legendgroup": escape(name)}
    hollow = replace(layer, name="", low=None, high=None, hover=hover)
    if isinstance(hollow, Bars):
        edge = {"color": _EDGE, "width": 1.5}
        return replace(hollow, length=values, colour="rgba(0,0,0,0)",
                       further=layer.further | together | {"marker_line": edge})
    symbol = f"{SYMBOLS[layer.rank % len(SYMBOLS)]}-open"
    return replace(hollow, y=values, line=False, symbol=symbol, size=9.0, edges=2.0,
                   further=together)


def _cells(chart: Chart, rows: pd.DataFrame) -> Cells:
    """A matrix, which says its values to the pointer."""
    cells = rows.pivot_table(index=chart.y, columns=chart.x, values=chart.value, sort=False)
    x, y = (axis if is_numeric_dtype(axis) else axis.astype(str)
            for axis in (cells.columns, cells.index))
    return Cells(
        values=cells.to_numpy(), title=chart.value, ends=(None, None), gap=0,
        hover=f"%{{y}}, %{{x}}: {chart.value} %{{z:.4g}}",
        further={"x": x, "y": y, "showscale": False},
    )


def _named(label: object) -> str:
    """A label; of a number read from a table, without the digits that it has not."""
    return escape(f"{label:g}" if isinstance(label, float) else str(label))


def _outwards(chart: Chart, rows: pd.DataFrame, every: pd.DataFrame) -> list[str]:
    """Where the name of each object stands: away from the middle of them all."""
    away = rows[[chart.x, chart.y]] - every[[chart.x, chart.y]].mean()
    angles = np.degrees(np.arctan2(away[chart.y], away[chart.x]))
    return [_SIDES[round(angle / 45) % 8] for angle in angles]


def _outlines(chart: Chart, rows: pd.DataFrame) -> Series:
    """Polygons as one line that is interrupted between them."""
    parts = [part for _, part in rows.groupby(chart.outline, sort=False)]
    x, y = ([v for part in parts for v in [*part[axis], None]] for axis in (chart.x, chart.y))
    return Series(x=x, y=y, points=False, line=True, colour=_EDGE, width=1.2)


def _set_axes(
    figure: go.Figure, chart: Chart, rows: pd.DataFrame, at: dict[str, int], *, last: bool
) -> None:
    """Titles at the outer edges alone, logarithmic axes in 1-2-5, equal units of maps."""
    x_title, y_title = chart.x_title or chart.x, chart.y_title or chart.y
    x = {"title": x_title if last else "", "zeroline": False}
    y = {"title": y_title if at["col"] == 1 else "", "zeroline": False}
    if chart.kind in ("lines", "points") and is_numeric_dtype(rows[chart.x]):
        x |= whole_axis(rows[chart.x])
    if chart.log_x:
        x |= log_axis(_positive(rows[chart.x]))
    if chart.log_y:
        y |= log_axis(_positive(rows[chart.y]))
    if chart.kind == "bars":
        x |= {"type": "category", "showgrid": False}
    if chart.kind in ("map", "curves"):
        corner = figure.get_subplot(at["row"], at["col"]).xaxis.plotly_name.replace("axis", "")
        shared = {"showticklabels": False, "title": "", **at}
        figure.update_xaxes(**shared, constrain="domain")
        figure.update_yaxes(**shared, scaleanchor=corner, scaleratio=1)
        return
    if chart.kind == "matrix":
        y["autorange"] = "reversed"
    figure.update_xaxes(**x, **at)
    figure.update_yaxes(**y, **at)


def _positive(values: pd.Series) -> list[float]:
    """The range of what can be seen on a logarithmic axis."""
    positive = values[values > 0]
    return [positive.min(), positive.max()] if len(positive) else [1.0, 10.0]
