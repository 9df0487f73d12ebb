"""A comparison tree as flat arrays, how objects find their leaf, and cells in the plane."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.trees.nearer import nearer, workspace
from tripletscope.core.trees.oracle import Dialogue


@short_repr
class Nodes(NamedTuple):
    """A tree; node 0 is the root, and levels follow each other.

    Attributes
    ----------
    order : ndarray of int32, shape (n,)
        Objects; a node holds ``order[start:stop]``.
    start, stop : ndarray of int32, shape (m,)
    child : ndarray of int32, shape (m,)
        The child nearer to p; the other follows it. -1 for a leaf.
    pivots : ndarray of int32, shape (m, k, 2)
        Pairs (p, q), whose majority decides; -1 for a leaf.
    """

    order: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    child: np.ndarray
    pivots: np.ndarray

    @property
    def parent(self) -> np.ndarray:
        """(m,) node above each node; -1 for the root."""
        parent = np.full(len(self.child), -1, dtype=np.int32)
        inner = np.flatnonzero(self.child >= 0)
        parent[self.child[inner]] = parent[self.child[inner] + 1] = inner
        return parent

    @property
    def depth(self) -> np.ndarray:
        """(m,) steps from the root."""
        depth = np.zeros(len(self.child), dtype=np.int32)
        for node, parent in enumerate(self.parent.tolist()[1:], 1):
            depth[node] = depth[parent] + 1
        return depth

    def members(self, node: int) -> np.ndarray:
        """Objects in a node."""
        return self.order[self.start[node] : self.stop[node]]

    def leaf_of(self, n_objects: int) -> np.ndarray:
        """(n,) leaf of each object; -1 for objects that are not in the tree."""
        leaves = np.flatnonzero(self.child < 0)
        leaf = np.full(n_objects, -1, dtype=np.int32)
        sizes = self.stop[leaves] - self.start[leaves]
        within = np.arange(len(self.order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        leaf[self.order[np.repeat(self.start[leaves], sizes) + within]] = np.repeat(leaves, sizes)
        return leaf


@compiled
def descend_measured(nodes, measure, x, leaf):
    """Write the leaf of each object `x` to `leaf`; return the number of questions."""
    work = workspace(measure)
    place = np.arange(x.size)
    at = x.copy()
    spare, spare_place = at.copy(), place.copy()
    first = np.empty(x.size, np.bool_)
    waiting = np.empty((nodes.child.size + 1, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, x.size
    n_waiting, n_asked = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node, start, stop = waiting[n_waiting]
        if nodes.child[node] < 0:
            for i in range(start, stop):
                leaf[place[i]] = node
            continue
        nearer(
            measure, at[start:stop], nodes.pivots[node, 0, 0], nodes.pivots[node, 0, 1], work,
            first,
        )
        n_asked += stop - start
        end, n_far = start, 0
        for i in range(start, stop):
            if first[i - start]:
                at[end], place[end] = at[i], place[i]
                end += 1
            else:
                spare[n_far], spare_place[n_far] = at[i], place[i]
                n_far += 1
        at[end:stop] = spare[:n_far]
        place[end:stop] = spare_place[:n_far]
        for side in range(2):
            if (end > start) if side == 0 else (stop > end):
                waiting[n_waiting, 0] = nodes.child[node] + side
                waiting[n_waiting, 1] = start if side == 0 else end
                waiting[n_waiting, 2] = end if side == 0 else stop
                n_waiting += 1
    return n_asked


def descending(nodes: Nodes, x: np.ndarray, is_own: bool) -> Dialogue:
    """Leaf int32 (m,) of every object x (m,), and the number of questions about each (m,).

    is_own: Whether these are numbers of the tree's objects; pivots then know their side.
    """
    at = np.zeros(len(x), dtype=np.int32)
    n_asked = np.zeros(len(x), dtype=np.int64)
    n_pairs = nodes.pivots.shape[1]
    while (moving := np.flatnonzero(nodes.child[at] >= 0)).size:
        pairs = nodes.pivots[at[moving]]
        who = np.broadcast_to(x[moving, None], pairs.shape[:2])
        same = is_own & (who[..., None] == pairs)
        votes = same[..., 0]
        ask = ~same.any(axis=2)
        # A pivot of the first pair was put on its side without a vote.
        placed = ~ask[:, 0]
        votes[placed], ask[placed] = votes[placed, :1], False
        if ask.any():
            votes[ask] = yield np.column_stack([who[ask], pairs[ask]])
        at[moving] = nodes.child[at[moving]] + (2 * votes.sum(axis=1) < n_pairs)
        n_asked[moving] += ask.sum(axis=1)
    return at, n_asked


def cells(
    nodes: Nodes, positions: np.ndarray, low: np.ndarray, high: np.ndarray
) -> list[np.ndarray]:
    """Outlines (k, 2) of the cells of all nodes, with one pair of pivots per node.

    positions (n, 2): By the nodes' object numbers.
    low, high (2,): Corners of the root's cell.
    k is 0 for pivots at one position, or answers that contradict the positions.
    """
    p, q = positions[nodes.pivots[:, 0]].transpose(1, 0, 2)
    # x is nearer to p where x . (q - p) is below that of their middle.
    direction, threshold = q - p, ((p + q) / 2 * (q - p)).sum(axis=1)
    outlines = [np.zeros((0, 2))] * len(nodes.child)
    outlines[0] = np.array([low, (high[0], low[1]), high, (low[0], high[1])], dtype=float)
    for node in np.flatnonzero(nodes.child >= 0):
        height = outlines[node] @ direction[node] - threshold[node]
        near = nodes.child[node]
        outlines[near], outlines[near + 1] = (
            _below(outlines[node], height), _below(outlines[node], -height)
        )
    return outlines


def _below(polygon: np.ndarray, height: np.ndarray) -> np.ndarray:
    """The part of a convex polygon (k, 2) where a linear function is at most 0.

    height (k,): The function at the corners (Sutherland & Hodgman 1974).
    """
    kept = []
    for i in range(len(polygon)):
        if height[i - 1] * height[i] < 0:
            share = height[i - 1] / (height[i - 1] - height[i])
            kept.append(polygon[i - 1] + share * (polygon[i] - polygon[i - 1]))
        if height[i] <= 0:
            kept.append(polygon[i])
    return np.reshape(kept, (-1, 2))
