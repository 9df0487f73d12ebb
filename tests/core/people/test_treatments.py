"""Exclusion against weights, on the same held-out answers."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.people.guessers import guessers
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.people.treatments import (
    TREATMENTS,
    compare_treatments,
    effective_number,
    person_weights,
)


@pytest.fixture(scope="module")
def crowd():
    return guessers(2, careless=16)


@pytest.fixture(scope="module")
def found(crowd):
    careful = np.repeat(crowd.lapse < 0.3, 80)
    return compared(crowd, careful, folds=3)


def compared(crowd, kept, **options):
    return compare_treatments(
        STE(n_init=1), crowd.data.with_columns({"kept": kept}), **options
    )


def test_both_predict_better_than_all_answers_alike(found):
    assert (found.error[1:] < found.error[0]).all()
    assert found.table["treatment"].tolist() == list(TREATMENTS)
    assert found.difference[0] == found.low[0] == found.high[0] == 0.0
    assert (found.high[1:] < 0).all()
    assert found.n_units == 24


def test_the_same_answers_are_predicted(found):
    assert found.n_predicted == 24 * 80
    assert found.n_excluded == 16
    assert (found.everybody > found.error).all()


def test_effective_numbers(found):
    assert found.effective[0] == 40 * 80
    assert found.effective[1] == 24 * 80
    assert 24 * 80 < found.effective[2] < 40 * 80
    assert found.moved[0] == pytest.approx(0.0, abs=1e-12)
    assert (found.moved[1:] > 0).all()


def test_effective_number_by_hand():
    assert effective_number(np.array([1.0, 1.0, 0.5])) == pytest.approx(6.25 / 2.25)


def test_weights_go_to_the_answers_of_their_person(crowd):
    weight = person_weights(crowd.data, np.array(["p03", "p01"]), np.array([0.25, 0.5]))
    who = crowd.data.answers["participant"].to_numpy()
    assert (weight[who == "p03"] == 0.25).all()
    assert (weight[who == "p01"] == 0.5).all()
    assert (weight[~np.isin(who, ["p01", "p03"])] == 1.0).all()


def test_refusals(crowd):
    with pytest.raises(DataError, match="leaves no answer"):
        compared(crowd, np.zeros(len(crowd.data), dtype=bool))
    with pytest.raises(DataError, match="no column 'kept'"):
        compare_treatments(STE(), crowd.data)
    with pytest.raises(Stopped):
        compared(crowd, np.ones(len(crowd.data), dtype=bool), folds=2,
                 progress=lambda *_, **__: True)


def test_exclusion_alone_is_as_beside_weights(crowd, found):
    careful = np.repeat(crowd.lapse < 0.3, 80)
    alone = compared(crowd, careful, weighted=False, folds=3)
    assert np.array_equal(alone.marks[:, 0], careful)
    for name in ("error", "everybody", "difference", "low", "high"):
        assert np.array_equal(getattr(alone, name), getattr(found, name)[:2])
    assert alone.apart is alone.effective is alone.moved is None
    assert (alone.unit, alone.n_units) == ("participants", 24)
    answers = compared(crowd, careful, weighted=False, folds=3, unit="answers")
    assert answers.unit == "answers"
    assert answers.difference[1] == alone.difference[1]
    assert (answers.low[1], answers.high[1]) != (alone.low[1], alone.high[1])
    every = np.ones(len(careful), dtype=bool)
    nothing = compared(crowd, every, weighted=False, folds=2)
    assert nothing.difference[1] == nothing.low[1] == nothing.high[1] == 0
