"""The penalty by held-out trials: weak dimensions are found, and none of coins."""

from __future__ import annotations

import numpy as np
import pytest

import tripletscope as ts
from tripletscope.core.models.dimensions.penalties import PenaltyCurve, penalty_curve
from tripletscope.core.models.dimensions.reproducibility import best_matches


def planted(n: int, d: int, seed: int) -> np.ndarray:
    """Sparse weights, of the first dimensions in more objects than of the last ones."""
    rng = np.random.default_rng(seed)
    there = rng.random((n, d)) < 0.15 * np.linspace(1.6, 0.4, d)
    return there * rng.gamma(3, 1 / 3, (n, d))


def test_no_dimensions():
    """The test of the best penalty has a level of 5 %; two in 300 data sets have dimensions."""
    found = [
        ts.dimensions.SPoSE(n_components=4).fit(
            ts.dimensions.simulate_choices(np.zeros((24, 1)), 1000, seed=seed)
        ).n_dimensions_ > 0
        for seed in range(40)
    ]
    assert np.mean(found) <= 0.05


def test_weak_dimensions_are_found():
    """The largest penalty within one standard error, in factors of 2, left three of six."""
    truth = planted(60, 6, seed=2)
    answers = ts.dimensions.simulate_choices(truth, 10_000, seed=3)
    found = ts.dimensions.SPoSE(n_components=15).fit(answers)
    assert (best_matches(truth, found.embedding_) > 0.8).sum() >= 5
    assert (best_matches(found.embedding_, truth) > 0.5).all(), "none is chance"


def test_small_steps_begin_where_dimensions_go():
    answers = ts.dimensions.simulate_choices(planted(30, 3, seed=0), 1500, seed=1)
    curve = penalty_curve(ts.dimensions.SPoSE(n_components=8), answers, folds=2)
    all_of_them = curve.penalties[curve.n_dimensions > 7.9]
    steps = curve.penalties[1:] / curve.penalties[:-1]
    np.testing.assert_allclose(steps[curve.penalties[1:] <= all_of_them.max()][:1], 2.0)
    np.testing.assert_allclose(steps[-8:], 2**0.25)
    assert curve.n_trials == 1500
    assert curve.penalties[-1] == 32


def test_the_best_is_chosen_if_it_beats_none():
    values = {
        "penalties": np.array([1.0, 2.0, 4.0]), "log_likelihood": np.array([-0.8, -0.81, -0.9]),
        "errors": np.full(3, 0.1), "behind": np.array([0, 0.01, 0.1]), "n_trials": 10,
    }
    for error, left, chosen in ((0.02, 0, 1.0), (0.09, 0, 4.0), (0.09, 1, 1.0)):
        curve = PenaltyCurve(
            **values, behind_errors=np.array([0, error, error]),
            n_dimensions=np.array([3, 2, left]),
        )
        assert (curve.best, curve.chosen) == (1.0, chosen)


def test_vice_has_no_penalty():
    answers = ts.dimensions.simulate_choices(planted(30, 3, seed=0), 100, seed=1)
    with pytest.raises(ValueError, match="VICE has no penalty"):
        penalty_curve(ts.dimensions.VICE(), answers)
