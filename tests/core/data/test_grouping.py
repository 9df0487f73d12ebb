"""Which objects are compared with each other, and whether any is compared with others."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data import grouping
from tripletscope.core.data.triplets import Triplets

ALONE = np.arange(30).reshape(10, 3)


def of_trials(rows: np.ndarray, trials: np.ndarray) -> Triplets:
    objects = pd.DataFrame({"id": [str(i) for i in range(int(rows.max()) + 1)]})
    return Triplets(rows, objects, pd.DataFrame({"trial": trials}))


def test_objects_of_separate_questions_do_not_recur():
    assert not Triplets.from_array(ALONE).objects_recur


def test_repeats_and_other_anchors_of_a_question_place_no_object():
    rows = np.concatenate([ALONE, ALONE[:, [0, 2, 1]], ALONE[:, [1, 0, 2]]])
    assert not Triplets.from_array(rows).objects_recur


def test_one_object_of_two_questions_is_enough():
    rows = ALONE.copy()
    rows[9, 2] = rows[0, 0]
    assert Triplets.from_array(rows).objects_recur


def test_three_objects_are_company_enough():
    assert Triplets.from_array([[0, 1, 2], [1, 0, 2]]).objects_recur


@pytest.mark.parametrize("first", [2, 5_000])
def test_rankings_of_several_people_are_trials_of_the_same_objects(first, monkeypatch):
    monkeypatch.setattr(grouping, "_FIRST", first)
    ranking = np.array([(0, j, k) for j in range(1, 5) for k in range(j + 1, 5)])
    rows = np.concatenate([ranking + 5 * k for k in range(6)] * 2)
    trials = np.repeat(np.arange(12), len(ranking))
    assert not of_trials(rows, trials).objects_recur
    assert Triplets.from_array(rows).objects_recur  # each answer a trial: the anchors recur
    rows[trials == 11] += 1
    assert of_trials(rows, trials).objects_recur
