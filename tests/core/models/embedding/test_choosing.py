"""Odd ones out as choices among three pairs: fits, what is made of them, and their keys."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.core.data.test_trials import odd_ones_out, without_trials
from tripletscope.core.data.geometry import procrustes_disparity, rms
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import methods
from tripletscope.core.engine.task import Computation
from tripletscope.core.inference.uncertainty import bootstrap, sample_posterior
from tripletscope.core.inference.uncertainty.curvature import laplace_normal
from tripletscope.core.inference.uncertainty.posterior import laplace
from tripletscope.core.models.embedding import CKL, SOE, STE, TSTE
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective
from tripletscope.core.run import key
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.kernels import K1, GaussianKernel

LIKELIHOODS = [STE, TSTE, CKL]
N = 15


@pytest.fixture(scope="module")
def positions() -> np.ndarray:
    return np.random.default_rng(3).uniform(-1.3, 1.3, (N, 2))


@pytest.fixture(scope="module")
def odd(positions) -> Triplets:
    return odd_ones_out(positions, 3000, np.random.default_rng(1))


def test_likelihoods_have_a_similarity():
    for method in methods("embedding").values():
        assert (method()._loss().similarity is not None) == method.is_likelihood


def test_a_fit_recovers_a_planted_map_and_its_size(odd, positions):
    fitted = STE(n_init=1).fit(odd)
    assert procrustes_disparity(fitted.embedding_, positions) < 0.02
    assert rms(fitted.embedding_) / rms(positions - positions.mean(axis=0)) == pytest.approx(
        1.0, abs=0.03
    )
    x = (positions - positions.mean(axis=0)).T.ravel()
    assert fitted.loss_ < Objective(AnswerLayout.of(odd, True), STE()._loss(), 2, 0.1)(x)[0]


@pytest.mark.parametrize("method", LIKELIHOODS)
def test_probabilities_are_those_of_three_pairs(method, odd):
    few = odd.take(np.arange(200))
    fitted = method(n_init=1).fit(odd)
    a, b, c = few.choices.odd_one_out().rows.T

    def worth(i: np.ndarray, j: np.ndarray) -> np.ndarray:
        squares = np.sum((fitted.embedding_[i] - fitted.embedding_[j]) ** 2, axis=1)
        if method is STE:
            return np.exp(-squares)
        return 1 / (squares + fitted.mu) if method is CKL else 1 / (1 + squares)

    total = worth(a, b) + worth(a, c) + worth(b, c)
    found = fitted.choice_probabilities(few)
    assert found == pytest.approx(worth(a, b) / total)


def test_probabilities_of_triplets_and_of_averages(odd):
    plain = without_trials(odd).take(np.arange(50))
    fitted = STE(n_init=3, max_iter=5, average=True).fit(odd)
    near2, far2 = (
        np.sum((fitted.embedding_[plain.rows[:, 0]] - fitted.embedding_[plain.rows[:, k]]) ** 2, 1)
        for k in (1, 2)
    )
    single = STE(n_init=3, max_iter=5).fit(odd)
    assert single.choice_probabilities(plain) == pytest.approx(1 / (1 + np.exp(near2 - far2)))
    assert not np.allclose(
        fitted.choice_probabilities(plain), single.choice_probabilities(plain), atol=1e-6
    )


def test_margins_have_no_probabilities(odd):
    with pytest.raises(ValueError, match="use STE, t-STE or CKL"):
        SOE(n_init=1).fit(odd).choice_probabilities(odd)


@pytest.mark.parametrize("method", LIKELIHOODS)
def test_plain_answers_and_odd_ones_out_pool_in_one_likelihood(method, odd, positions):
    rng = np.random.default_rng(0)
    shown = rng.random((1000, N)).argsort(axis=1)[:, :3]
    near2, far2 = (
        np.sum((positions[shown[:, 0]] - positions[shown[:, k]]) ** 2, axis=1) for k in (1, 2)
    )
    turned = rng.random(1000) > 1 / (1 + np.exp(near2 - far2))
    shown[turned, 1:] = shown[turned, :0:-1]
    trial = np.concatenate([odd.answers["trial"], 10_000 + np.arange(1000)])
    pooled = Triplets(
        np.concatenate([odd.rows, shown]), odd.objects, pd.DataFrame({"trial": trial})
    )
    alone = Triplets(shown, odd.objects)
    x, loss = rng.normal(size=2 * N), method()._loss()
    value, gradient = Objective(AnswerLayout.of(pooled, True), loss, 2)(x)
    parts = [Objective(AnswerLayout.of(part, True), loss, 2)(x) for part in (odd, alone)]
    assert value == pytest.approx(parts[0][0] + parts[1][0])
    assert gradient == pytest.approx(parts[0][1] + parts[1][1])
    assert method(n_init=1).fit(pooled).converged_


def test_other_methods_take_two_answers(odd):
    for method in (SOE(n_init=1), methods("embedding")["lore"](n_init=1, n_components=2)):
        fitted, plain = (type(method)(**method.get_params()).fit(data) for data in
                         (odd, without_trials(odd)))
        assert np.array_equal(fitted.embedding_, plain.embedding_)


@pytest.mark.parametrize("method", LIKELIHOODS)
def test_new_objects_are_placed_by_choices(method, odd):
    known = odd.take((odd.rows < N - 2).all(axis=1))
    few = Triplets(known.rows, odd.objects.iloc[: N - 2], known.answers)
    fitted = method(n_init=1).fit(few)
    placed = fitted.transform(odd)
    assert np.array_equal(placed[: N - 2], fitted.embedding_)
    objective = Objective(AnswerLayout.of(odd, True), fitted._loss(), 2, fitted.prior)
    gradient = objective(placed.T.ravel())[1].reshape(2, N)
    assert np.abs(gradient[:, N - 2 :]).max() < 1e-2 * np.abs(
        objective(np.random.default_rng(0).permutation(placed).T.ravel())[1]
    ).max()


def sizes(samples) -> float:
    return float(np.mean(np.sqrt(np.linalg.det(samples.covariances))))


def test_two_answers_for_one_say_too_much(odd):
    """Of probabilities p of three pairs they count p1 p2 / (p1 + p2), where p1 p2 is known."""
    mode = STE(n_init=1).fit(odd).embedding_.T.copy()
    one, two = (
        laplace_normal(AnswerLayout.of(data, True), STE()._loss(), mode, 0.1)
        for data in (odd, without_trials(odd))
    )
    ratio = np.exp((one.log_volume - two.log_volume) / (2 * N))
    assert 1.05 < ratio < np.sqrt(1.5)


def test_posteriors_are_of_choices(odd):
    few = odd.take(np.arange(1200))
    approximate = sizes(laplace(STE(n_init=1), few, samples=300))
    sampled = sample_posterior(STE(n_init=1), few, effective=150, chains=2, most=2000)
    assert sizes(sampled) / approximate == pytest.approx(1.0, abs=0.15)


def test_replicates_are_of_choices(odd):
    likely = sizes(laplace(STE(n_init=1), odd, samples=300))
    resampled = sizes(bootstrap(STE(n_init=1), odd, replicates=60))
    assert resampled / likely == pytest.approx(1.0, abs=0.25)


def test_keys_say_that_trials_are_choices_only_where_they_are(odd, monkeypatch):
    plain, pairs = without_trials(odd), Quadruples([[0, 1, 2, 3]])
    ranked = Triplets(
        [(0, 1, 2), (3, 4, 5)], odd.objects, pd.DataFrame({"trial": [0, 0]})
    )
    reads = [STE(), TSTE(), CKL(), GaussianKernel(), GaussianKernel(basis=CKL()),
             AgglomerativeClustering(), AgglomerativeClustering(basis=STE())]
    others = [SOE(), K1(), GaussianKernel(basis=SOE()), AgglomerativeClustering(basis=K1())]
    every = [
        (method, data) for method in (*reads, *others) for data in (odd, plain, pairs, ranked)
    ]
    now = [key("fit", *each) for each in every]
    monkeypatch.setattr(Computation, "takes_choices", lambda *_: False)  # as it once was
    before = [key("fit", *each) for each in every]
    for (method, data), new, old in zip(every, now, before, strict=True):
        assert (new != old) == (data is odd and method in reads), (method, data)
