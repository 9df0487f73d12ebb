"""The smallest cell of a tree that an object shares with its nearest neighbour.

A search in the leaf misses the neighbour exactly if that cell is larger than leaves may be, so one
tree with small leaves tells of all larger ones.
"""

from __future__ import annotations

import numpy as np

from tripletscope.core.trees import ComparisonTree
from tripletscope.core.trees.estimator import find_leaves
from tripletscope.core.trees.oracle import Vectors


def nearest_pairs(points: np.ndarray, queries: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Queries and their nearest objects; of several that are as near, each is a pair."""
    apart = Vectors(points).about(queries).distances()
    return np.nonzero(apart <= apart.min(axis=1, keepdims=True))


def shared_sizes(
    tree: object, queries: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> np.ndarray:
    """Size of the smallest cell that holds each query and its nearest neighbour.

    tree: Grown.
    queries (m, d): Objects it was grown without.
    pairs: See `nearest_pairs`.
    Returns: (m,): 0 where they share a leaf.
    """
    child, size, own, leaf = (
        _of_comparisons(tree, queries) if isinstance(tree, ComparisonTree)
        else _of_projections(tree, queries)
    )
    parent = np.full(len(child), -1)
    inner = np.flatnonzero(child >= 0)
    parent[child[inner]] = parent[child[inner] + 1] = inner
    query, neighbour = pairs
    one, other = leaf[query].copy(), own[neighbour].copy()
    # Nodes above others have smaller numbers.
    while (apart := one != other).any():
        up = apart & (one > other)
        down = apart & ~up
        one[up], other[down] = parent[one[up]], parent[other[down]]
    shared = np.full(len(queries), np.iinfo(np.int64).max)
    np.minimum.at(shared, query, np.where(child[one] < 0, 0, size[one]))
    return shared


def _of_comparisons(tree: ComparisonTree, queries: np.ndarray) -> tuple[np.ndarray, ...]:
    nodes = tree.nodes_
    (leaf,) = find_leaves(
        tree.oracle_.about(queries), [nodes], [np.arange(len(queries), dtype=np.int32)], False
    )
    return nodes.child, nodes.stop - nodes.start, nodes.leaf_of(len(nodes.order)), leaf


def _of_projections(tree: object, queries: np.ndarray) -> tuple[np.ndarray, ...]:
    child, leaf = np.array(tree.child_), np.zeros(len(queries), dtype=int)
    own = np.zeros(len(tree.members_[0]), dtype=int)
    for node, members in enumerate(tree.members_):
        own[members] = node
        if child[node] >= 0:
            here = np.flatnonzero(leaf == node)
            upper = queries[here] @ tree.direction_[node] > tree.threshold_[node]
            leaf[here] = child[node] + upper
    return child, np.array([len(members) for members in tree.members_]), own, leaf
