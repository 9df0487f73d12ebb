"""Errors: by hand, held out by question, with intervals that hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import stdtrit

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.held_out.compare import recommend_dimension
from tripletscope.core.inference.held_out.score import (
    ErrorEstimate,
    can_divide,
    clustered_mean,
    cross_validate,
    divisions,
    errors_by,
    half_width_over_people,
    has_split,
    holdout,
    question_folds,
    split_error,
    split_of,
    triplet_error,
)
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import random_questions, simulate
from tripletscope.core.ratings import Ratings


def placed(positions) -> STE:
    """A map with the objects where we want them."""
    fitted = STE(n_components=1)
    fitted.embedding_ = np.array(positions, dtype=float)[:, None]
    fitted.n_objects_ = len(positions)
    return fitted


def test_triplet_error_by_hand():
    fitted = placed([0.0, 1.0, 3.0, 1.0])
    rows = [[0, 1, 2], [0, 2, 1], [0, 1, 3], [2, 1, 0]]  # right, wrong, tie, right
    assert triplet_error(fitted, rows) == pytest.approx((0 + 1 + 0.5 + 0) / 4)
    weighted = Triplets.from_array(rows, weight=[1, 3, 0, 0])
    assert triplet_error(fitted, weighted) == pytest.approx(3 / 4)
    assert fitted.margins(rows).tolist() == [2.0, -2.0, 0.0, 1.0]


@given(st.integers(2, 9), st.integers(0, 99))
def test_folds_hold_whole_questions_and_are_even(folds, seed):
    rng = np.random.default_rng(seed)
    triplets = simulate(rng.normal(size=(6, 2)), 200, noise="flip", level=0.4, seed=seed)
    fold = question_folds(triplets, folds, rng)
    assert set(fold) == set(range(folds))
    for question in np.unique(triplets.questions):
        assert len(set(fold[triplets.questions == question])) == 1
    sizes = np.bincount(fold)
    largest = np.bincount(triplets.questions).max()
    assert sizes.max() - sizes.min() <= 2 * largest


def test_cross_validation_is_honest_where_a_leak_would_show():
    """Coin-flip answers, each given ten times: only a leak between folds could predict them."""
    rng = np.random.default_rng(0)
    rows = simulate(rng.normal(size=(40, 1)), 600, noise="flip", level=0.5, seed=1).rows
    repeated = Triplets.from_array(np.repeat(rows, 10, axis=0), 40)
    estimate = cross_validate(STE(n_components=5, n_init=1), repeated)
    assert estimate.error > 0.42
    assert STE(n_components=5, n_init=1).fit(repeated).triplet_error_ < 0.2


def test_cross_validation_tells_what_it_knows_so_far(planted):
    told = []
    estimate = cross_validate(
        STE(n_init=1), planted, folds=4,
        progress=lambda fraction, *, loss=None, **_: told.append((fraction, loss)),
    )
    errors = np.cumsum(estimate.fold_errors) / np.arange(1, 5)
    np.testing.assert_allclose(told, np.column_stack([np.arange(1, 5) / 4, errors]))


def test_cross_validation_finds_the_known_error(planted, truth):
    estimate = cross_validate(STE(), planted, repeats=2)
    assert estimate.n_answers == len(planted)
    assert len(estimate.fold_errors) == 10
    assert estimate.error == pytest.approx(estimate.fold_errors.mean())
    best = placed_like(truth)
    assert estimate.low < triplet_error(best, planted) + 0.02
    assert 0 <= estimate.low < estimate.error < estimate.high <= 1
    assert cross_validate(STE(), planted, seed=1).error != estimate.error
    assert cross_validate(STE(), planted, repeats=2).error == estimate.error


def placed_like(truth) -> STE:
    fitted = STE()
    fitted.embedding_, fitted.n_objects_ = truth, len(truth)
    return fitted


def test_interval_of_nadeau_and_bengio(monkeypatch, planted):
    errors = iter([0.1, 0.2, 0.3, 0.2])
    monkeypatch.setattr(
        "tripletscope.core.inference.held_out.score.mistakes_on",
        lambda *part: np.full(part[3].sum(), next(errors)),
    )
    estimate = cross_validate(STE(), planted, folds=4)
    # variance 0.02 / 3; factor 1/4 + 1/3; t of 3 degrees of freedom at 0.975 is 3.18245
    reach = 3.18244631 * np.sqrt((1 / 4 + 1 / 3) * 0.02 / 3)
    assert (estimate.error, estimate.low, estimate.high) == pytest.approx(
        (0.2, 0.2 - reach, 0.2 + reach), rel=1e-6
    )


@pytest.mark.parametrize(("values", "low", "high"), [
    ([0.0, 0.0, 0.0, 0.4], 0.0, 0.6), ([1.0, 1.0, 1.0, 0.6], 0.4, 1.0),
])
def test_no_interval_goes_beyond_what_an_error_can_be(monkeypatch, planted, values, low, high):
    errors = iter(values)
    monkeypatch.setattr(
        "tripletscope.core.inference.held_out.score.mistakes_on",
        lambda *part: np.full(part[3].sum(), next(errors)),
    )
    estimate = cross_validate(STE(), planted, folds=4)
    assert low <= estimate.low < estimate.error < estimate.high <= high


@pytest.mark.parametrize(("repeats", "end"), [(1, "by question"), (2, "by question, 2 times")])
def test_it_is_said_how_often_folds_were_drawn(planted, repeats, end):
    estimate = cross_validate(STE(n_init=1), planted, folds=3, repeats=repeats)
    assert estimate.scheme == f"3-fold cross-validation {end}"
    assert len(estimate.fold_errors) == 3 * repeats


def test_too_few_questions_are_refused():
    rows = [[0, 1, 2]] * 50 + [[0, 2, 1]] * 50
    with pytest.raises(DataError, match="1 different questions cannot be divided into 5 folds"):
        cross_validate(STE(), rows)


@pytest.mark.parametrize("seed", range(4))
def test_a_question_with_most_of_the_answers_leaves_no_fold_empty(seed):
    rows = [[0, 1, 2]] * 400 + [[1, 0, 2], [2, 0, 1], [3, 0, 1], [3, 0, 2]]
    answers = Triplets.from_array(rows, 4)
    fold = question_folds(answers, 5, np.random.default_rng(seed))
    assert sorted(np.bincount(fold, minlength=5)) == [1, 1, 1, 1, 400]
    assert 0.0 <= cross_validate(STE(n_init=1), answers, seed=seed).error <= 1.0


def test_answers_of_weight_zero_fill_no_fold(planted):
    weight = np.zeros(len(planted))
    weight[:40] = 1.0
    answers = Triplets.from_array(planted.rows, planted.n_objects, weight=weight)
    for seed in range(4):
        fold = question_folds(answers, 5, np.random.default_rng(seed))
        assert np.bincount(fold[:40], minlength=5).min() >= 7
    weight[3:] = 0.0
    with pytest.raises(DataError, match="3 different questions cannot be divided into 5 folds"):
        cross_validate(
            STE(), Triplets.from_array(planted.rows, planted.n_objects, weight=weight)
        )


def test_cross_validation_reports_and_stops(planted):
    seen = []

    def progress(fraction, **_):
        seen.append(fraction)
        return len(seen) == 3

    with pytest.raises(Stopped):
        cross_validate(STE(n_init=1), planted, progress=progress)
    assert seen == pytest.approx([0.2, 0.4, 0.6])
    cross_validate(STE(n_init=1), planted, progress=lambda f, **_: f == 1.0)


def test_holdout_interval_covers_the_true_error():
    """Of 300 intervals at 95 %, fewer than 92 % miss-free ones would be a 1-in-100 accident."""
    truth = np.random.default_rng(0).normal(size=(20, 2))
    fitted = placed_like(truth)
    hits = []
    for seed in range(300):
        test = simulate(truth, 200, noise="flip", level=0.2, seed=seed)
        estimate = holdout(fitted, test)
        hits.append(estimate.low <= 0.2 <= estimate.high)
    assert np.mean(hits) > 0.92


def test_holdout_interval_is_wider_where_answers_repeat():
    fitted = placed([0.0, 1.0, 3.0, 2.0])
    rows = [[0, 1, 2], [0, 2, 3], [3, 0, 2], [1, 0, 2], [1, 2, 0], [2, 3, 1]]
    once = holdout(fitted, Triplets.from_array(rows))
    often = holdout(fitted, Triplets.from_array(rows * 20))
    assert often.error == pytest.approx(once.error)
    # Taken for 120 independent answers, they would promise far too much.
    naive = 2 * 1.96 * np.sqrt(often.error * (1 - often.error) / often.n_answers)
    assert often.high - often.low > 2.5 * naive


def test_no_error_still_has_an_interval():
    estimate = holdout(placed([0.0, 1.0, 3.0]), [[0, 1, 2], [1, 0, 2], [2, 1, 0]])
    assert estimate.error == 0
    assert 0.3 < estimate.high < 0.8  # Wilson's interval for 0 of 3


def with_split(words) -> Triplets:
    rows = simulate(np.random.default_rng(0).normal(size=(8, 2)), len(words), seed=0).rows
    objects = pd.DataFrame({"id": list("abcdefgh")})
    return Triplets(rows, objects, pd.DataFrame({"split": pd.Series(words, dtype=object)}))


def test_the_datas_own_split_is_used():
    triplets = with_split(["Train"] * 300 + ["test"] * 60 + ["Validation", None, "check"])
    train, test = split_of(triplets)
    assert (train.sum(), test.sum()) == (300, 61)
    estimate = split_error(STE(), triplets)
    assert isinstance(estimate, ErrorEstimate)
    by_hand = triplet_error(STE().fit(triplets.take(train)), triplets.take(test))
    assert estimate.error == pytest.approx(by_hand)
    assert estimate.n_answers == 61


@pytest.mark.parametrize("words", [["train"] * 5, ["test"] * 5, ["a"] * 5])
def test_without_a_split_it_is_said(words):
    with pytest.raises(DataError, match="no division into training and test"):
        split_error(STE(), with_split(words))
    with pytest.raises(DataError, match="no division into training and test"):
        split_of(Triplets.from_array([[0, 1, 2]]))


def test_every_answer_tells_how_it_was_predicted(planted):
    estimate = cross_validate(STE(n_init=1), planted, folds=4, repeats=2)
    assert set(np.unique(estimate.wrong)) <= {0.0, 0.5, 1.0}
    assert estimate.wrong.mean() == pytest.approx(estimate.error, abs=1e-3)
    half = np.arange(len(planted)) % 2
    answers = planted.answers.assign(split=np.where(half, "train", "test"))
    divided = split_error(STE(n_init=1), Triplets(planted.rows, planted.objects, answers))
    assert np.array_equal(np.isfinite(divided.wrong), half == 0)


def test_errors_by_a_column():
    fitted = placed([0.0, 1.0, 3.0, 7.0])
    right, wrong = [[0, 1, 2], [1, 0, 3], [2, 1, 3]], [[0, 2, 1], [1, 3, 0], [2, 3, 1]]
    data = Triplets.from_array([*right, *wrong, *right])
    answers = data.answers.assign(sampler=["sure"] * 3 + ["odd"] * 3 + ["sure"] * 3)
    data = Triplets(data.rows, data.objects, answers)
    table = errors_by(holdout(fitted, data), data, "sampler").set_index("sampler")
    assert table["error"].to_dict() == {"odd": 1.0, "sure": 0.0}
    assert table["answers"].to_dict() == {"odd": 3, "sure": 6}
    assert ((table["low"] <= table["error"]) & (table["error"] <= table["high"])).all()


# Intervals over people ---------------------------------------------------------------------------


class Known:
    """A fitted method whose mistakes are known beforehand."""

    def __init__(self, wrong: np.ndarray) -> None:
        self._wrong, self.n_objects_ = wrong, 0

    def mistakes(self, _: Triplets) -> np.ndarray:
        return self._wrong


def of_people(
    n_people: int, each: int, seed: int, spread: float
) -> tuple[Triplets, np.ndarray]:
    """Answers, and mistakes whose probability varies between people about 0.3."""
    rng = np.random.default_rng(seed)
    own = np.clip(rng.normal(0.3, spread, n_people), 0, 1)
    who = pd.DataFrame({"participant": np.repeat([f"p{i}" for i in range(n_people)], each)})
    rows = random_questions(30, n_people * each, rng)
    answers = Triplets(rows, numbered_objects(30), who)
    return answers, (rng.random(len(rows)) < np.repeat(own, each)).astype(float)


def test_intervals_over_people_hold_where_people_differ():
    """Of 300 intervals 95 % hold the mean over people; three standard errors are 4 points."""
    held = {"auto": 0, "answers": 0}
    for seed in range(300):
        answers, wrong = of_people(10, 80, seed, 0.1)
        for unit in held:
            found = holdout(Known(wrong), answers, unit=unit)
            held[unit] += found.low <= 0.3 <= found.high
    assert found.unit == "answers"
    assert held["auto"] / 300 == pytest.approx(0.95, abs=0.04)
    assert held["answers"] / 300 < 0.8


def test_an_error_says_over_whom_its_interval_is():
    answers, wrong = of_people(9, 20, 0, 0.1)
    found = holdout(Known(wrong), answers)
    assert (found.unit, found.n_units) == ("participants", 9)
    crossed = cross_validate(STE(n_init=1), answers, folds=3)
    assert (crossed.unit, crossed.n_units) == ("participants", 9)
    plain = cross_validate(STE(n_init=1), answers, folds=3, unit="answers")
    assert (plain.unit, plain.n_units) == ("answers", None)
    assert plain.error == crossed.error
    few, wrong = of_people(7, 20, 0, 0.1)
    assert holdout(Known(wrong), few).unit == "answers"
    with pytest.raises(ValueError, match="unit of cross_validate is 'both'"):
        cross_validate(STE(), answers, unit="both")


def test_half_width_over_people_by_hand():
    influence = np.array([0.01, -0.01, 0.02, -0.02])
    between = 4 / 3 * 0.001
    same = half_width_over_people(np.full(5, 0.2), 0.25, influence, 4)
    assert same == pytest.approx(np.sqrt(between) * 3.182, rel=1e-3)  # t with 3 degrees
    errors = np.array([0.1, 0.2, 0.3])
    learned = 0.5 * 0.01
    degrees = (between + learned) ** 2 / (between**2 / 3 + learned**2 / 2)
    found = half_width_over_people(errors, 0.5, influence, 4)
    assert found == pytest.approx(np.sqrt(between + learned) * stdtrit(degrees, 0.975))
    assert half_width_over_people(np.zeros(3), 0.5, np.zeros(4), 4) == 0.0
    # Answers of weight 0, and trials of nobody, are no people.
    more = np.concatenate([influence, np.zeros(1000)])
    assert half_width_over_people(errors, 0.5, more, 4) == found


@pytest.mark.parametrize("people", [None, 20])
def test_what_is_always_so_has_an_interval_all_the_same(people):
    """The weights add up to a little more than one, and the mean with them."""
    mean, low, high = clustered_mean(np.ones(20), np.ones(20), np.arange(20), people=people)
    assert mean == pytest.approx(1)
    assert 0.7 < low < 0.87
    assert high == pytest.approx(1)


def test_answers_of_weight_zero_are_not_counted():
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(9, 3, replace=False) for _ in range(120)])
    triplets = Triplets.from_array(rows, weight=[1.0] * 80 + [0.0] * 40)
    assert cross_validate(STE(n_init=1), triplets).n_answers == 80
    assert holdout(STE(n_init=1).fit(triplets), triplets).n_answers == 80
    split = ["train"] * 80 + ["test"] * 40
    told = Triplets(
        triplets.rows, triplets.objects, triplets.answers.assign(split=split)
    )
    assert not has_split(told)
    with pytest.raises(DataError, match="no division"):
        split_error(STE(), told)


def rated(square: np.ndarray) -> Triplets:
    """Comparisons of one person's ratings of dissimilarity, from both halves of a square."""
    square = square + square.T
    np.fill_diagonal(square, 0.0)
    return Ratings.from_matrices({"ann": square}, direction="dissimilar").triplets()


