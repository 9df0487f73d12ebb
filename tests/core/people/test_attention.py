"""Differences in attention are seen, and nothing else is taken for them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.people.planted import answers_of, guessing, weighing
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding import STE
from tripletscope.core.people import WeightedEuclidean, attention
from tripletscope.core.people.attention import Slopes, p_of_attention
from tripletscope.core.people.weighted_axes import Likelihood, choices_by


def p_of(answers: Triplets) -> float:
    return WeightedEuclidean(n_init=2).fit(answers).p_attention_


@pytest.mark.parametrize("seed", [0, 1])
def test_planted_attention_is_seen(seed):
    assert p_of(weighing(people=16, each=100, seed=seed)[0]) <= 0.01


@pytest.mark.parametrize("seed", [0, 1])
def test_people_who_guess_do_not_look_elsewhere(seed):
    assert p_of(guessing(people=16, guessers=4, each=100, seed=seed)) > 0.05


@pytest.mark.parametrize("seed", [0, 1])
def test_questions_that_all_are_asked_are_no_attention(seed):
    rng = np.random.default_rng(seed)
    positions = 1.3 * rng.normal(size=(15, 2))
    asked = rng.random((100, 15)).argsort(axis=1)[:, :3]
    one = answers_of(positions, np.ones((16, 2)), 100, rng)
    squares = ((positions[asked[:, :1]] - positions[asked[:, 1:]]) ** 2).sum(axis=2)
    near = rng.random((16, 100)) < 1 / (1 + np.exp(squares[:, 0] - squares[:, 1]))
    rows = np.where(near[..., None], asked, asked[:, [0, 2, 1]]).reshape(-1, 3)
    assert p_of(Triplets(rows, one.objects, one.answers)) > 0.05


def test_slopes_are_those_of_the_likelihood(monkeypatch):
    """By stretches along the axes, with everybody's own precision and hardly any lapses."""
    monkeypatch.setattr(attention, "_PRECISIONS", np.array([0.7]))
    monkeypatch.setattr(attention, "_LAPSES", np.array([1e-9]))
    monkeypatch.setattr(attention, "_BLOCK", 70)
    answers, positions, _ = weighing(people=5, each=60)
    who = WeightedEuclidean(n_init=1).fit(answers).rows_of(answers)
    choices, loss = choices_by(as_answers(answers), who), STE()._loss()
    found = Slopes(choices, loss, positions, 5)
    _, _, by_weights = Likelihood(choices, loss)(positions, np.full((5, 2), 0.7))
    along = -0.7 * by_weights
    np.testing.assert_allclose(found.total[:, 1], (along[:, 0] - along[:, 1]) / np.sqrt(2))
    np.testing.assert_allclose(found.total[:, 2], along.sum(axis=1))
    curvature = Likelihood(choices, loss).curvature(positions, np.full((5, 2), 0.7))
    np.testing.assert_allclose(found.information[:, 2, 2], curvature.sum(axis=(1, 2)))


def test_rotations_of_the_map_change_nothing():
    answers, positions, _ = weighing(people=12, each=80, attention=0.3)
    who = WeightedEuclidean(n_init=1).fit(answers).rows_of(answers)
    choices, loss = choices_by(as_answers(answers), who), STE()._loss()
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(2, 2)))[0]
    one, other = (
        Slopes(choices, loss, x, 12).beside_response() for x in (positions, positions @ turn)
    )
    for mine, turned in zip(one[1:], other[1:], strict=True):
        np.testing.assert_allclose(
            np.linalg.eigvalsh(mine), np.linalg.eigvalsh(turned), atol=1e-6
        )
    np.testing.assert_allclose((one[0] ** 2).sum(axis=1), (other[0] ** 2).sum(axis=1))


def test_people_who_only_guess_say_nothing():
    answers, positions, _ = weighing(people=6, each=50)
    rng = np.random.default_rng(0)
    rows = answers.rows.copy()
    turned = rng.random(len(rows)) < 0.5
    rows[turned, 1:] = rows[turned, :0:-1]
    guesses = Triplets(rows, answers.objects, answers.answers)
    who = np.repeat(np.arange(6), 50)
    level = p_of_attention(
        choices_by(as_answers(guesses), who), STE()._loss(), positions, 6
    )
    assert level > 0.05


def test_comparisons_that_share_a_rating_are_not_independent():
    """Copies of a comparison share both of its ratings."""
    answers, positions, _ = weighing(people=6, each=50)
    who, loss = np.repeat(np.arange(6), 50), STE()._loss()
    choices = choices_by(as_answers(answers), who)
    alone = Slopes(choices, loss, positions, 6)
    own = np.arange(600).reshape(2, 300).T
    apart = Slopes(choices, loss, positions, 6, own)
    np.testing.assert_allclose(apart.covariance, alone.covariance, atol=1e-9)
    again = np.tile(np.arange(300), 3)
    thrice = choices_by(as_answers(answers.take(again)), who[again])
    together = Slopes(thrice, loss, positions, 6, own[again])
    # Both ratings of a comparison count its copies, less the three by themselves.
    np.testing.assert_allclose(together.covariance, (2 * 9 - 3) * alone.covariance, rtol=1e-6)
