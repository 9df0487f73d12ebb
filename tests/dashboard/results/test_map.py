"""A map's figure that a script draws again is the one of the page."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.browser import needs_browser
from tripletscope.core.data.geometry import coverage_radius
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.print.composition import Composition
from tripletscope.dashboard.results import MapLook, Turn, placed
from tripletscope.dashboard.results.collecting import MapSoFar, map_so_far
from tripletscope.dashboard.results.maps import DrawnMap, coordinates, map_caption
from tripletscope.dashboard.results.presentation import ShownResults

N = 9
OBJECTS = pd.DataFrame({"id": [f"o{i}" for i in range(N)], "kind": list("abc") * 3})
ROTATION = np.array([[0.0, -1.0], [1.0, 0.0]])
COMPOSED = Composition(width=60.0, font=7.0, title="A title", caption=True)


@pytest.fixture(scope="module")
def results():
    truth = np.random.default_rng(0).normal(size=(N, 2))
    answers = Triplets(simulate(truth, 400, seed=1, noise="logistic").rows, OBJECTS)
    method = ts.STE(n_init=1)
    found = [run("fit", method, answers), run("bootstrap", method, answers, {"replicates": 10})]
    return *found, answers


def drawn(results, look, **how) -> DrawnMap:
    fit, samples, answers = results
    shown = ShownResults((fit, samples), answers, "planted", looks={fit.key: look}, **how)
    return DrawnMap(shown, fit)


def test_it_draws_what_was_chosen(results):
    fit, samples, answers = results
    look = MapLook("points", coverage=0.5, moved={"o1": (0.4, -0.2)},
                   turn=Turn(ROTATION.tolist(), "another"))
    where = placed(fit, samples, ROTATION)
    data = MapData(
        where.positions, answers.objects, where.covariances, selected=[3], degrees=where.degrees,
        moved={1: (0.4, -0.2)},
    )
    found = drawn(results, look, selected=(3,))
    assert "Turned towards the first map, another." in found.caption
    expected = embedding_map(
        data, MapStyle("points", "kind", coverage=0.5), caption=found.caption, revision=fit.key,
        canvas=Canvas(),
    )
    assert found.draw(Canvas()).to_json() == expected.to_json()


def test_objects_lie_as_fitted_and_turned(results):
    fit, samples, _ = results
    where = placed(fit, samples, ROTATION)
    np.testing.assert_allclose(where.positions, fit.arrays["embedding_"] @ ROTATION)
    np.testing.assert_allclose(
        where.covariances[0], ROTATION.T @ samples.samples().covariances[0] @ ROTATION
    )
    assert placed(fit, None, ROTATION).covariances is None


def test_colours_that_no_table_has_come_along(results):
    objects = results[-1].objects
    values = dict(zip(objects["id"], np.arange(N) / 3, strict=True))
    values.pop("o2")
    found = drawn(results, MapLook(colour="*uncertainty", title="uncertainty", values=values))
    coloured = [trace.marker.color for trace in found.draw(Canvas()).data
                if trace.marker.showscale]
    expected = [values.get(name, np.nan) for name in objects["id"]]
    np.testing.assert_allclose(coloured[0], expected)
    assert "uncertainty" not in objects
    lost = drawn(results, MapLook(colour="*uncertainty"))
    assert lost.style.colour == "kind", "as at first"


@pytest.fixture
def drawing(results):
    return replace(drawn(results, MapLook()).drawing, note="Without two people.")


def test_other_formats_are_named(drawing, tmp_path):
    with pytest.raises(ValueError, match=r"\.svg, \.pdf"):
        drawing.save(tmp_path / "map.tiff", COMPOSED)
    drawing.save(tmp_path / "map.html", COMPOSED)
    assert "A title" in (tmp_path / "map.html").read_text()


@needs_browser
def test_it_is_as_large_as_it_was_composed(drawing, tmp_path):
    drawing.save(tmp_path / "map.svg", COMPOSED)
    text = (tmp_path / "map.svg").read_text()
    assert re.search(r'width="60(\.000\d+)?mm"', text)
    assert "A title" in text
    assert "Without two people." in text


@pytest.mark.parametrize(("linked", "crossed"), [(True, ""), (False, "3 objects")])
def test_captions_say_which_positions_are_not_determined(results, linked, crossed):
    fit, samples, given = results
    objects, moments = given.objects, samples.arrays["conditional"].copy()
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


def test_the_map_of_a_running_experiment_is_drawn_as_others_are(results):
    """Its objects and their colours are its own, and not those of the data set that is open."""
    colours = ("#ff0000", "#00ff00", "#0000ff")
    experiment = Experiment(title="Colours", objects=tuple(
        Stimulus(f"c{k}", "colour", colour) for k, colour in enumerate(colours)
    ))
    positions = np.arange(6.0).reshape(3, 2)
    shown = ShownResults((), results[-1], "open", selected=(7,))
    (drawing,) = map_so_far(shown, MapSoFar(experiment, positions, 50, is_judged=False))
    figure = drawing.draw(Canvas())
    points = [trace for trace in figure.data if trace.customdata is not None]
    assert {trace.name: list(trace.customdata) for trace in points} == {
        colour: [k] for k, colour in enumerate(colours)
    }
    assert drawing.table()["id"].tolist() == ["c0", "c1", "c2"]
    assert np.array_equal(drawing.table()[["x1", "x2"]], positions)