def test_comparisons_of_ratings_are_held_out_by_pair():
    """By comparison, errors of random ratings were .28: each rating was known from the others."""
    rng = np.random.default_rng(0)
    said = []
    for _ in range(8):
        found = cross_validate(TSTE(n_init=1), rated(rng.random((12, 12))))
        said.append(found.high < 0.5)
        assert found.scheme == "5-fold cross-validation by pair"
    assert sum(said) <= 1
    points = rng.normal(size=(12, 2))
    data = rated(np.linalg.norm(points[:, None] - points, axis=2))
    found = cross_validate(TSTE(n_init=1), data)
    assert found.high < 0.4
    assert found.n_answers == np.isfinite(found.wrong).sum() < len(data) / 3


def test_no_pair_is_learned_from_and_predicted():
    data = rated(np.random.default_rng(1).random((10, 10)))
    for learned, held_out in divisions(data, 5, np.random.default_rng(0)):
        pairs = [set(np.unique(data.compared_pairs[part])) for part in (learned, held_out)]
        assert all(pairs)
        assert not pairs[0] & pairs[1]


def test_of_few_ratings_nothing_can_be_held_out():
    data = rated(np.random.default_rng(2).random((5, 5)))
    assert not can_divide(data, 5)
    with pytest.raises(DataError, match="one set of ratings"):
        cross_validate(TSTE(), data)
    with pytest.raises(DataError, match="one set of ratings"):
        question_folds(data, 2, np.random.default_rng(0))


def test_tosses_of_raters_are_the_independent_comparisons():
    """Each rater was one toss, so that of six no error was ever told from guessing."""
    rng = np.random.default_rng(3)
    points = rng.normal(size=(10, 2))
    square = np.linalg.norm(points[:, None] - points, axis=2)
    six = {str(k): square * np.exp(0.1 * rng.normal(size=square.shape)) for k in range(6)}
    data = Ratings.from_matrices(six, direction="dissimilar").triplets()
    found = {d: cross_validate(TSTE(n_components=d, n_init=1), data) for d in (1, 2)}
    assert not recommend_dimension(found, data, 0.25).is_chance
