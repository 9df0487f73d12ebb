"""The likelihood, the prior and the tests behind dimensions are what they are said to be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy import integrate, stats

import tripletscope as ts
from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.models.dimensions import variational
from tripletscope.core.models.dimensions.likelihood import (
    MOST_CENTRAL,
    NEARER,
    ODD_ONE_OUT,
    TrialBatch,
    kinds_of,
    padded,
    trials_of,
)
from tripletscope.core.models.dimensions.sparse import products
from tripletscope.core.models.dimensions.variational import SpikeAndSlab
from tripletscope.core.models.optimise.responses import choice_losses


def random_trials(n: int, q: int) -> Choices:
    rng = np.random.default_rng(0)
    a, b, c = np.argsort(rng.random((q, n)), axis=1)[:, :3].T
    kind = rng.integers(3, size=q)
    pairs = np.stack([a, b, a, c, b, c], axis=1).reshape(q, 3, 2)
    shown = np.where(kind == 1, 2, 3)
    kept = np.arange(3) < shown[:, None]
    zeros = np.zeros(q, int)
    return Choices(
        pairs[kept], np.append(0, np.cumsum(shown)), zeros + 1, np.where(kind == 2, -1, 1),
        np.arange(q), np.arange(q), rng.uniform(0.5, 2, q), zeros, n,
    )


def evaluated(trials: Choices, x: np.ndarray) -> tuple[float, np.ndarray]:
    batch = TrialBatch.of(trials)
    wide = np.zeros((len(x), padded(x.shape[1])), np.float32)
    wide[:, : x.shape[1]] = x
    gradients = np.empty((len(batch.pieces), *wide.shape), np.float32)
    return batch.evaluate(wide, gradients), gradients[0, :, : x.shape[1]].copy()


def test_loss_and_gradient_of_all_kinds_of_choices():
    trials = random_trials(6, 40)
    x = np.random.default_rng(1).random((6, 3))

    def exact(x: np.ndarray) -> float:
        return float(trials.weight @ choice_losses(trials, products(x, trials.pairs))[0])

    loss, gradient = evaluated(trials, x)
    assert loss == pytest.approx(exact(x), rel=1e-5)
    for i, k in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[i, k] = 1e-5
        slope = (exact(x + step) - exact(x - step)) / 2e-5
        assert gradient[i, k] == pytest.approx(slope, rel=1e-3, abs=1e-3)


def test_huge_similarities_stay_finite():
    loss, gradient = evaluated(random_trials(6, 40), np.full((6, 3), 100.0) * np.eye(6, 3))
    assert np.isfinite(loss)
    assert np.isfinite(gradient).all()


def test_same_bits_on_any_number_of_threads(monkeypatch):
    monkeypatch.setattr(variational, "_STREAM", 64)
    trials = random_trials(30, 20_000)
    found = []
    for n_jobs in (1, 2):
        with parallel_config("threading", n_jobs=n_jobs):
            found.append((*evaluated(trials, np.ones((30, 5))), *variational.approximate(
                trials, 6, SpikeAndSlab(0.25, 1.0, 0.5), lambda mu, sigma: np.arange(6),
                steps=40, seed=0, report=lambda *_: False,
            )[:2]))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_divergence_is_the_integral():
    prior = SpikeAndSlab(0.25, 1.0, 0.5)

    def integrand(x: float, mu: float, sigma: float) -> float:
        density = stats.norm.pdf(x, mu, sigma)
        mixture = 0.5 * stats.norm.pdf(x, 0, 0.25) + 0.5 * stats.norm.pdf(x, 0, 1)
        return density * (np.log(density) - np.log(mixture))

    for mu, sigma in ((0.0, 0.2), (0.3, 0.2), (1.5, 0.1)):
        exact = integrate.quad(integrand, mu - 8 * sigma, mu + 8 * sigma, (mu, sigma))[0]
        given = np.float32([[mu]]), np.float32([[np.log(sigma)]])
        assert prior.divergence(*given) == pytest.approx(exact, abs=2e-3)


def test_kinds_of_choices_are_told_apart():
    answers = pd.DataFrame({"trial": [0, 0, 1, 1, 2]})
    rows = [[0, 1, 2], [1, 0, 2], [3, 4, 5], [5, 4, 3], [1, 2, 3]]
    objects = pd.DataFrame({"id": list("abcdef")})
    found = trials_of(ts.Triplets(rows, objects, answers))
    told = dict(zip(kinds_of(found).tolist(), found.triples.tolist(), strict=True))
    assert sorted(told[ODD_ONE_OUT][:2]) == [0, 1]
    assert told[ODD_ONE_OUT][2] == 2
    assert told[NEARER] == [1, 2, 3]
    assert sorted(told[MOST_CENTRAL][:2]) == [3, 5]  # the least similar pair
    assert told[MOST_CENTRAL][2] == 4


def test_rankings_are_refused():
    rows = [[0, 1, 2], [0, 1, 3], [0, 2, 3]]
    answers = pd.DataFrame({"trial": [0, 0, 0]})
    ranked = ts.Triplets(rows, pd.DataFrame({"id": list("abcd")}), answers)
    with pytest.raises(DataError, match="rankings or choices among more than three pairs"):
        ts.dimensions.SPoSE().fit(ranked)


def test_few_objects_have_no_dimensions():
    answers = ts.dimensions.simulate_choices(np.eye(5), 50)
    with pytest.raises(DataError, match="5 objects, but a dimension is kept only if more than 5"):
        ts.dimensions.VICE().fit(answers)
    with pytest.raises(ValueError, match="spike of VICE is 2"):
        ts.dimensions.VICE(spike=2.0).fit(answers)


def test_who_knows_no_dimension_guesses():
    data = ts.dimensions.simulate_choices(np.eye(6), 60, seed=0)
    fitted = ts.dimensions.SPoSE(n_components=2, penalty=0.0).fit(data)
    fitted.embedding_ = np.zeros((6, 1))
    assert fitted.score(data) == pytest.approx(fitted.chance(data))
    assert fitted.leaving_out(data) == pytest.approx([0.0])
    fitted.embedding_ = np.array([[6.0, 0.0]] * 3 + [[0.0, 6.0]] * 3)
    assert fitted.log_likelihood(data).min() < -35.0
