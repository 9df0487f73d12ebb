"""An order of many objects in which similar ones stand together, in little memory."""

from __future__ import annotations

import numpy as np

from tripletscope.core.similarity.clusters.agglomerative import AgglomerativeClustering
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.kernels.kernel import Kernel
from tripletscope.core.similarity.kernels.space import Space, space_of

#: Bytes that distances, and the copy that is merged, take at most; and a block of similarities.
ROOM, _BLOCK = 2**28, 2**26


def order_of_kernel(kernel: Kernel, room: int = ROOM) -> tuple[np.ndarray, Dendrogram | None]:
    """Placed objects in the order of an average-linkage tree, and that tree.

    Where its distances would take more room, it is the tree of objects that are chosen at random,
    each other one stands beside the nearest of them, and no tree is returned.
    """
    placed = np.flatnonzero(kernel.placed_)
    most = int(np.sqrt(room / 8))
    if len(placed) <= most:
        tree = AgglomerativeClustering().tree(space_of(kernel))
        return tree.order, tree
    chosen = np.sort(np.random.default_rng(0).choice(placed, most, replace=False))
    tree = AgglomerativeClustering().tree(_space_of_some(kernel, chosen))
    place = np.empty(len(chosen), dtype=np.int64)
    place[np.searchsorted(chosen, tree.order)] = np.arange(len(chosen))
    nearest, apart = _nearest(kernel, placed, chosen)
    return placed[np.lexsort([apart, place[nearest]])], None


def _space_of_some(kernel: Kernel, objects: np.ndarray) -> Space:
    if kernel.gram_ is None:
        return Space(kernel.n_objects_, objects, vectors=kernel.features_[objects])
    return Space(kernel.n_objects_, objects, gram=kernel.gram_[np.ix_(objects, objects)])


def _nearest(
    kernel: Kernel, objects: np.ndarray, others: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest of `others` to each object, by its place among these, and how far it is."""
    own = kernel.squared_norms()
    nearest, apart = np.empty(len(objects), dtype=np.int64), np.empty(len(objects))
    step = max(_BLOCK // (8 * kernel.n_objects_), 1)
    for start in range(0, len(objects), step):
        part = objects[start : start + step]
        squared = own[part, None] + own[others] - 2.0 * kernel.rows(part)[:, others]
        squared[part[:, None] == others] = -1.0  # itself, before what is in the same place
        nearest[start : start + step] = squared.argmin(axis=1)
        apart[start : start + step] = squared.min(axis=1)
    return nearest, apart
