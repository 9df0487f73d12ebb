"""Strips, roses and contributions show what the weights are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.figures.contributions import (
    ExplainedTrial,
    compared,
    object_bars,
    rose,
    trial_contributions,
    two_objects,
)
from tripletscope.dashboard.figures.dimensions import (
    DimensionData,
    histogram,
    histograms,
    object_sheet,
    sheet_height,
    strips,
    strips_height,
)
from tripletscope.dashboard.figures.points import RING
from tripletscope.dashboard.figures.reproduced import (
    against_categories,
    against_quantity,
    object_intervals,
    penalty_curve,
    reproducibility_curve,
)
from tripletscope.dashboard.figures.theme import Canvas

N, D = 40, 5
WIDE = Canvas(1000.0, 400.0)
FILE = Canvas(417.0, 260.0, screen=False, most=1084.0)


@pytest.fixture
def data() -> DimensionData:
    weights = np.maximum(np.random.default_rng(0).normal(size=(N, D)), 0.0)
    names = [f"<b>thing</b> {i}" for i in range(N)]
    objects = pd.DataFrame({"id": names, "label": names})
    return DimensionData(weights, objects, 0.1 + 0 * weights, {1: "alive & kicking"}, {}, (3,))


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_rows_hold_the_highest_objects_in_order(data):
    figure = strips(data, [2, 0], canvas=WIDE)
    marks = named(figure, "marks")
    first = [i for i, y in zip(marks.customdata, marks.y, strict=True) if y > -WIDE.height / 2.2]
    assert first == data.highest(2, len(first)).tolist()
    texts = named(figure, "titles").text
    assert texts == ("<b>Dimension 3</b>", "<b>Dimension 1</b>")
    assert all("<b>" not in text for text in named(figure, "objects").text), "names are no markup"


def test_bars_are_relative_to_the_highest_weight(data):
    figure = object_sheet(data, 0, data.highest(0), canvas=WIDE)
    bars = named(figure, "weights")
    x = np.array([value for value in bars.x if value is not None]).reshape(-1, 5)
    length = x[:, 1] - x[:, 0]
    order = data.highest(0)
    np.testing.assert_allclose(
        length / length[0], data.weights[order, 0] / data.weights[order[0], 0], rtol=1e-9
    )


def test_weak_dimensions_look_weak(data):
    weak = replace(data, weights=data.weights * [1.0, 0.1, 1.0, 1.0, 1.0])
    longest = []
    for dimension in (0, 1):
        figure = object_sheet(weak, dimension, weak.highest(dimension), canvas=WIDE)
        x = np.array([v for v in named(figure, "weights").x if v is not None]).reshape(-1, 5)
        longest.append((x[:, 1] - x[:, 0]).max())
    largest = weak.weights.max(axis=0)
    np.testing.assert_allclose(longest[1] / longest[0], largest[1] / largest[0], rtol=1e-9)


def test_objects_without_weight_are_left_out_and_others_go_all_the_way(data):
    assert (data.weights[data.highest(0), 0] > 0).all()
    along = data.along(0, 10)
    steps = np.diff(data.weights[along, 0])
    assert len(set(along.tolist())) == 10
    assert (steps <= 0).all()
    assert data.weights[along[-1], 0] == 0


def test_selected_objects_have_a_ring_where_they_are_seen(data):
    seen = DimensionData(data.weights, data.objects, selected=data.highest(1)[:1].tolist())
    assert [trace.name for trace in strips(seen, [1], canvas=WIDE).data].count(RING) == 1
    unseen = DimensionData(data.weights, data.objects)
    assert RING not in [trace.name for trace in strips(unseen, [1], canvas=WIDE).data]


def test_pictures_stand_in_their_rows_and_names_below(data):
    pictures = {i: f"address/{i}" for i in range(N)}
    shown = DimensionData(data.weights, data.objects, pictures=pictures)
    figure = strips(shown, [0, 1], canvas=Canvas(1000.0, strips_height(shown, 2)))
    found = [image.source for image in figure.layout.images]
    n = len(found) // 2
    assert found[:n] == [f"address/{i}" for i in shown.highest(0, n)]
    assert 8 <= n <= 14
    assert strips_height(shown, 2) > strips_height(data, 2)
    assert sheet_height(shown, 30, WIDE) > sheet_height(shown, 5, WIDE)


def test_a_file_is_as_high_as_its_rows_need(data):
    few, many = (strips(data, range(k), caption="Told.", canvas=FILE) for k in (1, 5))
    assert many.layout.height > few.layout.height
    assert many.layout.height > 5 * 40


def test_histograms_count_every_object(data):
    assert sum(histogram(data, 0, canvas=WIDE).data[0].y) == N
    figure = histograms(data, range(D), canvas=WIDE)
    assert [sum(trace.y) for trace in figure.data] == [N] * D


def test_roses_beside_each_other_have_the_same_petals(data):
    one, other = rose(data, [3, 5], canvas=WIDE).data
    np.testing.assert_array_equal(one.theta, other.theta)
    assert one.marker.color == other.marker.color
    which = np.flatnonzero(data.weights[[3, 5]].max(axis=0) > 0)
    np.testing.assert_allclose(one.r, data.weights[3, which])


def test_bars_fall_and_their_intervals_stop_at_zero(data):
    bars = object_bars(data, 3, canvas=WIDE).data[0]
    assert (np.diff(bars.x) <= 0).all()
    assert (np.asarray(bars.error_x.arrayminus) <= bars.x).all()


def test_what_makes_two_alike_comes_before_what_tells_them_apart():
    one, other = np.array([2.0, 1, 0, 3, 0]), np.array([2.0, 2, 4, 0, 0])
    assert compared(one, other).tolist() == [0, 1, 2, 3]
    weights = np.array([one, other, one])
    objects = pd.DataFrame({"id": list("abc"), "label": list("abc")})
    figure = two_objects(DimensionData(weights, objects), 0, 1, canvas=WIDE)
    np.testing.assert_allclose(figure.data[2].x, [4, 2, 0, 0])
    assert two_objects(DimensionData(0 * weights, objects), 0, 1, canvas=WIDE).data[0].x is not None


def test_bars_of_a_trial_end_at_the_similarities(data):
    rows = (0, 1, 2)
    pairs = [(1, 2), (0, 2), (0, 1)]
    parts = np.array([data.weights[rows[a]] * data.weights[rows[b]] for a, b in pairs])
    p = np.exp(parts.sum(axis=1)) / np.exp(parts.sum(axis=1)).sum()
    *bars, ends = trial_contributions(data, ExplainedTrial(rows, parts, p), canvas=WIDE).data
    np.testing.assert_allclose(
        sum(np.asarray(trace.x) for trace in bars), parts.sum(axis=1), atol=1e-12
    )
    np.testing.assert_allclose(ends.x, parts.sum(axis=1), atol=1e-12)
    assert [text.split(": ")[1] for text in ends.text] == [
        f"{100 * share:.0f} %" for share in p
    ]


def test_objects_in_rows_have_their_intervals(data):
    points = object_intervals(data, 1, [4, 7], canvas=WIDE).data[0]
    np.testing.assert_allclose(points.x, data.weights[[4, 7], 1])
    np.testing.assert_allclose(points.error_x.array, 0.196)


def test_columns_leave_out_what_is_missing(data):
    values = np.arange(N, dtype=float)
    values[:5] = np.nan
    assert list(against_quantity(data, 0, values, "size", canvas=WIDE).data[0].customdata) == list(
        range(5, N)
    )
    column = pd.Series(["a", "b", None, "c"] * 10, name="kind")
    table = pd.DataFrame({"category": ["b", "a", "c"]})
    figure = against_categories(data, 0, table, column, canvas=WIDE)
    assert len(figure.data[0].x) == 30
    means = [x for x in figure.data[-1].x if np.isfinite(x)][::2]
    expected = [data.weights[(column == k).to_numpy(), 0].mean() for k in "bac"]
    np.testing.assert_allclose(means, expected)


def test_curves_mark_what_was_chosen(data):
    table = pd.DataFrame({
        "dimension": [0, 1, 2], "mean": [0.5, 0.9, 0.7], "low": 0.4, "high": 0.95,
        "against": "other seeds",
    })
    curve = reproducibility_curve(data, table, canvas=WIDE)
    np.testing.assert_allclose(curve.data[0].y, [0.9, 0.7, 0.5])
    assert curve.layout.xaxis.ticktext[0] == "2 alive &amp; kicking"
    found = pd.DataFrame({"penalty": [1.0, 2.0, 4.0], "log_likelihood": [-0.9, -0.8, -0.81],
                          "behind_error": [0.02, 0, 0.02], "dimensions": [9, 5, 3]})
    figure = penalty_curve(found, chosen=4.0, best=2.0, chance=-1.1, canvas=WIDE)
    colours = figure.data[0].marker.color
    assert colours[2] != colours[0] == colours[1]
