"""One more observer beside people."""

import numpy as np
import pandas as pd
import pytest

from tests.core.evaluation.test_choosing import odd_ones, repeated
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.choosing import agreement_sentence, observer_agreement


def test_agreement_is_counted_where_both_answered():
    people = Triplets.from_array([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 2, 0], [3, 0, 1]])
    model = Triplets.from_array([[0, 1, 2], [1, 0, 2], [1, 2, 0]], n_objects=4)
    found, = observer_agreement(people, model)
    assert found.n_trials == 4
    assert found.accuracy.value == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert found.ceiling.lower.value == pytest.approx((0.5 + 0.5 + 0) / 3)
    assert "chance 50.0%" in agreement_sentence(found, "M")


def test_who_knows_the_likeliest_reaches_the_ceiling():
    p = np.random.default_rng(0).dirichlet([0.4] * 3, 300)
    people = repeated(300, 8, p)
    model = odd_ones(np.arange(900).reshape(-1, 3), p.argmax(axis=1))
    found, = observer_agreement(people, model)
    assert found.chance == pytest.approx(1 / 3)
    assert found.ceiling.upper.low < found.accuracy.value < found.ceiling.upper.high
    guessing = odd_ones(np.arange(900).reshape(-1, 3), np.random.default_rng(1).integers(0, 3, 300))
    found, = observer_agreement(people, guessing)
    assert found.accuracy.low < 1 / 3 < found.accuracy.high
    assert "cannot be told from guessing" in agreement_sentence(found, "M")


def test_several_questions_of_one_screen_are_no_ranking():
    rows = [[0, 1, 2], [3, 4, 5]] * 2
    people = Triplets(
        rows, pd.DataFrame({"id": list("abcdef")}), pd.DataFrame({"trial": [0, 0, 1, 1]}))
    found, = observer_agreement(people, Triplets.from_array(rows[:2], n_objects=6))
    assert (found.n_trials, found.accuracy.value, found.chance) == (4, 1.0, 0.5)


def test_a_vague_ceiling_is_not_told():
    people = Triplets.from_array([[0, 1, 2], [0, 2, 1], *([3, 4, k] for k in range(5, 40))])
    found, = observer_agreement(people, people)
    assert "too few" in agreement_sentence(found, "M")


def test_other_questions_tell_nothing():
    with pytest.raises(DataError, match="no question was answered by people and"):
        observer_agreement(
            Triplets.from_array([[0, 1, 2]]), Triplets.from_array([[1, 0, 2]], n_objects=3)
        )
