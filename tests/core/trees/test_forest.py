"""Comparison-based random forests: votes, questions, errors, and scikit-learn's rules."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.datasets import load_digits, make_friedman1
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.trees import (
    ComparisonForest,
    ComparisonForestClassifier,
    ComparisonForestRegressor,
)
from tripletscope.core.trees.oracle import (
    AnswersOracle,
    Distances,
    Observer,
    Unanswered,
    Vectors,
    answered_rows,
)

Classifier, Regressor = ComparisonForestClassifier, ComparisonForestRegressor

X, Y = load_digits(return_X_y=True)
TRAIN, TEST = np.arange(0, 1797, 6), np.arange(1, 1797, 6)
SMALL, CLASS = X[TRAIN], Y[TRAIN]


@parametrize_with_checks([
    Classifier(n_estimators=5), Classifier(n_estimators=2, multiclass="one-vs-one"),
    Regressor(n_estimators=10, candidates=3), ComparisonForest(n_estimators=2),
])
def test_sklearn(estimator, check):
    check(estimator)


def naive_votes(forest, x: int, label: np.ndarray) -> np.ndarray:
    """Votes of the leaves that training-like object `x` of X reaches, by the definition."""
    votes = np.zeros(label.max() + 1)
    for number in range(forest.n_estimators):
        nodes, node = forest.tree(number), 0
        while nodes.child[node] >= 0:
            p, q = TRAIN[nodes.pivots[node, 0]]
            far = np.sum((X[x] - X[p]) ** 2) > np.sum((X[x] - X[q]) ** 2)
            node = nodes.child[node] + far
        members = nodes.members(node)
        votes += np.bincount(label[members], minlength=len(votes)) * min(
            1, forest.leaf_size / len(members)
        )
    return votes


@pytest.mark.parametrize("leaf_size", [1, 4])
@pytest.mark.parametrize("pivots", ["supervised", "random"])
def test_members_of_the_leaves_vote(leaf_size, pivots):
    forest = Classifier(n_estimators=7, leaf_size=leaf_size, pivots=pivots).fit(SMALL, CLASS)
    shares = forest.predict_proba(X[TEST[:40]])
    for share, x in zip(shares, TEST[:40], strict=True):
        votes = naive_votes(forest, x, CLASS)
        assert share == pytest.approx(votes / votes.sum())
    assert np.array_equal(forest.predict(X[TEST]), shares_to_class(forest, X[TEST]))


def shares_to_class(forest, vectors):
    return forest.classes_[np.argmax(forest.predict_proba(vectors), axis=1)]


def test_pure_cells_stop_under_supervised_pivots():
    forest = Classifier(n_estimators=3).fit(SMALL, CLASS)
    for number in range(3):
        nodes = forest.tree(number)
        for node, child in enumerate(nodes.child):
            classes = set(CLASS[nodes.members(node)])
            if child >= 0:
                p, q = nodes.pivots[node, 0]
                assert CLASS[p] != CLASS[q]
            else:
                assert len(classes) == 1
    random = Classifier(n_estimators=3, pivots="random").fit(SMALL, CLASS)
    assert forest.n_questions_ < random.n_questions_


def test_one_vs_one_is_a_forest_for_each_two_classes():
    keep = CLASS < 3
    forest = Classifier(n_estimators=5, multiclass="one-vs-one").fit(SMALL[keep], CLASS[keep])
    assert len(forest.trees_) == 15
    place = np.flatnonzero(keep)
    shares = []
    for group, pair in enumerate([(0, 1), (0, 2), (1, 2)]):
        for number in range(5 * group, 5 * group + 5):
            assert set(CLASS[place[forest.tree(number).order]]) == set(pair)
        shares.append(pair)
    probability = forest.predict_proba(X[TEST])
    assert probability.sum(axis=1) == pytest.approx(1)
    inside = np.isin(Y[TEST], [0, 1, 2])
    assert np.mean(forest.predict(X[TEST])[inside] == Y[TEST][inside]) > 0.97
    # As many wins as there are classes to win against, for a class that is certain.
    assert probability.max() <= 2 / 3 + 1e-12


@pytest.mark.parametrize("pivots", ["supervised", "random"])
def test_votes_of_forests_for_each_two_classes_are_summed_over_them(pivots):
    options = {"n_estimators": 4, "pivots": pivots}
    forest = Classifier(multiclass="summed", **options).fit(SMALL, CLASS)
    margins = np.zeros((len(TEST), 10))
    shares = forest._shares(*forest._reached(X[TEST]))
    for (a, b), share in zip(combinations(range(10), 2), shares, strict=True):
        margins[:, a] += share[:, a] - share[:, b]
        margins[:, b] += share[:, b] - share[:, a]
    chosen = forest.predict(X[TEST])
    assert margins[np.arange(len(TEST)), chosen] == pytest.approx(margins.max(axis=1))
    wins = Classifier(multiclass="one-vs-one", **options).fit(SMALL, CLASS).predict(X[TEST])
    assert 0 < np.sum(chosen != wins) < 30


def test_pure_cells_are_divided_as_published():
    options = {"n_estimators": 60, "divide_pure": True}
    forest = Classifier(**options).fit(SMALL, CLASS)
    stops = Classifier(n_estimators=60).fit(SMALL, CLASS)
    nodes = forest.tree(0)
    assert (nodes.stop - nodes.start)[nodes.child < 0].max() == 1
    for node in np.flatnonzero(nodes.child >= 0):
        p, q = nodes.pivots[node, 0]
        pure = len(set(CLASS[nodes.members(node)])) == 1
        assert (CLASS[p] == CLASS[q]) == pure
    assert forest.n_questions_ > 1.1 * stops.n_questions_
    # The splits down to the pure cells are the same, and each leaf has one vote.
    assert np.array_equal(forest.predict_proba(X[TEST]), stops.predict_proba(X[TEST]))


@pytest.mark.parametrize("pivots", ["best", "different", "random"])
def test_regression_is_the_mean_of_the_leaves(pivots):
    y = SMALL[:, 20] + 1000
    forest = Regressor(n_estimators=6, leaf_size=3, pivots=pivots).fit(SMALL, y)
    for x in TEST[:20]:
        values, weights = [], []
        for number in range(6):
            nodes, node = forest.tree(number), 0
            while nodes.child[node] >= 0:
                p, q = TRAIN[nodes.pivots[node, 0]]
                far = np.sum((X[x] - X[p]) ** 2) > np.sum((X[x] - X[q]) ** 2)
                node = nodes.child[node] + far
            members = nodes.members(node)
            values += y[members].tolist()
            weights += [min(1, 3 / len(members))] * len(members)
        assert forest.predict(X[[x]])[0] == pytest.approx(np.average(values, weights=weights))


def test_leaf_size_is_chosen_by_the_error_on_objects_not_seen():
    y = SMALL[:, 20] + 5 * SMALL[:, 30] + np.random.default_rng(0).normal(0, 20, len(SMALL))
    chosen = Regressor(n_estimators=10).fit(SMALL, y)
    assert len(chosen.leaf_sizes_) == 8
    assert chosen.leaf_sizes_[-1] == 128
    assert chosen.leaf_size_ == chosen.leaf_sizes_[np.argmin(chosen.leaf_errors_)]
    given = Regressor(n_estimators=10, leaf_size=chosen.leaf_size_).fit(SMALL, y)
    assert np.array_equal(chosen.predict(X[TEST]), given.predict(X[TEST]))
    assert chosen.n_questions_ == given.n_questions_ > 0 == given.n_choice_questions_
    for size in (1, 4, 32):
        direct = Regressor(leaf_size=size, n_estimators=10, max_samples=0.632, oob_score=True)
        missed = direct.fit(SMALL, y).oob_prediction_ - y
        missed = missed[np.isfinite(missed)]
        tried = chosen.leaf_errors_[chosen.leaf_sizes_ == size]
        assert np.sqrt(np.mean(missed**2)) == pytest.approx(tried[0])


def test_forests_say_when_the_mean_is_no_worse():
    rng = np.random.default_rng(0)
    noise, signal = rng.normal(0, 1, len(SMALL)), SMALL[:, 20].astype(float)
    with pytest.warns(UserWarning, match="predicting the mean is not clearly worse"):
        forest = Regressor(n_estimators=30).fit(SMALL, noise)
    assert forest.leaf_size_ >= 8
    spread = np.std(forest.predict(X[TEST]))
    small = Regressor(n_estimators=30, leaf_size=1).fit(SMALL, noise)
    assert spread < 0.6 * np.std(small.predict(X[TEST]))
    coin = Classifier(n_estimators=30, max_samples=0.7, oob_score=True)
    with pytest.warns(UserWarning, match="most frequent class is not clearly worse"):
        coin.fit(SMALL, np.arange(len(SMALL)) < 30)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Regressor(n_estimators=30).fit(SMALL, signal)
        Regressor(n_estimators=3, leaf_size=1).fit(SMALL, noise)
        coin.fit(SMALL, CLASS)
    assert Regressor(n_estimators=3).fit(SMALL[:3], signal[:3]).leaf_size_ == 1


# Oracles -------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [
    Classifier(n_estimators=10), Classifier(n_estimators=4, multiclass="one-vs-one"),
    Classifier(n_estimators=4, multiclass="summed", divide_pure=True),
    Regressor(n_estimators=6, max_samples=0.7, oob_score=True),
    Classifier(n_estimators=6, max_samples=0.7, oob_score=True),
])
def test_compiled_and_asked_forests_are_the_same(estimator):
    vectors = estimator.fit(SMALL, CLASS)
    told, asked = vectors.predict(X[TEST]), vectors.oracle_.n_questions
    everything = X[np.concatenate([TRAIN, TEST])]
    oracle = Vectors(everything, listed=True)
    numbers = np.arange(len(everything))
    listed = estimator.__class__(**{**estimator.get_params(), "metric": oracle})
    listed.fit(numbers[: len(TRAIN)], CLASS)
    assert np.array_equal(listed.predict(numbers[len(TRAIN) :]), told)
    assert (oracle.n_questions, len(oracle.listing())) == (asked, asked)
    assert listed.n_questions_ == vectors.n_questions_
    table = pairwise_distances(SMALL, metric="sqeuclidean")
    matrix = estimator.__class__(**{**estimator.get_params(), "metric": "precomputed"})
    matrix.fit(table, CLASS)
    assert matrix.n_questions_ == vectors.n_questions_
    further = pairwise_distances(X[TEST], SMALL, metric="sqeuclidean")
    assert np.array_equal(matrix.predict(further), told)


def test_kernel():
    kernel = SMALL @ SMALL.T
    forest = Classifier(n_estimators=10, metric="kernel").fit(kernel, CLASS)
    vectors = Classifier(n_estimators=10).fit(SMALL, CLASS)
    assert np.array_equal(forest.predict(X[TEST] @ SMALL.T), vectors.predict(X[TEST]))


def test_a_whole_forest_asks_at_most_40_times():
    oracle = Vectors(X, listed=True)
    forest = Classifier(metric=oracle).fit(np.arange(1797), Y)
    assert oracle.n_calls <= 40
    oracle.tally.clear()
    forest.predict(np.arange(1797))
    assert oracle.n_calls <= 40


def test_scikit_learn_chooses_parameters_on_any_oracle():
    oracle = Vectors(SMALL)
    search = GridSearchCV(
        Classifier(metric=oracle, n_estimators=5), {"leaf_size": [1, 60]}, cv=3
    ).fit(np.arange(len(SMALL))[:, None], CLASS)
    assert search.best_params_ == {"leaf_size": 1}
    table = pairwise_distances(SMALL)
    scores = cross_val_score(Classifier(n_estimators=20, metric="precomputed"), table, CLASS)
    assert scores.mean() > 0.85


def test_people_can_answer_for_a_forest():
    person, rounds = AnswersOracle(40), 0
    while True:
        try:
            forest = Classifier(metric=person, n_estimators=3).fit(np.arange(30), CLASS[:30])
            guess = forest.predict(np.arange(30, 40))
            break
        except Unanswered as waiting:
            rounds += 1
            first = Vectors(SMALL[:40]).ask(waiting.questions)
            person.add(answered_rows(waiting.questions, first))
    # Nobody was asked anything twice.
    assert len(np.unique(person.rows, axis=0)) == len(person.rows)
    direct = Classifier(metric=Vectors(SMALL[:40]), n_estimators=3)
    assert np.array_equal(direct.fit(np.arange(30), CLASS[:30]).predict(np.arange(30, 40)), guess)
    assert rounds <= 40


def test_noise_costs_accuracy():
    numbers = np.arange(len(SMALL))
    scores = [
        cross_val_score(
            Classifier(metric=Observer(SMALL, noise="flip", level=level), n_estimators=20),
            numbers[:, None], CLASS, cv=3,
        ).mean()
        for level in (0.0, 0.2)
    ]
    assert scores[0] > 0.85
    assert 0.15 < scores[1] < scores[0]


# Same seed, hostile data ---------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [Classifier, Regressor])
def test_same_seed_same_bits_with_any_number_of_threads(estimator):
    results = []
    for n_jobs in (1, 4):
        with parallel_config(n_jobs=n_jobs):
            forest = estimator(n_estimators=12, max_samples=0.8).fit(SMALL, CLASS)
            results.append((forest, forest.predict(X[TEST])))
    (one, told), (other, told_again) = results
    assert np.array_equal(told, told_again)
    for a, b in zip(one.trees_, other.trees_, strict=True):
        assert all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))
    different = estimator(n_estimators=12, seed=1).fit(SMALL, CLASS)
    assert not np.array_equal(different.tree(0).order, one.tree(0).order)


@pytest.mark.parametrize("listed", [False, True])
def test_hostile_data(listed):
    equal = np.zeros((60, 3))
    mixed = np.arange(60) % 2

    def fit(estimator, vectors, y):
        oracle = Vectors(vectors, listed=listed)
        return estimator.set_params(metric=oracle).fit(np.arange(len(vectors)), y)

    forest = fit(Classifier(n_estimators=4), equal, mixed)
    assert forest.predict_proba([0])[0] == pytest.approx([0.5, 0.5], abs=0.2)
    assert fit(Classifier(n_estimators=4), SMALL[:1], ["a"]).predict([0]).tolist() == ["a"]
    one_class = fit(Classifier(n_estimators=4), SMALL, np.zeros(len(SMALL)))
    assert (one_class.n_questions_, one_class.predict([3]).tolist()) == (0, [0])
    for pivots in ("best", "different", "random"):
        forest = Regressor(n_estimators=4, pivots=pivots)
        assert fit(forest, SMALL, np.full(len(SMALL), 0.1)).predict([3]) == pytest.approx(0.1)
        assert fit(forest, equal, mixed).predict([3]) == pytest.approx(0.5, abs=0.3)
        assert fit(forest, SMALL[:1], [7.0]).predict([0]).tolist() == [7.0]


@pytest.mark.parametrize("dtype", [np.uint8, np.float32, np.int64])
def test_types_of_vectors(dtype):
    forest = Classifier(n_estimators=5).fit(SMALL.astype(dtype), CLASS)
    doubles = Classifier(n_estimators=5).fit(SMALL, CLASS)
    assert np.array_equal(forest.predict(X[TEST].astype(dtype)), doubles.predict(X[TEST]))


def test_mistakes_are_told():
    with pytest.raises(ValueError, match="max_samples of ComparisonForestClassifier is 0"):
        Classifier(max_samples=0.0).fit(SMALL, CLASS)
    with pytest.raises(ValueError, match="300 objects but 299 responses"):
        Classifier(metric=Vectors(SMALL)).fit(np.arange(300), CLASS[1:])
    with pytest.raises(Stopped):
        Classifier().fit(SMALL, CLASS, progress=lambda *report, **details: True)


# Out of bag, proximity, pivots ---------------------------------------------------------------


def test_out_of_bag_predictions_come_from_trees_without_the_object():
    forest = Classifier(n_estimators=9, max_samples=0.6, oob_score=True).fit(SMALL, CLASS)
    votes = np.zeros((len(SMALL), 10))
    for number in range(9):
        nodes = forest.tree(number)
        assert len(nodes.order) == int(0.6 * len(SMALL))
        leaves = forest.apply(SMALL)[:, number]
        for x in np.setdiff1d(np.arange(len(SMALL)), nodes.order):
            votes[x, CLASS[nodes.members(leaves[x])[0]]] += 1
    known = votes.sum(axis=1) > 0
    assert np.array_equal(np.isnan(forest.oob_decision_function_[:, 0]), ~known)
    share = votes[known] / votes[known].sum(axis=1, keepdims=True)
    assert forest.oob_decision_function_[known] == pytest.approx(share)
    assert forest.oob_score_ == pytest.approx(np.mean(share.argmax(axis=1) == CLASS[known]))
    whole = Classifier(n_estimators=3, oob_score=True).fit(SMALL, CLASS)
    assert np.isnan(whole.oob_score_)


def test_out_of_bag_error_tells_the_error_on_unseen_objects():
    forest = Classifier(n_estimators=100, max_samples=0.7, oob_score=True).fit(SMALL, CLASS)
    assert abs(forest.oob_score_ - forest.score(X[TEST], Y[TEST])) < 0.04
    y = SMALL @ np.ones(64)
    regressor = Regressor(max_samples=0.7, oob_score=True).fit(SMALL, y)
    assert abs(regressor.oob_score_ - regressor.score(X[TEST], X[TEST] @ np.ones(64))) < 0.1


@pytest.mark.parametrize("max_samples", [1.0, 0.5])
def test_proximity_is_the_share_of_common_leaves(max_samples):
    forest = Classifier(n_estimators=11, leaf_size=5, max_samples=max_samples).fit(SMALL, CLASS)
    leaves = forest.apply()
    assert np.array_equal(leaves, forest.apply(SMALL))
    proximity = forest.proximity()
    assert proximity == pytest.approx((leaves[:, None] == leaves).mean(axis=2))
    assert np.linalg.eigvalsh(proximity).min() > -1e-9
    assert forest.proximity(SMALL[:7]) == pytest.approx(proximity[:7])
    assert forest.distances() ** 2 == pytest.approx(2 - 2 * proximity)
    same = CLASS[:, None] == CLASS
    assert proximity[same].mean() > 3 * proximity[~same].mean()


def test_pivots_that_matter():
    forest = Classifier(n_estimators=5).fit(SMALL, CLASS)
    importance = forest.pivot_importances_
    assert importance.sum() == pytest.approx(1)
    naive = np.zeros(len(SMALL))

    def gini(members):
        return len(members) - sum(np.bincount(CLASS[members]) ** 2) / max(len(members), 1)

    for number in range(5):
        nodes = forest.tree(number)
        for node in np.flatnonzero(nodes.child >= 0):
            left = nodes.child[node]
            parts = gini(nodes.members(left)) + gini(nodes.members(left + 1))
            naive[nodes.pivots[node, 0]] += gini(nodes.members(node)) - parts
    assert importance == pytest.approx(naive / naive.sum())
    regressor = Regressor(n_estimators=3).fit(SMALL, CLASS)
    assert regressor.pivot_importances_.sum() == pytest.approx(1)


def test_neighbours_in_a_forest():
    apart = pairwise_distances(X) + np.diag(np.full(len(X), np.inf))
    forest = ComparisonForest(n_estimators=10, leaf_size=16).fit(X)
    asked = forest.oracle_.n_questions
    found = forest.kneighbors(n_neighbors=2)
    # Each of the ten leaves is compared once; the ways down are known, as the objects are in.
    assert (forest.oracle_.n_questions - asked) / len(X) < 10 * 16
    missed = apart[np.arange(len(X)), found[:, 0]] > apart.min(axis=1)
    assert missed.mean() <= 0.05
    assert (apart[np.arange(len(X)), found[:, 1]] >= apart[np.arange(len(X)), found[:, 0]]).all()
    part = ComparisonForest(n_estimators=10, leaf_size=16).fit(SMALL)
    assert np.array_equal(part.kneighbors(SMALL)[:, 0], np.arange(len(SMALL)))


# Errors --------------------------------------------------------------------------------------


def test_digits_err_less_often_than_cart():
    def error(forest):
        return 1 - forest.fit(X[::2], Y[::2]).score(X[1::2], Y[1::2])

    ours = error(Classifier())
    assert ours <= 0.7 * error(RandomForestClassifier(random_state=0))
    assert ours < error(Classifier(pivots="random"))


def test_choosing_among_pairs_helps_regression():
    vectors, y = make_friedman1(600, random_state=0)
    errors = {}
    for pivots in ("best", "different", "random"):
        forest = Regressor(pivots=pivots).fit(vectors[:400], y[:400])
        errors[pivots] = np.sqrt(np.mean((forest.predict(vectors[400:]) - y[400:]) ** 2))
    assert errors["best"] < 0.95 * errors["random"]
    assert errors["different"] < errors["random"]
    assert errors["random"] < 0.7 * y.std()


def test_distances_oracle_without_vectors():
    table = pairwise_distances(SMALL, metric="cityblock")
    numbers = np.arange(len(SMALL))
    forest = Classifier(metric=Distances(table)).fit(numbers[::2], CLASS[::2])
    assert forest.score(numbers[1::2], CLASS[1::2]) > 0.85
