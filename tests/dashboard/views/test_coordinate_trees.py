"""Trees that see features, on the page Trees."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from tests.dashboard.views.harness import figure, on_tab, session_on, settled, start, unfold, words
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.results.trees import division
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.wording import ENGLISH


@pytest.fixture
def with_features(services) -> str:
    """A session with objects of two features, compared by these."""
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({
        "id": [f"o{k}" for k in range(40)], "width": rng.normal(10, 3, 40),
        "height": rng.normal(2, 0.1, 40), "kind": ["a", "b"] * 20,
    })
    session = session_on(services, Triplets([[0, 1, 2], [3, 4, 5]], objects))
    (info,) = services.workspace.datasets()
    current = Session(session, {"dataset": info.id, "drafts": {
        f"trees.map@{info.id}": "features",
        f"trees.features@{info.id}.columns": ["width", "height"],
    }})
    current.save()
    return session


@pytest.mark.parametrize(("kind", "fact"), [
    ("kd", r"KD tree, height (\d)"), ("rp", r"RP tree, height (\d)"),
    ("pa", r"PA tree \(PCA\), height (\d)"), ("cover", r"Rank cover tree, (\d+) levels"),
])
def test_trees_that_see_features_are_chosen_where_there_are_some(
    services, with_features, kind, fact
):
    app = on_tab(start("trees", with_features), "trees", "tree")
    app.selectbox(key="trees.kind").select(kind).run()
    assert "Nothing has been computed yet" in words(app)
    app.button(key="trees.coordinate_tree.run").click().run()
    app = settled(app, services)
    text = words(app).replace("\\", "").replace("*", "")
    assert int(re.search(fact, text)[1]) > 1
    assert "of the nearest neighbours of 40 objects is missed" in text
    assert "by the comparison trees alone" in text
    unfold(app, "Nearest neighbours", "Levels" if kind == "cover" else "Nodes")
    shown = [table.value for table in app.dataframe]
    neighbours = next(table for table in shown if "nearest" in table)
    assert len(neighbours) == 40
    if kind == "cover":
        assert next(table for table in shown if "level" in table)["objects"].max() == 40
        return
    nodes = next(table for table in shown if "divided by" in table)
    assert nodes["objects"].iloc[0] == 40
    outlines = [t for t in figure(app, "trees.cells")["data"] if t.get("fill")]
    assert len(outlines) == (nodes["divided by"] == "").sum() > 2
    if kind == "kd":
        feature, _, bound = nodes["divided by"].iloc[0].partition(" ≤ ")
        (info,) = services.workspace.datasets()
        values = services.workspace.triplets(info).objects[feature]
        assert (values <= float(bound)).sum() == 20


def test_maps_and_kernels_have_comparison_trees_alone(mapped):
    app = on_tab(start("trees", mapped), "trees", "tree")
    assert "trees.kind" not in {box.key for box in app.selectbox}


def test_divisions_are_said_in_units_of_the_features():
    names, middle, spread = ("width", "height", "weight", "age"), np.full(4, 10.0), np.full(4, 2.0)
    one = division(ENGLISH, names, np.array([0.0, 1.0, 0.0, 0.0]), 0.5, middle, spread)
    assert one == "height ≤ 11"
    turned = division(ENGLISH, names, np.array([0.0, -2.0, 0.0, 0.0]), 1.0, middle, spread)
    assert turned == "height ≥ 9"
    several = division(ENGLISH, names, np.array([3.0, 0.1, -4.0, 0.2]), 5.0, middle, spread)
    assert several == "− 0.80 weight + 0.60 width + 0.04 age, and 1 more ≤ 0.999"
