"""Trials that make several answers: held out together, and drawn together."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.grouping import linked
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.compare import learning_curve
from tripletscope.core.inference.held_out.score import (
    cross_validate,
    holdout,
    n_groups,
    question_folds,
    triplet_error,
)
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import sampling_units
from tripletscope.core.inference.uncertainty import abstention, bootstrap
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.people.predictions import who_predicts_whom
from tripletscope.core.people.treatments import compare_treatments
from tripletscope.core.reading.columns.grouped import twin_trials
from tripletscope.core.run import key
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.core.studies.quality.direction import _folds, _RowAnswers
from tripletscope.core.studies.quality.importing import read

PAIRS = np.array([[0, 1, 2], [0, 2, 1], [1, 2, 0]])


def odd_ones_out(
    positions: np.ndarray, n_trials: int, rng: np.random.Generator, people: int = 1
) -> Triplets:
    """Trials in which the more similar two of three are likelier to be kept; two answers each."""
    shown = rng.random((n_trials, len(positions))).argsort(axis=1)[:, :3]
    seen = positions[shown]
    near2 = np.sum((seen[:, PAIRS[:, 0]] - seen[:, PAIRS[:, 1]]) ** 2, axis=2)
    kept = PAIRS[np.argmax(rng.gumbel(size=near2.shape) - near2, axis=1)]
    first = np.take_along_axis(shown, kept, axis=1)
    rows = np.stack([first, first[:, [1, 0, 2]]], axis=1).reshape(-1, 3)
    trial = np.repeat(np.arange(n_trials), 2)
    objects = pd.DataFrame({"id": [str(i) for i in range(len(positions))]})
    answers = pd.DataFrame({"trial": trial, "participant": (trial % people).astype(str)})
    return Triplets(rows, objects, answers)


@pytest.fixture
def odd(truth) -> Triplets:
    return odd_ones_out(truth, 300, np.random.default_rng(1), people=3)


def without_trials(triplets: Triplets) -> Triplets:
    return Triplets(triplets.rows, triplets.objects, triplets.answers.drop(columns="trial"))


def test_groups_by_hand():
    objects = pd.DataFrame({"id": list("abcde")})
    rows = [[0, 1, 2], [1, 0, 2], [0, 2, 1], [3, 0, 1], [2, 1, 0], [3, 1, 0], [4, 0, 1], [4, 2, 3],
            [4, 1, 2], [2, 3, 4]]
    # The first two are of a trial; the third answers the question of the first, the sixth that of
    # the fourth, and the last two are of a trial again.
    trial = [7, 7, None, 3, None, None, None, None, 5, 5]
    data = Triplets(rows, objects, pd.DataFrame({"trial": trial}))
    assert data.grouped_by == "question and trial"
    groups = [np.flatnonzero(data.groups == k).tolist() for k in np.unique(data.groups)]
    assert sorted(groups) == [[0, 1, 2], [3, 5], [4], [6], [7], [8, 9]]


def test_links_by_hand():
    groups = linked(np.array([0, 0, 1, 2, 3]), np.array([0, 1, 1, 2, 3]))
    assert groups[0] == groups[1] == groups[2]
    assert len(set(groups.tolist())) == 3


def test_a_trial_each_is_no_trial(planted):
    numbered = Triplets(
        planted.rows, planted.objects, pd.DataFrame({"trial": np.arange(len(planted))})
    )
    assert numbered.trials is None
    assert numbered.groups is numbered.questions
    assert numbered.grouped_by == "question"
    assert cross_validate(STE(n_init=1), numbered).error == cross_validate(
        STE(n_init=1), planted
    ).error


def test_a_column_of_trials_that_ties_everything_is_not_followed():
    """Every answer shares a question with the next trial: one group could not be divided."""
    rows = [[0, k, k + 1] for k in range(1, 30)]
    rows = np.repeat(rows, 2, axis=0)[1:-1]
    objects = pd.DataFrame({"id": [str(i) for i in range(31)]})
    data = Triplets(rows, objects, pd.DataFrame({"trial": np.arange(len(rows)) // 2}))
    assert data.grouped_by == "trial"
    fold = question_folds(data, 5, np.random.default_rng(0))
    assert (fold[::2] == fold[1::2]).all()
    few = data.take(np.arange(12))
    with pytest.raises(DataError, match="6 trials cannot be divided into 10 folds"):
        cross_validate(STE(), few, folds=10)


def nearest_of_many(
    positions: np.ndarray, n_trials: int, rng: np.random.Generator, shown: int = 8, chosen: int = 2
) -> Triplets:
    """Trials of an anchor and some options, of which the nearer ones are likelier to be chosen."""
    rows, trial = [], []
    for number in range(n_trials):
        anchor, *options = rng.permutation(len(positions))[: 1 + shown]
        near = -np.sum((positions[options] - positions[anchor]) ** 2, axis=1)
        order = np.array(options)[np.argsort(rng.gumbel(size=shown) + near)[::-1]]
        for near in order[:chosen]:
            for far in order[chosen:]:
                rows.append([anchor, near, far])
                trial.append(number)
    objects = pd.DataFrame({"id": [str(i) for i in range(len(positions))]})
    return Triplets(rows, objects, pd.DataFrame({"trial": trial}))


@pytest.mark.parametrize(("n", "n_trials"), [(20, 400), (40, 600)])
def test_chains_of_trials_of_many_objects_are_not_followed(n, n_trials):
    """They would tie together all that was asked about an anchor, which is too much to miss."""
    estimated, fresh = [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        positions = rng.normal(size=(n, 2)) * 1.3
        data = nearest_of_many(positions, n_trials, rng)
        assert data.grouped_by == "trial"
        estimated.append(cross_validate(STE(n_init=1), data).error)
        fresh.append(triplet_error(STE().fit(data), nearest_of_many(positions, 1_000, rng)))
    assert np.mean(estimated) == pytest.approx(np.mean(fresh), abs=0.012)


def test_repeats_of_a_trial_are_no_chain(truth):
    once = odd_ones_out(truth, 60, np.random.default_rng(0))
    rows = np.tile(once.rows, (7, 1))
    turned = np.random.default_rng(1).random(len(rows)) < 0.3
    rows[turned] = rows[turned][:, [0, 2, 1]]
    trial = np.repeat(np.arange(7), len(once)) * 60 + np.tile(once.trials, 7)
    data = Triplets(rows, once.objects, pd.DataFrame({"trial": trial}))
    assert data.grouped_by == "question and trial"
    assert n_groups(data) <= 60


@pytest.mark.parametrize("method", [TSTE(n_components=5), STE()])
def test_the_error_is_that_on_fresh_answers(method):
    """On average over data sets: divided by question alone, it is too low by .08 and .03."""
    estimated, fresh = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        positions = rng.normal(size=(30, 2)) * 1.3
        data = odd_ones_out(positions, 100, rng)
        found = cross_validate(method, data, folds=10)
        estimated.append(found.error)
        fresh.append(triplet_error(method.fit(data), odd_ones_out(positions, 3_000, rng)))
        assert found.scheme == "10-fold cross-validation by question and trial"
    apart = np.array(estimated) - fresh
    error = apart.std(ddof=1) / np.sqrt(len(apart))
    assert -2.5 * error < apart.mean() < 0.03 + 2.5 * error


def test_folds_part_no_trial_and_no_question(odd):
    for triplets in (odd, odd.take(np.random.default_rng(0).permutation(len(odd)))):
        fold = question_folds(triplets, 7, np.random.default_rng(2))
        for numbers in (triplets.questions, triplets.trials):
            assert len(np.unique([fold, numbers], axis=1).T) == len(np.unique(numbers))


def test_nothing_learns_from_the_other_half_of_what_it_predicts(odd, monkeypatch):
    """Whatever holds answers out: learning curve, abstention, exclusions, people."""
    seen = []
    fit, mistakes = STE.fit, STE.mistakes

    def watched(self, triplets, *args, **options):
        self._learned = set(triplets.answers["trial"])
        return fit(self, triplets, *args, **options)

    def judged(self, triplets):
        told = set(triplets.answers["trial"])
        if told != self._learned and not told > self._learned:
            seen.append(len(told & self._learned))
        return mistakes(self, triplets)

    monkeypatch.setattr(STE, "fit", watched)
    monkeypatch.setattr(STE, "mistakes", judged)
    method = STE(n_init=1)
    cross_validate(method, odd)
    learning_curve(method, odd, repeats=2, points=3)
    every = odd.with_columns({"kept": np.ones(len(odd), dtype=bool)})
    compare_treatments(method, every, weighted=False)
    who_predicts_whom(method, odd, folds=3)
    assert len(seen) > 15
    assert set(seen) == {0}
    held_out = abstention(method, odd, maps=10).held_out
    rest = np.setdiff1d(np.arange(len(odd)), held_out)
    assert not set(odd.trials[held_out]) & set(odd.trials[rest])


def test_rows_of_one_trial_are_held_out_together_under_every_reading():
    """Pairs of rows about one anchor, with other options in each."""
    rng = np.random.default_rng(0)
    rows = np.array([[k % 5, *(5 + rng.permutation(30)[:2])] for k in np.repeat(np.arange(40), 2)])
    trial = np.repeat(np.arange(40), 2)
    given = _RowAnswers(Triplets.from_array(rows, 35), np.arange(80), trial, 80)
    fold, question = _folds([given], 80, rng)
    assert (fold[::2] == fold[1::2]).all()
    assert (question[::2] == question[1::2]).all()
    assert len(np.unique(fold)) == 3


def test_chains_leave_the_direction_test_something_to_learn_from():
    """One row for each option that was not chosen: rows about an anchor share objects."""
    rng = np.random.default_rng(0)
    data = nearest_of_many(rng.normal(size=(20, 2)), 400, rng, chosen=1)
    alone = Triplets.from_array(data.rows, 20)
    given = _RowAnswers(alone, np.arange(len(data)), data.trials, len(data))
    fold, _ = _folds([given], len(data), rng)
    assert np.bincount(fold, minlength=3).min() > len(data) / 5


def test_replicates_draw_whole_trials(odd):
    units = sampling_units(odd, "answers")
    for share in (None, 0.5):
        counts = units.drawn(np.random.default_rng(0), share)
        by_trial = pd.Series(counts).groupby(odd.trials)
        assert (by_trial.max() == by_trial.min()).all(), "both answers as often"
        assert by_trial.first().sum() == (300 if share is None else 150)


def test_ellipses_of_trials_are_larger(odd):
    """Twins say the same thing: half as many independent answers, so variances double."""
    areas = [
        np.sqrt(np.linalg.det(bootstrap(STE(), data, replicates=60).covariances))
        for data in (odd, without_trials(odd))
    ]
    assert 1.2 < np.median(areas[0] / areas[1]) < 3.0


def test_intervals_count_trials():
    """A map is right or wrong about both answers of each trial: half of the answers count."""
    positions = np.array([[0.0], [1.0], [3.0], [6.0], [10.0], [15.0]])
    fitted = STE(n_components=1)
    fitted.embedding_, fitted.n_objects_ = positions, 6
    rows = [[1, 2, 0], [0, 2, 1], [2, 1, 3], [1, 2, 3], [3, 2, 4], [2, 3, 4], [4, 3, 5], [3, 4, 5]]
    assert fitted.mistakes(rows).tolist() == [1, 1, 0, 0, 0, 0, 0, 0]
    objects = pd.DataFrame({"id": list("abcdef")})
    data = Triplets(rows, objects, pd.DataFrame({"trial": np.repeat(np.arange(4), 2)}))
    wide, narrow = holdout(fitted, data), holdout(fitted, without_trials(data))
    assert (wide.low, wide.high) == pytest.approx(wilson(wide.error, 4))
    assert (narrow.low, narrow.high) == pytest.approx(wilson(narrow.error, 8))
    assert n_groups(data) == 4


def test_results_belong_to_the_trials(odd, planted):
    assert key("cross_validate", STE(), odd) != key("cross_validate", STE(), without_trials(odd))
    numbered = Triplets(
        planted.rows, planted.objects, pd.DataFrame({"trial": np.arange(len(planted))})
    )
    assert key("fit", STE(), numbered) == key("fit", STE(), planted), "a trial each ties nothing"


def test_a_trial_that_is_not_known_is_one_of_its_own():
    rows = [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]]
    data = Triplets(rows, pd.DataFrame({"id": list("abc")}),
                    pd.DataFrame({"trial": [1.0, 1.0, np.nan, np.nan]}))
    left = Cleaning(data).excluding(Exclusion(answers=(2,))).triplets
    assert left.rows.tolist() == [rows[0], rows[1], rows[3]]
    left = Cleaning(data).excluding(Exclusion(answers=(0,))).triplets
    assert left.rows.tolist() == rows[2:]


# Files that lost the trials ------------------------------------------------------------------


@pytest.mark.parametrize(("twin", "task"), [([1, 0, 2], "odd-one-out"), ([2, 1, 0], "central")])
def test_answers_in_twos_are_recognised_in_any_order(planted, twin, task):
    rows = planted.rows[:400]
    order = np.random.default_rng(2).permutation(800)
    both = np.concatenate([rows, rows[:, twin]])[order]
    found, trial = twin_trials(both)
    assert task in found
    assert (np.bincount(trial) == 2).all()
    pairs = both[np.argsort(trial, kind="stable")].reshape(-1, 2, 3)
    assert np.array_equal(np.sort(pairs[:, 0]), np.sort(pairs[:, 1]))
    assert np.array_equal(pairs[:, 0], pairs[:, 1][:, twin]), "each is the other's twin"
    by_person = twin_trials(both, order // 100)
    assert by_person is None, "twins are of one person, and these were given to several"


def test_single_answers_are_no_twins(planted, eggs, truth):
    """Of answers to every question about some objects two of three have a twin, by geometry."""
    every = np.array([[a, b, c] for a in range(12) for b in range(12) for c in range(b)
                      if len({a, b, c}) == 3])
    apart = np.linalg.norm(truth[:, None] - truth[None], axis=2)
    turned = apart[every[:, 0], every[:, 1]] > apart[every[:, 0], every[:, 2]]
    every[turned] = every[turned][:, [0, 2, 1]]
    for rows in (every, planted.rows, eggs.rows, planted.rows[:10]):
        assert twin_trials(rows) is None


def test_a_file_of_bare_twins_is_read_as_trials_and_says_so(tmp_path, odd):
    ids = np.array(odd.ids)
    table = pd.DataFrame(ids[odd.rows], columns=["anchor", "near", "far"])
    table.to_csv(tmp_path / "bare.csv", index=False)
    read_again = read(tmp_path / "bare.csv")
    assert len(np.unique(read_again.trials)) == 300
    assert n_groups(read_again) == n_groups(odd)
