"""How a comparison tree grows by questions.

The same compiled steps are used in two ways. As a dialogue, level by level, a tree can be grown by
anyone who answers, many trees at once. Where objects are measured, a compiled loop grows a tree
without leaving compiled code, a branch at a time, so that small cells stay in the processor's
cache. Both give the same tree.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from tripletscope.core.optimise.elementary import compiled
from tripletscope.core.tree.cells import (
    AGAIN,
    LEAF,
    SPLIT,
    Growth,
    SplitRule,
    choose,
    others,
    settle,
)
from tripletscope.core.tree.nearer import nearer, workspace
from tripletscope.core.tree.oracle import Dialogue


@compiled
def grow_measured(growth, rule, measure):
    """Grow a tree from its root; return the number of questions."""
    work = workspace(measure)
    n = growth.order.size
    first = np.empty((rule.candidates, n), np.bool_)
    pairs = np.empty((rule.candidates, 2), np.int32)
    rest, spare = np.empty(n, np.int32), np.empty(n, np.int32)
    waiting = np.empty(n + 1, np.int32)
    waiting[0] = 0
    n_waiting, n_asked = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        if growth.stop[node] - growth.start[node] <= rule.leaf_size:
            continue
        outcome = AGAIN
        while outcome == AGAIN:
            outcome = LEAF
            size = growth.stop[node] - growth.start[node] - 2
            for c in range(rule.candidates):
                if not choose(growth, rule, node, pairs[c], c):
                    break
                others(growth, node, pairs[c], rest)
                nearer(measure, rest[:size], pairs[c, 0], pairs[c, 1], work, first[c])
                n_asked += size
            else:
                outcome = settle(growth, rule, node, pairs, first[:, :size], spare)
        if outcome == SPLIT:
            waiting[n_waiting] = growth.child[node] + 1
            waiting[n_waiting + 1] = growth.child[node]
            n_waiting += 2
    return n_asked


@compiled
def _pose(growth, rule, waiting, pairs, chosen, questions):
    """Draw pivots for the open cells, unless they are `chosen`; write and count the questions."""
    rest = np.empty(growth.order.size, np.int32)
    count = 0
    for w in range(waiting.size):
        node = waiting[w]
        for c in range(rule.candidates):
            if not chosen and not choose(growth, rule, node, pairs[w, c], c):
                pairs[w, 0, 0] = -1
            if pairs[w, 0, 0] < 0:
                break
            size = others(growth, node, pairs[w, c], rest)
            questions[count : count + size, 0] = rest[:size]
            questions[count : count + size, 1] = pairs[w, c, 0]
            questions[count : count + size, 2] = pairs[w, c, 1]
            count += size
    return count


@compiled
def _settle_all(growth, rule, waiting, pairs, first, opened):
    """Split the open cells by the answers; write those that are open next, and their number."""
    spare = np.empty(growth.order.size, np.int32)
    used = count = 0
    for w in range(waiting.size):
        node = waiting[w]
        if pairs[w, 0, 0] < 0:
            continue
        size = growth.stop[node] - growth.start[node] - 2
        answers = first[used : used + rule.candidates * size].reshape(rule.candidates, size)
        used += rule.candidates * size
        outcome = settle(growth, rule, node, pairs[w], answers, spare)
        if outcome == AGAIN:
            opened[count] = node
            count += 1
        elif outcome == SPLIT:
            for child in range(growth.child[node], growth.child[node] + 2):
                if growth.stop[child] - growth.start[child] > rule.leaf_size:
                    opened[count] = child
                    count += 1
    return count


#: From the members of a cell, its key, and the attempts before this one, to a pair of pivots.
Chooser = Callable[[np.ndarray, int, int], tuple[int, int]]


def growing(
    growth: Growth, rule: SplitRule, waiting: ArrayLike, choose: Chooser | None = None
) -> Dialogue:
    """Grow a tree from its open cells, level by level.

    growth: Changed in place. With k pairs of pivots per node, the further pairs are drawn from the
        two sides that the first divides, and the majority decides.
    waiting: The cells to be divided, unless they are small enough for a leaf.
    choose: Chooses the pivots in place of the rule.
    """
    n_pairs = growth.pivots.shape[1]
    waiting = np.asarray(waiting, dtype=np.int32)
    waiting = waiting[growth.stop[waiting] - growth.start[waiting] > rule.leaf_size]
    while len(waiting):
        pairs = np.zeros((len(waiting), rule.candidates, 2), np.int32)
        if choose is not None:
            for w, node in enumerate(waiting):
                members = growth.order[growth.start[node] : growth.stop[node]]
                pairs[w, 0] = choose(members, int(growth.key[node]), int(growth.attempt[node]))
        sizes = growth.stop[waiting] - growth.start[waiting]
        questions = np.empty((int(sizes.sum()) * rule.candidates, 3), np.int32)
        questions = questions[: _pose(growth, rule, waiting, pairs, choose is not None, questions)]
        first = (yield questions) if len(questions) else np.zeros(0, dtype=bool)
        first = np.ascontiguousarray(first)
        if n_pairs > 1:
            first = yield from _majority(growth, waiting, pairs, first)
        opened = np.empty(2 * len(waiting), np.int32)
        waiting = opened[: _settle_all(growth, rule, waiting, pairs, first, opened)]


def _majority(
    growth: Growth, waiting: np.ndarray, pairs: np.ndarray, first: np.ndarray
) -> Dialogue:
    """Votes of the further pairs of pivots, which are drawn from the sides of the first."""
    posed, cells, used = [], [], 0
    for node, pair in zip(waiting, pairs[:, 0], strict=True):
        if pair[0] < 0:
            continue
        members = growth.order[growth.start[node] : growth.stop[node]]
        x = members[~np.isin(members, pair)]
        mine = first[used : used + len(x)]
        used += len(x)
        sides = np.append(x[mine], pair[0]), np.append(x[~mine], pair[1])
        rng = np.random.default_rng((int(growth.key[node]), int(growth.attempt[node])))
        further = growth.pivots[node, 1:]
        for side in range(2):
            further[:, side] = rng.choice(sides[side], len(further))
        votes = mine.astype(int)
        for p, q in further:
            ask = (x != p) & (x != q)
            posed.append(np.column_stack([x[ask], np.full((ask.sum(), 2), (p, q))]))
            votes += x == p
            cells.append((votes, ask))
    answers = (yield np.concatenate(posed)) if posed else np.zeros(0, dtype=bool)
    for votes, ask in cells:
        votes[ask] += answers[: ask.sum()]
        answers = answers[ask.sum() :]
    n_pairs = growth.pivots.shape[1]
    decided = [votes for votes, _ in cells[:: n_pairs - 1]]
    return np.concatenate([np.zeros(0, dtype=bool), *(2 * v > n_pairs for v in decided)])
