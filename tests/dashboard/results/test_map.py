"""A map's figure that a script draws again is the one of the page."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.browser import needs_browser
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.printing.composition import Composition
from tripletscope.dashboard.results import MapFigure, placed
from tripletscope.dashboard.results.maps import DrawnMap, coordinates, map_caption
from tripletscope.dashboard.results.shown import ShownResults

N = 9
OBJECTS = pd.DataFrame({"id": [f"o{i}" for i in range(N)], "kind": list("abc") * 3})
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])


@pytest.fixture(scope="module")
def results():
    truth = np.random.default_rng(0).normal(size=(N, 2))
    answers = Triplets(simulate(truth, 400, seed=1, noise="logistic").rows, OBJECTS)
    method = ts.STE(n_init=1)
    found = [run("fit", method, answers), run("bootstrap", method, answers, {"replicates": 10})]
    return *found, answers.objects


@pytest.fixture
def figure():
    return MapFigure(
        MapStyle(colour="kind"), Composition(width=60.0, font=7.0, title="A title", caption=True),
        ROTATION.tolist(), 0.7, "STE.", "Without two people.", selected=["o3"],
        moved={"o1": (0.4, -0.2)},
    )


def test_it_comes_back_from_its_file(figure, tmp_path):
    path = tmp_path / "figure.json"
    path.write_text(figure.to_json())
    again = MapFigure.load(path)
    assert again.style == figure.style
    assert again.composition == figure.composition
    assert again.to_json() == figure.to_json()
    record = json.loads(figure.to_json())
    path.write_text(json.dumps({**record, "of a later version": 1}))
    assert MapFigure.load(path).to_json() == figure.to_json()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"style": 3}', "no json"])
def test_another_file_is_refused_by_its_name(tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(DataError, match=r"other\.json"):
        MapFigure.load(path)


def test_it_draws_what_the_page_draws(figure, results):
    fit, samples, objects = results
    where = placed(fit, samples, ROTATION)
    data = MapData(
        where.positions, objects, where.covariances, selected=[3], degrees=where.degrees,
        moved={1: (0.4, -0.2)},
    )
    canvas = Canvas()
    expected = embedding_map(data, figure.style, caption="STE.", canvas=canvas)
    assert figure.draw(fit, samples, objects, canvas).to_json() == expected.to_json()


def test_objects_lie_as_fitted_and_turned(results):
    fit, samples, _ = results
    where = placed(fit, samples, ROTATION)
    np.testing.assert_allclose(where.positions, fit.arrays["embedding_"] @ ROTATION)
    np.testing.assert_allclose(
        where.covariances[0], ROTATION.T @ samples.samples().covariances[0] @ ROTATION
    )
    assert placed(fit, None, ROTATION).covariances is None


def test_colours_that_no_table_has_come_along(figure, results):
    fit, _, objects = results
    values = dict(zip(objects["id"], np.arange(N) / 3, strict=True))
    values.pop("o2")
    own = replace(figure, style=MapStyle(colour="uncertainty"), colours=values)
    drawn = own.draw(fit, None, objects, Canvas())
    coloured = [trace.marker.color for trace in drawn.data if trace.marker.showscale]
    expected = [values.get(name, np.nan) for name in objects["id"]]
    np.testing.assert_allclose(coloured[0], expected)
    assert "uncertainty" not in objects


def test_other_formats_are_named(figure, results, tmp_path):
    with pytest.raises(ValueError, match=r"\.svg, \.pdf"):
        figure.save(tmp_path / "map.tiff", *results)
    figure.save(tmp_path / "map.html", *results)
    assert "A title" in (tmp_path / "map.html").read_text()


@needs_browser
def test_it_is_as_large_as_it_was_composed(figure, results, tmp_path):
    figure.save(tmp_path / "map.svg", *results)
    text = (tmp_path / "map.svg").read_text()
    assert re.search(r'width="60(\.000\d+)?mm"', text)
    assert "A title" in text
    assert "Without two people." in text


@pytest.mark.parametrize(("linked", "crossed"), [(True, ""), (False, "3 objects")])
def test_captions_say_which_positions_are_not_determined(results, linked, crossed):
    fit, samples, objects = results
    moments = samples.arrays["conditional"].copy()
    if not linked:
        moments[:3] = np.nan
    samples = replace(samples, arrays={**samples.arrays, "conditional": moments})
    answers = Triplets(simulate(np.eye(N, 2), 20, seed=0).rows, objects)
    shown = ShownResults((fit, samples), answers, "planted")
    for marks, words in (("labels", "Crosses mark"), ("pictures", "Pale pictures are of")):
        text = map_caption(shown, fit, MapStyle(marks))
        assert "95% ellipses from" in text
        assert (f"{words} {crossed} whose position the answers do not determine." in text) == (
            not linked
        )
    table = DrawnMap(shown, fit).drawing.table()
    assert table["determined"].tolist() == [linked] * 3 + [True] * (N - 3)
    moments[:] = np.nan
    text = map_caption(shown, fit, MapStyle())
    assert "would contain the true position" not in text
    assert f"Crosses mark {N} objects" in text


def test_the_numbers_of_a_map_draw_its_ellipses():
    objects = pd.DataFrame({"id": list("abc"), "image": "x.png"})
    covariances = np.array([[[4.0, 1.0], [1.0, 1.0]], [[1.0, 0.0], [0.0, 9.0]], [[np.nan] * 2] * 2])
    table = coordinates(objects, np.zeros((3, 2)), covariances, None)
    assert "image" not in table
    assert table["determined"].tolist() == [True, True, False]
    assert table["angle_degrees"].tolist()[1:2] == [90.0]
    assert table[["half_axis_1_95", "angle_degrees"]].isna().all(axis=1).tolist() == [0, 0, 1]
    first = table.iloc[0]
    half, short = first["half_axis_1_95"], first["half_axis_2_95"]
    along = np.deg2rad(first["angle_degrees"])
    turn = np.array([[np.cos(along), -np.sin(along)], [np.sin(along), np.cos(along)]])
    radius = coverage_radius(0.95, 2)
    again = turn @ np.diag([half**2, short**2]) @ turn.T / radius**2
    np.testing.assert_allclose(again, covariances[0], atol=1e-12)
    assert first["cov_x1_x2"] == 1.0
