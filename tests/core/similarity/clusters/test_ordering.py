"""An order of many objects, in little memory."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.ordering import order_of_kernel
from tripletscope.core.similarity.kernels.kernel import Kernel, inner_products
from tripletscope.core.similarity.kernels.space import space_of


def kernel(vectors: np.ndarray, *, has_gram: bool) -> Kernel:
    found = Kernel()
    found.n_objects_, found.stopped_ = len(vectors), False
    found.placed_ = np.any(vectors != 0, axis=1)
    found.features_ = None if has_gram else vectors
    found.gram_ = inner_products(vectors) if has_gram else None
    return found


@pytest.fixture(params=[False, True], ids=["vectors", "products"])
def clustered(request) -> Kernel:
    """Three groups far from each other, and an object without answers."""
    rng = np.random.default_rng(0)
    centres = np.eye(3) * 10
    vectors = np.vstack([centres[np.arange(60) % 3] + 0.1 * rng.normal(size=(60, 3)), np.zeros(3)])
    return kernel(vectors, has_gram=request.param)


def test_of_few_objects_it_is_that_of_their_tree(clustered):
    order, tree = order_of_kernel(clustered)
    whole = AgglomerativeClustering().tree(space_of(clustered))
    assert order.tolist() == tree.order.tolist() == whole.order.tolist()


def test_of_many_objects_each_stands_in_its_group(clustered):
    order, tree = order_of_kernel(clustered, room=8 * 15**2)
    assert tree is None
    assert sorted(order) == list(range(60)), "each placed object once"
    groups = order % 3
    assert np.count_nonzero(np.diff(groups)) == 2, "three groups, one after the other"


def test_objects_in_one_place_stand_together():
    vectors = np.repeat(np.random.default_rng(1).normal(size=(6, 4)), 8, axis=0)
    order, _ = order_of_kernel(kernel(vectors, has_gram=False), room=8 * 30**2)
    assert np.count_nonzero(np.diff(order // 8)) == 5


def test_rows_and_norms_are_those_of_the_matrix(clustered):
    some = np.array([3, 60, 7])
    np.testing.assert_allclose(clustered.rows(some), clustered.kernel_[some], atol=1e-12)
    np.testing.assert_allclose(
        clustered.squared_norms(), clustered.kernel_.diagonal(), atol=1e-12
    )
