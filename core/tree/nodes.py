"""A comparison tree as flat arrays: how it grows by questions, and how objects find their leaf.

The same compiled steps are used in two ways. As a dialogue, level by level, a tree can be grown by
anyone who answers, many trees at once. Where objects are measured, a compiled loop grows a tree
without leaving compiled code, a branch at a time, so that small cells stay in the processor's
cache. Every cell draws its pivots from a key of its own, passed down from the root, so both give
the same tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tripletscope.core.optimise.loss import compiled
from tripletscope.core.tree.nearer import nearer, workspace
from tripletscope.core.tree.oracle import Dialogue

RANDOM, LABELS, RESPONSES = 0, 1, 2

#: Pairs that are tried in a cell before it stays a leaf, if they leave one pivot alone...
_ATTEMPTS = 3
#: ...in cells of at least this size. In smaller ones that is no sign of equal objects.
_CROWD = 16

_LEAF, _SPLIT, _AGAIN = 0, 1, 2


class Nodes(NamedTuple):
    """A tree; node 0 is the root, and levels follow each other.

    Attributes
    ----------
    order : ndarray of int32, shape (n,)
        The objects; those of a node are ``order[start:stop]``.
    start, stop : ndarray of int32, shape (m,)
    child : ndarray of int32, shape (m,)
        The child nearer to p; the other one follows it. -1 for a leaf.
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


class Rule(NamedTuple):
    """How cells are split.

    Attributes
    ----------
    kind : int
        RANDOM pairs; pairs of different LABELS; one pivot with a response up to the cell's mean
        and one above it (RESPONSES).
    candidates : int
        Pairs that are asked about; the one that lowers the variance of the responses most splits.
    leaf_size : int
        Cells of up to so many objects are leaves.
    label : ndarray of int32, shape (n,)
    response : ndarray of float, shape (n,)
    """

    kind: int
    candidates: int
    leaf_size: int
    label: np.ndarray
    response: np.ndarray


class Growth(NamedTuple):
    """A tree while it grows: room for all its nodes, and what the open ones need to know."""

    order: np.ndarray
    start: np.ndarray
    stop: np.ndarray
    child: np.ndarray
    pivots: np.ndarray
    key: np.ndarray
    attempt: np.ndarray
    size: np.ndarray


def planted(objects: np.ndarray, seed: int, n_pairs: int = 1) -> Growth:
    """A tree that is nothing but a root."""
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
# splitmix64 (Steele, Lea & Flood 2014) of a cell's key and of the number of the draw.

_STEP = np.uint64(0x9E3779B97F4A7C15)


