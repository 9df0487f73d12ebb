"""Cells of trees in the plane, and errors of searches and of predictions."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import KFold

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.trees import (
    ComparisonForestClassifier,
    ComparisonTree,
    ForestProximity,
    prediction,
)
from tripletscope.core.trees.nodes import cells
from tripletscope.core.trees.prediction import ColumnErrors, grown_forest, predict_column
from tripletscope.core.trees.quality import search_curve

POINTS = np.random.default_rng(1).normal(size=(60, 2))


def area(polygon: np.ndarray) -> float:
    if not len(polygon):
        return 0.0
    x, y = polygon.T
    return abs(float(x @ np.roll(y, 1) - y @ np.roll(x, 1))) / 2


def inside(polygon: np.ndarray, point: np.ndarray) -> bool:
    edges = np.roll(polygon, -1, axis=0) - polygon
    to = point - polygon
    turns = edges[:, 0] * to[:, 1] - edges[:, 1] * to[:, 0]
    return bool((turns >= -1e-9).all() or (turns <= 1e-9).all())


def test_cells_divide_the_plane_as_the_tree_divides_its_objects():
    nodes = ComparisonTree(leaf_size=3).fit(POINTS).nodes_
    low, high = POINTS.min(axis=0) - 1, POINTS.max(axis=0) + 1
    found = cells(nodes, POINTS, low, high)
    for node, outline in enumerate(found):
        assert all(inside(outline, POINTS[i]) for i in nodes.members(node))
    leaves = np.flatnonzero(nodes.child < 0)
    assert sum(area(found[i]) for i in leaves) == pytest.approx(np.prod(high - low))
    inner = np.flatnonzero(nodes.child >= 0)
    halves = [area(found[nodes.child[i]]) + area(found[nodes.child[i] + 1]) for i in inner]
    assert halves == pytest.approx([area(found[i]) for i in inner])


def test_cells_of_pivots_in_one_place_leave_nothing_wrong():
    nodes = ComparisonTree(leaf_size=1).fit(np.array([[0.0, 0], [0, 0], [1, 0]])).nodes_
    found = cells(nodes, np.array([[0.0, 0], [0, 0], [1, 0]]), np.full(2, -1.0), np.full(2, 2.0))
    assert all(np.isfinite(outline).all() for outline in found)


@pytest.fixture(scope="module")
def described(planted) -> Triplets:
    truth = np.random.default_rng(7).normal(size=(30, 2)) * 1.3  # the planted positions
    side = np.where(truth[:, 0] > 0, "right", "left").astype(object)
    side[3] = None
    return planted.with_objects(planted.objects.assign(
        side=side, height=truth[:, 1], rare=["a"] * 29 + ["b"], same=1.0,
    ))


@pytest.fixture(scope="module")
def of_heights(described) -> ColumnErrors:
    return predict_column(STE(n_init=1), described, column="height", kind="numbers")


@pytest.mark.parametrize("method", [STE(n_init=1), K1()])
def test_larger_leaves_and_more_trees_miss_less(described, method):
    found = search_curve(method, described, n_trees=10, folds=10)
    table = found.table()
    assert table["tree"].nunique() == 2
    assert found.missed.shape == (len(table), 30)
    one = table[table["tree"] == "Comparison tree"].set_index("size")
    many = table[table["tree"] == "10 comparison trees"].set_index("size")
    assert many.loc[1, "miss rate"] < one.loc[1, "miss rate"]
    assert one.loc[8, "miss rate"] <= one.loc[1, "miss rate"]
    assert (table["low"] <= table["miss rate"]).all()
    assert (table["miss rate"] <= table["high"]).all()
    assert many.loc[1, "questions to build"] > 5 * one.loc[1, "questions to build"]
    assert many.loc[8, "questions per search"] > one.loc[8, "questions per search"]


@pytest.mark.parametrize("answers", ["fitted", "answered"])
def test_forests_predict_what_the_map_shows(described, answers):
    found = predict_column(STE(n_init=1), described, column="side", answers=answers)
    assert found.classes.tolist() == ["left", "right"]
    assert np.isnan(found.truth[3])
    assert np.isnan(found.predicted[..., 3]).all()
    table = found.table()
    assert table["method"].unique().tolist() == [
        "Comparison forest", "Nearest neighbours", "Support vector machine", "CART forest"
    ]
    a, b = found.best
    assert found.errors.mean(axis=0)[a, b] == found.errors.mean(axis=0).min() < 0.25
    assert found.chance > 0.35
    counts = found.confusion(found.predicted[a, b])
    assert counts.sum() == 29
    wrong = (found.predicted[a, b] != found.truth)[np.isfinite(found.truth)]
    assert counts[0, 1] + counts[1, 0] == wrong.sum()


def test_forests_predict_numbers(described, of_heights):
    found = of_heights
    assert len(found.classes) == 0
    assert found.errors.mean(axis=0).min() < 0.7 * found.chance
    known = np.isfinite(found.truth)
    a, b = found.best
    assert np.corrcoef(found.truth[known], found.predicted[a, b][known])[0, 1] > 0.7
    alone = predict_column(K1(), described, column="height", kind="numbers", folds=2)
    assert alone.peers.tolist() == ["Nearest neighbours", "Support vector machine"]
    assert found.peer_errors.mean(axis=0).max() < found.chance


def test_errors_follow_the_unit_of_the_numbers_and_proportions_end_at_one(described, of_heights):
    """Errors, and their intervals, are in the unit of the column, wherever its zero is."""
    height = 5000.0 + 100.0 * described.objects["height"]
    changed = described.with_objects(described.objects.assign(height=height))
    other = predict_column(STE(n_init=1), changed, column="height", kind="numbers")
    tables = [
        found.table().set_index("method").loc[found.peers, ["error", "low", "high"]]
        for found in (of_heights, other)
    ]
    # Machines stop at a tolerance, and forests meet ties that rounding decides.
    np.testing.assert_allclose(tables[1], 100.0 * tables[0], rtol=0.1)
    side = np.array(["left", "right"] * 4 + [None] * 22, dtype=object)
    few = described.with_objects(described.objects.assign(side=side))
    found = predict_column(STE(n_init=1), few, column="side")
    assert found.peer_errors.std(axis=0, ddof=1).max() > 0.3
    assert found.table()["high"].max() == 1.0


def test_errors_are_set_against_a_constant_of_the_same_folds(described, of_heights):
    noise = np.random.default_rng(0).normal(size=described.n_objects)
    given = described.with_objects(described.objects.assign(noise=noise))
    found = predict_column(STE(n_init=1), given, column="noise", kind="numbers", folds=5)
    folds = list(KFold(5, shuffle=True, random_state=0).split(noise))
    by_hand = [np.sqrt(np.mean((noise[test] - noise[train].mean()) ** 2)) for train, test in folds]
    assert found.constant_errors == pytest.approx(by_hand)
    for size in range(len(found.leaf_sizes)):
        gain, reach = found.gain(size, -1)
        assert gain == pytest.approx(np.mean(by_hand) - found.errors[:, size, -1].mean())
        assert gain < reach
    gain, reach = of_heights.gain(*of_heights.best)
    assert gain > reach > 0


@pytest.mark.parametrize(("column", "kind"), [("side", "classes"), ("height", "numbers")])
def test_one_method_alone_predicts_as_beside_the_others(described, column, kind, monkeypatch):
    options = {"column": column, "kind": kind, "folds": 2}
    found = predict_column(K1(), described, **options)
    forest = predict_column(K1(), described, **options, learner="forest")
    assert np.array_equal(forest.errors, found.errors)
    assert forest.peers.tolist() == []
    for number, learner in enumerate(("knn", "svm")):
        alone = predict_column(K1(), described, **options, learner=learner)
        assert alone.best is None
        assert alone.peers.tolist() == [found.peers[number]]
        assert np.array_equal(alone.peer_errors[:, 0], found.peer_errors[:, number])
        (row,) = alone.table().to_dict("records")
        assert row["low"] <= row["error"] == alone.peer_errors.mean() <= row["high"]
    # Of many objects, the vectors are used instead of a matrix.
    method = STE(n_init=1)
    by_matrix = predict_column(method, described, **options, learner="knn")
    monkeypatch.setattr(prediction, "SINGLE_ABOVE", 10)
    by_vectors = predict_column(method, described, **options, learner="knn")
    np.testing.assert_allclose(by_vectors.peer_errors, by_matrix.peer_errors)
    machine = predict_column(method, described, **options, learner="svm")
    assert machine.peer_errors.mean() < machine.chance


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_peers_do_without_inner_folds_where_there_are_too_few_objects(described, kind):
    column = np.full(described.n_objects, None, dtype=object)
    column[:4] = [1.0, 1.0, 2.0, 2.0]
    few = described.with_objects(described.objects.assign(few=column))
    found = predict_column(STE(), few, column="few", kind=kind)
    assert np.isfinite(found.truth).sum() == 4
    assert np.isfinite(found.peer_errors).all()


def test_held_out_numbers_do_not_reach_their_predictions(described, of_heights):
    column = described.objects["height"].to_numpy(copy=True)
    column[0] = 1000.0
    changed = described.with_objects(described.objects.assign(height=column))
    other = predict_column(STE(n_init=1), changed, column="height", kind="numbers")
    folds = KFold(5, shuffle=True, random_state=0).split(np.arange(30))
    (beside,) = (test for _, test in folds if 0 in test)
    for kind in ("predicted", "peer_predicted"):
        before, after = (getattr(errors, kind) for errors in (of_heights, other))
        assert np.array_equal(before[..., beside], after[..., beside])
        assert not np.array_equal(before, after)


def test_a_forest_of_all_objects_is_the_same_as_by_hand(described):
    fitted = STE(n_init=1).fit(described)
    forest, objects = grown_forest(fitted, described, "side", n_estimators=5, leaf_size=2)
    assert isinstance(forest, ComparisonForestClassifier)
    assert 3 not in objects
    assert len(objects) == 29
    by_hand = ComparisonForestClassifier(metric="precomputed", n_estimators=5, leaf_size=2).fit(
        fitted.distances()[np.ix_(objects, objects)],
        described.objects["side"].iloc[objects].astype(str).to_numpy(),
    )
    np.testing.assert_allclose(forest.proximity(), by_hand.proximity())


def test_what_cannot_be_learned_is_refused(described):
    for column, kind in (("rare", "classes"), ("same", "numbers"), ("nowhere", "classes")):
        with pytest.raises(DataError):
            predict_column(STE(n_init=1), described, column=column, kind=kind)
    with pytest.raises(DataError, match="four objects"):
        search_curve(K1(), Triplets.from_array([[0, 1, 2]] * 3))


def test_both_stop_when_asked(described):
    for function, options in ((search_curve, {}), (predict_column, {"column": "side"})):
        with pytest.raises(Stopped):
            function(
                clone(STE(n_init=1)), described, **options, progress=lambda *_, **__: True
            )


# Proximity ------------------------------------------------------------------------------------


def test_proximity_is_the_share_of_leaves_in_common_and_answers_triplets(planted):
    kernel = ForestProximity(n_estimators=50, leaf_size=4).fit(planted)
    similarity = kernel.kernel_
    assert np.allclose(np.diag(similarity), 1)
    assert np.allclose(similarity, similarity.T)
    assert np.allclose(similarity * 50, np.round(similarity * 50))
    assert np.linalg.eigvalsh(similarity).min() > -1e-9
    assert 0 < kernel.answered_share_ < 1
    assert kernel.score(planted) > 0.7, "chance is 0.5, the map itself about 0.85"
    again = ForestProximity(n_estimators=50, leaf_size=4).fit(planted)
    assert np.array_equal(again.kernel_, similarity)


def test_proximity_is_nought_for_objects_without_answers(planted):
    more = Triplets.from_array(planted.rows, planted.n_objects + 1)
    kernel = ForestProximity(n_estimators=5).fit(more)
    assert not kernel.placed_[-1]
    assert not kernel.kernel_[-1].any()


def errors_of(rng: np.random.Generator, chance: float) -> ColumnErrors:
    """Of 20 forests that err independently, in five folds of four objects of either class."""
    none = np.zeros(0)
    return ColumnErrors(
        np.array(["a", "b"]), none, np.arange(5), np.arange(4),
        rng.binomial(8, chance, (5, 5, 4)) / 8, none, none, none, none,
        np.full(5, 0.5),
    )


def test_shuffled_labels():
    """The lowest of many errors is low by chance, and looks surely so."""
    rng = np.random.default_rng(0)
    gains, better = [], []
    for found in (errors_of(rng, 0.5) for _ in range(300)):
        gain, reach = found.gain(*found.best)
        gains.append(gain > reach)
        better.append(found.is_better(*found.best))
    assert np.mean(gains) > 0.06
    assert np.mean(better) < 0.05
    assert all(found.is_better(*found.best) for found in (errors_of(rng, 0.0) for _ in range(5)))
