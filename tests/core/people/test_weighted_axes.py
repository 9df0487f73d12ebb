"""The likelihood of choices under weights: its gradient, its information, and what a choice is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tests.core.people.planted import weighing
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.optimise.loss import Loss
from tripletscope.core.people.weighted_axes import Likelihood, choices_by
from tripletscope.core.people.weights import WeightedEuclidean


def loss_of(response: str) -> Loss:
    return WeightedEuclidean(n_components=2, response=response).response_loss


def odd_ones(rng: np.random.Generator, n: int = 6, trials: int = 40) -> Triplets:
    shown = rng.random((trials, n)).argsort(axis=1)[:, :3]
    rows = np.stack([shown, shown[:, [1, 0, 2]]], axis=1).reshape(-1, 3)
    return Triplets(rows, numbered_objects(n), pd.DataFrame({
        "trial": np.repeat(np.arange(trials), 2),
        "participant": np.repeat([f"p{k % 3}" for k in range(trials)], 2),
    }))


def setting(response: str) -> tuple[Likelihood, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    data = odd_ones(rng)
    who = pd.factorize(data.answers["participant"])[0]
    likelihood = Likelihood(choices_by(data, who), loss_of(response))
    return likelihood, rng.normal(size=(6, 2)), np.exp(0.4 * rng.normal(size=(3, 2)))


@pytest.mark.parametrize("response", ["ste", "tste", "ckl"])
def test_gradients_are_those_of_the_loss(response):
    likelihood, x, w = setting(response)
    _, by_x, by_w = likelihood(x, w)
    for array, slope in ((x, by_x), (w, by_w)):
        for place in ((0, 0), (2, 1), (1, 0)):
            values = []
            for step in (1e-5, -1e-5):
                array[place] += step
                values.append(likelihood(x, w)[0])
                array[place] -= step
            assert slope[place] == pytest.approx((values[0] - values[1]) / 2e-5, rel=1e-4)


@pytest.mark.parametrize("response", ["ste", "tste"])
def test_information_is_the_expected_square_of_the_slope(response):
    """Over the three answers that each question can have, by their probabilities."""
    likelihood, x, w = setting(response)
    stages = likelihood.choices
    n, people = len(x), len(w)
    expected = np.zeros((2 * n + 2 * people,) * 2)
    for s in range(len(stages)):
        one = stages.take(np.array([s]))
        for turn in range(3):
            turned = replace(one, pairs=np.roll(one.pairs, turn, axis=0))
            part = Likelihood(turned, likelihood._loss)
            share = np.exp(part.judged(x, w).log_share[0])
            _, by_x, by_w = part(x, w)
            slope = np.concatenate([by_x.ravel(), (by_w * w).ravel()])
            expected += share * np.outer(slope, slope)
    of_x, of_both, of_w = likelihood.information(x, w)
    np.testing.assert_allclose(of_x, expected[: 2 * n, : 2 * n], atol=1e-9)
    for p in range(people):
        mine = slice(2 * n + 2 * p, 2 * n + 2 * p + 2)
        np.testing.assert_allclose(of_both[p], expected[mine, : 2 * n], atol=1e-9)
        np.testing.assert_allclose(of_w[p], expected[mine, mine], atol=1e-9)
    np.testing.assert_allclose(likelihood.curvature(x, w), of_w, atol=1e-9)


def test_a_choice_counts_by_its_weight():
    likelihood, x, w = setting("tste")
    choices = likelihood.choices
    number = 1 + np.arange(len(choices)) % 3
    again = choices.take(np.repeat(np.arange(len(choices)), number))
    once, often = (
        Likelihood(each, loss_of("tste")) for each in (choices.reweighted(number), again)
    )
    for one, other in zip(once(x, w), often(x, w), strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(once.curvature(x, w), often.curvature(x, w))
    for one, other in zip(once.information(x, w), often.information(x, w), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)


@pytest.mark.parametrize(("response", "method"), [("ste", STE), ("tste", TSTE), ("ckl", CKL)])
def test_without_weights_it_is_that_of_the_embedding(response, method):
    data = weighing(people=4, each=50)[0]
    fitted = method(prior=0.0, n_init=1, max_iter=20).fit(data)
    stages = choices_by(data, np.zeros(len(data), int))
    loss, _, _ = Likelihood(stages, loss_of(response))(fitted.embedding_, np.ones((1, 2)))
    assert loss == pytest.approx(fitted.loss_)


def test_an_odd_one_out_is_one_choice_among_three():
    data = odd_ones(np.random.default_rng(0), trials=7)
    stages = choices_by(data, np.zeros(len(data), int))
    assert len(stages) == 7
    assert set(stages.n_shown) == {3}
    np.testing.assert_allclose(stages.chance, 1 / 3)
    _, log_share, right = Likelihood(stages, loss_of("ste")).judged(
        np.zeros((6, 2)), np.ones((1, 2))
    )
    np.testing.assert_allclose(np.exp(log_share), 1 / 3)
    np.testing.assert_allclose(right, 1 / 3)


def test_two_chosen_of_four_are_each_chosen_from_what_is_left():
    rows = [[0, a, b] for a in (1, 2) for b in (3, 4)]
    data = Triplets(rows, numbered_objects(5), pd.DataFrame({"trial": [1] * 4}))
    stages = choices_by(data, np.zeros(4, int))
    assert stages.pairs[:, 1].tolist() == [1, 3, 4, 2, 3, 4]
    assert stages.n_shown.tolist() == [3, 3]


def test_answers_without_weight_are_none():
    data = weighing(people=3, each=10)[0]
    answers = data.answers.assign(weight=np.arange(30) % 2)
    stages = choices_by(Triplets(data.rows, data.objects, answers), np.zeros(30, int))
    assert stages.answer.tolist() == list(range(1, 30, 2))
    assert np.array_equal(stages.pairs[1::2][:, 1], data.rows[1::2, 2])


def test_a_choice_that_is_next_to_impossible_informs_as_any_other():
    x = np.array([[0.0, 0.0], [7.0, 0.0], [0.0, 0.3], [0.5, 0.5]])
    data = Triplets([[0, 1, 2], [0, 1, 3], [3, 0, 2]], numbered_objects(4))
    likelihood = Likelihood(choices_by(data, np.zeros(3, int)), loss_of("ste"))
    w = np.ones((1, 2))
    assert likelihood(x, w)[0] > 90.0
    assert likelihood.curvature(x, w)[0, 0, 0] == pytest.approx(0.0015, abs=2e-3)
    for part in likelihood.information(x, w):
        assert np.isfinite(part).all()
