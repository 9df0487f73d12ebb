"""Answers as a sequence, and the folds that scikit-learn makes of them."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline

import tripletscope as ts
from tripletscope.core.data.parts import AnswersPart

DIVIDED = "of these answers are of trials whose other answers were learned from"


@pytest.fixture(scope="module")
def triplets() -> ts.Triplets:
    return ts.read("sample_data/ekman_colors/answers.csv")


@pytest.fixture(scope="module")
def trials() -> ts.Triplets:
    """Odd ones out: two answers of each trial."""
    return ts.read("sample_data/odd_one_out/answers.csv")


@pytest.fixture(scope="module")
def pairs() -> ts.Quadruples:
    return ts.Quadruples([[0, 1, 2, 3], [1, 2, 0, 3], [2, 3, 0, 1]], weight=[1, 2, 3])


@pytest.mark.parametrize(
    "which",
    [3, -1, np.int64(2), slice(2, 9, 3), [4, 0, 4], (1, 2), np.array([5]), np.arange(800) % 7 == 0,
     [], slice(0, 0)],
    ids=repr,
)
def test_an_index_takes_answers(triplets, which):
    positions = np.atleast_1d(np.arange(800)[list(which) if isinstance(which, tuple) else which])
    for taken in (triplets[which], triplets.take(which)):
        assert isinstance(taken, ts.Triplets)
        assert np.array_equal(taken.rows, triplets.rows[positions])
        assert taken.answers["participant"].tolist() == (
            triplets.answers["participant"].iloc[positions].tolist()
        )
        assert (len(taken), taken.n_objects) == (len(positions), 14)


def test_an_index_takes_comparisons_of_pairs(pairs):
    assert pairs[1:].weight.tolist() == [2, 3]
    assert next(iter(pairs)) == (0, 1, 2, 3)
    assert np.array_equal(np.asarray(pairs), pairs.rows)


@pytest.mark.parametrize("which", [800, [0, -801], [True, False], np.ones(801, bool), [0.5], "a"])
def test_what_is_not_there_cannot_be_taken(triplets, which):
    for take in (triplets.take, triplets.__getitem__):
        with pytest.raises(IndexError):
            take(which)


def test_iteration_gives_the_objects_of_each_answer(triplets):
    assert [tuple(row) for row in triplets.rows.tolist()] == list(triplets)
    anchor, near, far = next(iter(triplets))
    assert all(type(one) is int for one in (anchor, near, far))


def test_arrays_of_answers_are_their_rows(triplets):
    assert np.array_equal(np.asarray(triplets), triplets.rows)
    assert np.asarray(triplets, dtype=float).dtype == float
    changed = np.array(triplets)
    changed[0] = 0  # a copy
    assert triplets.rows[0].any()
    assert np.shape(triplets) == triplets.shape == (800, 3)


def errors_of(method, answers, **options) -> np.ndarray:
    return 1.0 - cross_val_score(method, answers, **options, error_score="raise")


@pytest.mark.parametrize("jobs", [1, 2])
def test_folds_of_groups_keep_trials_and_questions_whole(trials, jobs):
    method, cv = ts.STE(n_init=1), GroupKFold(4)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = errors_of(method, trials, groups=trials.groups, cv=cv, n_jobs=jobs)
    expected = [
        1.0 - ts.STE(n_init=1).fit(trials.take(learned)).score(trials.take(held_out))
        for learned, held_out in cv.split(np.zeros(len(trials)), groups=trials.groups)
    ]
    assert found.tolist() == expected


def test_a_search_over_settings_takes_what_read_returns(triplets):
    search = GridSearchCV(ts.TSTE(n_init=1), {"n_components": [1, 2]}, cv=GroupKFold(3))
    search.fit(triplets, groups=triplets.groups)
    assert search.best_params_ == {"n_components": 2}
    assert search.score(triplets) == search.best_estimator_.score(triplets) > 0.85
    assert search.predict(triplets[:4]).shape == (4,)


def test_a_search_over_settings_takes_questions_and_responses(triplets):
    first = np.random.default_rng(0).random(len(triplets)) < 0.5
    questions = np.where(first[:, None], triplets.rows, triplets.rows[:, [0, 2, 1]])
    options = {"cv": KFold(3), "n_jobs": 2}
    for responses in (first, np.where(first, 1, -1)):
        found = errors_of(ts.STE(n_init=1), questions, y=responses, **options)
        assert np.array_equal(found, errors_of(ts.STE(n_init=1), triplets, **options))


def test_pipelines_end_with_a_method_or_go_on_from_its_map(triplets):
    assert make_pipeline(ts.STE(n_init=1)).fit(triplets).score(triplets) > 0.85
    groups = make_pipeline(ts.STE(n_init=1), KMeans(3, n_init=1, random_state=0))
    assert groups.fit_predict(triplets).shape == (14,)


def test_divided_trials_are_warned_of(trials):
    """Odd ones out have two answers, of which one tells nearly all of the other."""
    method = ts.STE(n_init=1)
    with pytest.warns(UserWarning, match=DIVIDED) as caught:
        errors_of(method, trials, cv=KFold(3, shuffle=True, random_state=0))
    assert "groups=answers.groups" in str(caught[0].message)
    learned, held_out = train_test_split(trials, random_state=0)
    with pytest.warns(UserWarning, match=DIVIDED):
        method.fit(learned).score(held_out)
    shuffled = trials[np.random.default_rng(0).permutation(len(trials))]
    with pytest.warns(UserWarning, match=DIVIDED) as caught:
        method.fit(shuffled[:3000]).score(shuffled[3000:])
    assert caught[0].filename == __file__


def test_every_score_warns_of_divided_trials(trials):
    for method in (
        ts.K1(), ts.AgglomerativeClustering(basis=ts.K1()),
        ts.dimensions.SPoSE(n_components=5, penalty=2, max_iter=20), ts.MLDS(outside=True),
    ):
        with pytest.warns(UserWarning, match=DIVIDED):
            method.fit(trials[::2]).score(trials[1::2])


def test_whole_trials_are_not_warned_of(trials, triplets):
    """Null data: whole trials, training answers, answers without trials, other data, copies."""
    method = ts.STE(n_init=1)
    of_group = trials.groups % 2 == 0
    copied = pickle.loads(pickle.dumps(trials[1::2]))
    renamed = trials.renamed("others")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        method.fit(trials[of_group]).score(trials[~of_group])
        half = method.fit(trials[::2])
        half.score(trials[::2])
        half.score(trials)
        half.score(renamed[1::2])
        half.score(copied)
        method.fit(triplets[::2]).score(triplets[1::2])
        # Neighbouring rows divide a trial at each end of a fold, which tells nearly nothing.
        errors_of(method, trials, cv=KFold(3))
        ts.cross_validate(method, trials, folds=3)


def test_parts_of_parts_know_their_whole(trials):
    some = trials[::2][::3]
    assert some.part.trials is trials.trials
    assert some.part.positions.tolist() == list(range(0, len(trials), 6))
    assert trials.part is None


def test_parts_are_not_copied_with_their_answers(trials):
    size = len(pickle.dumps(trials.take([0, 1])))
    assert size < len(pickle.dumps(trials.trials))
    assert pickle.loads(pickle.dumps(AnswersPart(np.zeros(3), np.zeros(1)))) is None
    fitted = pickle.loads(pickle.dumps(ts.K1().fit(trials[::2])))
    assert fitted.score(trials[1::2]) > 0.5


@pytest.mark.parametrize("make", [
    ts.Triplets.from_array, lambda rows: ts.STE(n_init=1).fit(rows), lambda rows: ts.K1().fit(rows),
    lambda rows: ts.AgglomerativeClustering(basis=ts.K1()).fit(rows),
    lambda rows: ts.cross_validate(ts.STE(n_init=1), rows, folds=2),
    lambda rows: ts.Quadruples(np.column_stack([rows, np.roll(rows, 1, axis=1)[:, 1]])),
    lambda rows: ts.STE(n_init=1).fit(np.column_stack([rows[:, :2], rows[:, 0], rows[:, 2]])),
], ids=["triplets", "map", "kernel", "clusters", "error", "pairs", "map of pairs"])
def test_objects_that_occur_nowhere_are_warned_of(make):
    rows = np.array([[0, 1, 2], [1, 2, 0], [2, 1, 0], [3, 2, 0]] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        make(rows)
    with pytest.warns(UserWarning, match="about object 0, so nothing places it.*subtract 1 from"):
        make(rows + 1)
    with pytest.warns(UserWarning, match=r"about objects 1, 2, 3 and 957 more.*return_inverse"):
        make(np.where(rows == 3, 963, rows * 300 + rows))


def test_numbers_that_the_caller_states_are_not_warned_of(triplets):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ts.Triplets.from_array([[0, 1, 5]], 9)
        ts.Triplets.from_array([[0, 1, 5]], ids=list("abcdef"))
        ts.Quadruples([[0, 1, 5, 3]], 9)
        fitted = ts.STE(n_init=1).fit(triplets)
        fitted.predict([[3, 4, 5]])
        fitted.transform([[3, 4, 14]])
        samples = ts.bootstrap(ts.STE(n_init=1), triplets, replicates=5)
        samples.order_certainty([[3, 4, 5]])
        samples.response_probability([[3, 4, 5]])
        samples.probability([[3, 4, 5]])
        ts.triplet_error(fitted, np.array([[3, 4, 5]]))
