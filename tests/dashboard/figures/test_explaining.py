"""Figures of how well features explain answers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.figures.explaining import accuracy_bars, interval_rows
from tripletscope.dashboard.figures.theme import Canvas

TABLE = pd.DataFrame([
    {"space": space, "model": model, "held_out": scheme, "accuracy": accuracy,
     "low": accuracy - 0.02, "high": accuracy + 0.03, "chance": 0.5, "choices": 100}
    for scheme, more in (("objects", 0.0), ("trials", 0.05))
    for space, models in (("<b>net</b>", ("raw", "weighted", "linear")), ("size", ("raw",)))
    for accuracy, model in zip((0.6 + more, 0.65 + more, 0.7 + more), models, strict=False)
])


def test_bars_begin_at_chance_and_end_at_the_accuracy():
    figure = accuracy_bars(TABLE)
    bars = [trace for trace in figure.data if trace.type == "bar"]
    assert len(bars) == 6, "three models in two panels"
    for bar in bars:
        assert bar.base == 0.5
    assert [bar.base + x for bar in bars[:3] for x in bar.x] == pytest.approx([0.6, 0.6, 0.65, 0.7])
    np.testing.assert_allclose(bars[0].error_x.arrayminus, 0.02)
    np.testing.assert_allclose(bars[0].error_x.array, 0.03)


def test_one_bar_of_a_space_stands_at_its_name_and_three_around_it():
    raw, weighted, linear = figure = accuracy_bars(TABLE).data[:3]
    assert raw.y[1] == 1.0
    assert raw.y[0] < weighted.y[0] == 0.0 < linear.y[0]
    assert len({trace.marker.pattern.shape for trace in figure}) == 3, "not by colour alone"


def test_both_panels_have_the_same_axis_with_chance_and_ceiling():
    figure = accuracy_bars(TABLE, ceilings={"objects": (0.8, 0.9), "trials": (0.8, 0.9)})
    first, second = figure.layout.xaxis.range, figure.layout.xaxis2.range
    assert first == second
    assert first[0] < 0.5 < 0.9 < first[1]
    bands = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert {(band.x0, band.x1) for band in bands} == {(0.8, 0.9)}
    assert figure.layout.yaxis.ticktext == ("&lt;b&gt;net&lt;/b&gt;", "size")


def test_panels_of_a_narrow_column_stand_one_below_the_other():
    wide = accuracy_bars(TABLE, canvas=Canvas(826.0, 364.0, screen=False))
    narrow = accuracy_bars(TABLE, canvas=Canvas(390.0, 364.0, screen=False))
    assert wide.layout.xaxis2.domain[0] > 0.4
    assert narrow.layout.xaxis2.domain[0] == 0.0
    assert narrow.layout.yaxis2.domain[1] < narrow.layout.yaxis.domain[0]


def test_rows_have_intervals_and_a_line_where_there_is_nothing():
    table = pd.DataFrame({
        "name": ["a", "b", "a"], "kind": ["alone", "alone", "beyond"], "value": [0.3, 0.1, 0.2],
        "low": [0.2, 0.0, 0.1], "high": [0.5, 0.2, 0.25],
    })
    figure = interval_rows(table, value="explained", band=(0.6, 0.8))
    alone, beyond = figure.data
    assert alone.marker.symbol != beyond.marker.symbol
    np.testing.assert_allclose(alone.error_x.array, [0.2, 0.1])
    np.testing.assert_allclose(np.round(beyond.y), [0.0])
    assert [shape.x0 for shape in figure.layout.shapes] == [0.6, 0.0]
    assert figure.layout.yaxis.ticktext == ("a", "b")
