"""Oracles: right answers, exact counts, and people who answer later."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import pairwise_distances

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import random_questions
from tripletscope.core.trees import ComparisonTree
from tripletscope.core.trees.nearer import Measure, answers, nearer, workspace
from tripletscope.core.trees.oracle import (
    AnswersOracle,
    Distances,
    KernelOracle,
    MapOracle,
    Observer,
    Repeated,
    Unanswered,
    Vectors,
    answered_rows,
    converse,
    measured,
    metrics,
)

RNG = np.random.default_rng(5)
POINTS = RNG.integers(0, 9, (40, 6)).astype(float)
QUESTIONS = random_questions(40, 500, RNG)


def expected(distances: np.ndarray, questions: np.ndarray = QUESTIONS) -> np.ndarray:
    x, p, q = questions.T
    return distances[x, p] <= distances[x, q]


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.float64])
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 40])
def test_hyperplanes_tell_the_nearer_object(dtype, size):
    # Whole numbers are calculated with exactly, ties included.
    points = POINTS.astype(dtype)
    measure = Measure(False, points, points)
    squares = pairwise_distances(POINTS, metric="sqeuclidean")
    for p, q in QUESTIONS[:20, 1:]:
        x = np.arange(size, dtype=np.int32)
        first = np.zeros(size, dtype=bool)
        nearer(measure, x, p, q, workspace(measure), first)
        assert np.array_equal(first, squares[:size, p] <= squares[:size, q])
    one_by_one = np.zeros(len(QUESTIONS), dtype=bool)
    answers(measure, *np.ascontiguousarray(QUESTIONS.T, dtype=np.int32), one_by_one)
    assert np.array_equal(one_by_one, expected(squares))


def test_hyperplanes_keep_their_digits_far_from_the_origin():
    points = np.array([[1e8], [1e8 + 1], [1e8 + 3]])
    assert Vectors(points).ask(np.array([[1, 0, 2], [2, 0, 1]])).tolist() == [True, False]


@pytest.mark.parametrize("metric", metrics())
@pytest.mark.parametrize("table", [2**26, 10])
def test_vectors_under_every_metric(metric, table, monkeypatch):
    monkeypatch.setattr(measured, "_TABLE", table)
    points = POINTS + 0.1 * np.abs(np.random.default_rng(0).normal(size=POINTS.shape))
    if metric == "mismatch":
        points = POINTS.astype(int).astype(str)
        distances = (points[:, None] != points).mean(axis=2)
    else:
        distances = pairwise_distances(points, metric=metric)
    assert np.array_equal(Vectors(points, metric).ask(QUESTIONS), expected(distances))
    about = Vectors(points[10:], metric).about(points[:10])
    here = np.column_stack([QUESTIONS[:, 0] % 10, QUESTIONS[:, 1:] % 30])
    assert np.array_equal(about.ask(here), expected(distances[:10, 10:], here))
    assert about.distances().shape == (10, 30)


def test_unknown_metric():
    with pytest.raises(ValueError, match="metric is 'eucledian'"):
        Vectors(POINTS, "eucledian")


def test_unseen_categories_differ_from_all():
    about = Vectors(np.array([["a", "x"], ["b", "x"]]), "mismatch").about(np.array([["c", "x"]]))
    assert about.distances().tolist() == [[0.5, 0.5]]


def test_bytes_and_floats_compare_as_floats():
    points = np.arange(6, dtype=np.uint8)[:, None]
    assert Vectors(points).about([[2.4]]).ask(np.array([[0, 2, 3], [0, 3, 2]])).tolist() == [1, 0]


def test_distances_and_kernel_agree():
    table = pairwise_distances(POINTS, metric="sqeuclidean")
    kernel = POINTS @ POINTS.T
    assert np.array_equal(Distances(table).ask(QUESTIONS), expected(table))
    assert np.array_equal(KernelOracle(kernel).ask(QUESTIONS), expected(table))
    about = KernelOracle(kernel[5:, 5:]).about(kernel[:5, 5:])
    here = np.column_stack([QUESTIONS[:, 0] % 5, QUESTIONS[:, 1:] % 35])
    assert np.array_equal(about.ask(here), expected(table[:5, 5:], here))


@pytest.mark.parametrize("values", [np.zeros((2, 3)), np.full((2, 2), np.nan)])
def test_matrices_are_checked(values):
    for oracle in (Distances, KernelOracle):
        with pytest.raises(ValueError, match="must be"):
            oracle(values)


def test_every_question_is_counted_and_listed():
    oracle = Vectors(POINTS, listed=True)
    first = np.concatenate([oracle.ask(QUESTIONS[:7]), oracle.about(POINTS).ask(QUESTIONS[7:9])])
    assert (oracle.n_questions, oracle.n_calls) == (9, 2)
    listing = oracle.listing()
    asked = QUESTIONS[:9] + np.outer(np.arange(9) > 6, [40, 0, 0])
    assert np.array_equal(listing[["anchor", "near", "far"]], answered_rows(asked, first))
    assert listing["call"].tolist() == [0] * 7 + [1] * 2
    oracle.ask(QUESTIONS[:0])
    assert oracle.n_calls == 2
    oracle.tally.clear()
    assert (oracle.n_questions, len(oracle.listing())) == (0, 0)


def test_clones_of_an_estimator_ask_the_same_oracle():
    oracle = Vectors(POINTS)
    assert clone(ComparisonTree(metric=oracle)).metric is oracle


def test_a_fitted_method_and_how_sure_it_is(planted):
    method = STE(n_init=1).fit(planted)
    questions = random_questions(30, 50, np.random.default_rng(0))
    sure = MapOracle(method, probability=lambda rows: np.where(rows[:, 1] < rows[:, 2], 0.9, 0.3))
    assert np.array_equal(sure.ask(questions), method.margins(questions) >= 0)
    assert set(sure.remarks(questions)["certainty"]) == {0.9, 0.7}
    assert MapOracle(method).remarks(questions) == {}
    passive = Repeated(AnswersOracle(planted.take(range(5)), sure), 1)
    assert list(passive.remarks(questions)) == ["answered", "certainty"]


def test_an_observer_errs_as_often_as_told(truth):
    questions = random_questions(30, 4000, np.random.default_rng(0))
    right = Vectors(truth).ask(questions)
    assert np.array_equal(Observer(truth).ask(questions), right)
    observer = Observer(truth, noise="flip", level=0.2, seed=1)
    wrong = np.mean(observer.ask(questions) != right)
    assert abs(wrong - 0.2) < 0.03
    # The majority of three is wrong with probability 3 p^2 (1 - p) + p^3 = 0.104.
    repeated = Repeated(observer, 3)
    assert abs(np.mean(repeated.ask(questions) != right) - 0.104) < 0.025
    assert observer.n_questions == repeated.n_questions == 16_000
    with pytest.raises(ValueError, match="odd"):
        Repeated(observer, 2)


def test_answers_count_by_majority_and_weight():
    oracle = AnswersOracle(np.array([[0, 1, 2], [0, 2, 1], [0, 1, 2], [3, 1, 0]]))
    assert oracle.ask(np.array([[0, 1, 2], [0, 2, 1], [3, 0, 1]])).tolist() == [True, False, False]
    assert oracle.answered_share == 1.0
    oracle.add([[0, 2, 1]])
    assert oracle.is_answered(np.array([[0, 1, 2], [3, 1, 0]])).tolist() == [False, True]
    with pytest.raises(Unanswered) as waiting:
        oracle.ask(np.array([[0, 1, 2], [0, 2, 1], [1, 2, 3]]))
    assert waiting.value.questions.tolist() == [[0, 1, 2], [1, 2, 3]]
    assert oracle.n_questions == 3


def test_weights_that_are_no_whole_numbers_can_be_a_tie():
    assert 0.1 + 0.2 != 0.3
    rows, weight = [[0, 1, 2], [0, 1, 2], [0, 2, 1]], [0.1, 0.2, 0.3]
    oracle = AnswersOracle(Triplets.from_array(rows, 3, weight=weight))
    assert not oracle.is_answered([[0, 1, 2]]).any()


def test_missing_answers_come_from_elsewhere():
    other = Distances(np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0))))
    oracle = AnswersOracle(np.array([[0, 3, 1]]), other)
    assert oracle.ask(np.array([[0, 1, 3], [0, 1, 2]])).tolist() == [False, True]
    assert (oracle.answered_share, other.n_questions) == (0.5, 1)


def test_questions_are_repeated_as_often_as_asked_for():
    oracle = AnswersOracle(4, times=3)
    oracle.add([[0, 1, 2]])
    with pytest.raises(Unanswered) as waiting:
        oracle.ask(np.array([[0, 1, 2]]))
    assert waiting.value.questions.tolist() == [[0, 1, 2]] * 2
    oracle.add([[0, 1, 2], [0, 2, 1]])
    assert oracle.ask(np.array([[0, 1, 2]])).tolist() == [True]


def test_dialogues_share_their_batches():
    def dialogue(rounds):
        given = []
        for number in range(rounds):
            given += (yield np.tile([[number, 30, 31]], (rounds, 1))).tolist()
        return given

    oracle = Vectors(POINTS)
    results = converse(oracle, [dialogue(rounds) for rounds in (3, 0, 1)])
    assert (oracle.n_questions, oracle.n_calls) == (10, 3)
    right = expected(pairwise_distances(POINTS), np.array([[i, 30, 31] for i in range(3)]))
    assert results == [np.repeat(right, 3).tolist(), [], right[:1].tolist()]
    with pytest.raises(Stopped):
        converse(oracle, [dialogue(3)], lambda *report, **details: True)
