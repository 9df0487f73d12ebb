"""Simulated experiments: more answers help, noise harms; lists of questions are balanced."""

from __future__ import annotations

import joblib
import numpy as np
import pandas as pd
import pytest

from core.embedding import SOE, STE
from core.plan import Plan, detect_dimension, plan, question_list, recommend
from core.progress import Stopped

METHOD = STE(n_init=1)
SMALL = {"n_objects": 12, "most": 1000, "points": 3, "repeats": 4}


@pytest.fixture(scope="module")
def small() -> Plan:
    return plan(METHOD, **SMALL)


def test_more_answers_predict_better_and_shrink_the_ellipses(small):
    assert small.accuracy.shape == small.ellipse.shape == (4, 3)
    assert small.n_answers.tolist() == [50, 223, 1000]
    accuracy, ellipse = small.accuracy.mean(axis=0), small.ellipse.mean(axis=0)
    assert accuracy[0] < accuracy[-1] < small.ceiling.mean()
    assert ellipse[0] > ellipse[-1]
    assert small.disparity.mean(axis=0)[-1] < 0.1
    # a tenth of the answers is flipped
    assert small.ceiling.mean() == pytest.approx(0.9, abs=0.02)
    band = small.band()
    assert np.all(band.low < band["mean"])
    assert band["mean"].tolist() == accuracy.tolist()


def test_noise_costs_accuracy(small):
    noisy = plan(METHOD, **SMALL, level=0.3)
    assert noisy.accuracy[:, -1].mean() < small.accuracy[:, -1].mean() - 0.05
    assert noisy.ellipse[:, -1].mean() > small.ellipse[:, -1].mean()


@pytest.mark.parametrize("design", ["repeated", "landmark", "uncertain", "gain"])
def test_every_design_learns(design, small):
    found = plan(METHOD, **{**SMALL, "repeats": 2}, design=design)
    assert found.accuracy[:, -1].mean() > 0.7
    assert not np.array_equal(found.accuracy, small.accuracy[:2])


def test_scales_have_one_dimension_whatever_is_said():
    found = plan(METHOD, **{**SMALL, "repeats": 2}, truth="sinusoid", noise="positions", level=0.05)
    assert found.disparity[:, -1].mean() < 0.1


def test_the_same_plan_on_any_number_of_threads_and_a_stop_keeps_some(small):
    with joblib.parallel_config("threading", n_jobs=2):
        again = plan(METHOD, **SMALL)
    assert np.array_equal(small.accuracy, again.accuracy)
    few = plan(METHOD, **SMALL, progress=lambda done, **_: done > 0.3)
    assert np.array_equal(few.accuracy, small.accuracy[:2])
    with pytest.raises(Stopped):
        plan(METHOD, **SMALL, progress=lambda *_, **__: True)


def a_plan(accuracy, ellipse=None) -> Plan:
    accuracy = np.array(accuracy, dtype=float)
    ellipse = np.ones_like(accuracy) if ellipse is None else np.array(ellipse, dtype=float)
    return Plan(np.array([100, 1000]), accuracy, np.full(len(accuracy), 0.95), ellipse, ellipse)


def test_enough_by_hand():
    found = a_plan([[0.6, 0.8], [0.6, 0.8]], [[1.0, 0.2], [1.0, 0.2]])
    assert found.enough(accuracy=0.7) == round(100 * np.sqrt(10))
    assert found.enough(accuracy=0.81) is None
    assert found.enough(ellipse=0.2) == 1000
    assert found.enough(ellipse=0.1) is None
    with pytest.raises(ValueError, match="one of"):
        found.enough()
    assert "still rises" in found.recommendation
    flat = a_plan([[0.9, 0.9], [0.9, 0.9]]).recommendation
    assert "about 100 answers" in flat
    assert "still rises" not in flat


