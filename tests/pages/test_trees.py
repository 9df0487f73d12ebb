"""The page Trees."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.upload.uploads import png
from tests.pages.harness import (
    PAGES,
    figure,
    numbers,
    on_tab,
    session_on,
    settled,
    start,
    stopped,
    unfold,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import K1
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.pages.trees import tree_context
from tripletscope.pages.trees.tree import displaced


def trees(session: str, view: str = "tree") -> AppTest:
    return on_tab(start("trees", session), "trees", view)


def marks(app: AppTest, name: str, key: str = "trees.diagram") -> dict:
    """The trace of a name in a figure."""
    return next(t for t in figure(app, key)["data"] if t.get("name") == name)


def test_the_first_visit_grows_a_tree_without_being_asked(services, opened, holding):
    with holding():
        assert "There is no map yet" in words(start("trees", opened))
    for job in services.jobs.of(opened):
        assert job.wait(300)
    app = trees(opened)
    metrics = {metric.label: metric.value for metric in app.metric}
    assert 0 < int(metrics["By people"].split()[0]) < 100
    assert int(metrics["Questions"]) >= 30
    assert "where nobody answered, by the map" in words(app)
    assert "unsure" in words(app)
    assert marks(app, "nodes")["customdata"][0] == 0
    assert len([t for t in figure(app, "trees.partition")["data"] if t.get("fill")]) > 2


def test_who_answers_makes_another_tree(services, mapped):
    app = trees(mapped)
    (info,) = services.workspace.datasets()
    app.selectbox(key=f"trees.colour@{info.id}").select("kind").run()
    names = {t.get("name") for t in figure(app, "trees.diagram")["data"]}
    assert {"a", "b", "c"} <= names
    app.selectbox(key="trees.who").select("map").run()
    assert {metric.label: metric.value for metric in app.metric}["By people"] == "—"
    app.selectbox(key=f"trees.pivots.map@{info.id}").select("supervised").run()
    assert "pivots of different kind" in words(app)
    app.selectbox(key="trees.who").select("observer").run()
    app.number_input(key="trees.times").set_value(3).run()
    assert not app.exception
    assert "asked 3 times" in words(app).replace("\\", "")
    calm = {metric.label: metric.value for metric in app.metric}["Questions"]
    app.number_input(key="trees.times").set_value(1).run()
    assert int(calm) > 2 * int({m.label: m.value for m in app.metric}["Questions"])


def test_a_person_answers_at_the_screen_and_goes_on_later(services, mapped):
    app = trees(mapped)
    app.selectbox(key="trees.who").select("person").run()
    (info,) = services.workspace.datasets()
    app.number_input(key=f"trees.some@{info.id}").set_value(4).run()
    assert "0 answers so far" in words(app)
    app.button(key="trees.answer.Left").click().run()
    assert "1 answer so far" in words(app)
    app.button(key="trees.undo").click().run()
    assert "0 answers so far" in words(app)
    app.button(key="trees.answer.Right").click().run()
    app.switch_page(PAGES["data"]).run()
    again = trees(mapped)  # a refresh
    assert "1 answer so far" in words(again)
    for _ in range(10):
        if again.success:
            break
        again.button(key="trees.answer.Left").click().run()
    assert "of this tree are answered" in again.success[0].value
    assert {metric.label: metric.value for metric in again.metric}["By people"] == "100 %"
    n_given = len(again.session_state[_KEY].drafts[f"trees.given@{info.id}"])
    again.button(key="trees.given.keep").click().run()
    kept = services.workspace.datasets()[0]
    assert (kept.n_answers, kept.n_objects) == (n_given, 30)


def test_damaged_pictures_leave_their_places_to_a_sentence(services, planted):
    objects = planted.objects.assign(image=[f"{k}.png" for k in range(30)])
    triplets = Triplets(planted.rows, objects, planted.answers, "Things")
    pictures = {f"{k}.png": png(8 * k) for k in range(30)}
    info = services.workspace.add_dataset(triplets, origin="a", report=[], pictures=pictures)
    services.workspace.add_run(info, run("fit", STE(n_init=1), triplets), "map")
    session = Session("pictures")
    session.open(info.id)
    session.save()
    for number, path in enumerate(sorted(services.workspace.folder.glob("*/pictures/*"))):
        if number:
            path.write_bytes(b"damaged")
    services.workspace._compared.clear()
    app = trees(session.id)
    app.selectbox(key="trees.who").select("person").run()
    assert not app.exception
    assert all("is damaged" in error.value for error in app.error)
    assert len(app.error) >= 2
    app.button(key="trees.answer.Left").click().run()
    app.button(key="trees.given.keep").click().run()
    kept = services.workspace.datasets()[0]
    assert (kept.n_answers, len(kept.pictures)) == (1, 1)
    app.selectbox(key="trees.who").select("map").run()
    assert not on_tab(app, "trees", "search").error


def test_a_search_is_walked_down_and_judged(services, mapped):
    app = trees(mapped, "search")
    text = words(app).replace("\\", "")
    assert "Nearer to" in text
    assert "of 3 found" in text
    (info,) = services.workspace.datasets()
    app.select_slider(key=f"trees.step@{info.id}").set_value(0).run()
    assert "Nearer to" not in words(app)
    app.number_input(key="trees.trees.uploaded").set_value(5).run()
    assert "of 3 found" in words(app)
    for key, value in (("n_trees", 2), ("folds", 2), ("max_objects", 10)):
        app.number_input(key=f"trees.search_curve.{key}").set_value(value).run()
    app.button(key="trees.search_curve.run").click().run()
    settled(app, services)
    lines = [t["name"] for t in figure(app, "trees.search")["data"] if t.get("name")]
    assert lines == ["Comparison tree", "2 comparison trees"]
    app.selectbox(key=f"trees.curve@{app.session_state[_KEY].dataset.id}").select("asked").run()
    assert "by questions" in words(app)
    unfold(app, "Expansion rates: how hard these objects are to search")
    assert figure(app, "trees.expansion")["data"][0]["customdata"]


@pytest.mark.parametrize("n", [4, 40])
def test_a_search_finds_neighbours_without_a_setting(services, n):
    """Three of the others at most, where there are so few."""
    positions = np.random.default_rng(n).normal(size=(n, 2))
    answers = simulate(positions, 60 * n, noise="logistic", seed=1)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    fit = run("fit", STE(n_init=1), services.workspace.triplets(info))
    services.workspace.add_run(info, fit, "STE")
    wanted = min(3, n - 1)
    app = trees(session, "search")
    for query in range(0, n, max(n // 4, 1)):
        app.selectbox(key=f"trees.query@{info.id}").select(str(query)).run()
        text = words(app).replace("\\", "")
        hit, of = map(int, re.search(r"(\d+) of (\d+) found", text).groups())
        assert of == wanted
        assert hit >= wanted - 1, f"{hit} of {of} neighbours of {query}"
        assert f"comparing all {n - 1} objects takes about" in text


@pytest.mark.parametrize("trees_of_search", [1, 4])
def test_an_observer_answers_a_search_in_the_same_way_whenever_it_is_shown(
    services, mapped, trees_of_search
):
    app = trees(mapped, "search")
    app.selectbox(key="trees.who").select("observer").run()
    (info,) = services.workspace.datasets()
    assert app.number_input(key="trees.level.flip").max == 0.5
    app.number_input(key="trees.level.flip").set_value(0.5).run()
    app.number_input(key="trees.trees.observer").set_value(trees_of_search).run()
    before = words(app), app.dataframe[0].value.to_csv()
    assert "flipped answers, level 0.5" in before[0].replace("\\", "")
    steps = app.select_slider(key=f"trees.step@{info.id}").value
    for step in (0, steps):
        app.select_slider(key=f"trees.step@{info.id}").set_value(step).run()
    assert (words(app), app.dataframe[0].value.to_csv()) == before
    assert (words(trees(mapped, "search"))) == before[0], "in another tab too"


@pytest.mark.parametrize("column", ["kind", "size"])
def test_forests_predict_classes_and_numbers(services, mapped, column):
    app = trees(mapped, "prediction")
    app.selectbox(key="trees.predict_column.column").select(column).run()
    app.number_input(key="trees.predict_column.folds").set_value(2).run()
    app.button(key="trees.predict_column.run").click().run()
    settled(app, services)
    text = words(app).replace("\\", "")
    said = "the most frequent class" if column == "kind" else "the mean"
    assert f"Always predicting {said} gives" in text
    (info,) = services.workspace.datasets()
    (found,) = (one.key for one in services.workspace.runs(info.id, "predict_column"))
    app.select_slider(key=f"trees.n_trees@{info.id}.{found}").set_value(3).run()
    assert "3 trees" in words(app)
    outcome = figure(app, f"trees.predicted-{column}")["data"]
    if column == "kind":
        assert numbers(outcome[0]["z"]).size == 9
        axes = figure(app, f"trees.predicted-{column}")["layout"]
        assert [axes[f"{a}axis"]["title"]["text"] for a in "xy"] == ["predicted", "true"]
        title = next(e.label for e in app.expander if e.label.endswith("predicted wrongly"))
        wrong = unfold(app, title).dataframe[0].value
        assert (wrong["true"] != wrong["predicted"]).all()
        assert title == f"{len(wrong)} objects predicted wrongly"
        [select] = (b for b in app.button if b.label.startswith("Select ") and not b.disabled)
        select.click().run()
        assert len(app.session_state[_KEY].selection) == len(wrong)
    else:
        assert len(outcome[1]["customdata"]) == 30
    assert ("Rows: true class; columns: predicted" in text) == (column == "kind")
    app.selectbox(key=f"trees.predictor@{info.id}").select_index(1).run()
    peer = app.selectbox(key=f"trees.predictor@{info.id}").value
    assert f"{peer}. {column} of 30 objects" in words(app).replace("\\", "")
    assert figure(app, "trees.pivots")["data"][0]["customdata"]


def test_a_forest_that_learns_nothing_is_said_to(services, planted):
    """Noise has nothing to do with the map; its first axis has."""
    fit = run("fit", STE(n_init=1), planted)
    place = fit.fitted().embedding_[:, 0]
    noise = np.random.default_rng(0).normal(size=planted.n_objects)
    objects = planted.objects.assign(place=place, noise=noise)
    session = session_on(services, planted.with_objects(objects))
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, fit, "map")
    app = trees(session, "prediction")
    for column, useless in (("noise", True), ("place", False)):
        app.selectbox(key="trees.predict_column.column").select(column).run()
        app.button(key="trees.predict_column.run").click().run()
        settled(app, services)
        assert ("not clearly better than always predicting the mean" in words(app)) == useless
        if useless:  # it is the verdict, before any error
            assert words(app).index("not clearly better") < words(app).index("Error of comparison")


def test_a_kernel_answers_too(services, opened):
    (info,) = services.workspace.datasets()
    found = run("fit", K1(), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "k1")
    app = trees(opened)
    assert "this needs a two-dimensional map" in words(app)
    app.selectbox(key="trees.who").select("observer").run()
    assert not app.exception
    app = trees(opened, "search")
    assert "of 3 found" in words(app)


@pytest.mark.parametrize("view", ["tree", "search", "prediction"])
def test_a_kernel_that_knows_nothing_grows_no_tree(services, planted, view):
    both = np.concatenate([planted.rows, planted.rows[:, [0, 2, 1]]])
    session = session_on(services, Triplets(both, planted.objects))
    (info,) = services.workspace.datasets()
    found = run("fit", K1(), services.workspace.triplets(info))
    services.workspace.add_run(info, found, "k1")
    app = trees(session, view)
    assert "k1 covers only 0 objects" in words(app)


def test_a_matrix_answers_the_questions(services):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(7, 2))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    names = [f"colour {i}" for i in range(7)]
    app = start()
    app.file_uploader(key="upload").upload(
        "colours.csv", pd.DataFrame(distances, names, names).to_csv().encode(), "text/csv"
    )
    app.run()
    assert "a matrix of dissimilarities" in " ".join(one.value for one in app.info)
    app.button(key="matrix.go").click().run()
    assert not app.exception
    assert app.title[0].value == "Embedding"
    (info,) = services.workspace.datasets()
    rows = services.workspace.triplets(info).rows
    assert len(rows) == 7 * 6 * 5 // 2
    assert (distances[rows[:, 0], rows[:, 1]] < distances[rows[:, 0], rows[:, 2]]).all()
    assert services.workspace.triplets(info).ids == names
    app = start()
    np.fill_diagonal(distances, np.nan)
    app.file_uploader(key="upload").upload(
        "alike.csv", pd.DataFrame(distances, names, names).to_csv().encode(), "text/csv"
    )
    app.run()
    app.selectbox(key="matrix.values").select("alike").run()
    app.button(key="matrix.go").click().run()
    info, _ = services.workspace.datasets()
    rows = services.workspace.triplets(info).rows
    assert (distances[rows[:, 0], rows[:, 1]] > distances[rows[:, 0], rows[:, 2]]).all()


def test_displaced_objects_are_those_that_a_drawn_decision_puts_elsewhere():
    positions = np.array([[0.0, 0], [4, 0], [1, 0], [3, 0], [1.5, 0]])
    decisions = pd.DataFrame({
        "node": [0, 0, 0, 7], "x": [2, 3, 4, 3], "p": [0, 0, 0, 1], "q": [1, 1, 1, 0],
        "nearer_to_p": [True, True, False, False],
    })
    assert displaced(decisions, positions, {0}).tolist() == [3, 4]
    assert displaced(decisions, positions, {7}).tolist() == [3]
    assert displaced(decisions, positions, ()).tolist() == []


def test_a_map_that_was_stopped_has_a_tree_of_its_own(services, mapped, grown):
    app = trees(mapped)
    services.workspace.add_run(*stopped(services), "")
    before = len(grown)
    app.run()
    assert len(grown) == before + 1
    app.run()
    assert len(grown) == before + 1


def test_a_tree_is_grown_anew_once_all_maps_are_there(services, planted, monkeypatch):
    session = session_on(services, planted)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, run("fit", STE(n_init=1), planted), "STE")
    maps, grown = run("bootstrap", STE(n_init=1), planted, {"replicates": 10}), []
    monkeypatch.setattr(tree_context, "fitted_tree", lambda *given, grow=tree_context.fitted_tree: (
        grown.append(given) or grow(*given)
    ))
    for complete in (False, True, True):
        services.workspace.add_run(info, replace(maps, complete=complete), "STE")
        start("trees", session)
    assert len(grown) == 2
