"""Probabilities of choices, against counting and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.models.embedding import CKL, STE, TSTE
from tripletscope.core.models.optimise.loss import Loss, map_losses
from tripletscope.core.models.optimise.responses import (
    _losses_of_many,
    choice_losses,
    hits,
    losses_of,
    shares,
)

POSITIONS = np.random.default_rng(3).normal(size=(6, 2))


def choice_probabilities(loss: Loss, positions: np.ndarray, choices: Choices) -> np.ndarray:
    return np.exp(-map_losses(loss, positions, choices))


def similarity(i: int, j: int) -> float:
    return -float(np.sum((POSITIONS[i] - POSITIONS[j]) ** 2))


def test_of_a_triplet_by_hand():
    found = choice_probabilities(STE()._loss(), POSITIONS, choices_of(np.array([[0, 1, 2]]), None))
    near, far = np.exp(similarity(0, 1)), np.exp(similarity(0, 2))
    assert found[0] == pytest.approx(near / (near + far))


@pytest.mark.parametrize("method", [STE(), TSTE(n_components=3), CKL()])
@pytest.mark.parametrize("sign", [1, -1])
def test_all_that_can_be_chosen_add_up_to_one(method, sign):
    pairs = np.array([[0, 1], [0, 2], [1, 2]])
    stages = Choices(
        np.concatenate([np.roll(pairs, k, axis=0) for k in range(3)]), np.arange(0, 10, 3),
        np.ones(3, int), np.full(3, sign), np.arange(3), np.arange(3), np.ones(3),
        np.zeros(3, int), 3,
    )
    assert choice_probabilities(method._loss(), POSITIONS, stages).sum() == pytest.approx(1.0)


def test_two_of_four_in_any_order():
    pairs = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    one, none = np.ones(1, int), np.zeros(1, int)
    stage = Choices(pairs, np.array([0, 4]), 2 * one, one, none, none, np.ones(1), none, 5)
    found = choice_probabilities(STE()._loss(), POSITIONS, stage)
    w = np.exp([similarity(*pair) for pair in pairs])
    expected = w[0] / w.sum() * w[1] / (w.sum() - w[0]) + w[1] / w.sum() * w[0] / (w.sum() - w[1])
    assert found[0] == pytest.approx(expected)


@pytest.mark.parametrize("sign", [1, -1])
def test_shares_of_pairs_are_softmax_of_their_similarities(sign):
    pairs = np.array([[0, 1], [0, 2], [1, 2], [0, 1], [0, 3]])
    stages = Choices(
        pairs, np.array([0, 3, 5]), np.ones(2, int), np.full(2, sign), np.arange(2), np.arange(2),
        np.ones(2), np.zeros(2, int), 4,
    )
    likeness = np.array([0.3, -1.0, 2.0, 0.5, 0.1])
    whole = np.exp(sign * likeness)
    expected = np.concatenate([whole[:3] / whole[:3].sum(), whole[3:] / whole[3:].sum()])
    np.testing.assert_allclose(shares(stages, likeness), expected)
    np.testing.assert_allclose(
        choice_losses(stages, likeness)[0], -np.log(expected[[0, 3]])
    )
    assert hits(stages, likeness).tolist() == ([0.0, 1.0] if sign > 0 else [0.0, 0.0])


def stages(pairs: int, sign: int = 1) -> Choices:
    """One stage of so many pairs."""
    one, none = np.ones(1, int), np.zeros(1, int)
    ends = np.column_stack([np.zeros(pairs, int), np.arange(1, pairs + 1)])
    return Choices(
        ends, np.array([0, pairs]), one, sign * one, none, none, np.ones(1), none, pairs + 1
    )


@pytest.mark.parametrize("sign", [1, -1])
def test_many_chosen_have_the_probability_that_few_have_by_their_subsets(sign):
    values = 2.0 * np.random.default_rng(0).normal(size=(12, 5))
    for one, other in zip(
        _losses_of_many(values, 8 * sign), losses_of(values, 8 * sign), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert losses_of(np.zeros((12, 600)), 9 * sign)[0] == pytest.approx(np.log(220.0))
    for far in (-1e5, 1e5):
        loss, slope = losses_of(np.append(np.full(9, far), [0.0, 1.0])[:, None], 9 * sign)
        assert np.isfinite(loss).all()
        assert np.isfinite(slope).all()


@pytest.mark.parametrize("sign", [1, -1])
def test_ties_stay_ties_and_no_share_is_lost(sign):
    choice = stages(3, sign)
    even = shares(choice, np.full(3, 0.1))
    assert hits(choice, sign * even) == pytest.approx([1 / 3])
    assert hits(choice, np.array([0.3, 0.1 + 0.2, 0.3])) == pytest.approx([1 / 3])
    assert shares(choice, sign * np.array([-60.0, 0.0, -1.0]))[0] == pytest.approx(
        np.exp(-60.0) / (1 + np.exp(-1.0)), rel=1e-12
    )
