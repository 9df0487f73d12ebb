"""Figures of rebuilt papers: how the table of an experiment is drawn."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from pandas.api.types import is_numeric_dtype
from plotly.subplots import make_subplots

from tripletscope.dashboard.figures.axes import log_axis, whole_axis
from tripletscope.dashboard.figures.points import transparent
from tripletscope.dashboard.interface.theme import (
    PALETTE,
    SCREEN,
    SEQUENTIAL,
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
    """A chart of a table, with panels side by side and a line of each kind for every series.

    table: As the item's experiment gives it.
    """
    rows = chart.rows(table)
    panels = panels_of(chart, table)
    names = list(dict.fromkeys(rows[chart.series].dropna().astype(str))) if chart.series else [""]
    wide, canvas = panelled(panels, abreast(len(panels)), canvas)
    n_rows = -(-len(panels) // wide)
    figure = make_subplots(
        n_rows, wide, subplot_titles=[html.escape(p, quote=False) for p in panels],
        horizontal_spacing=0.13 / max(wide - 0.5, 1), vertical_spacing=0.3 / max(n_rows, 1.5),
    )
    draw = {
        "lines": _lines, "points": _points, "curves": _curves, "bars": _bars, "matrix": _matrix,
        "map": _map,
    }
    told = set()
    for place, panel in enumerate(panels):
        part = rows[rows[chart.panel].astype(str) == panel] if chart.panel else rows
        at = {"row": place // wide + 1, "col": place % wide + 1}
        for trace in draw[chart.kind](chart, part, names, canvas):
            trace.showlegend = (
                bool(trace.showlegend) and trace.name not in told and len(names) > 1
            )
            told |= {trace.name} if trace.showlegend else set()
            figure.add_trace(trace, **at)
        _set_axes(figure, chart, part, at, last=place + wide >= len(panels))
    figure.update_annotations(font={"size": canvas.font})
    figure.update_layout(
        template=template(canvas), dragmode="zoom", uirevision=chart.title or chart.y,
        barmode="group", bargap=0.25, showlegend=len(names) > 1,
    )
    # The names of lines stand above the titles of panels, and both below a page's tool bar.
    titles = 2.4 * canvas.font if any(panels) else 0.6 * canvas.font
    top = max(legend_height(figure, canvas), 30.0 * canvas.screen) + titles
    figure.update_layout(
        legend={"yref": "container", "y": 1.0 - 0.3 * canvas.font / canvas.height, "yanchor": "top"}
    )
    figure = finished(figure, caption, canvas)
    return figure.update_layout(margin_t=top)


def _series(
    chart: Chart, rows: pd.DataFrame, names: list[str]
) -> Iterator[tuple[int, str, pd.DataFrame]]:
    """Number, name and rows of each series that has any."""
    for k, name in enumerate(names):
        own = rows[rows[chart.series].astype(str) == name] if chart.series else rows
        if len(own):
            yield k, html.escape(name, quote=False), own


def _spread(chart: Chart, rows: pd.DataFrame, colour: str, canvas: Canvas) -> dict | None:
    if not chart.spread:
        return None
    return {"type": "data", "array": rows[chart.spread], "thickness": 1.2 * canvas.scale,
            "width": 0, "color": transparent(colour, 0.6)}


def _lines(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas, mode: str = "lines+markers"
) -> Iterator[go.Scatter]:
    for k, name, own in _series(chart, rows, names):
        colour, symbol = PALETTE[k % len(PALETTE)], SYMBOLS[k % len(SYMBOLS)]
        own = own.sort_values(chart.x) if mode != "markers" else own
        yield go.Scatter(
            x=own[chart.x], y=own[chart.y], mode=mode, name=name, showlegend=True,
            legendgroup=name, error_y=_spread(chart, own, colour, canvas),
            line={"color": colour, "width": 2 * canvas.scale},
            marker={"size": 7 * canvas.scale, "color": colour, "symbol": symbol},
            hovertemplate=f"<b>{name}</b> %{{x}}: %{{y:.4g}}<extra></extra>",
        )
        if chart.published:
            yield _published(own[chart.x], own[chart.published], colour, symbol, name, canvas)


def _points(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas
) -> Iterator[go.Scatter]:
    yield from _lines(chart, rows, names, canvas, "markers")


def _curves(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas
) -> Iterator[go.Scatter]:
    for k, name, own in _series(chart, rows, names):
        yield go.Scatter(
            x=own[chart.x], y=own[chart.y], mode="lines", name=name, showlegend=True,
            legendgroup=name, hoverinfo="name",
            line={"color": PALETTE[k % len(PALETTE)], "width": 2 * canvas.scale},
        )


def _published(
    x: pd.Series, y: pd.Series, colour: str, symbol: str, name: str, canvas: Canvas
) -> go.Scatter:
    """The paper's own values: hollow marks."""
    return go.Scatter(
        x=x, y=y, mode="markers", showlegend=False, legendgroup=name,
        marker={"size": 9 * canvas.scale, "symbol": f"{symbol}-open", "color": colour,
                "line": {"width": 2 * canvas.scale}},
        hovertemplate=f"<b>{name}</b>, published, %{{x}}: %{{y:.4g}}<extra></extra>",
    )


