"""Designs of lists of questions."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.studies.experiment.made import experiment_of, gold_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.export import questions_for
from tripletscope.core.studies.experiment.listed_designs import (
    DESIGNS,
    asked_as,
    designed,
    listed,
    mixed,
)
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.results import gathered_answers
from tripletscope.core.studies.experiment.simulated import simulated_participants


def plain(n, **values):
    return experiment_of(n, **({"repeated": 0.0, "catch": 0.0, "n_practice": 0} | values))


def rows_of(experiment, person=0, kind="question"):
    places = {one.id: k for k, one in enumerate(experiment.objects)}
    return np.array([
        [places[name] for name in one.shown]
        for one in person_list(experiment, person).questions if one.kind == kind
    ])


def different(rows):
    return {(a, *sorted((b, c))) for a, b, c in rows.tolist()}


@pytest.mark.parametrize(("n", "q"), [(4, 12), (7, 105), (30, 400), (5, 1)])
@pytest.mark.parametrize("design", ["balanced", "different"])
def test_lists_are_balanced_and_different(n, q, design):
    rows = rows_of(designed(plain(n, n_questions=q, seed=1), design))
    assert rows.shape == (q, 3)
    assert len(different(rows)) == q
    assert np.ptp(np.bincount(rows[:, 0], minlength=n)) <= 1
    assert np.ptp(np.bincount(rows[:, 1:].ravel(), minlength=n)) <= 2
    lean = np.bincount(rows[:, 1], minlength=n) - np.bincount(rows[:, 2], minlength=n)
    assert np.abs(lean).max() <= 4


@pytest.mark.parametrize("design", ["balanced", "random", "landmark"])
def test_no_list_has_more_questions_than_there_are(design):
    with pytest.raises(DataError, match=r"100 questions .* 6 objects, which allow 60 different"):
        designed(plain(6, n_questions=100), design)
    assert len(rows_of(designed(plain(6, n_questions=60), design))) == 60


@pytest.mark.parametrize(("task", "values"), [
    ("triplet", {}), ("odd_one_out", {}), ("ranking", {"n_options": 5, "n_ranked": 2}),
    ("pairs", {}),
])
def test_a_further_list_asks_as_before(task, values):
    asked = experiment_of(9, task=task, n_questions=40, **values)
    places = np.random.default_rng(0).normal(size=(9, 2))
    records = simulated_participants(asked, places, 3)
    assert asked_as(gathered_answers(asked, records)) == {"task": task, **values}


def test_triads_of_levels_are_asked_as_triads():
    answers = ts.read("sample_data/difference_scaling/answers.csv")
    assert asked_as(answers) == {"task": "triad"}
    assert asked_as(ts.read("sample_data/ekman_colors/answers.csv")) == {"task": "triplet"}


def test_several_lists_share_no_question():
    experiment = designed(
        plain(16, n_questions=20, repeated=0.1, seed=3), "different", n_lists=4
    )
    lists = [rows_of(experiment, person) for person in range(4)]
    assert len(different(np.concatenate(lists))) == 80
    for person, rows in enumerate(lists):
        assert np.ptp(np.bincount(rows[:, 0], minlength=16)) <= 2
        again = rows_of(experiment, person, "repeat")
        assert len(again) == 2
        assert different(again) <= different(rows)
    table = pd.read_csv(io.BytesIO(questions_for(experiment, "plain", range(4))["plain.csv"]))
    assert table["list"].tolist() == np.repeat([1, 2, 3, 4], 22).tolist()


@pytest.mark.parametrize(("kernel", "number"), [("k1", 6 * 3 + 3 * 1), ("k2", 6 * 6 + 3)])
def test_a_landmark_design_is_complete_with_sides_by_lot(kernel, number):
    experiment = designed(plain(9, n_landmarks=3), kernel)
    rows = rows_of(experiment)
    assert len(rows) == len(different(rows)) == number
    few = np.unique(rows[:, 1:] if kernel == "k1" else rows[:, 0])
    assert len(few) == 3
    chosen = designed(plain(9), kernel, landmarks=np.array([0, 4, 8]))
    assert set(np.unique(rows_of(chosen)[:, 1:] if kernel == "k1" else rows_of(chosen)[:, 0])) == {
        0, 4, 8
    }
    lists = designed(plain(9, n_landmarks=3), kernel, n_lists=2)
    assert len(rows_of(lists)) + len(rows_of(lists, 1)) == number
    many = mixed(np.tile([[0, 1, 2]], (400, 1)), np.random.default_rng(0))
    assert 150 < np.sum(many[:, 1] == 1) < 250


def test_every_design_is_asked_by_every_way_that_it_is_made_for():
    for design in DESIGNS:
        (file,) = questions_for(designed(plain(9, n_questions=10), design), "salmon").values()
        table = pd.read_csv(io.BytesIO(file))
        assert table.columns.tolist() == ["head", "left", "right", "kind"]
        assert table[["head", "left", "right"]].to_numpy().max() == 8
    for task in ("odd_one_out", "ranking", "pairs"):
        experiment = designed(plain(9, n_questions=10, task=task), "different", n_lists=2)
        lists = [person_list(experiment, person).questions for person in range(2)]
        assert [len(one) for one in lists] == [10, 10]
        with pytest.raises(DataError, match="Salmon asks which of two"):
            questions_for(experiment, "salmon")


def test_a_plain_table_says_what_is_right():
    base = plain(8, n_questions=10, catch=0.1)
    experiment = base.changed(gold=(gold_of(base),), gold_share=0.1)
    table = pd.read_csv(
        io.BytesIO(questions_for(experiment, "plain")["plain.csv"]), keep_default_na=False
    )
    assert table.columns.tolist() == ["question", "anchor", "left", "right", "kind", "correct"]
    assert table["question"].tolist() == list(range(1, 13))
    checks = table[table["kind"].isin(["catch", "gold"])]
    assert len(checks) == 2
    catch = checks[checks["kind"] == "catch"].iloc[0]
    assert catch[["left", "right"][int(catch["correct"]) - 1]] == catch["anchor"]
    assert (table.loc[~table.index.isin(checks.index), "correct"] == "").all()


def test_impossible_lists_are_refused():
    with pytest.raises(DataError, match="4 objects allow 12 different questions"):
        designed(plain(4, n_questions=13), "different")
    with pytest.raises(DataError, match="at most 100,000 are listed"):
        designed(plain(700, n_landmarks=300), "k2")
    with pytest.raises(DataError, match="an anchor and two objects"):
        designed(plain(8, task="pairs"), "k1")
    with pytest.raises(ValueError, match="design is 'best'"):
        designed(plain(8), "best")
    with pytest.raises(DataError, match="no list of questions"):
        person_list(listed(plain(8), np.zeros((0, 3), dtype=int)), 0)