def test_recommendations_say_when_there_is_no_difference():
    better = a_plan([[0.6, 0.9], [0.6, 0.91], [0.6, 0.92]])
    worse = a_plan([[0.6, 0.8], [0.6, 0.81], [0.6, 0.81]])
    level = a_plan([[0.6, 0.93], [0.6, 0.9], [0.6, 0.88]])
    assert recommend({"random": worse, "landmark": better}).startswith(
        "landmark predicts best: 91.0 %"
    )
    assert "repeated cannot be told from it" in recommend({"a": better, "repeated": level})


def test_the_dimension_is_found_with_many_answers_only():
    found = detect_dimension(
        METHOD, n_objects=15, most=2500, points=2, repeats=3, beyond=1, noise="flip", level=0.05
    )
    assert found.true == 2
    assert found.found[-1] == 1.0
    assert found.found[0] <= found.found[1]
    assert "show that there are 2 dimensions" in found.recommendation


def test_what_cannot_be_simulated():
    with pytest.raises(ValueError, match="truth of plan is 'flat'"):
        plan(METHOD, truth="flat")
    with pytest.raises(ValueError, match="odd number"):
        plan(METHOD, design="repeated", repeated=4)
    with pytest.raises(ValueError, match="no model of answers"):
        plan(SOE(), design="gain")


# The list --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "q"), [(4, 12), (7, 105), (30, 400), (5, 1)])
def test_lists_are_balanced_and_different(n, q):
    found = question_list(n, q, repeated=0.0, seed=1).questions
    assert found.shape == (q, 3)
    assert len({(a, *sorted((b, c))) for a, b, c in found.tolist()}) == q
    anchors = np.bincount(found[:, 0], minlength=n)
    assert np.ptp(anchors) <= 1
    used = np.bincount(found[:, 1:].ravel(), minlength=n)
    assert np.ptp(used) <= 2
    lean = np.bincount(found[:, 1], minlength=n) - np.bincount(found[:, 2], minlength=n)
    assert np.abs(lean).max() <= 4


def test_repeats_come_later_and_gold_is_spread():
    found = question_list(10, 100, repeated=0.2, gold=6, seed=0)
    assert len(found.kind) == 126
    kinds, counts = np.unique(found.kind, return_counts=True)
    assert dict(zip(kinds.tolist(), counts.tolist(), strict=True)) == {
        "gold": 6, "question": 100, "repeat": 20,
    }
    seen: dict[tuple, int] = {}
    rows = found.questions.tolist()
    for place, ((a, b, c), kind) in enumerate(zip(rows, found.kind, strict=True)):
        if kind == "gold":
            assert (a, b, c) == (-1, -1, -1)
        elif kind == "repeat":
            assert seen[(a, *sorted((b, c)))] < place
        else:
            seen[(a, *sorted((b, c)))] = place
    gold = np.flatnonzero(found.kind == "gold")
    assert np.all(np.diff(np.floor(gold * 6 / 126)) >= 0)
    assert np.ptp(gold) > 60
    again = question_list(10, 100, repeated=0.2, gold=6, seed=0)
    assert np.array_equal(found.questions, again.questions)
    assert not np.array_equal(found.questions, question_list(10, 100, gold=6, seed=1).questions)


@pytest.mark.parametrize("layout", ["plain", "salmon", "jspsych"])
def test_tables_for_experiments(layout):
    found = question_list(5, 20, gold=3)
    objects = pd.DataFrame({"id": list("abcde"), "label": list("abcde")})
    table = found.table(objects, layout)
    assert len(table) == len(found.kind) == 25
    assert table.kind.tolist() == found.kind.tolist()
    content = table.drop(columns=["kind", *table.columns.intersection(["question"])])
    assert (content[table.kind == "gold"] == "").to_numpy().all()
    assert (content[table.kind != "gold"] != "").to_numpy().all()
    if layout == "plain":
        asked = found.questions[found.kind != "gold"]
        names = table.loc[table.kind != "gold", ["anchor", "left", "right"]].to_numpy()
        assert np.array_equal(names, np.array(list("abcde"))[asked])


def test_impossible_lists_are_refused():
    with pytest.raises(ValueError, match="4 objects allow 1 to 12"):
        question_list(4, 13)
    with pytest.raises(ValueError, match="repeated must be"):
        question_list(4, 5, repeated=0.9)