def _bars(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas
) -> Iterator[go.Bar | go.Scatter]:
    for k, name, own in _series(chart, rows, names):
        colour = PALETTE[k % len(PALETTE)]
        yield go.Bar(
            x=own[chart.x].astype(str), y=own[chart.y], name=name, showlegend=True,
            legendgroup=name, offsetgroup=str(k), marker={"color": colour, "line": {"width": 0}},
            error_y=_spread(chart, own, colour, canvas),
            hovertemplate=f"<b>{name}</b> %{{x}}: %{{y:.4g}}<extra></extra>",
        )
        if chart.published:
            # A bar without a face is in its group's place; what is seen of it is its edge.
            yield go.Bar(
                x=own[chart.x].astype(str), y=own[chart.published], showlegend=False,
                legendgroup=name, offsetgroup=str(k), marker={
                    "color": "rgba(0,0,0,0)", "line": {"color": "#7C888A", "width": 1.5},
                },
                hovertemplate=f"<b>{name}</b>, published, %{{x}}: %{{y:.4g}}<extra></extra>",
            )


def _matrix(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas
) -> Iterator[go.Heatmap]:
    cells = rows.pivot_table(index=chart.y, columns=chart.x, values=chart.value, sort=False)
    as_axis = [
        axis if is_numeric_dtype(axis) else axis.astype(str)
        for axis in (cells.columns, cells.index)
    ]
    yield go.Heatmap(
        x=as_axis[0], y=as_axis[1], z=cells.to_numpy(), colorscale=SEQUENTIAL, showscale=False,
        hovertemplate=f"%{{y}}, %{{x}}: {chart.value} %{{z:.4g}}<extra></extra>",
    )


def _map(
    chart: Chart, rows: pd.DataFrame, names: list[str], canvas: Canvas
) -> Iterator[go.Scatter]:
    if chart.outline:
        named = rows[chart.outline].notna()
        yield _outlines(chart, rows[named], canvas)
        rows = rows[~named]
    for k, name, own in _series(chart, rows, names):
        labels = own[chart.label].map(_named) if chart.label else None
        yield go.Scatter(
            x=own[chart.x], y=own[chart.y], mode="markers+text" if chart.label else "markers",
            text=labels, textposition=_outwards(chart, own, rows), name=name, showlegend=True,
            legendgroup=name,
            textfont={"size": 0.8 * canvas.font}, cliponaxis=False,
            marker={"size": 7 * canvas.scale, "symbol": SYMBOLS[k % len(SYMBOLS)],
                    "color": chart.colours.get(name, PALETTE[k % len(PALETTE)])},
            hovertemplate="%{text}<extra></extra>" if chart.label else None,
        )


def _named(label: object) -> str:
    """A label; of a number read from a table, without the digits that it has not."""
    text = f"{label:g}" if isinstance(label, float) else str(label)
    return html.escape(text, quote=False)


def _outwards(chart: Chart, rows: pd.DataFrame, every: pd.DataFrame) -> list[str]:
    """Where the name of each object stands: away from the middle of them all."""
    away = rows[[chart.x, chart.y]] - every[[chart.x, chart.y]].mean()
    angles = np.degrees(np.arctan2(away[chart.y], away[chart.x]))
    return [_SIDES[round(angle / 45) % 8] for angle in angles]


def _outlines(chart: Chart, rows: pd.DataFrame, canvas: Canvas) -> go.Scatter:
    """Polygons as one line that is interrupted between them."""
    parts = [part for _, part in rows.groupby(chart.outline, sort=False)]
    x, y = ([v for part in parts for v in [*part[axis], None]] for axis in (chart.x, chart.y))
    return go.Scatter(
        x=x, y=y, mode="lines", showlegend=False, hoverinfo="skip",
        line={"color": "#7C888A", "width": 1.2 * canvas.scale},
    )


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
        figure.update_xaxes(showticklabels=False, title="", **at)
        corner = figure.get_subplot(at["row"], at["col"]).xaxis.plotly_name.replace("axis", "")
        figure.update_yaxes(
            showticklabels=False, title="", scaleanchor=corner, scaleratio=1, **at
        )
        figure.update_xaxes(constrain="domain", **at)
        return
    if chart.kind == "matrix":
        y["autorange"] = "reversed"
    figure.update_xaxes(**x, **at)
    figure.update_yaxes(**y, **at)


def _positive(values: pd.Series) -> list[float]:
    """The range of what can be seen on a logarithmic axis."""
    seen = values[values > 0]
    return [seen.min(), seen.max()] if len(seen) else [1.0, 10.0]
