"""Figures of scales, their diagnostics, and observers: traces, numbers and ranges."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from tripletscope.core.people.predictions import PoolingCurve
from tripletscope.core.scales import ScaleDiagnostics
from tripletscope.dashboard.figures.diagnostics import residual_curve, simulated_against
from tripletscope.dashboard.figures.observers import (
    grid_height,
    map_grid,
    pooling_figure,
    relation_dots,
    square_matrix,
)
from tripletscope.dashboard.figures.points import MapData
from tripletscope.dashboard.figures.scale_curves import (
    Curve,
    group_errors,
    scale_curves,
    scale_multiples,
)
from tripletscope.dashboard.figures.theme import Canvas

FILE = Canvas(390.0, 312.0, screen=False)
X = np.array([1.0, 2.0, 4.0])


@pytest.fixture
def data() -> MapData:
    names = [f"object <{k}>" for k in range(4)]
    objects = pd.DataFrame({"id": names, "label": names, "kind": ["a", "b", "a", "b"]})
    return MapData(np.empty((4, 1)), objects, selected=[2])


def curve(name: str = "MLDS", **changes) -> Curve:
    values = np.array([0.0, 0.3, 1.0])
    parts = {"low": values - 0.1, "high": values + 0.2, "objects": np.array([0, 2, 3])}
    return Curve(name, X, values, **{**parts, **changes})


def points(figure) -> list:
    return [trace for trace in figure.data if trace.customdata is not None]


def test_few_values_are_joined_with_a_band_and_can_be_picked(data):
    figure = scale_curves([curve()], data, stimulus="contrast <%>", value="scale")
    band = next(t for t in figure.data if t.fill)
    assert band.x.tolist() == [1, 2, 4, 4, 2, 1]
    np.testing.assert_allclose(band.y, [-0.1, 0.2, 0.9, 1.2, 0.5, 0.2])
    (line,) = [t for t in figure.data if t.mode == "lines" and not t.fill]
    assert line.y.tolist() == [0.0, 0.3, 1.0]
    (marks,) = points(figure)
    assert list(marks.customdata) == [0, 2, 3]
    assert list(marks.selectedpoints) == [1]
    assert marks.error_y.array is None
    assert figure.layout.xaxis.title.text == "contrast &lt;%&gt;"
    assert "[0.2, 0.5]" in marks.text[1]


def test_every_method_has_its_own_look_and_place_in_the_legend(data):
    shared = Curve("levels", X, X / 4, X / 4 - 0.1, X / 4 + 0.1)
    figure = scale_curves([curve(), shared], data, stimulus="x", value="y", colour="kind")
    names = [t.name for t in figure.data if t.showlegend is not False and not t.fill]
    assert names == ["MLDS", "a", "b", "levels"]
    lines = [t.line for t in figure.data if t.name in ("MLDS", "levels") and t.showlegend]
    assert len({line.dash for line in lines}) == 2, "colours are those of the column"
    plain = scale_curves([curve(), shared], data, stimulus="x", value="y")
    assert len({t.line.color for t in plain.data if t.name in ("MLDS", "levels")} - {None}) == 2
    assert sum(len(t.customdata) for t in points(figure)) == 3, "levels are no objects"
    json.loads(scale_curves([curve()], stimulus="x", value="y", canvas=FILE).to_json())


def test_many_values_and_shared_stimuli_are_points_with_bars(data):
    n = 60
    many = Curve("STE", np.arange(n), np.arange(n) / n, np.zeros(n), np.ones(n))
    figure = scale_curves([many], stimulus="x", value="y")
    assert not any(t.fill for t in figure.data)
    np.testing.assert_allclose(figure.data[0].error_y.array, 1 - np.arange(n) / n)
    tied = Curve("STE", np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    assert not tied.is_joined
    missing = Curve("STE", X, np.array([0.0, np.nan, 1.0]), X, X).complete()
    assert missing.stimulus.tolist() == [1.0, 4.0]


def test_small_multiples_share_their_axes_and_the_scale_of_all():
    panels = {f"p{k} (10)": [curve(), curve("STE")] for k in range(6)}
    figure = scale_multiples(panels, [curve(), curve("STE")], stimulus="x", value="y")
    assert [a.text for a in figure.layout.annotations][:6] == list(panels)
    axes = {t.xaxis for t in figure.data}
    assert len(axes) == 6
    assert len([t for t in figure.data if t.showlegend]) == 3, "once each, and all answers"
    assert {figure.layout[f"xaxis{k}"].matches for k in ("", 2, 3, 4, 6)} == {"x5"}
    for k in (3, 4, 5, 6):  # four across: the lowest of every column
        assert figure.layout[f"xaxis{k}"].showticklabels
    assert not figure.layout.xaxis.showticklabels


def test_errors_of_groups_are_side_by_side():
    table = pd.DataFrame({
        "name": ["all", "ann", "all", "ann"], "answers": [20, 10, 20, 10],
        "method": ["MLDS", "MLDS", "STE", "STE"], "error": [0.1, 0.2, 0.15, np.nan],
        "low": [0.08, 0.15, 0.1, np.nan], "high": [0.13, 0.25, 0.2, np.nan],
        "participants": [9, 0, 9, 0],
    })
    first, second = group_errors(table).data
    assert first.error_x.array == pytest.approx([0.03, 0.05])
    assert first.error_x.arrayminus == pytest.approx([0.02, 0.05])
    assert "over 9 participants" in first.hovertext[0]
    assert "over answers" in first.hovertext[1]
    assert list(first.x) == [0.1, 0.2]
    assert list(second.x) == [0.15], "groups with too few answers are left out"
    assert first.y[0] < 0 < second.y[0]


@pytest.fixture
def diagnostics() -> ScaleDiagnostics:
    residuals = np.linspace(-2, 2, 1001)
    return ScaleDiagnostics(
        residuals, residuals - 0.1, np.where(residuals > 1, residuals - 0.05, residuals + 0.1),
        7, np.array([5, 7, 9, 11]), -12.0, np.array([-15.0, -11.0]), 4,
    )


def test_residuals_outside_of_the_envelope_are_marked(diagnostics):
    envelope, answers, outside = residual_curve(diagnostics).data
    assert max(outside.y) <= 1
    assert min(outside.x) > 1
    assert len(outside.x) == np.sum(answers.x > 1)
    assert len(answers.x) == 600, "as many as a screen shows"
    assert len(envelope.x) == 1200


def test_the_answers_stand_among_the_simulated_ones(diagnostics):
    figure = simulated_against(diagnostics.simulated_runs, 3, title="runs")
    assert figure.data[0].y.sum() == 4
    assert np.ptp(figure.data[0].width) == 0
    assert figure.layout.shapes[0].x0 == 3
    assert figure.layout.xaxis.range[0] < 3, "also where they lie far outside"


def test_a_matrix_writes_what_is_known():
    values = np.array([[0.8, np.nan], [0.6, 0.9]])
    figure = square_matrix(
        values, ["ann <a>", "bob"], title="accuracy", limits=(0.5, 0.9), borders=[1]
    )
    heat = figure.data[0]
    assert heat.text.tolist() == [["0.80", ""], ["0.60", "0.90"]]
    assert figure.layout.yaxis.ticktext == ("ann &lt;a&gt;", "bob")
    assert [(s.x0, s.y0) for s in figure.layout.shapes] == [(0.5, -0.5), (-0.5, 0.5)]
    assert heat.texttemplate
    crowd = square_matrix(np.eye(30), [str(k) for k in range(30)], title="t", limits=(0, 1))
    assert not crowd.data[0].texttemplate


def test_relations_and_pooling_have_intervals():
    table = pd.DataFrame({
        "relation": ["self", "another"], "accuracy": [0.8, 0.45], "low": [0.7, 0.4],
        "high": [0.9, 0.5], "participants": [5, 5],
    })
    figure = relation_dots(table)
    np.testing.assert_allclose(figure.data[0].error_x.array, [0.1, 0.05])
    assert figure.layout.xaxis.range[0] < 0.4
    found = PoolingCurve(np.array([1, 2]), np.array([[0.6, 0.7], [0.7, 0.7], [0.8, 0.7]]))
    band, line = pooling_figure(found).data
    assert line.y.tolist() == [pytest.approx(0.7), pytest.approx(0.7)]
    assert band.y[0] == pytest.approx(0.7 - 4.302653 * 0.1 / np.sqrt(3)), "t of three orders"


def test_maps_in_a_grid_show_the_same_part_of_the_plane(data):
    maps = np.random.default_rng(0).normal(size=(5, 4, 3))
    maps[2, 1] = np.nan
    figure = map_grid(maps, [f"p{k}" for k in range(5)], data.objects, colour="kind", selected=[1])
    assert {tuple(figure.layout[f"xaxis{k}"].range) for k in ("", 2, 3, 4, 5)} == {
        tuple(figure.layout.xaxis.range)
    }
    shown = [sum(len(t.customdata) for t in points(figure) if t.xaxis == axis)
             for axis in ("x", "x2", "x3", "x4", "x5")]
    assert shown == [4, 4, 3, 4, 4]
    assert sum(t.showlegend for t in points(figure)) == 2
    assert grid_height(maps) > grid_height(maps[:4])
    line = map_grid(maps[..., :1], [str(k) for k in range(5)], data.objects)
    first, second = points(line)[:2]
    np.testing.assert_allclose(first.x, first.y), "the map of all against itself"
    np.testing.assert_allclose(second.x, first.x)
    assert not np.allclose(second.y, first.y)


def labelled(n: int, width: float, n_maps: int = 3) -> tuple[go.Figure, set[str]]:
    """Maps of so many objects in a file, and the names on the last of them."""
    maps = np.random.default_rng(0).uniform(size=(n_maps, n, 2))
    objects = pd.DataFrame({"id": [f"thing {k}" for k in range(n)]}).assign(
        label=lambda table: table["id"])
    figure = map_grid(maps, [f"map {k}" for k in range(n_maps)], objects,
                      canvas=Canvas(width, 100.0, screen=False, most=1500.0))
    axis = f"x{n_maps}"
    names = [text for trace in figure.data if trace.name == "labels" and trace.xaxis == axis
             for text in trace.text]
    return figure, {*names, *(a.text for a in figure.layout.annotations if a.xref == axis)}


def test_maps_in_a_file_have_names_where_they_fit():
    """Three maps of 22 objects had none in a report, and lay in a figure of 80 pixels."""
    figure, names = labelled(22, 640.0)
    assert len(names) >= 11
    assert figure.layout.xaxis.domain[1] > 0.3, "as few in a row as names take"
    (figure, few), (narrow, same) = labelled(4, 640.0), labelled(4, 320.0)
    assert few == same == {f"thing {k}" for k in range(4)}
    assert figure.layout.xaxis3.domain[0] > 0.6, "three in a row"
    assert narrow.layout.xaxis3.domain[0] == 0.0, "two in a row"
    assert not (figure.layout.meta or {}).get("remark")
    crowd, none = labelled(600, 640.0)
    assert none == set()
    assert crowd.layout.xaxis3.domain[0] > 0.6
    assert not (crowd.layout.meta or {}).get("remark"), "points without names hide none"


@pytest.mark.parametrize(("n", "width", "written"), [
    (8, 321.0, True), (12, 321.0, False), (12, 680.0, True), (20, 680.0, False),
])
def test_numbers_stand_in_cells_that_have_room(n, width, written):
    canvas = Canvas(1.2 * width, 0.96 * width, screen=False)
    figure = square_matrix(
        np.eye(n), [f"person {k}" for k in range(n)], title="share", limits=(0.0, 1.0),
        across="predicted", canvas=canvas,
    )
    assert (figure.data[0].texttemplate is not None) == written
    assert figure.layout.xaxis.title.text == "predicted"


def test_names_that_are_numbers_are_all_written():
    names = [str(k) for k in range(10)]
    canvas = Canvas(390.0, 312.0, screen=False)
    figure = square_matrix(np.eye(10), names, title="share", limits=(0.0, 1.0), canvas=canvas)
    assert list(figure.layout.xaxis.ticktext) == list(figure.layout.yaxis.ticktext) == names
    assert figure.data[0].texttemplate, "ten classes have room for numbers"
