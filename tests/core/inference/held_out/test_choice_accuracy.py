"""Choices among more than two: predicted as a whole, beside chance and their own ceiling."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.crowds import answers_of, trials_of
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.choice_accuracy import (
    choice_accuracies,
    observer_agreement,
)
from tripletscope.core.inference.held_out.choice_ceiling import choice_ceiling, expected_best
from tripletscope.core.inference.held_out.score import (
    cross_validate,
    holdout,
    missed_choices,
    split_error,
)
from tripletscope.core.models.embedding import STE
from tripletscope.core.reading.tasks import chosen_first


def odd_ones(questions, odd, *, participants=None, split=None, n=None):
    """Odd-one-out trials of these questions (Q, 3), of which the object at place `odd` was."""
    questions, odd = np.asarray(questions), np.asarray(odd)
    others = np.array([[1, 2], [0, 2], [0, 1]])[odd]
    a, b = np.take_along_axis(questions, others, axis=1).T
    o = questions[np.arange(len(odd)), odd]
    rows = np.stack([np.stack([a, b, o], 1), np.stack([b, a, o], 1)], axis=1).reshape(-1, 3)
    answers = {"trial": np.repeat(np.arange(len(odd)), 2)}
    if participants is not None:
        answers["participant"] = np.repeat(participants, 2)
    if split is not None:
        answers["split"] = np.repeat(split, 2)
    n = n or int(questions.max()) + 1
    objects = pd.DataFrame({"id": [str(i) for i in range(n)]})
    return Triplets(rows, objects, pd.DataFrame(answers))


def repeated(n_questions, times, p, seed=0, participants=20):
    """Questions about objects of their own, answered so often, by probabilities (Q, 3)."""
    rng = np.random.default_rng(seed)
    questions = np.repeat(np.arange(3 * n_questions).reshape(-1, 3), times, axis=0)
    odd = np.concatenate([rng.choice(3, times, p=each) for each in p])
    who = np.concatenate([rng.permutation(participants)[:times] for _ in p])
    return odd_ones(questions, odd, participants=[f"p{i}" for i in who])


def test_a_choice_is_right_if_all_of_its_answers_are():
    given = odd_ones([[0, 1, 2]] * 5, [0] * 5)
    wrong = np.array([0, 0, 0, 1, 1, 1, 0, 0.5, 0.5, 0.5])
    missed = missed_choices(wrong, given)
    assert missed == pytest.approx(np.repeat([0, 1, 1, 0.5, 2 / 3], 2))


def test_ties_give_no_more_than_guessing():
    rows = [(0, i, j) for _, i, j in chosen_first(3, 2, True)]
    ranked = Triplets(
        rows, pd.DataFrame({"id": list("abcd")}), pd.DataFrame({"trial": [0] * len(rows)}))
    assert 1 - missed_choices(np.full(len(rows), 0.5), ranked)[0] <= 1 / 6
    rows = [(0, i, j) for _, i, j in chosen_first(4, 2, False)]
    some = Triplets(
        rows, pd.DataFrame({"id": list("abcde")}), pd.DataFrame({"trial": [0] * len(rows)}))
    assert 1 - missed_choices(np.full(len(rows), 0.5), some)[0] <= 1 / 6


def test_rankings_have_no_ceiling_of_their_first_step():
    rows = [(0, i, j) for _, i, j in chosen_first(3, 2, True)] * 2
    given = Triplets(
        rows, pd.DataFrame({"id": list("abcd")}), pd.DataFrame({"trial": [0] * 3 + [1] * 3}))
    found, = choice_accuracies(given)
    assert found.ceiling.upper is None


def test_answers_of_a_trial_that_weigh_differently_are_no_choice():
    given = odd_ones([[0, 1, 2], [0, 1, 3]], [0, 0])
    answers = given.answers.assign(weight=[1.0, 0.0, 2.0, 2.0])
    weighed = Triplets(given.rows, given.objects, answers)
    assert len(weighed.choices.odd_one_out().rows) == 1
    assert len(weighed.choices) == 3


def test_choices_between_two_are_not_counted():
    assert missed_choices(np.zeros(2), Triplets.from_array([[0, 1, 2], [1, 0, 2]])) is None
    given = odd_ones([[0, 1, 2]], [0])
    both = Triplets(
        np.concatenate([given.rows, [[2, 0, 1]]]), given.objects,
        pd.DataFrame({"trial": [0, 0, 1]}),
    )
    assert np.isnan(missed_choices(np.zeros(3), both)[2])


def test_guessing_is_right_by_chance_and_no_more():
    rng = np.random.default_rng(0)
    questions = np.array([rng.choice(30, 3, replace=False) for _ in range(3000)])
    given = odd_ones(questions, rng.integers(0, 3, 3000), n=30)
    fitted = STE(n_init=1).fit(given.take(np.arange(200)))
    part = given.take(np.arange(200, 6000))
    found, = choice_accuracies(part, holdout(fitted, part))
    assert found.chance == pytest.approx(1 / 3)
    assert found.accuracy.low < 1 / 3 < found.accuracy.high
    assert found.n_trials == 2900


def test_kinds_have_chances_of_their_own_and_are_not_mixed():
    rows, trial = [(0, 1, 2), (1, 0, 2), (3, 4, 5), (5, 4, 3)], [0, 0, 1, 1]
    for number, (m, r, ranked) in enumerate([(5, 1, False), (5, 2, False), (4, 2, True)]):
        for _, i, j in chosen_first(m, r, ranked):
            rows.append((9, i - 1, j - 1))
            trial.append(2 + number)
    given = Triplets(
        rows, pd.DataFrame({"id": list("abcdefghij")}), pd.DataFrame({"trial": trial})
    )
    chances = {str(one.kind): one.chance for one in choice_accuracies(given)}
    assert chances == pytest.approx({
        "odd one out of 3": 1 / 3, "most central of 3": 1 / 3, "1 of 5": 1 / 5, "2 of 5": 1 / 10,
        "ranking of 4 in 2 steps": 1 / 12,
    })


def test_cross_validation_and_the_data_s_own_split_tell_of_choices():
    rng = np.random.default_rng(1)
    truth = rng.standard_normal((12, 2))
    questions = np.array([rng.choice(12, 3, replace=False) for _ in range(400)])
    apart = np.linalg.norm(truth[questions] - truth[questions][:, [1, 2, 0]], axis=2)
    odd = np.array([2, 0, 1])[apart.argmin(axis=1)]
    given = odd_ones(questions, odd, split=np.where(np.arange(400) < 300, "train", "test"))
    cross = cross_validate(STE(n_init=1), given, repeats=2)
    found, = choice_accuracies(given, cross)
    assert 0.85 < found.accuracy.value <= 1 - cross.error  # harder than each of its comparisons
    assert found.n_trials == 400
    split, = choice_accuracies(given, split_error(STE(n_init=1), given))
    assert split.n_trials == 100
    assert split.accuracy.value > 0.8


def test_who_is_spoken_of():
    """People who differ: an interval over those who were learned from is too high for others."""
    rng = np.random.default_rng(3)
    positions, missed, task = 1.3 * rng.normal(size=(12, 2)), 0, "odd_one_out"
    for _ in range(4):
        data, new = (
            answers_of(*trials_of(positions, task, people, 60, 0.8, rng), 12, task)
            for people in (9, 60)
        )
        method = STE(n_init=1, max_iter=200)
        found, = choice_accuracies(data, cross_validate(method, data))
        other, = choice_accuracies(new, holdout(method.fit(data), new))
        missed += other.accuracy.value < found.accuracy.low
        assert found.is_of_the_learned
        assert not other.is_of_the_learned, "they are new"
    assert missed >= 1


def test_the_expected_best_option_is_that_of_a_dirichlet_distribution():
    rng = np.random.default_rng(2)
    for k, a in ((2, 0.2), (3, 1.0), (3, 0.05), (5, 7.0)):
        p = rng.dirichlet([a] * k, 200_000)
        agreement = (a + 1) / (k * a + 1)
        assert expected_best(agreement, k) == pytest.approx(p.max(axis=1).mean(), abs=2e-3)
    assert expected_best(1.0, 3) == 1.0
    assert expected_best(1 / 3, 3) == 1 / 3


def test_the_ceiling_holds_the_accuracy_of_who_knows_the_probabilities():
    p = np.random.default_rng(3).dirichlet([0.4] * 3, 400)
    given = repeated(400, 6, p)
    found, = choice_accuracies(given)
    ceiling = found.ceiling
    assert ceiling.questions == 400
    assert ceiling.among == "people"
    assert ceiling.lower.value < ceiling.upper.value < ceiling.limit
    assert ceiling.upper.low < p.max(axis=1).mean() < ceiling.upper.high
    assert ceiling.agreement == pytest.approx((p**2).sum(axis=1).mean(), abs=0.02)


def test_the_majority_of_the_others_predicts_each_choice():
    given = odd_ones([[0, 1, 2]] * 3 + [[3, 4, 5]] * 2, [0, 0, 1, 2, 2])
    # Two of the first three see one of each among the others, the third two of the other kind.
    found = choice_accuracies(given)[0].ceiling
    assert found.lower.value == pytest.approx((0.5 + 0.5 + 0 + 1 + 1) / 5)
    assert found.agreement == pytest.approx((3 * (1 / 3) + 2 * 1) / 5)


def test_repeats_of_one_person_are_compared_only_where_nobody_shares_a_question():
    own = odd_ones([[0, 1, 2]] * 2 + [[3, 4, 5]] * 2, [0, 0, 1, 2], participants=list("aabb"))
    found = choice_accuracies(own)[0].ceiling
    assert (found.among, found.agreement) == ("self", 0.5)
    shared = odd_ones([[0, 1, 2]] * 3, [0, 0, 1], participants=list("aab"))
    found = choice_accuracies(shared)[0].ceiling
    assert (found.among, found.agreement) == ("people", 0.0)


def test_without_repeats_there_is_no_ceiling():
    given = odd_ones([[0, 1, 2], [0, 1, 3]], [0, 1])
    assert choice_ceiling(given, given.choices).upper is None


def test_agreement_is_counted_where_both_answered():
    people = Triplets.from_array([[0, 1, 2], [0, 1, 2], [0, 2, 1], [1, 2, 0], [3, 0, 1]])
    model = Triplets.from_array([[0, 1, 2], [1, 0, 2], [1, 2, 0]], n_objects=4)
    found, = observer_agreement(people, model)
    assert found.n_trials == 4
    assert found.accuracy.value == pytest.approx((1 + 1 + 0 + 0.5) / 4)
    assert found.ceiling.lower.value == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_who_knows_the_likeliest_reaches_the_ceiling():
    p = np.random.default_rng(0).dirichlet([0.4] * 3, 300)
    people = repeated(300, 8, p)
    model = odd_ones(np.arange(900).reshape(-1, 3), p.argmax(axis=1))
    found, = observer_agreement(people, model)
    assert found.chance == pytest.approx(1 / 3)
    assert found.ceiling.upper.low < found.accuracy.value < found.ceiling.upper.high
    assert not found.is_chance
    guessing = odd_ones(np.arange(900).reshape(-1, 3), np.random.default_rng(1).integers(0, 3, 300))
    found, = observer_agreement(people, guessing)
    assert found.is_chance


def test_several_questions_of_one_screen_are_no_ranking():
    rows = [[0, 1, 2], [3, 4, 5]] * 2
    people = Triplets(
        rows, pd.DataFrame({"id": list("abcdef")}), pd.DataFrame({"trial": [0, 0, 1, 1]}))
    found, = observer_agreement(people, Triplets.from_array(rows[:2], n_objects=6))
    assert (found.n_trials, found.accuracy.value, found.chance) == (4, 1.0, 0.5)
