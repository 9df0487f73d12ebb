"""Paired differences: by hand, against SciPy, and how often their intervals hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.paired import behind_best, holm, paired_difference
from tripletscope.core.inference.held_out.score import ErrorEstimate
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import known_people

FOLDS = 5


def answered_by(n_people: int, n: int) -> Triplets:
    """Answers to as many questions about 18 objects, dealt out to people."""
    rng = np.random.default_rng(0)
    questions = [(a, b, c) for a in range(18) for b, c in combinations(set(range(18)) - {a}, 2)]
    triplets = Triplets.from_array(rng.permutation(questions)[:n], 18)
    people = [f"p{k % n_people}" for k in range(n)]
    return Triplets(triplets.rows, triplets.objects, triplets.answers.assign(participant=people))


def held_out(
    triplets: Triplets, error: float, seed: int, people: np.ndarray | None = None
) -> ErrorEstimate:
    """An estimate with such an error, and more or less of it for each of some people."""
    rng = np.random.default_rng(seed)
    chance = np.full(len(triplets), error)
    if people is not None:
        chance = chance + people[np.arange(len(triplets)) % len(people)]
    wrong = (rng.random(len(triplets)) < chance).astype(np.float32)
    fold = np.arange(len(triplets)) * FOLDS // len(triplets)
    errors = np.array([wrong[fold == k].mean() for k in range(FOLDS)], dtype=float)
    mean = float(errors.mean())
    return ErrorEstimate(
        mean, *wilson(mean, len(triplets)), len(triplets), "", errors, wrong,
        unit="participants", n_units=8,
    )


def test_holm_by_hand():
    assert holm({1: 0.04, 2: 0.01, 3: 0.03}) == pytest.approx({1: 0.06, 2: 0.03, 3: 0.06})
    assert holm({}) == {}


def test_between_people_alone_it_is_the_t_test_of_their_means():
    triplets = answered_by(10, 400)
    first, second = held_out(triplets, 0.4, 0), held_out(triplets, 0.3, 1)
    found = paired_difference(first, second, triplets, 0.0)
    each = (first.wrong - second.wrong).reshape(-1, 10).mean(axis=0)
    same = ttest_1samp(each.astype(float), 0.0)
    ends = same.confidence_interval()
    assert (found.low, found.high) == pytest.approx((ends.low, ends.high), rel=1e-5)
    assert found.p == pytest.approx(same.pvalue, rel=1e-4)
    assert (found.unit, found.n_units, found.degrees) == ("participants", 10, 9)
    back = paired_difference(second, first, triplets, 0.0)
    assert (back.difference, back.p) == pytest.approx((-found.difference, found.p))
    assert back.p_above == pytest.approx(1 - found.p / 2)
    assert paired_difference(first, second, triplets, 0.25).spread > found.spread


def test_a_difference_is_surer_than_the_errors():
    """Two methods err on the same answers: what both share says nothing of their difference."""
    triplets = answered_by(8, 800)
    better = held_out(triplets, 0.3, 0, np.linspace(-0.2, 0.2, 8))
    wrong = better.wrong.copy()
    wrong[::25] = 1.0
    fold = np.arange(800) * FOLDS // 800
    worse = ErrorEstimate(
        float(wrong.mean()), 0, 1, 800, "", np.array([wrong[fold == k].mean() for k in range(5)]),
        wrong, unit="participants", n_units=8,
    )
    found = paired_difference(worse, better, triplets, 0.25)
    assert 0 < found.low < found.difference < found.high
    assert found.p < 0.01
    none = paired_difference(better, better, triplets, 0.25)
    assert (none.difference, none.low, none.high, none.p, none.p_above) == (0, 0, 0, 1, 1)


def test_answers_that_were_held_out_once_are_paired_by_question():
    triplets = answered_by(1, 300)
    first, second = (
        ErrorEstimate(e.error, 0, 1, 300, "", np.array([]), e.wrong)
        for e in (held_out(triplets, 0.4, 0), held_out(triplets, 0.2, 1))
    )
    found = paired_difference(first, second, triplets, 0.25)
    assert found.unit == "answers"
    assert found.difference == pytest.approx(float((first.wrong - second.wrong).mean()))
    assert found.low > 0.05


def test_only_errors_of_the_same_answers_are_paired():
    triplets = answered_by(8, 100)
    whole = held_out(triplets, 0.3, 0)
    other = held_out(triplets.take(np.arange(50)), 0.3, 0)
    with pytest.raises(ValueError, match="same answers"):
        paired_difference(whole, other, triplets, 0.25)


def test_one_question_says_nothing_of_a_difference():
    triplets = answered_by(1, 1)
    right, wrong = (
        ErrorEstimate(e, 0, 1, 1, "", np.array([]), np.array([e])) for e in (0.0, 1.0)
    )
    found = paired_difference(wrong, right, triplets, 0.25)
    assert (found.difference, found.low, found.high, found.p) == (1.0, -1.0, 1.0, 1.0)
    assert found.p_above == 0.5


def test_answers_of_weight_zero_are_no_people():
    """Each of them alone would be taken for one more participant, and narrow the interval."""
    triplets = answered_by(8, 400)
    people = 0.1 * np.random.default_rng(2).normal(size=8)
    first, second = held_out(triplets, 0.4, 0, people), held_out(triplets, 0.3, 1)
    alone = paired_difference(first, second, triplets, 0.0)
    weight = np.append(np.ones(400), np.zeros(400))
    more = Triplets(
        np.tile(triplets.rows, (2, 1)), triplets.objects,
        triplets.take(np.tile(np.arange(400), 2)).answers.assign(weight=weight),
    )
    both = [replace(e, wrong=np.tile(e.wrong, 2)) for e in (first, second)]
    found = paired_difference(*both, more, 0.0)
    assert (found.degrees, alone.degrees) == pytest.approx((7, 7))
    assert (found.low, found.high) == pytest.approx((alone.low, alone.high))


def test_methods_behind_the_best():
    triplets = answered_by(8, 2000)
    estimates = {name: held_out(triplets, error, k) for k, (name, error) in enumerate(
        {"a": 0.4, "b": 0.3, "c": 0.31}.items())}
    best, behind = behind_best(estimates, triplets, 0.25)
    assert best == "b"
    assert list(behind) == ["a", "c"]
    alone = paired_difference(estimates["a"], estimates["b"], triplets, 0.25)
    assert behind["a"].p == pytest.approx(min(2 * alone.p, 1.0))
    assert behind["a"].low > 0 > behind["c"].low
    assert behind_best({"a": estimates["a"]}, triplets, 0.25) == ("a", {})


def test_the_lowest_beats_no_equal():
    """Which of eight is the lowest is found from the same errors, as is whom it beats."""
    triplets = answered_by(20, 400)
    beats = {False: 0, True: 0}
    for seed in range(30):
        equal = {k: held_out(triplets, 0.3, 8 * seed + k) for k in range(8)}
        for any_pair in beats:
            behind = behind_best(equal, triplets, 0.0, any_pair=any_pair)[1]
            beats[any_pair] += min(apart.p for apart in behind.values()) < 0.05
    assert beats[True] <= 2 < beats[False]
    best, behind = behind_best(
        {-1: held_out(triplets, 0.05, 0), **equal}, triplets, 0.0, any_pair=True
    )
    assert best == -1
    assert all(apart.p < 0.05 for apart in behind.values())


def test_intervals_hold_the_difference_for_people_who_differ():
    """Of people: with eight of them, each better served by one method or the other."""
    triplets = answered_by(8, 400)
    held = []
    for seed in range(200):
        people = 0.1 * np.random.default_rng(1000 + seed).normal(size=8)
        first = held_out(triplets, 0.4, 2 * seed, people)
        second = held_out(triplets, 0.3, 2 * seed + 1)
        found = paired_difference(first, second, triplets, 0.25)
        held.append(found.low < 0.1 < found.high)
    assert 0.91 <= np.mean(held) <= 0.995


def crossed(people: int, questions: int) -> Triplets:
    """The same questions, answered by everybody."""
    rows = np.tile(answered_by(1, questions).rows, (people, 1))
    who = np.repeat([f"p{k}" for k in range(people)], questions)
    return Triplets.from_array(rows, 18).with_columns({"participant": who})


@pytest.mark.parametrize(("by_person", "by_question"), [(0.3, 0.0), (0.0, 0.3), (0.2, 0.2)])
def test_the_variance_is_that_of_other_people_and_other_questions(by_person, by_question):
    people, questions = 14, 40
    data = crossed(people, questions)
    units, weight = known_people(data, "participants"), np.ones(len(data))
    rng = np.random.default_rng(1)
    means, told = [], []
    for _ in range(400):
        each = by_person * rng.normal(size=(people, 1)) + by_question * rng.normal(size=questions)
        wrong = (each + rng.normal(size=each.shape)).ravel()
        influence = units.influence(wrong, weight)
        means.append(wrong.mean())
        told.append(people / (people - 1) * influence @ influence + units.shared(wrong, weight))
    assert np.mean(told) == pytest.approx(np.var(means), rel=0.25)


def test_questions_that_nobody_shares_add_nothing():
    data = answered_by(10, 400)
    assert known_people(data, "participants").question is None
    assert known_people(crossed(3, 20), "participants").question is not None
