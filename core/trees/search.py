"""Nearest neighbours by questions alone: among candidates, and in a tree with a budget."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from tripletscope.core.trees.nodes import Nodes
from tripletscope.core.trees.oracle import Dialogue


def nearest(x: np.ndarray, candidates: Sequence[np.ndarray], k: int = 1) -> Dialogue:
    """The k nearest of each object's candidates (m, k), and questions about each (m,).

    c - 1 questions for the nearest of c candidates, and up to log2(c) for each further one
    (tournament sort; Knuth, The Art of Computer Programming 3, 5.2.3), independent in each round.
    Nearest first; -1 where there are fewer. Candidates exclude x.
    """
    m = len(x)
    room = 1 << max((max(map(len, candidates), default=1) - 1).bit_length(), 0)
    objects = np.full((m, room), -1, dtype=np.int64)
    for row, choices in zip(objects, candidates, strict=True):
        row[: len(choices)] = choices
    # In a heap, node i holds the winning slot of nodes 2i and 2i + 1.
    heap = np.full((m, 2 * room), -1, dtype=np.int64)
    heap[:, room:] = np.where(objects >= 0, np.arange(room), -1)
    n_asked = np.zeros(m, dtype=np.int64)

    def play(row: np.ndarray, node: np.ndarray) -> Dialogue:
        one, other = heap[row, 2 * node], heap[row, 2 * node + 1]
        heap[row, node] = np.maximum(one, other)
        both = (one >= 0) & (other >= 0)
        if both.any():
            row, node, one, other = row[both], node[both], one[both], other[both]
            first = yield np.column_stack([x[row], objects[row, one], objects[row, other]])
            heap[row, node] = np.where(first, one, other)
            np.add.at(n_asked, row, 1)

    level = room // 2
    while level:
        row, node = np.divmod(np.arange(m * level), level)
        yield from play(row, node + level)
        level //= 2
    neighbours = np.full((m, k), -1, dtype=np.int64)
    for rank in range(k):
        row = np.flatnonzero(heap[:, 1] >= 0)
        slot = heap[row, 1]
        neighbours[row, rank] = objects[row, slot]
        if rank + 1 < k:
            node = slot + room
            heap[row, node] = -1
            while room > 1 and len(node) and node[0] > 1:
                node //= 2
                yield from play(row, node)
    return neighbours, n_asked


def best_first(nodes: Nodes, x: int, is_own: bool, k: int, budget: int) -> Dialogue:
    """Nearest neighbours (k,) by backtracking, and the number of questions.

    After the object's leaf, the search continues in the skipped branch whose pivot is nearest, also
    by questions, until the budget is used up (best bin first, Beis & Lowe 1997, without
    coordinates). A larger budget asks the same questions first. -1 where there are fewer
    neighbours.

    is_own: Whether `x` is one of the tree's objects; it is then not its own neighbour.
    """
    n_asked = 0
    neighbours: list[int] = []  # nearest first
    passed_by: list[tuple[int, int]] = []  # pivot and node, nearest pivot first

    def nearer(p: int, q: int) -> Dialogue:
        """Whether p is at least as near as q; asked only where it is not plain."""
        nonlocal n_asked
        if p == q or (is_own and p == x):
            return True
        if is_own and q == x:
            return False
        if n_asked == budget:
            raise _SpentError
        n_asked += 1
        return bool((yield np.array([[x, p, q]]))[0])

    def rank(candidate: int, ranked: list[int]) -> Dialogue:
        """How many of the ranked objects are nearer than the candidate, by halving."""
        low, high = 0, len(ranked)
        while low < high:
            middle = (low + high) // 2
            if (yield from nearer(candidate, ranked[middle])):
                high = middle
            else:
                low = middle + 1
        return low

    def down_from(node: int) -> Dialogue:
        """Go down to a leaf, and rank its members."""
        while nodes.child[node] >= 0:
            votes = 0
            for p, q in nodes.pivots[node].tolist():
                votes += yield from nearer(p, q)
            far = int(2 * votes > nodes.pivots.shape[1])
            pivot = int(nodes.pivots[node, 0, far])
            place = yield from rank(pivot, [other for other, _ in passed_by])
            passed_by.insert(place, (pivot, int(nodes.child[node]) + far))
            node = int(nodes.child[node]) + 1 - far
        for member in nodes.members(node).tolist():
            if not (is_own and member == x):
                place = yield from rank(member, neighbours)
                neighbours.insert(place, member)
                del neighbours[k:]

    with suppress(_SpentError):
        yield from down_from(0)
        while passed_by:
            yield from down_from(passed_by.pop(0)[1])
    return np.array(neighbours + [-1] * (k - len(neighbours)), dtype=np.int64), n_asked


class _SpentError(Exception):
    """The budget is used up."""
