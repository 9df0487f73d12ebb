"""Bounds of the noise ceiling, by hand and on planted probabilities."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.ceiling import (
    Ceiling,
    _best_accuracy,
    _by_majority,
    _error_without,
    _repeats,
    _sums,
    noise_ceiling,
    people_differ,
    repeat_error,
)
from tripletscope.core.inference.held_out.share import Share, left_out
from tripletscope.core.inference.held_out.units import known_people
from tripletscope.core.models.simulation.simulate import simulate

TRIO = [[0, 1, 2]] * 3 + [[0, 2, 1]]


def by(rows: list, people: list[str]) -> Triplets:
    triplets = Triplets.from_array(rows)
    return Triplets(
        triplets.rows, triplets.objects, triplets.answers.assign(participant=people)
    )


def answered(chances: np.ndarray, times: int, n_people: int, seed: int) -> Triplets:
    """Questions that are answered so many times, by different people, with these chances."""
    rng = np.random.default_rng(seed)
    questions = simulate(rng.normal(size=(60, 2)), 2 * len(chances), noise="none", seed=seed)
    first = np.unique(questions.questions, return_index=True)[1][: len(chances)]
    rows = np.repeat(questions.rows[first], times, axis=0)
    turned = rng.random(len(rows)) > np.repeat(chances, times)
    rows[turned] = rows[turned][:, [0, 2, 1]]
    people = [rng.choice(n_people, times, replace=False) for _ in chances]
    return by(rows, [f"p{k}" for k in np.concatenate(people)])


def test_repeats_bound_the_error_by_hand():
    assert repeat_error([[0, 1, 2], [1, 0, 2]]) is None
    # three of four alike: the odd one is always missed; a tie among two others does not happen
    found = repeat_error([[0, 1, 2]] * 3 + [[0, 2, 1]] + [[1, 0, 2]])
    assert found.error == pytest.approx(1 / 4)
    assert found.n_answers == 4
    assert found.low < 1 / 4 < found.high
    # of three, each of the two alike sees a tie
    assert repeat_error([[0, 1, 2]] * 2 + [[0, 2, 1]]).error == pytest.approx((0.5 + 0.5 + 1) / 3)
    counted = Triplets.from_array([[0, 1, 2], [0, 2, 1]], weight=[3, 1])
    assert repeat_error(counted).error == pytest.approx(1 / 4)


def test_repeats_agree_with_the_noise_that_was_planted():
    """With many repeats the others' majority is right, and errs as often as an answer does."""
    questions = simulate(np.random.default_rng(0).normal(size=(15, 2)), 60, noise="none").rows
    rows = np.repeat(questions, 41, axis=0)
    turned = np.random.default_rng(1).random(len(rows)) < 0.2
    rows[turned] = rows[turned][:, [0, 2, 1]]
    found = repeat_error(rows)
    assert found.low < 0.2 < found.high


def test_answers_are_compared_with_those_of_others():
    """A participant who repeats one answer does not make a majority of it."""
    rows = [[0, 1, 2]] * 3 + [[0, 2, 1]]
    found = repeat_error(by(rows, ["ann", "ann", "ann", "bob"]))
    assert found.wrong.tolist() == [1, 1, 1, 1]
    ceiling = noise_ceiling(by(rows, ["ann", "ann", "ann", "bob"]))
    assert (ceiling.among, ceiling.pairs, ceiling.agreement) == ("people", 3, 0.0)


def test_without_shared_questions_people_are_compared_with_themselves():
    rows = [[0, 1, 2], [0, 1, 2], [1, 0, 2], [1, 2, 0], [2, 0, 1]]
    data = by(rows, ["ann", "ann", "bob", "bob", "bob"])
    ceiling = noise_ceiling(data)
    assert (ceiling.among, ceiling.questions, ceiling.pairs) == ("self", 2, 2)
    assert ceiling.agreement == 0.5
    np.testing.assert_equal(repeat_error(data).wrong, [0, 0, 1, 1, np.nan])


def test_the_ceiling_and_where_there_is_none():
    ceiling = noise_ceiling(Triplets.from_array(TRIO))
    # Each of the three has two against one; the fourth has three against none.
    assert ceiling.lower.value == 0.75
    assert ceiling.lower.low < 0.75 < ceiling.lower.high
    assert (ceiling.questions, ceiling.pairs, ceiling.agreement) == (1, 6, 0.5)
    none = noise_ceiling(Triplets.from_array([[0, 1, 2], [1, 0, 2]]))
    assert none.lower is None is none.upper
    assert not none.is_precise


def test_all_agree():
    ceiling = noise_ceiling(answered(np.ones(50), 3, 10, 0))
    assert ceiling.lower.value == ceiling.limit == 1.0
    assert ceiling.upper.value == pytest.approx(1.0, abs=1e-4)
    assert 0.8 < ceiling.upper.low < ceiling.upper.high == pytest.approx(1.0)