@compiled
def _mixed(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@compiled
def _child_key(key, side):
    # The multiplier keeps the keys apart from the draws of the same cell.
    return _mixed(key * np.uint64(0xD1342543DE82EF95) + np.uint64(side + 1))


@compiled
def _draw(key, number, below):
    """A whole number from 0 to `below` - 1."""
    bits = _mixed(key + np.uint64(number + 1) * _STEP)
    return int((bits >> np.uint64(11)) * (below * 2.0**-53))


# Steps in one cell ---------------------------------------------------------------------------


@compiled
def _choose(growth, rule, node, pair, number):
    """Draw a pair of pivots; False if the cell is to stay a leaf."""
    members = growth.order[growth.start[node] : growth.stop[node]]
    key, size = growth.key[node], members.size
    number = 2 * (growth.attempt[node] * rule.candidates + number)
    if rule.kind == RANDOM:
        i = _draw(key, number, size)
        j = _draw(key, number + 1, size - 1)
        pair[0], pair[1] = members[i], members[j + (j >= i)]
        return True
    # The first pivot comes from one group, the second from outside of it.
    if rule.kind == LABELS:
        counts = np.zeros(rule.label.max() + 1, np.int64)
        for x in members:
            counts[rule.label[x]] += 1
        pairs = size * size - (counts * counts).sum()
        if pairs == 0:
            return False
        drawn = _draw(key, number, pairs)
        group = 0
        while drawn >= counts[group] * (size - counts[group]):
            drawn -= counts[group] * (size - counts[group])
            group += 1
        inside = counts[group]
        i, j = drawn % inside, _draw(key, number + 1, size - inside)
        mean = 0.0
    else:
        mean = 0.0
        for x in members:
            mean += rule.response[x] / size
        group, inside = -1, 0
        for x in members:
            inside += rule.response[x] <= mean
        # Rounding may put the mean of equal responses on either side of them.
        if inside == 0 or inside == size:
            return False
        i, j = _draw(key, number, inside), _draw(key, number + 1, size - inside)
    for x in members:
        if (rule.label[x] == group) if rule.kind == LABELS else (rule.response[x] <= mean):
            if i == 0:
                pair[0] = x
            i -= 1
        else:
            if j == 0:
                pair[1] = x
            j -= 1
    return True


@compiled
def _others(growth, node, pair, x):
    """Write the objects of a cell without the pivots to `x`; return their number."""
    count = 0
    for m in growth.order[growth.start[node] : growth.stop[node]]:
        if m != pair[0] and m != pair[1]:
            x[count] = m
            count += 1
    return count


@compiled
def _gain(growth, rule, node, pair, first):
    """Variance of the responses that a split explains, but for a factor."""
    n_near = n_far = 0
    near = far = 0.0
    asked = 0
    for m in growth.order[growth.start[node] : growth.stop[node]]:
        if m == pair[0] or m == pair[1]:
            to_first = m == pair[0]
        else:
            to_first = first[asked]
            asked += 1
        if to_first:
            n_near += 1
            near += rule.response[m]
        else:
            n_far += 1
            far += rule.response[m]
    return near * near / n_near + far * far / n_far


@compiled
def _settle(growth, rule, node, pairs, first, spare):
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
        return _AGAIN if growth.attempt[node] < _ATTEMPTS else _LEAF
    end = start
    n_far = asked = 0
    for i in range(start, stop):
        m = growth.order[i]
        to_first = m == p
        if m != p and m != q:
            to_first = answers[asked]
            asked += 1
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
    return _SPLIT


def grafted(nodes: Nodes, objects: np.ndarray, leaves: np.ndarray, seed: int) -> Growth:
    """A tree with further objects in its leaves, ready to grow on.

    Parameters
    ----------
    nodes : Nodes
    objects, leaves : ndarray of int32, shape (m,)
        The further objects and where they belong.
    seed : int
        That of the tree.
    """
    size = len(nodes.child)
    ends = nodes.stop[leaves]
    growth = planted(np.insert(nodes.order, ends, objects), seed, nodes.pivots.shape[1])
    ends = np.sort(ends)
    growth.start[:size] = nodes.start + np.searchsorted(ends, nodes.start, side="right")
    growth.stop[:size] = nodes.stop + np.searchsorted(ends, nodes.stop, side="right")
    growth.child[:size], growth.pivots[:size] = nodes.child, nodes.pivots
    growth.size[0] = size
    growth.key[:size] = keys(nodes, seed)
    return growth


@compiled
def _keys(child, key):
    for node in range(child.size):
        if child[node] >= 0:
            for side in range(2):
                key[child[node] + side] = _child_key(key[node], side)


def keys(nodes: Nodes, seed: int) -> np.ndarray:
    """(m,) the keys of the cells of a tree."""
    key = np.full(len(nodes.child), seed, dtype=np.uint64)
    _keys(nodes.child, key)
    return key


@compiled
def _finished(growth):
    """The nodes of a grown tree, by level."""
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
    return growth.start[old], growth.stop[old], child, growth.pivots[old]


def finished(growth: Growth) -> Nodes:
    """The tree that has grown, by level."""
    start, stop, child, pivots = _finished(growth)
    return Nodes(growth.order, start, stop, child, pivots)


# Measured objects ----------------------------------------------------------------------------


@compiled
def grow_measured(growth, rule, measure):
    """Grow a tree from its root; return the number of questions."""
    work = workspace(measure)
    n = growth.order.size
    first = np.empty((rule.candidates, n), np.bool_)
    pairs = np.empty((rule.candidates, 2), np.int32)
    others, spare = np.empty(n, np.int32), np.empty(n, np.int32)
    waiting = np.empty(n + 1, np.int32)
    waiting[0] = 0
    n_waiting, asked = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        if growth.stop[node] - growth.start[node] <= rule.leaf_size:
            continue
        outcome = _AGAIN
        while outcome == _AGAIN:
            outcome = _LEAF
            size = growth.stop[node] - growth.start[node] - 2
            for c in range(rule.candidates):
                if not _choose(growth, rule, node, pairs[c], c):
                    break
                _others(growth, node, pairs[c], others)
                nearer(measure, others[:size], pairs[c, 0], pairs[c, 1], work, first[c])
                asked += size
            else:
                outcome = _settle(growth, rule, node, pairs, first[:, :size], spare)
        if outcome == _SPLIT:
            waiting[n_waiting] = growth.child[node] + 1
            waiting[n_waiting + 1] = growth.child[node]
            n_waiting += 2
    return asked


@compiled
def descend_measured(nodes, measure, x, leaf):
    """Write the leaf that each of the objects `x` reaches to `leaf`; return the questions asked."""
    work = workspace(measure)
    place = np.arange(x.size)
    at = x.copy()
    spare, spare_place = at.copy(), place.copy()
    first = np.empty(x.size, np.bool_)
    waiting = np.empty((nodes.child.size + 1, 3), np.int64)
    waiting[0, 0], waiting[0, 1], waiting[0, 2] = 0, 0, x.size
    n_waiting, asked = 1, 0
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
        asked += stop - start
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
    return asked


# Dialogues -----------------------------------------------------------------------------------


@compiled
def _pose(growth, rule, waiting, pairs, chosen, questions):
    """Draw pivots for the open cells, unless they are `chosen`; write and count the questions."""
    others = np.empty(growth.order.size, np.int32)
    count = 0
    for w in range(waiting.size):
        node = waiting[w]
        for c in range(rule.candidates):
            if not chosen and not _choose(growth, rule, node, pairs[w, c], c):
                pairs[w, 0, 0] = -1
            if pairs[w, 0, 0] < 0:
                break
            size = _others(growth, node, pairs[w, c], others)
            questions[count : count + size, 0] = others[:size]
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
        outcome = _settle(growth, rule, node, pairs[w], answers, spare)
        if outcome == _AGAIN:
            opened[count] = node
            count += 1
        elif outcome == _SPLIT:
            for child in range(growth.child[node], growth.child[node] + 2):
                if growth.stop[child] - growth.start[child] > rule.leaf_size:
                    opened[count] = child
                    count += 1
    return count


#: From the members of a cell, its key, and the attempts before this one, to a pair of pivots.
Chooser = Callable[[np.ndarray, int, int], tuple[int, int]]


def growing(
    growth: Growth, rule: Rule, waiting: ArrayLike, choose: Chooser | None = None
) -> Dialogue:
    """Grow a tree from its open cells, level by level.

    Parameters
    ----------
    growth : Growth
        Changed in place. With k pairs of pivots per node, the further pairs are drawn from the
        two sides that the first divides, and the majority decides.
    rule : Rule
    waiting : array-like of int
        The cells to be divided, unless they are small enough for a leaf.
    choose : callable, optional
        Chooses the pivots in place of the rule.
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
        questions = questions[: _pose(
            growth, rule, waiting, pairs, choose is not None, questions
        )]
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
    given = (yield np.concatenate(posed)) if posed else np.zeros(0, dtype=bool)
    for votes, ask in cells:
        votes[ask] += given[: ask.sum()]
        given = given[ask.sum() :]
    n_pairs = growth.pivots.shape[1]
    decided = [votes for votes, _ in cells[:: n_pairs - 1]]
    return np.concatenate([np.zeros(0, dtype=bool), *(2 * v > n_pairs for v in decided)])


def descending(nodes: Nodes, x: np.ndarray, own: bool) -> Dialogue:
    """Find the leaf of every object.

    Parameters
    ----------
    nodes : Nodes
    x : ndarray of int, shape (m,)
    own : bool
        Whether these numbers are those of the tree's objects; pivots then know their side.

    Returns
    -------
    leaf : ndarray of int32, shape (m,)
    asked : ndarray of int, shape (m,)
        Questions about each.
    """
    at = np.zeros(len(x), dtype=np.int32)
    asked = np.zeros(len(x), dtype=np.int64)
    n_pairs = nodes.pivots.shape[1]
    while (moving := np.flatnonzero(nodes.child[at] >= 0)).size:
        pairs = nodes.pivots[at[moving]]
        who = np.broadcast_to(x[moving, None], pairs.shape[:2])
        same = own & (who[..., None] == pairs)
        votes = same[..., 0]
        ask = ~same.any(axis=2)
        # A pivot of the first pair was put on its side without a vote.
        placed = ~ask[:, 0]
        votes[placed], ask[placed] = votes[placed, :1], False
        if ask.any():
            votes[ask] = yield np.column_stack([who[ask], pairs[ask]])
        at[moving] = nodes.child[at[moving]] + (2 * votes.sum(axis=1) < n_pairs)
        asked[moving] += ask.sum(axis=1)
    return at, asked
