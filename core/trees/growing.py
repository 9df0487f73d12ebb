"""How a comparison tree grows by questions: cells draw pivots, and the answers split them.

Every cell draws its pivots from its own key, passed down from the root: a tree does not depend on
the order in which cells are split. Two drivers therefore give the same tree: a dialogue grows
many at once, level by level, for any oracle; a compiled loop for measured objects grows one a
branch at a time, so that small cells stay in the processor's cache.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.trees.nearer import nearer, workspace
from tripletscope.core.trees.nodes import Nodes
from tripletscope.core.trees.oracle import Dialogue

RANDOM, LABELS, RESPONSES, LABELS_FIRST = 0, 1, 2, 3

#: Pairs to try before a cell stays a leaf, if they split off one pivot alone...
_ATTEMPTS = 3
#: ...in cells of at least this size. In smaller ones that is no sign of equal objects.
_CROWD = 16

LEAF, SPLIT, AGAIN = 0, 1, 2

#: From a cell's members, its key, and the number of failed attempts, to a pair of pivots.
Chooser = Callable[[np.ndarray, int, int], tuple[int, int]]


class SplitRule(NamedTuple):
    """How cells are split.

    leaf_size: Cells of at most this many objects are leaves.
    kind: RANDOM pairs; pairs of different LABELS; one pivot with a response up to the cell's mean
        and one above it (RESPONSES); LABELS_FIRST: as LABELS, but random in pure cells.
    candidates: Pairs to ask about; the one that lowers the variance of the responses most splits.
    label int32 (n,), response (n,)
    """

    leaf_size: int
    kind: int = RANDOM
    candidates: int = 1
    label: np.ndarray = np.zeros(1, np.int32)
    response: np.ndarray = np.zeros(1)


class Growth(NamedTuple):
    """A growing tree: arrays with room for all its nodes; `size` holds the number in use."""

    order: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    child: np.ndarray
    pivots: np.ndarray
    key: np.ndarray
    attempt: np.ndarray
    size: np.ndarray


def new_growth(objects: np.ndarray, seed: int, n_pairs: int = 1) -> Growth:
    """A tree of a root alone."""
    room = max(2 * len(objects) - 1, 1)
    growth = Growth(
        np.array(objects, dtype=np.int32), np.zeros(room, np.int32), np.zeros(room, np.int32),
        np.full(room, -1, np.int32), np.full((room, n_pairs, 2), -1, np.int32),
        np.zeros(room, np.uint64), np.zeros(room, np.uint8), np.ones(1, np.int64),
    )
    growth.stop[0] = len(objects)
    growth.key[0] = seed
    return growth


# Random numbers ------------------------------------------------------------------------------
# splitmix64 (Steele, Lea & Flood 2014) of a cell's key and the draw's number.

_STEP = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _mixed(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _child_key(key, side):
    # The multiplier makes keys differ from the draws of the same cell.
    return _mixed(key * np.uint64(0xD1342543DE82EF95) + np.uint64(side + 1))


@compiled
def _draw(key, number, below):
    """A whole number from 0 to `below` - 1."""
    bits = _mixed(key + np.uint64(number + 1) * _STEP)
    return int((bits >> np.uint64(11)) * (below * 2.0**-53))


# Pivots ----------------------------------------------------------------------------------------


@compiled
def choose(growth, rule, node, pair, number):
    """Draw a pair of pivots; False if the cell stays a leaf."""
    members = growth.order[growth.start[node] : growth.stop[node]]
    key, size = growth.key[node], members.size
    number = 2 * (growth.attempt[node] * rule.candidates + number)
    by_label = rule.kind == LABELS or rule.kind == LABELS_FIRST
    # The first pivot comes from one group, the second from outside of it.
    i, count, bound = -1, 0, 0.0
    if by_label:
        i, count, bound = _one_label(rule.label, members, key, number)
    elif rule.kind == RESPONSES:
        i, count, bound = _up_to_the_mean(rule.response, members, key, number)
    if rule.kind == RANDOM or (rule.kind == LABELS_FIRST and i < 0):
        i = _draw(key, number, size)
        j = _draw(key, number + 1, size - 1)
        pair[0], pair[1] = members[i], members[j + (j >= i)]
        return True
    if i < 0:
        return False
    j = _draw(key, number + 1, size - count)
    for x in members:
        if (rule.label[x] == bound) if by_label else (rule.response[x] <= bound):
            if i == 0:
                pair[0] = x
            i -= 1
        else:
            if j == 0:
                pair[1] = x
            j -= 1
    return True


@compiled
def _one_label(label, members, key, number):
    """Draw a label in proportion to its pairs with others, and one of its members.

    Returns the member's rank among them (-1 if all labels are equal), their number, and the label.
    """
    size = members.size
    counts = np.zeros(label.max() + 1, np.int64)
    for x in members:
        counts[label[x]] += 1
    pairs = size * size - (counts * counts).sum()
    if pairs == 0:
        return -1, 0, 0.0
    drawn = _draw(key, number, pairs)
    group = 0
    while drawn >= counts[group] * (size - counts[group]):
        drawn -= counts[group] * (size - counts[group])
        group += 1
    return drawn % counts[group], counts[group], float(group)


@compiled
def _up_to_the_mean(response, members, key, number):
    """Draw a member whose response is at most the mean.

    Returns its rank among them (-1 if the mean divides nothing), their number, and the mean.
    """
    mean = 0.0
    for x in members:
        mean += response[x] / members.size
    count = 0
    for x in members:
        count += response[x] <= mean
    # Rounding may put the mean of equal responses on either side of them.
    if count == 0 or count == members.size:
        return -1, 0, mean
    return _draw(key, number, count), count, mean


# Splits ----------------------------------------------------------------------------------------


@compiled
def others(growth, node, pair, x):
    """Write the objects of a cell, pivots excepted, to `x`; return their number."""
    count = 0
    for m in growth.order[growth.start[node] : growth.stop[node]]:
        if m != pair[0] and m != pair[1]:
            x[count] = m
            count += 1
    return count


@compiled
def _gain(growth, rule, node, pair, first):
    """Sum of squares of the responses that a split explains, plus a constant of the cell."""
    n_near = n_far = 0
    near = far = 0.0
    place = 0
    for m in growth.order[growth.start[node] : growth.stop[node]]:
        if m == pair[0] or m == pair[1]:
            to_first = m == pair[0]
        else:
            to_first = first[place]
            place += 1
        if to_first:
            n_near += 1
            near += rule.response[m]
        else:
            n_far += 1
            far += rule.response[m]
    return near * near / n_near + far * far / n_far


@compiled
def settle(growth, rule, node, pairs, first, spare):
    """Split a cell by the answers about its candidate pairs, (c, size - 2)."""
    start, stop = growth.start[node], growth.stop[node]
    best = 0
    if rule.candidates > 1:
        most = -np.inf
        for c in range(rule.candidates):
            gain = _gain(growth, rule, node, pairs[c], first[c])
            if gain > most:
                best, most = c, gain
    p, q = pairs[best]
    answers = first[best]
    # Equal objects all go to p, in vain: q would be split off alone, again and again.
    if stop - start >= _CROWD and answers.all():
        growth.attempt[node] += 1
        return AGAIN if growth.attempt[node] < _ATTEMPTS else LEAF
    end = start
    n_far = place = 0
    for i in range(start, stop):
        m = growth.order[i]
        to_first = m == p
        if m != p and m != q:
            to_first = answers[place]
            place += 1
        if to_first:
            growth.order[end] = m
            end += 1
        else:
            spare[n_far] = m
            n_far += 1
    growth.order[end:stop] = spare[:n_far]
    left = growth.size[0]
    growth.size[0] += 2
    growth.child[node] = left
    growth.start[left], growth.stop[left] = start, end
    growth.start[left + 1], growth.stop[left + 1] = end, stop
    growth.pivots[node, 0, 0], growth.pivots[node, 0, 1] = p, q
    for side in range(2):
        growth.key[left + side] = _child_key(growth.key[node], side)
    return SPLIT


def extended_growth(nodes: Nodes, objects: np.ndarray, leaves: np.ndarray, seed: int) -> Growth:
    """A tree with further objects (m,) in their leaves (m,), ready to grow on."""
    size = len(nodes.child)
    ends = nodes.stop[leaves]
    growth = new_growth(np.insert(nodes.order, ends, objects), seed, nodes.pivots.shape[1])
    ends = np.sort(ends)
    growth.start[:size] = nodes.start + np.searchsorted(ends, nodes.start, side="right")
    growth.stop[:size] = nodes.stop + np.searchsorted(ends, nodes.stop, side="right")
    growth.child[:size], growth.pivots[:size] = nodes.child, nodes.pivots
    growth.size[0] = size
    growth.key[:size] = keys(nodes, seed)
    return growth


@compiled
def keys(nodes, seed):
    """(m,) keys of a tree's cells."""
    key = np.full(nodes.child.size, seed, np.uint64)
    for node in range(key.size):
        if nodes.child[node] >= 0:
            for side in range(2):
                key[nodes.child[node] + side] = _child_key(key[node], side)
    return key


@compiled
def nodes_of(growth):
    """The grown tree, its nodes by level."""
    size = growth.size[0]
    old = np.zeros(size, np.int32)
    child = np.full(size, -1, np.int32)
    count = 1
    for new in range(size):
        if growth.child[old[new]] >= 0:
            child[new] = count
            old[count] = growth.child[old[new]]
            old[count + 1] = growth.child[old[new]] + 1
            count += 2
    return Nodes(growth.order, growth.start[old], growth.stop[old], child, growth.pivots[old])


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
    """Split the open cells by the answers; write and count the cells that are open next."""
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


def growing(
    growth: Growth, rule: SplitRule, waiting: ArrayLike, choose: Chooser | None = None
) -> Dialogue:
    """Grow a tree in place from its open cells, level by level.

    Further pairs of pivots are drawn from the two sides of the first, and the majority decides.
    `choose` replaces the rule's choice of pivots.
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
    """Majority of the first and the further pairs of pivots, drawn from the sides of the first."""
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