def test_guesses_have_their_ceiling_at_chance():
    ceiling = noise_ceiling(answered(np.full(400, 0.5), 6, 30, 0))
    assert ceiling.upper.low <= 0.51
    assert ceiling.upper.value < 0.57


@pytest.mark.parametrize(("times", "lapses"), [(2, 0.2), (3, 0.0), (5, 0.2), (10, 0.0)])
def test_the_bounds_bracket_the_ceiling(times, lapses):
    """From the lower end of the lower bound to the upper end of the upper: 95 % of the time.

    Rates: ``benchmarks/verdicts.py ceilings``.
    """
    held, bias = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        chances = lapses / 2 + (1 - lapses) * expit(2 * rng.normal(size=200))
        true = np.maximum(chances, 1 - chances).mean()
        ceiling = noise_ceiling(answered(chances, times, 20, seed))
        assert (ceiling.unit, ceiling.n_units) == ("participants", 20)
        held.append(ceiling.lower.low <= true <= ceiling.upper.high)
        bias.append(ceiling.upper.value - true)
        assert ceiling.upper.value <= ceiling.limit + 1e-6
    assert np.mean(held) >= 0.9
    assert abs(np.mean(bias)) < 0.02


def test_equal_noise_on_all_questions_is_found_from_four_answers_on():
    """Where answers are turned at random, agreement alone says too little."""
    few = noise_ceiling(answered(np.full(600, 0.9), 3, 30, 1))
    many = noise_ceiling(answered(np.full(600, 0.9), 5, 30, 1))
    assert few.upper.value == pytest.approx(0.87, abs=0.02)
    assert many.upper.value == pytest.approx(0.90, abs=0.015)
    assert few.limit == pytest.approx(0.90, abs=0.02)


@pytest.mark.parametrize(("chance", "times"), [(0.9, 5), (0.9, 10), (0.8, 10)])
def test_three_points_left_by_equal_noise_are_something_to_gain(chance, times):
    """A ceiling that takes all noise for hard questions is too low here, and says it is reached."""
    ceiling = noise_ceiling(answered(np.full(600, chance), times, 30, 3))
    error = 1 - chance + 0.03
    assert not ceiling.leaves_nothing(error, error - 0.01, error + 0.01)


@pytest.mark.parametrize("chance", [0.7, 0.85, 0.95])
def test_the_lower_bound_is_never_above_the_upper(chance):
    """Each of ten people answers the same few questions many times: no four are by others only."""
    rng = np.random.default_rng(0)
    rows = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])[rng.integers(3, size=900)]
    turned = rng.random(900) > chance
    rows[turned] = rows[turned][:, [0, 2, 1]]
    ceiling = noise_ceiling(by(rows.tolist(), [f"p{k}" for k in rng.integers(10, size=900)]))
    assert ceiling.lower.value <= ceiling.upper.value
    assert ceiling.lower.low <= ceiling.upper.low < ceiling.upper.value < ceiling.upper.high
    assert ceiling.upper.value == pytest.approx(chance, abs=0.03)


def test_answers_of_nobody_give_the_upper_bound_no_degrees_of_freedom():
    """Sums without each of eight people and of forty trials of nobody, which change nothing."""
    rng = np.random.default_rng(0)
    whole = np.array([700.0, 1000.0, 0.0, 0.0, 0.0, 5000.0])[:, None]
    eight = np.tile(whole, 8)
    moved = rng.normal(0, 20, 8)
    eight[0] += moved - moved.mean()
    nobody = np.hstack([eight, np.repeat(whole, 40, axis=1)])
    known, more = (left_out(0.8, _best_accuracy(sums), 5000, 8) for sums in (eight, nobody))
    assert known[1] - known[0] > 0.05
    assert 0.98 < (more[1] - more[0]) / (known[1] - known[0]) < 1.1


def test_no_answers_have_no_ceiling():
    assert noise_ceiling(Triplets.from_array(TRIO).take(np.zeros(4, dtype=bool))).upper is None


def test_what_leaves_nothing_to_gain():
    bounds = Share(0.67, 0.66, 0.68, 900), Share(0.72, 0.70, 0.74, 900)
    ceiling = Ceiling(*bounds)
    assert ceiling.is_reached(0.286, 0.27)
    assert ceiling.is_reached(0.25, 0.24)
    assert not ceiling.is_reached(0.31, 0.27), "three points are left"
    assert not ceiling.is_reached(0.2999, 0.3001), "surely above, be it by little"
    vague = Ceiling(bounds[0], Share(0.72, 0.6, 0.8, 20))
    assert not vague.is_reached(0.286, 0.27)


