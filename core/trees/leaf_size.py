"""The leaf size of a regression forest, chosen by out-of-bag errors.

Trees with leaf size 1 contain those of all larger sizes: one forest tries all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.trees.nodes import Nodes


class LeafSizes(NamedTuple):
    """Leaf sizes (k,) and their out-of-bag root mean square errors (k,).

    gain, gain_error: Mean and standard error of the reduction in square error at the best size,
    from
        predicting the mean of all other objects.
    """

    sizes: np.ndarray
    errors: np.ndarray
    gain: float
    gain_error: float

    @property
    def best(self) -> int:
        """The size with the smallest error."""
        return int(self.sizes[np.argmin(self.errors)])


def try_leaf_sizes(
    trees: Iterable[Nodes], left_out: Iterable[tuple[np.ndarray, np.ndarray]], response: np.ndarray,
    objects: np.ndarray,
) -> LeafSizes | None:
    """Out-of-bag errors of all powers of two up to half the objects (n,); None for too few objects.

    trees: Of leaf size 1.
    left_out: For each tree, positions of objects it was grown without, and their leaves.
    response: Centred, by the trees' object numbers.
    """
    n = len(objects)
    sizes = 2 ** np.arange(max(n // 2, 1).bit_length())
    total, weight = np.zeros((2, len(sizes), n))
    for nodes, (out, leaf) in zip(trees, left_out, strict=True):
        _add_leaves(nodes, response, sizes, out, leaf, total, weight)
    predicted = weight[0] > 0
    if n < 4 or predicted.sum() < 2:
        return None
    responses = response[objects[predicted]]
    square = (responses - total[:, predicted] / weight[:, predicted]) ** 2
    errors = np.sqrt(square.mean(axis=1))
    # The mean of the others is farther away than that of all.
    less = (responses * n / (n - 1)) ** 2 - square[np.argmin(errors)]
    return LeafSizes(
        sizes, errors, float(less.mean()), float(less.std(ddof=1) / np.sqrt(len(less)))
    )


@compiled
def _add_leaves(nodes, response, sizes, out, leaf, total, weight):
    """Add the votes of the leaves that objects would reach with every leaf size."""
    size = nodes.stop - nodes.start
    mean = np.empty(size.size)
    parent = np.full(size.size, -1, np.int32)
    for node in range(size.size):
        mean[node] = response[nodes.order[nodes.start[node] : nodes.stop[node]]].mean()
        if nodes.child[node] >= 0:
            parent[nodes.child[node]] = node
            parent[nodes.child[node] + 1] = node
    for i in range(out.size):
        node = leaf[i]
        for k in range(sizes.size):
            while parent[node] >= 0 and size[parent[node]] <= sizes[k]:
                node = parent[node]
            votes = min(size[node], sizes[k])
            total[k, out[i]] += votes * mean[node]
            weight[k, out[i]] += votes
