"""Trees that see vectors: whole cells, right leaves, the coordinates they are asked for."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits

from tripletscope.core.tree import KDTree, PATree, RPTree
from tripletscope.core.tree.quality import search_errors

RNG = np.random.default_rng(3)
POINTS = RNG.normal(size=(200, 5))
DIGITS = load_digits().data


@pytest.mark.parametrize("tree", [KDTree, RPTree, PATree])
def test_projection_trees(tree):
    exact = search_errors(tree(leaf_size=1000), POINTS)
    assert exact.miss_rate == exact.mean_excess == 0.0
    fitted = tree(leaf_size=10).fit(POINTS)
    leaves = [m for m, child in zip(fitted.members_, fitted.child_, strict=True) if child < 0]
    assert sorted(np.concatenate(leaves)) == list(range(200))
    assert {len(leaf) for leaf in leaves} <= {6, 7}
    found, asked = fitted.kneighbors(POINTS + 1e-9)
    # Every object is led to the leaf it is in.
    assert np.array_equal(found[:, 0], np.arange(200))
    assert set(asked) <= {5 + 5, 5 + 6}
    assert len(tree().fit(np.zeros((50, 3))).members_) == 1


def test_coordinates_drawn_at_random():
    found = {}
    for coordinate in ("widest", "random"):
        tree = KDTree(leaf_size=16, coordinate=coordinate)
        found[coordinate] = search_errors(tree, DIGITS, folds=2, max_objects=600).miss_rate
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
    with pytest.raises(ValueError, match="coordinate of KDTree is 'narrow'"):
        KDTree(coordinate="narrow").fit(POINTS)


def test_principal_axis():
    line = np.outer(np.arange(100.0), [0.6, 0.8, 0.0]) + 0.01 * RNG.normal(size=(100, 3))
    direction = PATree(leaf_size=60).fit(line).direction_[0]
    assert np.abs(direction @ [0.6, 0.8, 0.0]) > 0.999
