"""Planted dimensions are found, and what is said of them is right."""

from __future__ import annotations

import numpy as np
import pytest

import tripletscope as ts
from tests.paths import SAMPLES
from tripletscope.core.models.dimensions import VICE, SPoSE

TRUTH = np.repeat(np.eye(3), 10, axis=0) * 2
METHODS = [SPoSE(n_components=8, penalty=3.0), VICE(n_components=8, max_iter=2000)]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.dimensions.simulate_choices(TRUTH, 2000, seed=1)


@every_method
def test_planted_dimensions_are_found(method, answers):
    fitted = method.fit(answers)
    assert fitted.n_dimensions_ == 3
    together = np.corrcoef(fitted.embedding_.T, TRUTH.T)[:3, 3:]
    assert sorted(np.argmax(together, axis=1)) == [0, 1, 2]
    assert together.max(axis=1).min() > 0.97
    assert (fitted.embedding_ >= 0).all()
    assert (np.diff(fitted.embedding_.sum(axis=0)) <= 0).all()


def test_vice_finds_none_in_coins():
    for seed in range(2):
        coins = ts.dimensions.simulate_choices(np.zeros((24, 1)), 1000, seed=seed)
        assert VICE(n_components=4, max_iter=2000, seed=seed).fit(coins).n_dimensions_ == 0


@every_method
def test_probabilities_are_of_the_columns(method, answers):
    fitted = method.fit(answers)
    found = fitted.probabilities([[0, 1, 10], [10, 0, 1]])
    assert found.sum(axis=1) == pytest.approx(1)
    assert found[0, 2] > 0.9
    assert found[1, 0] == pytest.approx(found[0, 2])
    assert fitted.contributions([[0, 1, 10]]).shape == (1, 3, 3)


def test_files_of_odd_ones_out_are_learned_from():
    read = ts.read(SAMPLES / "odd_one_out" / "answers.csv")
    fitted = SPoSE(n_components=10).fit(read)
    assert fitted.score(read) > 0.5
