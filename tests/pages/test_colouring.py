"""Colours of a map that need no table of objects."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.pages.harness import (
    figure,
    numbers,
    session_on,
    settled,
    start,
    words,
)
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.dashboard.results.colouring import first_colouring, name_parts
from tripletscope.dashboard.ui.colouring import colourings

FACES = [f"CFD-{who}-{k:03d}-N" for who in ("BF", "WM", "AF") for k in range(4)]


@pytest.fixture
def faces(services):
    """A session with faces of which nothing is known but their names."""
    truth = np.random.default_rng(0).normal(size=(12, 2))
    answers = simulate(truth, 400, noise="logistic", seed=1)
    return session_on(services, Triplets(answers.rows, pd.DataFrame({"id": FACES}), name="Faces"))


def colour_box(app, services):
    (info,) = services.workspace.datasets()
    return app.selectbox(key=f"map.colour@{info.id}")


def test_parts_of_names_that_take_few_values_are_found():
    assert {n: [*part.cat.categories] for n, part in name_parts(FACES).items()} == {
        2: ["AF", "BF", "WM"], 3: ["000", "001", "002", "003"],
    }
    assert list(name_parts([f"{what}{k}" for what in ("cup", "pot") for k in range(4)])) == [1]
    fruit = [f"{what} {k:03d}" for what in ("chair", "green apple", "tool box") for k in range(9)]
    assert [*name_parts(fruit)[1].cat.categories] == ["chair", "green apple", "tool box"]


@pytest.mark.parametrize("names", [
    [], ["apple", "pear", "plum", "fig"], [f"i{k}" for k in range(100)],
    ["red car", "red bus", "red dog", "blue car", "cat"], [str(k) for k in range(30)],
])
def test_other_names_have_no_parts(names):
    assert not name_parts(names)


def test_what_colours_at_first_describes_the_objects(services, opened):
    (info,) = services.workspace.datasets()
    triplets = services.workspace.triplets(info)

    def first(objects: pd.DataFrame) -> str:
        known = colourings(Session, info, objects, pd.DataFrame, uncertain=True)
        return first_colouring(objects, known)

    class Session:
        drafts: dict = {}  # noqa: RUF012

    objects = triplets.objects[["id", "label"]]
    n = len(objects)
    assert first(objects) == ""
    assert first(objects.assign(label=[f"{'ab'[k % 2]}-{k}" for k in range(n)])) == "*part 1"
    assert first(objects.assign(kind=["a", "b"] * (n // 2))) == "kind"
    assert first(objects.assign(kind=["a", "b"] * (n // 2), size=np.arange(n))) == "kind"
    assert first(objects.assign(note=[f"note {k}" for k in range(n)])) == ""


def test_a_map_without_a_table_is_coloured_by_what_is_known(services, faces):
    app = settled(start("embedding", faces), services)
    box = colour_box(app, services)
    assert box.value == "*part 2"
    spec = figure(app, "map")
    assert {t["name"] for t in spec["data"] if t.get("customdata")} == {"AF", "BF", "WM"}
    assert spec["layout"]["legend"]["title"]["text"] == "part 2 of the name"
    assert "Colour: part 2 of the name" in words(app).replace("\\", "")

    (info,) = services.workspace.datasets()
    answers = services.workspace.triplets(info).answers_per_object
    app = box.select("*answers").run()
    assert not app.exception
    points = next(t for t in figure(app, "map")["data"] if t.get("customdata"))
    assert points["marker"]["colorbar"]["title"]["text"] == "number of answers about the object"
    assert numbers(points["marker"]["color"]).tolist() == answers[points["customdata"]].tolist()
    assert f"number of answers about the object: {answers[points['customdata'][0]]}" in (
        points["hovertext"][0])

    for key, title in (("*uncertainty", "uncertainty of the position"),
                       ("*contradicted", "answers that the map contradicts")):
        app = colour_box(app, services).select(key).run()
        assert not app.exception
        assert f"Colour: {title}" in words(app).replace("\\", "")
    # Other pages have their own choice, and are not disturbed by one that they do not know.
    for page in ("kernel", "compare"):
        assert not start(page, faces).exception


def test_clusters_colour_the_map_as_the_page_clusters_cuts_them(services, faces):
    app = settled(start("embedding", faces), services)
    assert "*clusters" not in colour_box(app, services).options
    (info,) = services.workspace.datasets()
    made = run("fit", AgglomerativeClustering(n_clusters=4), services.workspace.triplets(info))
    services.workspace.add_run(info, made, "Four clusters")
    app = settled(start("embedding", faces), services)
    app = colour_box(app, services).select("*clusters").run()
    drawn = {t["name"]: len(t["customdata"]) for t in figure(app, "map")["data"]
             if t.get("customdata")}
    assert drawn.keys() == {f"Cluster {k}" for k in range(1, 5)}
    assert sum(drawn.values()) == 12
    around = [t["legendgroup"] for t in figure(app, "map")["data"] if t["name"] == "outline"]
    assert sorted(around) == sorted(drawn)
    assert "Lines are convex hulls of the clusters." in words(app).replace("\\", "")
    app = colour_box(app, services).select("*part 2").run()
    assert "outline" not in {t["name"] for t in figure(app, "map")["data"]}


def test_where_nothing_describes_the_objects_a_link_leads_to_adding_it(services, faces):
    app = settled(start("embedding", faces), services)
    app.button(key="map.table").click().run()
    assert not app.exception
    assert app.title[0].value != "Embedding"
    assert "Stimulus metadata can be added" in words(app)


def test_with_a_table_there_is_no_link(services, opened):
    app = settled(start("embedding", opened), services)
    assert "map.table" not in [button.key for button in app.button]
