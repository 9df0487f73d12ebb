"""What is said and drawn of what features explain."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.features.test_explain import of_people, spaces_of
from tests.core.features.test_ways import observed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.features.correlation import MapCorrelation
from tripletscope.core.features.explain import explain
from tripletscope.dashboard.results import drawings
from tripletscope.dashboard.results.features import (
    accuracy_said,
    ceilings_of,
    correlations_said,
    in_order,
    measured_as,
)

SEEN = np.random.default_rng(0).normal(size=(15, 2))


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.simulate(SEEN * 2, 600, noise="logistic", seed=0)


@pytest.fixture(scope="module")
def spaces() -> ts.features.FeatureModel:
    return ts.features.FeatureModel.of([
        ts.features.FeatureSpace(name="first", values=SEEN[:, :1]),
        ts.features.FeatureSpace(
            name="*noise*", values=np.random.default_rng(1).normal(size=(15, 1))
        ),
    ])


@pytest.mark.parametrize(("task", "options", "names"), [
    ("explain", {}, ["features-accuracy"]), ("unique_parts", {}, ["features-unique"]),
    ("feature_weights", {"replicates": 20}, ["features-weights"]),
    ("map_correlation", {"replicates": 20}, ["features-map"]),
    ("left_over", {}, ["features-left-over", "features-left-over-parts"]),
    ("recover_spaces", {"model": "raw", "repeats": 5}, ["recovery"]),
    ("align_spaces", {"starts": 4}, ["alignment", "plan"]),
    ("shared_dimensions", {"permutations": 99}, ["shared-dimensions"]),
])
def test_every_result_has_figures_with_caption_words_and_numbers(
    answers, spaces, task, options, names
):
    run = ts.run(task, spaces, answers, options)
    found = drawings(run, answers)
    assert [drawing.name for drawing in found] == names
    for drawing in found:
        assert drawing.caption.startswith(drawing.caption[0].upper())
        assert drawing.alt
        assert len(drawing.table())
        assert drawing.figure().data
        assert "{" not in drawing.caption + drawing.title + drawing.alt


def test_the_space_that_predicts_best_stands_first(answers, spaces):
    found = ts.features.explain(spaces, answers)
    assert in_order(found.table)["space"].iloc[0] == "first"
    assert in_order(found.table.iloc[::-1])["space"].iloc[0] == "first"


def test_choices_counted_two_at_a_time_have_the_chance_of_two():
    answers = ts.read("sample_data/odd_one_out/answers.csv")
    values = pd.read_csv("sample_data/odd_one_out/objects.csv")["alive_rating"].to_numpy()
    found = ts.features.explain(ts.features.FeatureSpace(name="alive", values=values), answers)
    asked, two = measured_as(found), measured_as(found, as_asked=False)
    assert set(asked["chance"].round(3)) == {0.333}
    assert set(two["chance"]) == {0.5}
    assert (two["accuracy"] > asked["accuracy"]).all()
    assert (two["choices"] > asked["choices"]).all()
    # Of choices of two the p value is their own, and above chance is what their interval says.
    assert (two["p"] != asked["p"]).all()
    assert ((two["p"] < 0.025) == (two["low"] > 0.5)).all()


def test_no_ceiling_is_told_that_is_not_known(answers, spaces):
    found = ts.features.explain(spaces, answers)
    bounds = np.array([0.7, 0.8])
    wide = replace(found, ceiling=Estimate(bounds, np.array([0.5, 0.78]), np.array([0.9, 0.82])))
    assert ceilings_of(wide.table) == {}
    assert wide.table[["ceiling_lower", "ceiling_upper"]].isna().all(axis=None)
    precise = replace(found, ceiling=Estimate(bounds, bounds - 0.02, bounds + 0.02))
    assert ceilings_of(precise.table) == {"objects": (0.7, 0.8), "trials": (0.7, 0.8)}
    two = replace(precise, of_two_ceiling=Estimate(bounds + 0.1, bounds + 0.08, bounds + 0.12))
    table = measured_as(two, as_asked=False)
    assert ceilings_of(table)["trials"] == pytest.approx((0.8, 0.9))


def texts(parts) -> list[str]:
    return [part.text for part in parts]


def test_only_what_is_learned_can_be_learned_by_heart(answers, spaces):
    found = ts.features.explain(spaces, answers)
    table = pd.DataFrame({
        "space": "size", "model": ["raw", "raw"], "held_out": ["objects", "trials"],
        "accuracy": 0.7, "low": 0.6, "high": 0.8, "p": 0.001, "chance": 0.5, "choices": 100,
    })
    text = " ".join(texts(accuracy_said(found, table, {})))
    assert text.startswith("size predicts choices among held-out objects by its distances")
    assert "Nothing was learned" in text
    text = " ".join(texts(accuracy_said(found, table.assign(model="linear"), {})))
    assert "higher for that reason alone" in text


def test_random_features():
    seen, spaces = spaces_of(6, None)
    found = explain(spaces, of_people(seen, 24_000, 6))
    said = texts(accuracy_said(found, in_order(found.table), {}))
    assert said[0].startswith("No features are seen to predict choices among held-out objects")
    assert not any("ahead" in sentence or "told apart" in sentence for sentence in said)


def test_rows_that_are_compared_otherwise():
    values, answers = observed("product", 2, sparse=True)
    spaces = [ts.features.FeatureSpace(name="net *A*", values=values),
              ts.features.FeatureSpace(name="net B", values=values, metric="product")]
    found = explain(spaces, answers, components=5, object_folds=2, folds=2)
    said = " ".join(texts(accuracy_said(found, in_order(found.table), {})))
    assert "predict better: net ∗A∗ by inner product, ." in said
    assert "(by Euclidean distance, ." in said
    assert "net B by" not in said


def test_random_correlations():
    value, none = np.array([0.3, 0.1]), np.zeros(2)
    said = Estimate(value, value - 0.339, value + 0.339, n=20)
    found = MapCorrelation(
        ["a", "b"], "spearman", said, said, Estimate(none, none - 0.1, none + 0.1, n=20), 0.5, 0.9,
        np.zeros((0, 2)), n_objects=20,
    )
    said = texts(correlations_said(found))
    assert said[0].startswith("No feature is seen to rank pairs better than chance")
    assert not any("most like" in sentence or "ahead" in sentence for sentence in said)
