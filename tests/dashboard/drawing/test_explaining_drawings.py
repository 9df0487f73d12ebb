"""Figures of what features explain, as scripts and reports have them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.dashboard.drawing import drawings
from tripletscope.dashboard.drawing.explaining import ceilings_of, in_order, measured_as
from tripletscope.dashboard.wording import Words

SEEN = np.random.default_rng(0).normal(size=(15, 2))


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.simulate(SEEN * 2, 600, noise="logistic", seed=0)


@pytest.fixture(scope="module")
def spaces() -> ts.FeatureSpaces:
    return ts.FeatureSpaces.of([
        ts.FeatureSpace(name="first", values=SEEN[:, :1]),
        ts.FeatureSpace(name="*noise*", values=np.random.default_rng(1).normal(size=(15, 1))),
    ])


@pytest.mark.parametrize(("task", "options", "names"), [
    ("explain", {}, ["features-accuracy"]), ("unique_parts", {}, ["features-unique"]),
    ("feature_weights", {"replicates": 20}, ["features-weights"]),
    ("map_correlation", {"replicates": 20}, ["features-map"]),
    ("left_over", {}, ["features-left-over", "features-left-over-parts"]),
])
@pytest.mark.parametrize("language", ["en", "de"])
def test_every_result_has_figures_with_caption_words_and_numbers(
    answers, spaces, task, options, names, language
):
    run = ts.run(task, spaces, answers, options)
    found = drawings(run, answers, words=Words(language))
    assert [drawing.name for drawing in found] == names
    for drawing in found:
        assert drawing.caption.startswith(drawing.caption[0].upper())
        assert drawing.alt
        assert len(drawing.table())
        assert drawing.figure().data
        assert "{" not in drawing.caption + drawing.title + drawing.alt


def test_the_space_that_predicts_best_stands_first(answers, spaces):
    found = ts.explain(spaces, answers)
    assert in_order(found.table)["space"].iloc[0] == "first"
    assert in_order(found.table.iloc[::-1])["space"].iloc[0] == "first"


def test_choices_counted_two_at_a_time_have_the_chance_of_two():
    answers = ts.read("sample_data/odd_one_out/answers.csv")
    values = pd.read_csv("sample_data/odd_one_out/objects.csv")["alive_rating"].to_numpy()
    found = ts.explain(ts.FeatureSpace(name="alive", values=values), answers)
    asked, two = measured_as(found), measured_as(found, as_asked=False)
    assert set(asked["chance"].round(3)) == {0.333}
    assert set(two["chance"]) == {0.5}
    assert (two["accuracy"] > asked["accuracy"]).all()
    assert (two["choices"] > asked["choices"]).all()
    # Of choices of two the p value is their own, and above chance is what their interval says.
    assert (two["p"] != asked["p"]).all()
    assert ((two["p"] < 0.025) == (two["low"] > 0.5)).all()


def test_no_ceiling_is_drawn_that_is_not_known(answers, spaces):
    found = ts.explain(spaces, answers)
    wide = type(found)(**{**vars(found), "ceiling_lower": np.array([0.7, 0.5, 0.9])})
    assert ceilings_of(wide, []) == {}
    precise = type(found)(**{
        **vars(found), "ceiling_lower": np.array([0.7, 0.68, 0.72]),
        "ceiling_upper": np.array([0.8, 0.78, 0.82]),
    })
    assert ceilings_of(precise, []) == {"objects": (0.7, 0.8), "trials": (0.7, 0.8)}
