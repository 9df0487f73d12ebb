"""How much people differ: planted, and found again; simulated people in calibration."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.uncertainty import calibrate
from tripletscope.core.inference.uncertainty.heterogeneity import heterogeneity
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import personal_maps, simulate


def crowd(differ: float, n_people: int = 16, each: int = 150, seed: int = 0) -> Triplets:
    rng = np.random.default_rng(seed)
    group = rng.normal(size=(15, 2)) * 1.3
    rows = [
        simulate(own, each, noise="logistic", seed=int(rng.integers(2**31))).rows
        for own in personal_maps(group, n_people, differ, rng)
    ]
    answers = pd.DataFrame({"participant": np.repeat([f"p{i}" for i in range(n_people)], each)})
    return Triplets(np.concatenate(rows), numbered_objects(15), answers)


@pytest.mark.parametrize(("planted", "low", "high"), [(0.0, 0.0, 0.2), (0.5, 0.35, 0.65)])
def test_planted_differences_are_found_again(planted, low, high):
    """The estimate's standard deviation is about 0.05: the mean of three data sets is within."""
    found = [
        heterogeneity(STE(n_init=2), crowd(planted, seed=seed))
        for seed in range(3)
    ]
    assert low <= np.mean([one.value for one in found]) <= high
    assert all(one.n_participants == 16 for one in found)
    assert all(one.effective == pytest.approx(16) for one in found)
    assert (np.median([one.widening for one in found]) > 1.25) == (planted > 0)


def test_few_answers_of_few_people_are_not_taken_for_larger_differences():
    """Of 60 resamples of people and answers, 0.11, 0.29 and 0.48 were said of 0, 0.3 and 0.6."""
    for planted, low, high in ((0.0, 0.0, 0.12), (0.3, 0.22, 0.36), (0.6, 0.45, 0.7)):
        found = [
            heterogeneity(STE(n_init=1), crowd(planted, 12, 80, seed)).value for seed in range(6)
        ]
        assert low <= np.mean(found) <= high


def test_unequal_participants_count_as_fewer():
    few = crowd(0.3, n_people=4, each=100)
    kept = np.concatenate([np.arange(200), np.arange(200, 210), np.arange(300, 310)])
    found = heterogeneity(STE(n_init=1), few.take(kept))
    assert found.effective == pytest.approx(220**2 / (2 * 100**2 + 2 * 10**2))


def test_one_participant_does_not_differ_from_anyone(planted):
    with pytest.raises(DataError, match="people cannot be compared"):
        heterogeneity(STE(n_init=1), planted)


def test_people_who_answer_about_other_objects_are_not_compared():
    """The difference was NaN, and so was what calibration simulated."""
    one = crowd(0.0, 1, 150)
    rows = np.concatenate([one.rows, one.rows + 15])
    who = pd.DataFrame({"participant": np.repeat(["p0", "p1"], 150)})
    with pytest.raises(DataError, match="no object has a place without each"):
        heterogeneity(STE(n_init=1), Triplets(rows, numbered_objects(30), who))


def test_a_stop_leaves_nothing():
    with pytest.raises(Stopped):
        heterogeneity(STE(n_init=1), crowd(0.3, 4, 30), progress=lambda share, **_: share > 0.6)


def test_calibration_simulates_people_who_differ():
    """In benchmarks/coverage_people.py such ellipses hold 92 to 97 %, those of answers below 80."""
    data = crowd(0.8, 12, 100, seed=1)
    people = calibrate(STE(n_init=2), data, data_sets=8, maps=40)
    assert people.n_participants == 12
    assert 0.5 < people.heterogeneity < 1.1
    assert 0.86 < people.coverage[:, -1].mean() <= 1.0
    sure = calibrate(STE(n_init=2), data, source="laplace", data_sets=8, maps=40)
    assert sure.heterogeneity == people.heterogeneity
    assert sure.coverage[:, -1].mean() < 0.86
    assert sure.ellipse_judgement == "too small", "a posterior is for one observer"


def test_calibration_of_answers_knows_no_people():
    found = calibrate(STE(n_init=1), crowd(0.8, 12, 100), unit="answers", data_sets=2, maps=10)
    assert (found.heterogeneity, found.n_participants) == (None, None)
