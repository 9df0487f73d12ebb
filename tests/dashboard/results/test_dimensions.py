"""What is looked at of dimensions is drawn and said."""

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.models.dimensions.known_dimensions import simulate_choices
from tripletscope.dashboard.results import drawings
from tripletscope.dashboard.results.dimension_details import (
    Histograms,
    OneDimension,
    OneTrial,
    SomeDimensions,
    SomeObjects,
    facts_said,
    similar_said,
)
from tripletscope.dashboard.results.dimensions import data_of, facts_table
from tripletscope.dashboard.results.presentation import ShownResults


@pytest.fixture(scope="module")
def choices():
    """Odd ones out among three kinds of objects."""
    weights = np.repeat(np.eye(3), 6, axis=0) * np.linspace(2.5, 1.5, 18)[:, None]
    objects = pd.DataFrame({
        "id": [f"{kind} {k}" for kind in ("cat", "pear", "saw") for k in range(6)],
        "kind": np.repeat(["animal", "fruit", "tool"], 6), "size": np.arange(18.0),
    })
    return simulate_choices(weights, 600, objects=objects, seed=3, participants=10)


@pytest.fixture(scope="module")
def runs(choices):
    method = ts.dimensions.SPoSE(n_components=8, penalty=3.0)
    return [ts.run(task, method, choices, options) for task, options in (
        ("fit", {}), ("bootstrap_dimensions", {"replicates": 10}),
    )]


@pytest.mark.parametrize(("detail", "names"), [
    (Histograms((2, 0)), ["histograms"]),
    (OneDimension(1, column="kind"), ["sheet", "histogram", "intervals", "against"]),
    (OneDimension(0, along=True, column="size"), ["sheet", "histogram", "intervals", "against"]),
    (SomeObjects(4), ["rose"]), (SomeObjects(4, bars=True), ["rose"]),
    (SomeObjects(4, 11), ["rose", "pair"]), (OneTrial((0, 1, 12)), ["trial"]),
])
def test_details_are_drawn(choices, runs, detail, names):
    drawn = drawings(runs, choices, detail=detail)
    assert [drawing.name for drawing in drawn] == [f"dimension-{name}" for name in names]
    for drawing in drawn:
        assert len(drawing.figure().data) > 0
        assert len(drawing.table()) > 0
        assert "SPoSE" in drawing.caption


def test_rows_of_chosen_dimensions_have_their_facts(choices, runs):
    shown = ShownResults(tuple(runs), choices, "Things")
    facts = facts_table(shown, runs[0], 3).assign(lost=[0.25, 0.1, -0.01])
    (drawing,) = drawings(runs, choices, detail=SomeDimensions((2, 0), facts))
    rows = next(trace for trace in drawing.figure().data if trace.name == "titles")
    assert rows.text == ("<b>Dimension 3</b>", "<b>Dimension 1</b>")
    assert "+1.0 points if left out" in facts_said(facts, 2)
    assert "\N{MINUS SIGN}25.0 points if left out" in facts_said(facts, 0)
    assert drawing.table()["dimension"].unique().tolist() == [3, 1]


def test_objects_without_a_common_dimension_have_nothing_in_common(choices, runs):
    data = data_of(ShownResults(tuple(runs), choices, "Things"), runs[0])
    data.weights[:] = np.repeat(np.eye(3), 6, axis=0)
    assert list(similar_said(data, 0, 17))[1] == "They share no dimension."
    rank, parts = similar_said(data, 0, 1)
    assert "cat 1 is number 1 of 17 objects" in rank
    assert "(100%)" in parts
