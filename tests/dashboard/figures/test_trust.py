"""Figures of calibration, abstention, asking, and of kernels: traces, numbers and ranges."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.uncertainty.calibration import Calibration
from tripletscope.core.inference.uncertainty.reliability import Reliability
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels.space import Space
from tripletscope.core.similarity.kernels.spectrum import Spectrum
from tripletscope.dashboard.figures.matrix import most_similar, similarity_matrix, spectrum_figure
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.figures.trust import (
    abstention_curves,
    asking_curves,
    coverage,
    reliability,
    response_reliability,
)

FILE = Canvas(390.0, 312.0, screen=False)


@pytest.fixture
def calibration() -> Calibration:
    return Calibration(
        levels=np.array([0.5, 0.8, 0.95]), coverage=np.array([[0.4, 0.7, 0.9], [0.6, 0.9, 1.0]]),
        confidence=np.array([0.55, np.nan, 0.9]), accuracy=np.array([0.6, np.nan, 0.85]),
        counts=np.array([100, 0, 900]), error=0.1,
    )


def objects(n: int) -> pd.DataFrame:
    names = [f"object <{k}>" for k in range(n)]
    return pd.DataFrame({"id": names, "label": names, "kind": ["a", "b", "b", "b"] * (n // 4)})


def test_reliability_shows_what_was_said_against_what_was_right(calibration):
    diagonal, found = reliability(calibration).data
    assert list(diagonal.x) == list(diagonal.y)
    assert list(found.x) == [0.55, 0.9]
    assert list(found.y) == [0.6, 0.85]
    assert found.marker.size[1] > found.marker.size[0], "larger where there is more"


def test_coverage_shows_every_data_set_and_their_mean(calibration):
    _, single, mean = coverage(calibration).data
    assert sorted(zip(single.x, single.y, strict=True)) == [
        (0.5, 0.4), (0.5, 0.6), (0.8, 0.7), (0.8, 0.9), (0.95, 0.9), (0.95, 1.0),
    ]
    assert np.allclose(mean.y, [0.5, 0.8, 0.95])


def test_coverage_leaves_out_data_sets_without_ellipses(calibration):
    none = np.full_like(calibration.coverage, np.nan)
    _, single, mean = coverage(replace(calibration, coverage=none)).data
    assert len(single.y) == len(mean.y) == 0
    both = np.concatenate([calibration.coverage, none])
    _, single, mean = coverage(replace(calibration, coverage=both)).data
    assert len(single.y) == 6
    assert np.allclose(mean.y, [0.5, 0.8, 0.95])


def test_abstention_has_a_line_for_every_share():
    at = np.array([0.5, 0.9])
    figure = abstention_curves(at, {"error": np.array([0.2, 0.1]), "open": np.array([0, 0.5])})
    assert [trace.name for trace in figure.data] == ["error", "open"]
    assert list(figure.data[1].y) == [0, 0.5]


def test_the_noise_ceiling_is_drawn_where_it_is_known():
    at = np.array([0.5, 0.9])
    error = {"error": np.array([0.2, 0.1])}
    ceiling = Ceiling(Share(0.8, 0.79, 0.81, 900), Share(0.85, 0.84, 0.86, 900))
    drawn = abstention_curves(at, error, ceiling=ceiling).layout.shapes
    levels = {round(y, 6) for shape in drawn for y in (shape.y0, shape.y1)}
    assert levels == {0.15, 0.2}
    vague = Ceiling(ceiling.lower, Share(0.85, 0.7, 0.95, 20))
    assert not abstention_curves(at, error, ceiling=vague).layout.shapes


def test_real_reliability_has_both_probabilities_with_intervals():
    said = np.tile(np.linspace(0.55, 0.95, 10), 20)
    found = Reliability(
        np.where(np.arange(200) % 4, said, 1 - said), np.full(200, np.nan), np.ones(200),
        np.arange(200), None, 1.0, 1.0, 0.0, {},
    )
    diagonal, line = response_reliability(found).data
    assert list(diagonal.x) == list(diagonal.y)
    assert line.name == "response probability"
    assert np.allclose(line.x, np.linspace(0.55, 0.95, 10))
    assert np.average(line.y) == pytest.approx(0.75)
    reach = np.array([line.error_y.array, line.error_y.arrayminus])
    assert (reach >= 0).all()
    assert (reach.sum(axis=0) > 0).all()
    both = response_reliability(replace(found, order=found.response)).data
    assert [trace.name for trace in both[1:]] == ["response probability", "order certainty"]


def test_asking_has_a_line_and_a_band_for_every_design():
    table = pd.DataFrame({
        "design": ["gain", "gain", "random", "random"], "answers": [10, 20, 10, 20],
        "error": [0.3, 0.1, 0.3, 0.2], "reach": [0.02, 0.01, 0.02, 0.03],
    })
    figure = asking_curves(table)
    bands, lines = figure.data[::2], figure.data[1::2]
    assert [line.name for line in lines] == ["gain", "random"]
    assert np.allclose(bands[1].y, [0.28, 0.17, 0.23, 0.32])


def test_the_matrix_is_in_the_order_asked_for_without_its_diagonal():
    values = np.arange(64.0).reshape(8, 8)
    values += values.T
    order = np.array([5, 2, 7, 0])
    figure = similarity_matrix(values.__getitem__, order, objects(8), colour="kind", selected=[7])
    heat, *marks = figure.data
    assert np.isnan(np.diag(heat.z)).all()
    assert heat.z[0, 2] == values[5, 7]
    assert {trace.name: sorted(trace.customdata) for trace in marks} == {"b": [2, 5, 7], "a": [0]}
    places = {i: y for t in marks for i, y in zip(t.customdata, t.y, strict=True)}
    assert places == {5: 0, 2: 1, 7: 2, 0: 3}
    sizes = {i: s for t in marks for i, s in zip(t.customdata, t.marker.size, strict=True)}
    assert sizes[7] > sizes[5]
    assert list(figure.layout.yaxis.ticktext) == [
        f"object &lt;{i}&gt;" for i in order
    ]


def test_a_large_matrix_is_drawn_in_blocks():
    n = 1000
    values = np.add.outer(np.arange(n), np.arange(n)).astype(float)
    figure = similarity_matrix(values.__getitem__, np.arange(n), objects(n))
    heat, marks = figure.data
    assert heat.z.shape == (334, 334)
    assert heat.dx == heat.dy == 3
    # Block (0, 1): rows 0 to 2, columns 3 to 5; block (0, 0) is without its diagonal.
    assert heat.z[0, 1] == 5
    assert heat.z[0, 0] == 2
    assert len(marks.customdata) == n
    assert 20 < len(figure.layout.yaxis.ticktext) < 60
    assert len(json.dumps(figure.to_plotly_json()["layout"], default=str)) < 1e5


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_matrix_of_hardly_any_objects_is_drawn(n):
    heat = similarity_matrix(np.eye(8).__getitem__, np.arange(n), objects(8)).data[0]
    assert np.shape(heat.z) == (n, n)
    assert heat.meta["cells"] == list(range(n))


def test_colours_have_their_middle_at_nought_where_some_are_negative():
    values = np.random.default_rng(0).normal(0.5, 1.0, (8, 8))
    heat = similarity_matrix((values + values.T).__getitem__, np.arange(8), objects(8)).data[0]
    assert heat.zmin == -heat.zmax
    assert len(heat.colorscale) % 2 == 1
    assert heat.colorscale[len(heat.colorscale) // 2][0] == 0.5
    positive = similarity_matrix(np.abs(values).__getitem__, np.arange(8), objects(8)).data[0]
    assert positive.zmin > 0
    assert positive.colorscale != heat.colorscale


@pytest.mark.parametrize(("between", "ends"), [
    ({}, (0.0, 1.0)), ({(0, 1): 0.4}, (0.0, 0.4)), ({(0, 1): 0.4, (2, 3): -0.6}, (-0.6, 0.6)),
])
def test_colours_of_a_matrix_that_is_nearly_all_the_same_have_two_ends(between, ends):
    values = np.eye(40)
    for (i, k), value in between.items():
        values[i, k] = values[k, i] = value
    heat = similarity_matrix(values.__getitem__, np.arange(40), objects(40)).data[0]
    assert (heat.zmin, heat.zmax) == pytest.approx(ends)


def test_a_cell_names_its_objects_and_a_chosen_pair_has_frames():
    order = np.array([3, 1, 0, 2])
    figure = similarity_matrix(np.eye(4).__getitem__, order, objects(4), selected=[1, 2])
    assert figure.data[0].meta["cells"] == order.tolist()
    frames = {((s.x0 + s.x1) / 2, (s.y0 + s.y1) / 2) for s in figure.layout.shapes}
    assert frames == {(1, 3), (3, 1)}
    many = similarity_matrix(np.eye(900).__getitem__, np.arange(900), objects(900))
    assert np.concatenate(many.data[0].meta["cells"]).tolist() == list(range(900))
    assert not many.layout.shapes


def test_the_tree_stands_above_the_columns_that_it_joins():
    points = np.random.default_rng(0).normal(size=(8, 2))
    found = AgglomerativeClustering().tree(Space(8, np.arange(8), vectors=points))
    figure = similarity_matrix((points @ points.T).__getitem__, found.order, objects(8), tree=found)
    (drawn,) = [trace for trace in figure.data if trace.name == "tree"]
    ends = np.array(drawn.x).reshape(-1, 5)[:, [0, 2]]
    assert np.allclose(ends, found.places[found.children])
    assert np.array_equal(np.array(drawn.y).reshape(-1, 5)[:, 1], found.linkage[:, 2])
    layout = figure.layout
    assert layout.yaxis.domain[1] == layout.yaxis2.domain[0]
    assert drawn.xaxis in (None, "x")
    assert layout.yaxis2.range[1] > found.linkage[-1, 2]


def test_bars_name_the_most_similar_first():
    bars = most_similar(np.array([0.9, 0.5]), ["cat", "<b>"], [4, 2]).data[0]
    assert list(bars.customdata) == [4, 2]
    assert list(bars.hovertext) == ["<b>cat</b>", "<b>&lt;b&gt;</b>"]


def test_the_spectrum_tells_signal_from_chance():
    shuffled = np.tile([1.0, 0.9, 0.8], (20, 1))
    figure = spectrum_figure(Spectrum(np.array([3.0, 0.95, 0.5]), shuffled, np.full(3, 0.4)))
    _, signal, rest = figure.data
    assert list(signal.x) == [1, 2]
    assert list(rest.x) == [3]


def test_captions_go_into_files_only(calibration):
    assert reliability(calibration, caption="About this.").layout.title.text is None
    assert "About this." in reliability(
        calibration, caption="About this.", canvas=FILE
    ).layout.title.text
