"""Distances of all pairs of a space."""

from __future__ import annotations

import tracemalloc

import numpy as np
from scipy.spatial.distance import squareform

from tripletscope.core.similarity.kernels.kernel import kernel_distances
from tripletscope.core.similarity.kernels.space import Space


def test_of_products_and_of_distances():
    vectors = np.random.default_rng(0).normal(size=(300, 400))
    gram = vectors @ vectors.T
    full = kernel_distances(gram)
    for space in (
        Space(300, np.arange(300), gram=gram), Space(300, np.arange(300), distance_matrix=full),
    ):
        assert np.array_equal(space.condensed(), squareform(full, checks=False))


def test_nothing_is_held_beside_them():
    vectors = np.random.default_rng(0).normal(size=(2000, 2))
    space = Space(2000, np.arange(2000), vectors=vectors)
    space.part(np.arange(9)).condensed()
    tracemalloc.start()
    found = space.condensed()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * found.nbytes
