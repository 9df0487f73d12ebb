"""A model's answers are drawn by softmax, for every kind of question."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features.model_answers import answer_questions
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.prompts.prompts import Questions, questions_of

FOUR = Triplets.from_array([[0, 1, 2], [1, 2, 3]])
APART = np.array([[0, 1, 2, 4], [1, 0, 1.5, 3], [2, 1.5, 0, 2.5], [4, 3, 2.5, 0.0]])
MODEL = FeatureSpace(name="network", distances=APART)
TIMES = 20_000


PAIRS = {"pairs": [(0, 1), (2, 3)], "odd": [(0, 1), (0, 2), (1, 2)]}


def ask(kind: str, shown: list[int], *how, temperature: float = 1.0):
    """Answers, pairs of what is shown, and their probabilities by the formula."""
    questions = [Questions(kind, np.tile(shown, (TIMES, 1)), *how)]
    answers = answer_questions(MODEL, questions, FOUR, temperature=temperature).answers
    anchored = [(0, k) for k in range(1, len(shown))]
    pairs = np.array(shown)[PAIRS.get("odd" if kind == "central" else kind, anchored)]
    d = APART[pairs[:, 0], pairs[:, 1]]
    odds = np.exp((1 if kind == "central" else -1) * d / d.std())
    return answers, pairs, odds / odds.sum()


@pytest.mark.parametrize(("kind", "shown"), [
    ("nearer", [0, 1, 2]), ("nearer", [3, 0, 1, 2]), ("odd", [0, 1, 3]), ("central", [2, 0, 3]),
    ("pairs", [0, 1, 2, 3]),
])
def test_every_kind_of_question_is_answered_by_softmax(kind, shown):
    answers, pairs, p = ask(kind, shown)
    each = answers.rows.reshape(TIMES, -1, answers.rows.shape[1])[:, 0]
    pair = np.sort(each[:, [0, 2] if kind == "central" else [0, 1]], axis=1)
    share = [(pair == np.sort(one)).all(axis=1).mean() for one in pairs]
    np.testing.assert_allclose(share, p, atol=0.015)
    assert isinstance(answers, Quadruples if kind == "pairs" else Triplets)


def test_a_ranking_takes_one_option_after_the_other():
    answers, _, p = ask("nearer", [3, 0, 1, 2], 2, True)
    assert questions_of(answers.take(answers.trials == 0))[0].n_chosen == 2
    order = answers.rows.reshape(TIMES, 3, 3)
    first, second = order[:, 0, 1], order[:, 0, 2]
    assert (order[:, 1, 1] == first).all()
    assert (order[:, 2, 1] == second).all()
    share = ((first == 2) & (second == 1)).mean()
    assert share == pytest.approx(p[2] * p[1] / (1 - p[2]), abs=0.015)


def test_without_temperature_nothing_errs():
    assert (ask("nearer", [0, 2, 1], temperature=0)[0].rows == [0, 1, 2]).all()


def test_without_temperature_ties_are_decided_by_lot():
    same = FeatureSpace(name="same", values=np.array([[0.0], [1.0], [1.0], [1.0]]))
    questions = [Questions("nearer", np.tile([0, 1, 2], (2000, 1)))]
    rows = answer_questions(same, questions, FOUR, temperature=0).answers.rows
    assert (rows[:, 1] == 1).mean() == pytest.approx(0.5, abs=0.05)


@pytest.fixture(scope="module")
def seen() -> FeatureSpace:
    return FeatureSpace(name="seen", values=np.random.default_rng(0).normal(size=(30, 2)))


def test_the_temperature_is_that_of_people(seen):
    people = simulate(seen.values, 4000, noise="logistic", level=1.5, seed=1)
    questions = questions_of(people)
    result = answer_questions(seen, questions, people)
    pairs = questions[0].shown[:, [0, 1, 0, 2]].reshape(-1, 2)
    assert result.temperature == pytest.approx(1.5**2 / seen.apart(pairs).std(), rel=0.1)


def test_where_people_guess_the_model_does_too(seen):
    people = simulate(seen.values, 4000, noise="flip", level=0.5, seed=1)
    result = answer_questions(seen, questions_of(people), people)
    assert result.temperature > 10
    rows = result.answers.rows
    nearer = seen.apart(rows[:, :2]) < seen.apart(rows[:, [0, 2]])
    assert nearer.mean() == pytest.approx(0.5, abs=0.06)


def test_questions_about_objects_without_features_are_left_out():
    some = FeatureSpace(name="some", values=[[0.0], [1.0], [3.0], [np.nan]])
    result = answer_questions(some, questions_of(FOUR), FOUR, temperature=0)
    assert (result.left_out, result.answers.rows.tolist()) == (1, [[0, 1, 2]])
    with pytest.raises(DataError, match="no question"):
        answer_questions(some, [Questions("odd", np.array([[1, 2, 3]]))], FOUR, temperature=0)
