"""Charts of rebuilt papers: curves in the order of their rows, axes that leave zeros out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.views.papers.card import _legend
from tripletscope.dashboard.views.papers.chart import Chart, chart_figure
from tripletscope.dashboard.views.papers.charts.charts import CHARTS
from tripletscope.dashboard.views.papers.drawings import drawings_of
from tripletscope.reproductions.outcome import shipped
from tripletscope.reproductions.registry import items


def test_curves_keep_their_order_and_their_gaps():
    table = pd.DataFrame({"x": [2.0, 1.0, np.nan, 3.0], "y": [0.0, 1.0, np.nan, 2.0]})
    figure = chart_figure(Chart("curves", "x", "y"), table)
    (curve,) = figure.data
    assert curve.mode == "lines"
    np.testing.assert_array_equal(curve.x, table["x"])
    assert figure.layout.yaxis.scaleanchor == "x"


def test_zeros_have_no_place_on_logarithmic_axes():
    chart = Chart("lines", "x", "y", log_y=True)
    table = pd.DataFrame({"x": [1, 2, 3], "y": [0.0, 0.01, 10.0]})
    with_zero, without = (chart_figure(chart, rows).layout.yaxis for rows in (table, table[1:]))
    assert with_zero.tickvals == without.tickvals
    assert chart_figure(chart, table.assign(y=0.0)).layout.yaxis.type == "log"


@pytest.mark.parametrize("key", ["thesis-figure-4.3", "thesis-figure-4.6"])
def test_groups_that_are_called_by_colours_are_drawn_in_them(key):
    chart, *_ = CHARTS[key]
    drawn = chart_figure(chart, shipped(key).table)
    assert chart.colours
    assert {t.name: t.marker.color for t in drawn.data if t.showlegend} == dict(chart.colours)


def test_charts_are_of_items_and_of_columns_that_these_have():
    assert set(CHARTS) <= set(items())
    for key, charts in CHARTS.items():
        for chart in charts:
            assert chart.columns <= set(shipped(key).table), key


def test_a_legend_tells_of_lines_where_there_are_some():
    item = items()["thesis-figure-4.6"]
    told = [(chart, _legend(chart, drawing)) for chart, drawing in drawings_of(
        item, shipped(item.key)
    )]
    assert {bool(chart.spread) for chart, _ in told} == {True, False}
    assert all(("Lines through marks" in words) == bool(chart.spread) for chart, words in told)
