"""Figures of rebuilt items of papers."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go

from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.views.papers.chart import Chart, abreast, chart_figure, panels_of
from tripletscope.dashboard.views.papers.charts.charts import CHARTS
from tripletscope.reproductions.item import Item
from tripletscope.reproductions.outcome import Outcome

#: Height of a panel divided by the width of the figure, by how many stand side by side.
_PANEL = {1: 0.55, 2: 0.5, 3: 0.44}


def drawings_of(item: Item, outcome: Outcome) -> list[tuple[Chart, Drawing]]:
    """The charts of a rebuilt item with their figures, but none that a run in short left out."""
    charts = CHARTS.get(item.key, ())
    drawn = []
    for number, chart in enumerate(charts, 1):
        if chart.rows(outcome.table).empty:
            continue
        n_panels = len(panels_of(chart, outcome.table))
        rows = -(-n_panels // abreast(n_panels))
        drawn.append((chart, Drawing(
            name=f"{item.key}-{number}" if len(charts) > 1 else item.key,
            title=f"{item.label}: {chart.title or item.title}",
            caption=f"{item.label} rebuilt{', in short' if outcome.quick else ''}. {item.claim}",
            alt=f"{item.claim} {outcome.observations[0].why}",
            ratio=rows * _PANEL[abreast(n_panels)],
            draw=partial(_draw, chart, outcome), table=lambda: outcome.table,
        )))
    return drawn


def _draw(chart: Chart, outcome: Outcome, canvas: Canvas) -> go.Figure:
    return chart_figure(chart, outcome.table, canvas=canvas)


def is_drawable(outcome: Outcome) -> bool:
    """Whether this version can draw an outcome and tell what it shows: one of another may not."""
    charts = CHARTS.get(outcome.item, ())
    columns = {name for chart in charts for name in chart.columns}
    return outcome.is_readable and columns <= set(outcome.table.columns)