def test_more_answers_are_judged_by_a_ceiling_that_is_known():
    bounds = Share(0.67, 0.66, 0.68, 900), Share(0.72, 0.70, 0.74, 900)
    ceiling = Ceiling(*bounds)
    assert ceiling.leaves_nothing(0.286, 0.27, 0.30)
    assert not ceiling.leaves_nothing(0.31, 0.27, 0.35), "three points are left"
    vague = Ceiling(bounds[0], Share(0.72, 0.6, 0.8, 20))
    assert not vague.leaves_nothing(0.286, 0.27, 0.30)
    assert not Ceiling(None, None).leaves_nothing(0.286, 0.27, 0.30)
    guessed = Ceiling(Share(0.5, 0.49, 0.51, 900), Share(0.52, 0.5, 0.53, 900))
    assert not guessed.leaves_nothing(0.49, 0.47, 0.51), "the map may only be guessing"


@pytest.mark.parametrize("people", [True, False])
def test_leaving_one_out_is_as_if_it_had_not_been_there(people):
    """The sums of the jackknife against those of the data without each unit."""
    rng = np.random.default_rng(3)
    rows = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1]])[rng.integers(3, size=60)]
    turned = rng.random(60) < 0.3
    rows[turned] = rows[turned][:, [0, 2, 1]]
    data = by(rows.tolist(), [f"p{k}" for k in rng.integers(6, size=60)])
    asked = _repeats(data)
    part = data.answers["participant"] if people else data.questions
    units = np.unique(part, return_inverse=True)[1]
    total, without = _sums(asked, units, people)
    for unit in range(int(units.max()) + 1):
        rest = _repeats(data.take(np.flatnonzero(units != unit)))
        alone, _ = _sums(rest, np.zeros(len(rest.pair), dtype=int), False)
        np.testing.assert_allclose(without[:, unit], alone, atol=1e-9)
    assert np.isfinite(total).all()


def of_a_crowd(seed: int, *, differ: bool, guessers: int = 0) -> Triplets:
    """Sixty questions to twenty people, of two kinds or of one, some of whom guess."""
    rng = np.random.default_rng(seed)
    x = 1.2 * rng.normal(size=(15, 2))
    asked = np.array([rng.choice(15, 3, replace=False) for _ in range(60)])
    kinds = np.sqrt([[0.25, 1.75], [1.75, 0.25]]) if differ else np.ones((2, 2))
    rows = []
    for person in range(20):
        seen = (x * kinds[person % 2])[asked]
        near, far = (np.sum((seen[:, 0] - seen[:, k]) ** 2, axis=1) for k in (1, 2))
        chance = np.full(60, 0.5) if person < guessers else expit(far - near)
        rows.append(np.where((rng.random(60) < chance)[:, None], asked, asked[:, [0, 2, 1]]))
    return by(np.concatenate(rows).tolist(), np.repeat([f"p{k}" for k in range(20)], 60).tolist())


@pytest.mark.parametrize("seed", [0, 1])
def test_people_who_differ_may_exceed_the_ceiling(seed):
    """A model of two kinds of people predicted better than that in 24 of 24 data sets."""
    assert people_differ(of_a_crowd(seed, differ=True))
    assert not people_differ(of_a_crowd(seed, differ=False))
    assert not people_differ(of_a_crowd(seed, differ=False, guessers=5))
    ceiling = noise_ceiling(of_a_crowd(seed, differ=False, guessers=5))
    error = 1 - ceiling.upper.value
    if ceiling.is_precise:
        assert ceiling.is_reached(error, error)
        assert not replace(ceiling, differ=True).is_reached(error, error)


def test_fewer_than_three_people_do_not_differ():
    data = of_a_crowd(0, differ=True)
    who = data.answers["participant"].to_numpy()
    assert not people_differ(data.take(np.isin(who, ["p0", "p1"])))
    assert not people_differ(Triplets(data.rows, data.objects))


def test_intervals_know_that_people_share_questions():
    """Over people alone, they held the best accuracy for other questions in 63 to 83 %."""
    held = []
    for seed in range(20):
        rng = np.random.default_rng(seed)
        chances = expit(2 * rng.normal(size=60))
        true = 0.5 + np.mean(np.abs(expit(2 * np.random.default_rng(0).normal(size=9999)) - 0.5))
        ceiling = noise_ceiling(answered(chances, 12, 12, seed))
        held.append(ceiling.upper.low <= true <= ceiling.upper.high)
    assert np.mean(held) >= 0.85


@pytest.mark.parametrize("unknown", [0.0, 0.2])
def test_who_is_left_out_is_missed_in_the_majorities(unknown):
    """The error without each participant against that of the answers of the others."""
    rng = np.random.default_rng(5)
    rows = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1], [3, 0, 1]])[rng.integers(4, size=200)]
    turned = rng.random(200) < 0.3
    rows[turned] = rows[turned][:, [0, 2, 1]]
    who = [f"p{k}" if rng.random() > unknown else "" for k in rng.integers(9, size=200)]
    repeats = _repeats(by(rows.tolist(), who))
    people = known_people(repeats.answers, "participants")
    found = _error_without(repeats, people)
    for unit in range(people.number):
        rest = repeats.take(np.flatnonzero(people.part != unit))
        assert found[unit] == pytest.approx(np.average(_by_majority(rest)))
