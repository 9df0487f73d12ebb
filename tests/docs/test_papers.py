"""The papers in the documentation: their charts, pictures, and what is said of each item."""

from __future__ import annotations

import importlib
import io
import re

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from docs.charts import CHARTS
from docs.charts.chart import Chart, chart_figure
from docs.charts.drawn import PICTURES, charts_of, legend, picture
from tests.browser import needs_browser
from tests.docs.documents import DOCS
from tripletscope.core.presets import DOCUMENTS
from tripletscope.reproductions.continuations import CONTINUATIONS
from tripletscope.reproductions.outcome import shipped, verdicts
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import WORDS


@pytest.fixture
def papers(monkeypatch):
    """The extension that writes the pages."""
    monkeypatch.syspath_prepend(DOCS / "extensions")
    return importlib.import_module("papers")


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
    charts = charts_of("thesis-figure-4.6").values()
    assert {bool(chart.spread) for chart in charts} == {True, False}
    assert all(("Lines through marks" in legend(chart)) == bool(chart.spread) for chart in charts)


def test_every_chart_has_a_picture_and_every_picture_a_chart():
    drawn = {name for key in CHARTS for name in charts_of(key)}
    assert {path.stem for path in PICTURES.glob("*.webp")} == drawn


@needs_browser
def test_a_picture_is_drawn_from_what_is_shipped():
    key = "thesis-figure-1.1"
    (name, chart), = charts_of(key).items()
    kept, drawn = (
        np.asarray(Image.open(file).convert("L"), dtype=float)
        for file in (PICTURES / f"{name}.webp", io.BytesIO(picture(chart, shipped(key))))
    )
    assert kept.shape == drawn.shape
    assert np.mean(np.abs(kept - drawn) > 64) < 0.01
    assert drawn.std() > 10


@pytest.mark.parametrize("document", DOCUMENTS)
def test_an_item_is_told_with_its_rule_and_verdict(papers, document):
    told = "\n".join(papers.cards(document)).replace("\\", "")
    shown = [item for item in items().values() if item.document == document]
    assert shown
    for item in shown:
        verdict = verdicts()[item.key]
        for words in (item.claim, item.rule, item.not_judged, item.stand_in, verdict.why,
                      f"**{verdict.word.capitalize()}**"):
            assert words in told
        assert (f"reproductions run {item.key}`" in told) == (item.experiment is not None)
        assert (f"/?paper={item.key}\"" in told) == (item.key in CONTINUATIONS)
    assert told.count("held at") + told.count("did not hold") >= sum(
        not item.stated for item in shown
    ) // 2


def test_the_overview_counts_what_it_lists(papers):
    lines = list(papers.overview())
    counted = dict(re.findall(r"^\| ([\w ]+) \| (\d+) \|", "\n".join(lines), re.M))
    assert list(counted) == list(WORDS)
    assert sum(map(int, counted.values())) == len(items())
    assert sum(line.startswith("| [") for line in lines) == len(items())
    for word, number in counted.items():
        assert sum(f" | {word} | " in line for line in lines[len(WORDS) :]) == int(number)


def test_nothing_in_a_text_is_markdown(papers):
    assert papers.plain("a_b *c* <d> [e](f) $g$ | h") == (
        r"a\_b \*c\* \<d\> \[e\](f) \$g\$ \| h"
    )
