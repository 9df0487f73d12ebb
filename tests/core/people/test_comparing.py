"""Held-out answers of people under one map, weights, groups and maps of their own."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from tests.core.people.planted import answers_of, guessing, own_directions, weighing
from tripletscope.core.inference.held_out.units import different_pairs, shared_covariance
from tripletscope.core.people import (
    PeopleComparison,
    WeightedEuclidean,
    compare_people,
    weights,
)
from tripletscope.core.ratings import Ratings
from tripletscope.dashboard.results.people import groups_said


def test_weights_win_where_they_were_planted():
    data, _, _ = weighing(people=20, each=120, attention=1.0)
    found = compare_people(WeightedEuclidean(n_init=2), data, most_groups=1, folds=3)
    assert found.chosen == "weights"
    assert found.gain("weights", over="precision")[1] > 0
    assert found.gain("weights", of="accuracy")[1] > 0
    assert found.better("weights")[0] > 12
    assert found.n_choices.sum() == len(data)
    assert found.table["model"].tolist() == ["one map", "precision", "weights", "own maps"]


def test_one_map_wins_where_people_are_alike():
    """In 60 such crowds, weights were chosen in none, and two groups in none."""
    data, _, _ = weighing(people=20, each=80, attention=0.0, consistency=0.0)
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=2, folds=3)
    assert found.chosen == "one map"
    assert found.n_groups == 1


def test_people_who_differ_by_degrees_are_no_groups():
    """Two groups predict them better than one map, and weights better than two groups."""
    data = weighing(people=24, each=100, attention=0.9, n=12)[0]
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=2, folds=3)
    assert found.gain("2 groups", over="precision")[1] > 0
    assert found.differ_by_degrees(2)
    assert found.n_groups == 1
    assert groups_said(found).startswith("One group: people differ by degrees.")


def test_a_part_of_what_weights_gain_is_what_degrees_leave():
    models = np.array(["one map", "precision", "weights", "2 groups"])
    noise = 0.01 * np.random.default_rng(0).normal(size=(20, 4))

    def of(weights: float, groups: float) -> PeopleComparison:
        log_share = np.array([-0.6, -0.6, -0.6 + weights, -0.6 + groups]) + noise
        return PeopleComparison(
            np.arange(20).astype(str), np.full(20, 50), models, log_share, noise, log_share,
            np.full(20, 0.5),
        )

    assert of(0.1, 0.06).differ_by_degrees(2)
    assert of(0.1, 0.06).n_groups == 1
    assert not of(0.1, 0.07).differ_by_degrees(2)
    assert not of(0.06, 0.06).differ_by_degrees(2)
    assert of(0.06, 0.06).n_groups == 2


def test_three_kinds_of_people_are_no_degrees():
    """Two groups of them hold half of what weights gain, three hold all."""
    models = np.array(["one map", "precision", "weights", "2 groups", "3 groups", "own maps"])
    noise = 0.01 * np.random.default_rng(0).normal(size=(20, 6))

    def of(*gains: float) -> PeopleComparison:
        log_share = np.array([-0.6, -0.6, *(-0.6 + gain for gain in gains), -0.7]) + noise
        return PeopleComparison(
            np.arange(20).astype(str), np.full(20, 50), models, log_share, noise, 0.7 + noise,
            np.full(20, 0.5),
        )

    assert of(0.10, 0.05, 0.10).n_groups == 3
    assert of(0.10, 0.05, 0.07).n_groups == 1
    found = of(0.10, 0.05, 0.05)
    share = np.stack([found.log_share, found.accuracy])[..., :-1]
    guess = np.arange(20)[:, None] < 4
    some = replace(
        found, log_share=np.where(guess, -0.7, found.log_share), others_share=share[:, 4:],
        over_guessing=np.where(guess, -9.0, np.full((20, 6), 9.0)),
    )
    assert some.guessers.sum() == 4
    assert some.n_groups == 1
    assert groups_said(some).startswith("One group: people differ by degrees.")


def test_groups_are_counted_by_held_out_answers():
    rng = np.random.default_rng(1)
    weights = np.array([[1.8, 0.2]] * 8 + [[0.2, 1.8]] * 8)
    data = answers_of(1.5 * rng.normal(size=(10, 2)), weights, 120, rng)
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=2, folds=2)
    assert found.n_groups == 2


def test_people_who_guess_are_no_group():
    """They were the second of two groups in 12 of 12 crowds; rates: ``verdicts.py crowds``."""
    found = compare_people(WeightedEuclidean(n_init=1), guessing(seed=0), most_groups=2, folds=3)
    assert found.chosen in ("one map", "precision")
    assert found.n_groups == 1
    assert np.flatnonzero(found.guessers).tolist() == [0, 1, 2]
    assert not replace(found, over_guessing=None).guessers.any()
    others = found.others
    assert others.people.tolist() == found.people[~found.guessers].tolist()
    assert others.table["model"].tolist() == ["one map", "precision", "weights", "2 groups"]


def test_groups_are_counted_among_those_who_do_not_guess():
    """With the guesses of a quarter, two kinds of people were seen in 9 of 13 crowds."""
    rng = np.random.default_rng(3)
    weights = np.array([[1.8, 0.2]] * 6 + [[0.2, 1.8]] * 6 + [[0.0, 0.0]] * 3)
    data = answers_of(1.5 * rng.normal(size=(10, 2)), weights, 100, rng)
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=2, folds=2)
    assert np.flatnonzero(found.guessers).tolist() == [12, 13, 14]
    assert found.n_groups == found.others.n_groups == 2
    few = compare_people(
        WeightedEuclidean(n_init=1), guessing(people=7, guessers=2, each=160), most_groups=2,
        folds=2,
    )
    assert few.guessers.sum() == 2
    assert few.others is None


def test_who_sees_things_otherwise_does_not_guess():
    rng = np.random.default_rng(0)
    weights = np.array([[1.8, 0.2]] * 9 + [[0.2, 1.8]] * 3)
    data = answers_of(1.5 * rng.normal(size=(10, 2)), weights, 80, rng)
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=1, folds=3)
    assert not found.guessers.any()


def test_axes_of_halves_of_the_people_agree_where_there_are_any():
    """Where everybody stretches the map otherwise, axes were said to be certain to within 4°.

    Rates: ``benchmarks/verdicts.py crowds``.
    """
    method = WeightedEuclidean(n_init=2)
    data = weighing(people=16, each=100, attention=1.0, n=15, seed=2)[0]
    common = compare_people(method, data, most_groups=1, folds=3)
    assert common.attention_shown
    assert common.axes_agree
    own = compare_people(method, own_directions(seed=2), most_groups=1, folds=3)
    assert own.attention_shown
    assert not own.axes_agree


def test_comparing_does_without_the_test_of_attention(monkeypatch):
    """It takes a quarter of a fit, and no comparison reads it."""
    asked = []
    monkeypatch.setattr(weights, "p_of_attention", lambda *_, **__: asked.append(1) or 0.5)
    data, _, _ = weighing(people=8, each=40, n=8)
    compare_people(WeightedEuclidean(n_init=1), data, most_groups=2, folds=2)
    assert not asked
    assert WeightedEuclidean(n_init=1).fit(data).p_attention_ == 0.5


def test_of_few_people_there_are_no_halves():
    data, _, _ = weighing(people=4, each=300, attention=1.5)
    found = compare_people(WeightedEuclidean(n_init=1), data, most_groups=1, folds=2)
    assert np.isnan(found.axes_error)
    assert not found.axes_agree


def comparison(log_share: np.ndarray) -> PeopleComparison:
    p, m = log_share.shape
    names = np.array(["one map", "precision", "weights", "own maps"])[:m]
    return PeopleComparison(
        np.arange(p).astype(str), np.full(p, 10), names, log_share, np.full((p, m), 0.01),
        np.exp(log_share), np.full(p, 0.5),
    )


def test_intervals_are_paired_over_people():
    rng = np.random.default_rng(0)
    base = rng.normal(-0.5, 0.2, 30)
    found = comparison(np.stack([base, base + rng.normal(0.05, 0.02, 30)], axis=1))
    mean, low, high = found.gain("precision")
    assert low < 0.05 < high
    assert high - low < 0.03
    gains = found.gains("precision")
    assert found.better("precision") == (
        (gains > 0).sum(), (gains > 0.0196).sum(), (gains < -0.0196).sum()
    )
    assert mean == pytest.approx(gains.mean())
    assert found.chosen == "precision"


def test_gains_that_come_of_shared_questions_are_less_sure():
    """Of people who are alike and are asked the same, one in five data sets showed differences."""
    rng = np.random.default_rng(2)
    people, questions = 12, 30
    person = np.repeat(np.arange(people), questions)
    question = np.tile(np.arange(questions), people)
    cell = different_pairs(question, person)[2]
    moved, means = [], []
    for _ in range(300):
        gain = 0.3 * rng.normal(size=questions)[question] + rng.normal(size=len(person))
        shift = np.stack([np.zeros(len(person)), gain - gain.mean()], axis=1) / len(person)
        by_person = gain.reshape(people, questions).mean(axis=1)
        found = replace(
            comparison(np.stack([np.zeros(people), by_person], axis=1)),
            shared=np.stack([shared_covariance(question, cell, shift)] * 2),
            n_questions=questions,
        )
        moved.append(found.gain("precision")[1] > 0)
        means.append(comparison(found.log_share).gain("precision")[1] > 0)
    assert np.mean(moved) < 0.05 < np.mean(means)
    apart = np.arange(len(person))
    assert not shared_covariance(apart, apart, shift).any()


def test_of_who_chose_rarely_nothing_is_clear():
    data, _, _ = weighing(people=6, each=60, attention=1.0)
    who = data.answers["participant"].astype(str)
    few = (who == who.iloc[0]) & (who.groupby(who).cumcount() >= 2)
    found = compare_people(
        WeightedEuclidean(n_init=1), data.take(~few.to_numpy()), most_groups=1, folds=2
    )
    assert np.isnan(found.error[found.n_choices < 5]).all()
    assert found.n_told == len(found.people) - 1 == 5
    _, clearly, worse = found.better("weights")
    assert clearly + worse <= 5


@pytest.mark.parametrize(("differ", "chosen"), [(True, "weights"), (False, "one map")])
def test_raters_are_predicted_from_their_other_ratings(differ, chosen):
    """Held out as a whole, nothing of a rater was left to learn weights from: one map won."""
    rng = np.random.default_rng(3)
    x, pairs = rng.normal(size=(10, 2)), np.array(list(combinations(range(10), 2)))
    rows = [
        (f"rater {k}", f"o{a}", f"o{b}", rating)
        for k in range(8)
        for (a, b), rating in zip(pairs, pdist(
            x * ((1.3, 0.5), (0.5, 1.3))[k % 2] if differ else x
        ) + 0.2 * np.abs(rng.normal(size=len(pairs))), strict=True)
    ]
    answers = Ratings(
        pd.DataFrame(rows, columns=["participant", "item1", "item2", "rating"]),
        direction="dissimilar",
    ).triplets()
    found = compare_people(WeightedEuclidean(n_init=2), answers, most_groups=1, folds=5)
    assert found.chosen == chosen
    assert found.weights_differ == differ
    assert found.n_choices.sum() < len(answers)  # those between two folds are of neither
    np.testing.assert_allclose(found.chance, 0.5)
