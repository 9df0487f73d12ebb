"""Probabilities of choices, against counting and simulation."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.choices import Choices, choices_of
from tripletscope.core.embedding import CKL, STE, TSTE
from tripletscope.core.individuals.stages import choice_probabilities

POSITIONS = np.random.default_rng(3).normal(size=(6, 2))


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
        np.ones(3, int), np.full(3, sign), np.arange(3), np.arange(3),
    )
    assert choice_probabilities(method._loss(), POSITIONS, stages).sum() == pytest.approx(1.0)


def test_two_of_four_in_any_order():
    pairs = np.array([[0, 1], [0, 2], [0, 3], [0, 4]])
    stage = Choices(pairs, np.array([0, 4]), np.array([2]), np.ones(1), np.zeros(1), np.zeros(1))
    found = choice_probabilities(STE()._loss(), POSITIONS, stage)
    w = np.exp([similarity(*pair) for pair in pairs])
    expected = w[0] / w.sum() * w[1] / (w.sum() - w[0]) + w[1] / w.sum() * w[0] / (w.sum() - w[1])
    assert found[0] == pytest.approx(expected)
