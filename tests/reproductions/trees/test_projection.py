"""Trees that see vectors: whole cells, right leaves, the coordinates they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse.linalg import ArpackError
from sklearn.base import clone
from sklearn.datasets import load_digits

from tripletscope.reproductions.trees.projection import KDTree, PATree, RPTree
from tripletscope.reproductions.trees.sharing import nearest_pairs, shared_sizes

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(200, 5))
DIGITS = load_digits().data


@pytest.mark.parametrize("tree", [KDTree, RPTree, PATree])
def test_projection_trees(tree):
    fitted = tree(leaf_size=10).fit(POINTS)
    leaves = [m for m, child in zip(fitted.members_, fitted.child_, strict=True) if child < 0]
    assert sorted(np.concatenate(leaves)) == list(range(200))
    assert {len(leaf) for leaf in leaves} <= {6, 7}
    # Every object is led to the leaf it is in.
    assert not shared_sizes(fitted, POINTS + 1e-9, (np.arange(200), np.arange(200))).any()
    assert len(tree().fit(np.zeros((50, 3))).members_) == 1


@pytest.mark.parametrize("features", [
    RNG.integers(0, 4, (200, 3)), RNG.integers(0, 2, (200, 12)), RNG.integers(0, 4, (200, 1)),
    RNG.random((150, 40)) < 0.05, 0.1 * RNG.integers(0, 4, (200, 5)) + 7,
    np.nextafter(1.0, [[1.0], [2.0]] * 20),
], ids=["integers", "binary", "one", "sparse", "tenths", "adjacent"])
@pytest.mark.parametrize("tree", [
    KDTree(leaf_size=4), KDTree(leaf_size=4, coordinate="random"), RPTree(leaf_size=4),
    PATree(leaf_size=4),
], ids=["widest", "random", "rp", "pa"])
def test_objects_that_project_alike_are_in_the_leaf_that_they_reach(tree, features):
    X = np.asarray(features, dtype=float)
    fitted = clone(tree).fit(X)
    leaf = np.full(len(X), -1)
    for node, (members, child) in enumerate(zip(fitted.members_, fitted.child_, strict=True)):
        if child < 0:
            leaf[members] = node
    for i, x in enumerate(X):
        node = 0
        while fitted.child_[node] >= 0:
            above = x @ fitted.direction_[node] > fitted.threshold_[node]
            node = fitted.child_[node] + above
        assert node == leaf[i]


@pytest.mark.parametrize("features", [
    RNG.integers(0, 2, (200, 3)), np.column_stack([np.zeros(40), RNG.integers(0, 9, 40)]),
])
def test_kd_trees_part_all_objects_that_differ(features):
    fitted = KDTree(leaf_size=4).fit(features)
    for members, child in zip(fitted.members_, fitted.child_, strict=True):
        assert child >= 0 or len(members) <= 4 or (features[members] == features[members[0]]).all()


def test_cells_are_cut_at_the_change_nearest_to_the_median():
    one = KDTree(leaf_size=4).fit(np.repeat([0.0, 1.0, 5.0], [2, 5, 3])[:, None])
    assert (len(one.members_[1]), one.threshold_[0]) == (7, 3.0)
    # The first feature varies most, to go by the rounding of its variance, but is the same.
    constant = np.column_stack([np.full(10, 0.1), 1e-200 * np.arange(10)])
    assert KDTree(leaf_size=4).fit(constant).direction_[0].tolist() == [0.0, 1.0]


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1e200])
@pytest.mark.parametrize("tree", [KDTree, RPTree, PATree])
def test_cells_do_not_depend_on_the_size_of_features(tree, size):
    size = 2.0 ** np.round(np.log2(size))
    plain, sized = (tree(leaf_size=10).fit(POINTS * by) for by in (1.0, size))
    assert plain.child_ == sized.child_
    assert all(map(np.array_equal, plain.members_, sized.members_))


def test_principal_axes_are_exact_where_iteration_fails(monkeypatch):
    def fails(*args, **options):
        raise ArpackError(-9)

    before = PATree(leaf_size=100).fit(POINTS).direction_[0]
    monkeypatch.setattr("tripletscope.reproductions.trees.projection.svds", fails)
    exact = PATree(leaf_size=100).fit(POINTS).direction_[0]
    assert abs(before @ exact) > 0.99


def test_coordinates_drawn_at_random():
    found = {}
    train, test = DIGITS[:900], DIGITS[900:1500]
    pairs = nearest_pairs(train, test)
    for coordinate in ("widest", "random"):
        tree = KDTree(leaf_size=16, coordinate=coordinate).fit(train)
        found[coordinate] = np.mean(shared_sizes(tree, test, pairs) > 16)
    assert found["random"] > found["widest"] + 0.1
    # Three coordinates never tell two objects from two others.
    points = np.column_stack([RNG.integers(0, 3, 100), np.zeros((100, 2)), np.eye(100)[:, :1]])
    fitted = KDTree(leaf_size=3, coordinate="random").fit(points)
    inner = [node for node, child in enumerate(fitted.child_) if child >= 0]
    assert {int(np.argmax(fitted.direction_[node])) for node in inner} == {0}
    for node in inner:
        lower = points[fitted.members_[fitted.child_[node]], 0]
        upper = points[fitted.members_[fitted.child_[node] + 1], 0]
        assert lower.max() <= fitted.threshold_[node] < upper.min()


def test_principal_axis():
    line = np.outer(np.arange(100.0), [0.6, 0.8, 0.0]) + 0.01 * RNG.normal(size=(100, 3))
    direction = PATree(leaf_size=60).fit(line).direction_[0]
    assert np.abs(direction @ [0.6, 0.8, 0.0]) > 0.999
