"""The page Trees, where features answer in place of a map."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import (
    figure,
    session_on,
    settled,
    start,
    words,
)
from tests.pages.test_trees import trees
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.store.dataset import DatasetInfo


def on_features(session: str, info: DatasetInfo, view: str = "tree") -> AppTest:
    app = trees(session, view)
    return app.selectbox(key=f"trees.map@{info.id}").select("features").run()


def metrics_of(app: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


@pytest.fixture
def measured(services, planted) -> tuple[str, DatasetInfo]:
    """A session with objects that have two features, a class and a response."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30, 2))
    objects = planted.objects[["id", "label"]].assign(
        width=points[:, 0], height=points[:, 1], side=np.where(points[:, 0] > 0, "right", "left"),
        response=points[:, 0],
    )
    return session_on(services, planted.with_objects(objects)), services.workspace.datasets()[0]


def test_a_tree_grows_on_features_before_there_is_a_map(services, measured, holding):
    session, info = measured
    with holding():
        app = on_features(session, info)
        assert metrics_of(app)["By people"] == "—"
        text = words(app)
        assert "Answered by the features" in text
        assert "Features, width, height" in text
        assert "Certainty unknown" not in text
        assert len([t for t in figure(app, "trees.partition")["data"] if t.get("fill")]) > 1
        app.multiselect(key=f"trees.features@{info.id}.columns").set_value(["width"]).run()
        assert "this needs two features" in words(app)
        app.selectbox(key="trees.who.features").select("uploaded").run()
        assert 0 < int(metrics_of(app)["By people"].split()[0]) < 100
        assert "where nobody answered, by the features" in words(app)
        app.multiselect(key=f"trees.features@{info.id}.columns").set_value([]).run()
        assert "No feature is chosen" in words(app)


def test_on_features_a_tree_is_grown_once(services, measured, grown):
    app = on_features(*measured)
    before = len(grown)
    assert before
    assert not app.run().exception
    assert len(grown) == before


def test_standardised_features_make_another_tree(services, measured):
    session, info = measured
    triplets = services.workspace.triplets(info)
    cleaning = services.workspace.cleaning(info)
    wide = triplets.with_objects(triplets.objects.assign(height=triplets.objects["height"] * 1e6))
    services.workspace.update_dataset(info, replace(cleaning, raw=wide))
    app = on_features(session, info)
    before = metrics_of(app), figure(app, "trees.diagram")["data"]
    app.toggle(key=f"trees.features@{info.id}.standardise").set_value(False).run()
    assert (metrics_of(app), figure(app, "trees.diagram")["data"]) != before
    assert "standardise off" in words(app)


def test_a_search_on_features_finds_their_neighbours(services, measured):
    session, info = measured
    app = on_features(session, info, "search")
    text = words(app).replace("\\", "")
    hit, of = map(int, re.search(r"(\d+) of (\d+) found", text).groups())
    assert of == 3
    assert hit >= 2
    assert "nearest by the features" in app.dataframe[0].value
    points = services.workspace.triplets(info).objects[["width", "height"]].to_numpy()
    points = points / points.std(axis=0)
    nearest = np.argsort(np.linalg.norm(points - points[0], axis=1))[1:4]
    labels = services.workspace.triplets(info).labels
    assert app.dataframe[0].value["nearest by the features"].tolist() == [
        labels[i] for i in nearest
    ]


@pytest.mark.parametrize("column", ["side", "response"])
def test_forests_predict_from_features_but_not_features_themselves(services, measured, column):
    session, info = measured
    app = on_features(session, info, "prediction")
    assert app.selectbox(key="trees.predict_column.column").options == ["side", "response"]
    app.selectbox(key="trees.predict_column.column").select(column).run()
    app.button(key="trees.predict_column.run").click().run()
    settled(app, services)
    text = words(app)
    assert "The other methods see the features" in text
    assert "not clearly better" not in text
    assert figure(app, "trees.pivots")["data"][0]["customdata"]


def table_of(n: int, names: list[str] | None = None) -> bytes:
    rng = np.random.default_rng(1)
    points = rng.normal(size=(n, 3))
    table = pd.DataFrame(points, columns=["first", "second", "third"])
    table.insert(0, "name", names or [f"thing {k}" for k in range(n)])
    return table.assign(**{"class": np.where(points[:, 0] > 0, "u", "v")}).to_csv(
        index=False
    ).encode()


def test_an_uploaded_table_adds_features_to_the_objects_it_names(services, opened):
    (info,) = services.workspace.datasets()
    app = on_features(opened, info)
    (before,) = services.workspace.datasets()
    ids = services.workspace.triplets(before).ids
    app.file_uploader(key=f"trees.table@{info.id}").upload(
        "measured.csv", table_of(30, ids), "text/csv"
    ).run()
    app.button(key="trees.table.add").click().run()
    assert not app.exception
    assert not app.error
    (info,) = services.workspace.datasets()
    objects = services.workspace.triplets(info).objects
    assert {"first", "second", "third", "class"} <= set(objects)
    assert "Features, first, second, third" in words(app)
    assert app.multiselect(key=f"trees.features@{info.id}.columns").value == [
        "first", "second", "third"
    ]


def test_a_table_of_other_objects_opens_as_a_data_set(services, opened):
    (info,) = services.workspace.datasets()
    app = on_features(opened, info)
    uploader = app.file_uploader(key=f"trees.table@{info.id}")
    uploader.upload("measured.csv", table_of(20), "text/csv").run()
    assert "measured.csv: the answers number their objects" in app.info[0].value.replace("\\", "")
    assert not [b for b in app.button if b.key == "trees.table.add"]
    app.button(key="trees.table.open").click().run()
    assert not app.exception
    info = services.workspace.datasets()[0]
    assert (info.name, info.n_objects) == ("measured", 20)
    assert 1000 < info.n_answers <= 2000
    assert "Features, first, second, third" in words(app)
    found = services.workspace.triplets(info)
    points = found.objects[["first", "second", "third"]].to_numpy()
    points = points / points.std(axis=0)
    anchor, near, far = found.rows.T
    assert (np.linalg.norm(points[anchor] - points[near], axis=1)
            < np.linalg.norm(points[anchor] - points[far], axis=1)).all()


def test_a_table_opens_where_no_data_set_is_open(services):
    app = start("trees")
    assert "No data set is open" in words(app)
    file = table_of(12) + b"another,,1,2,u\n"
    app.file_uploader(key="trees.table@").upload("measured.csv", file, "text/csv").run()
    assert "13 objects, 3 features; 1 object omitted" in words(app).replace("\\", "")
    app.button(key="trees.table.open").click().run()
    assert not app.exception
    assert "12 objects, leaf size" in words(app)
    again = table_of(12) + b"thing 3,1,1,2,u\n"
    app = start("trees")
    app.session_state[_KEY]._dataset = None
    app.run()
    app.file_uploader(key="trees.table@").upload("twice.csv", again, "text/csv").run()
    assert "twice.csv, row 14: object 'thing 3' is listed twice" in (
        app.error[0].value.replace("\\", "")
    )


@pytest.mark.parametrize("n", [1, 2])
def test_too_few_objects_are_no_data_set(services, n):
    app = start("trees")
    app.file_uploader(key="trees.table@").upload("few.csv", table_of(n), "text/csv").run()
    app.button(key="trees.table.open").click().run()
    assert "Give from 3 to 5,000 objects" in app.error[0].value
    assert not services.workspace.datasets()
