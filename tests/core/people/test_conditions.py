"""Conditions that make people attend to other things."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.people.planted import answers_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.people import WeightedEuclidean, compare_conditions
from tripletscope.core.people.conditions import permutation_test
from tripletscope.core.people.weights import people_of
from tripletscope.dashboard.results.people import conditions_said

#: Of people who vary, where trials permuted one by one gave p < 0.05.
VARIED = (1, 9)


def instructed(strength: float, *, within: bool, seed: int = 0, each: int = 80) -> Triplets:
    """Sixteen people, told to attend to the one axis or to the other."""
    rng = np.random.default_rng(seed)
    positions = 1.3 * rng.normal(size=(12, 2))
    first, second = 1 + strength, 1 - strength
    if within:
        rows = np.array([[first, second], [second, first]] * 16)
    else:
        rows = np.array([[first, second]] * 8 + [[second, first]] * 8)
    data = answers_of(positions, rows, each, rng)
    row = np.repeat(np.arange(len(rows)), each)
    person = row // 2 if within else row
    told = row % 2 if within else row // 8
    return Triplets(data.rows, data.objects, data.answers.assign(
        participant=[f"p{k}" for k in person], told=np.where(told, "shape", "colour"),
    ))


def varying(seed: int, *, strength: float = 0.0, people: int = 16, each: int = 100) -> Triplets:
    """People whose weights under two conditions differ, by a mean of so much."""
    rng = np.random.default_rng(seed)
    positions = 1.3 * rng.normal(size=(12, 2))
    apart = strength * np.array([[1, -1], [-1, 1]] * people) + 0.5 * rng.normal(
        size=(2 * people, 2)
    )
    data = answers_of(positions, np.exp(apart), each, rng)
    cell = np.repeat(np.arange(2 * people), each)
    return Triplets(data.rows, data.objects, data.answers.assign(
        participant=[f"p{k}" for k in cell // 2],
        told=np.where(cell % 2, "shape", "colour"),
    ))


@pytest.mark.parametrize("within", [True, False])
def test_planted_attention_is_found(within):
    data = instructed(0.6, within=within)
    found = compare_conditions(
        WeightedEuclidean(by="told", n_init=2), data, permutations=99, folds=2
    )
    assert found.p == 0.01
    assert found.permuted == f"{'within' if within else 'between'} participants"
    assert found.unit == "participants"
    assert found.gain("weights", over="precision")[1] > 0
    assert found.chosen == "weights"
    assert found.conditions.tolist() == ["colour", "shape"]
    assert found.log_share.shape == (16, 4)


@pytest.mark.parametrize("within", [True, False])
def test_the_test_rejects_as_often_as_it_says(within):
    rejected = 0
    for seed in range(20):
        data = instructed(0.0, within=within, seed=seed, each=30)
        method = WeightedEuclidean(by="told")
        p, _ = permutation_test(method, data, people_of(data, "told")[0], 39, seed)
        rejected += p <= 0.1
    assert rejected <= 6  # of a binomial of 20 and 0.1, more are seen in 2 of 1000


@pytest.mark.parametrize("seed", VARIED)
def test_people_vary(seed):
    data = varying(seed)
    method = WeightedEuclidean(by="told", n_init=1)
    found = compare_conditions(method, data, permutations=199, folds=2)
    assert found.permuted == "within participants"
    assert found.p > 0.05
    assert found.attention == "unseen"
    said = " ".join(conditions_said(found, "told"))
    assert said.startswith("Attention is not seen to differ")
    assert "One map" not in said


def test_a_common_direction_is_seen_among_people_who_vary():
    data = varying(0, strength=0.5)
    found = compare_conditions(
        WeightedEuclidean(by="told", n_init=1), data, permutations=199, folds=2
    )
    assert found.attention == "seen"
    (said, *_) = conditions_said(found, "told")
    assert said.startswith("Attention differs")


def test_without_participants_answers_are_the_unit():
    data = instructed(0.6, within=True)
    alone = Triplets(data.rows, data.objects, data.answers[["told"]])
    found = compare_conditions(
        WeightedEuclidean(by="told", n_init=1), alone, permutations=19, folds=2
    )
    assert (found.unit, found.permuted, found.p) == ("answers", "between trials", 0.05)


def test_one_dimension_has_nothing_to_attend_to():
    with pytest.raises(DataError, match="one dimension"):
        compare_conditions(
            WeightedEuclidean(by="told", n_components=1), instructed(0.5, within=True)
        )
