"""The least certain of all comparisons, without looking at all of them.

How certain a comparison is grows with the gap between its two mean distances over their spread.
Of every anchor's objects, ordered by mean distance, only those are compared whose gap is small
enough to be among the k least certain so far. Nearly all objects of an anchor have no other that
close: distances in single precision, with a bound on their error, tell which. Only those of the
few others are found in full, so that n x n numbers are never held.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy.special import ndtr

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.optimise.elementary import compiled, exact

#: Anchors are divided into so many parts, whatever the number of threads.
_PARTS = 8
#: Anchors whose rough distances are found together, and objects that stay in the processor's cache.
_BLOCK, _TILE = 64, 256
#: So many distances are added in single precision before their sum goes on in double.
_ADDED = 4
#: Relative error of rounding to single precision, and what is lost to numbers too small for it.
_UNIT, _TINY = 2.0**-24, 1e-18
#: Standardised gap of two different distances without spread: certain.
_CERTAIN = 1e300


class DistanceRows(Protocol):
    """What is known of the distances between n objects."""

    @property
    def placed(self) -> np.ndarray:
        """Objects of which at least one distance is known."""

    @property
    def error(self) -> np.ndarray:
        """(n,) parts of the two objects in what a rough distance may be off."""

    def rough(self, anchors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean distances from some anchors in single precision, in a unit of the source.

        Returns: distances float32 (a, n): Infinite where unknown; widest (a,): No distance from
            this anchor has a larger standard deviation, in the same unit.
        """

    def full(self, anchor: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of the distances from one anchor."""


class Matrices:
    """Distances of which mean and standard deviation are known; shape (n, n)."""

    def __init__(self, mean: np.ndarray, sd: np.ndarray) -> None:
        self._mean, self._sd = mean, sd
        self.placed = np.flatnonzero(np.isfinite(mean).sum(axis=1) > 1)
        self._unit = _largest(mean)
        self.error = np.full(len(mean), _UNIT)

    def rough(self, anchors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, sd = self._mean[anchors], self._sd[anchors]
        known = np.isfinite(mean)
        distances = np.where(known, mean / self._unit, np.inf).astype(np.float32)
        return distances, np.max(sd, axis=1, where=known, initial=0.0) / self._unit

    def full(self, anchor: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._mean[anchor, others], self._sd[anchor, others]


class Maps:
    """Distances in several maps.

    embeddings (b, n, d): NaN where a map does not place an object.
    correction: Factor on the variances.
    """

    def __init__(self, embeddings: np.ndarray, correction: float) -> None:
        n_maps, _, n_components = embeddings.shape
        self._columns = columns_of(embeddings)
        self._root = np.sqrt(correction)
        known = np.isfinite(embeddings[..., 0])
        self._known = None if known.all() else known.T.astype(np.float32)
        count = known.sum(axis=0)
        self.placed = np.flatnonzero(count > 1)
        there = np.where(known[..., None], embeddings, 0.0)
        moved = there - there.sum(axis=(0, 1)) / max(count.sum(), 1)
        length = np.linalg.norm(moved, axis=2) * known
        self._unit = _largest(length)
        self._maps = np.where(known[..., None], moved / self._unit, np.nan)
        self._maps = np.ascontiguousarray(self._maps.transpose(0, 2, 1), dtype=np.float32)
        # Rounded coordinates and their difference, its square and root, the sum of a few, and its
        # mean; each rounding is of no more than the lengths of both.
        roundings = 2 + (n_components / 2 + 2) + _ADDED + 1
        self.error = roundings * _UNIT * length.max(axis=0) / self._unit + _TINY
        # A distance strays no further from that of the mean positions than its ends from theirs.
        off = there - there.sum(axis=0) / np.maximum(count, 1)[:, None]
        strayed = np.einsum("bni,bni,bn->n", off, off, known.astype(float))
        fewest = n_maps - 1 if known.all() else 1
        self._strayed = self._root * np.sqrt(strayed / max(fewest, 1)) / self._unit

    def rough(self, anchors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        n_maps, _, n = self._maps.shape
        if self._known is None:
            count = np.full((len(anchors), n), n_maps, dtype=np.float32)
        else:
            count = self._known[anchors] @ self._known.T
        distances = np.empty(count.shape, dtype=np.float32)
        _mean_distances(self._maps, anchors, count, distances)
        return distances, self._strayed[anchors] + self._strayed.max()

    def full(self, anchor: int, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        mean, sd = np.empty((2, len(others)))
        _moments_of(self._columns, anchor, others, mean, sd)
        return mean, self._root * sd


def _largest(lengths: np.ndarray) -> float:
    result = np.max(lengths, where=np.isfinite(lengths), initial=0.0)
    return float(result) if result > 0 else 1.0


def columns_of(embeddings: np.ndarray) -> np.ndarray:
    """(n, d, b) the coordinates of one object side by side."""
    return np.ascontiguousarray(embeddings.transpose(1, 2, 0))


def least_certain(source: DistanceRows, k: int, independent: bool) -> tuple[np.ndarray, np.ndarray]:
    """The k least certain of all comparisons, and how certain they are.

    independent: Whether variances add, not standard deviations.
    Returns: rows (min(k, all), 3): Anchor and the two others, the one that seems nearer first;
        least certain first; probability: That this order is right, from 1/2 up.
    """
    anchors = source.placed
    if len(anchors) < 3 or k < 1:
        return np.empty((0, 3), dtype=np.int64), np.empty(0)
    k = min(k, len(anchors) * (len(anchors) - 1) * (len(anchors) - 2) // 2)
    # The k-th of a few anchors is no less certain than the k-th of all: with it, little is scanned.
    bound = np.full(1, np.inf)
    few = anchors[:: max(int(np.sqrt(len(anchors))), 1)]
    _scanned(source, k, independent, bound, few, Halt())
    parts = [
        (source, k, independent, bound, part)
        for part in np.array_split(anchors, min(_PARTS, len(anchors)))
    ]
    result = list(in_parallel(_scanned, parts, shared=True))
    gaps = np.concatenate([gaps for gaps, _ in result])
    rows = np.concatenate([rows for _, rows in result])
    best = np.lexsort((*rows.T[::-1], gaps))[:k]
    return rows[best], ndtr(gaps[best])


def _scanned(
    source: DistanceRows, k: int, independent: bool, bound: np.ndarray, anchors: np.ndarray,
    halt: Halt,
) -> tuple[np.ndarray, np.ndarray]:
    """Standardised gaps, and rows, of the k least certain comparisons with these anchors.

    Those above `bound`, which all parts lower, may be missing.
    """
    gaps, rows = np.full(k, np.inf), np.full((k, 4), -1, dtype=np.int64)
    for first in range(0, len(anchors), _BLOCK):
        if halt():
            break
        block = anchors[first : first + _BLOCK]
        for anchor, distances, widest in zip(block, *source.rough(block), strict=True):
            largest = min(bound[0], gaps[0])  # infinite as long as there are fewer than k
            width = 2.0 * largest * widest if largest < np.inf else np.inf
            others = _close_together(distances, anchor, source.error, width)
            mean, sd = source.full(anchor, others)
            order = np.argsort(mean, kind="stable")
            _keep_smallest(
                anchor, others[order], mean[order], sd[order], independent, bound, gaps, rows
            )
    result = rows[:, 0] >= 0
    return gaps[result], rows[result, :3]


@exact
def _mean_distances(maps, anchors, count, distances):
    """Mean distance of some objects from all, over the maps that place both."""
    n_maps, n_components, n = maps.shape
    zero = np.float32(0.0)
    squares, sums = np.empty(_TILE, np.float32), np.empty((anchors.size, _TILE), np.float32)
    total = np.empty((anchors.size, _TILE))
    for first in range(0, n, _TILE):
        size = min(_TILE, n - first)
        total[:] = 0.0
        for some in range(0, n_maps, _ADDED):
            sums[:] = zero
            for b in range(some, min(some + _ADDED, n_maps)):
                for a in range(anchors.size):
                    for c in range(n_components):
                        here = maps[b, c, anchors[a]]
                        there = maps[b, c, first : first + size]
                        if c == 0:
                            for j in range(size):
                                squares[j] = (there[j] - here) * (there[j] - here)
                        else:
                            for j in range(size):
                                squares[j] += (there[j] - here) * (there[j] - here)
                    added = sums[a]
                    for j in range(size):
                        # not for NaN
                        added[j] += np.sqrt(squares[j]) if squares[j] >= zero else zero
            for a in range(anchors.size):
                for j in range(size):
                    total[a, j] += sums[a, j]
        for a in range(anchors.size):
            for j in range(size):
                known = count[a, first + j]
                mean = total[a, j] / known if known > 1 else np.inf
                distances[a, first + j] = mean


@exact
def _close_together(distances, anchor, error, width):
    """Objects that may be within `width` of another, given how far off each distance may be."""
    keys, order = _ascending(distances)
    ascending = keys.view(np.float32)
    # With the largest error first, which leaves few.
    within = np.float32((width + 2.0 * (error[anchor] + error.max())) * 1.0001)
    result = np.empty(order.size, np.bool_)
    result[0] = False
    for place in range(1, order.size):
        result[place] = ascending[place] - ascending[place - 1] <= within
    some = np.empty(order.size, np.int64)
    size = 0
    for place in range(order.size):
        after = place + 1 < order.size and result[place + 1]
        if (result[place] or after) and ascending[place] < np.inf and order[place] != anchor:
            some[size] = order[place]
            size += 1
    close = np.zeros(order.size, np.bool_)
    reach = -np.inf
    for place in range(size):
        j = some[place]
        off = error[anchor] + error[j]
        close[j] = distances[j] - off - width <= reach
        reach = max(reach, distances[j] + off)
    reach = np.inf
    for place in range(size - 1, -1, -1):
        j = some[place]
        off = error[anchor] + error[j]
        close[j] |= distances[j] + off + width >= reach
        reach = min(reach, distances[j] - off)
    return np.flatnonzero(close)


@exact
def _ascending(distances):
    """Bits and order of numbers that are not negative: sorted by eleven bits, the last first."""
    n, shift, mask, bins = distances.size, np.uint32(11), np.uint32(2047), 2048
    keys = distances.view(np.uint32).copy()
    spare_keys = np.empty(n, np.uint32)
    order, spare_order = np.empty(n, np.int32), np.empty(n, np.int32)
    starts = np.zeros((3, bins), np.int32)
    for j in range(n):
        order[j] = j
        starts[0, keys[j] & mask] += 1
        starts[1, (keys[j] >> shift) & mask] += 1
        starts[2, keys[j] >> (shift + shift)] += 1
    for turn in range(3):
        before = 0
        for one in range(bins):
            size = starts[turn, one]
            starts[turn, one] = before
            before += size
        for j in range(n):
            one = (keys[j] >> (shift * np.uint32(turn))) & mask
            place = starts[turn, one]
            starts[turn, one] = place + 1
            spare_keys[place] = keys[j]
            spare_order[place] = order[j]
        keys, spare_keys, order, spare_order = spare_keys, keys, spare_order, order
    return keys, order


@compiled
def moments_of_pair(x, y, squares):
    """Mean and standard deviation of the distance of two objects, (d, b) each; NaN if unknown."""
    n_components, n_maps = x.shape
    squares[:] = 0.0
    for c in range(n_components):
        one, other = x[c], y[c]
        for b in range(n_maps):
            squares[b] += (one[b] - other[b]) ** 2
    count, total = 0, 0.0
    for b in range(n_maps):
        if squares[b] >= 0:  # not for NaN
            squares[b] = np.sqrt(squares[b])
            total += squares[b]
            count += 1
    if count < 2:
        return np.nan, np.nan
    centre, spread = total / count, 0.0
    for b in range(n_maps):
        if squares[b] >= 0:
            spread += (squares[b] - centre) ** 2
    return centre, np.sqrt(spread / (count - 1))


@compiled
def _moments_of(columns, anchor, others, mean, sd):
    squares = np.empty(columns.shape[2])
    for place in range(others.size):
        mean[place], sd[place] = moments_of_pair(columns[anchor], columns[others[place]], squares)


@compiled
def joined(one, other, independent):
    """Spread of a difference, from those of its parts."""
    return np.sqrt(one * one + other * other) if independent else one + other


@compiled
def _keep_smallest(anchor, order, mean, sd, independent, bound, gaps, rows):
    """Put smaller gaps in the place of the largest of `gaps`, a heap with the largest on top.

    Of equal gaps the earlier stays.
    """
    widest = sd.max() if sd.size else 0.0
    slack = 1.0 + 1e-12  # for rounding: whether equal ones are passed must not depend on it
    serial = 0
    for a in range(order.size):
        for b in range(a + 1, order.size):
            gap = mean[b] - mean[a]
            # Later ones are further still, and no spread is wider.
            spread = slack * joined(sd[a], widest, independent)
            if gap > bound[0] * spread:
                break
            if rows[0, 0] >= 0 and (gap > gaps[0] * spread or gaps[0] == 0.0):
                break
            spread = joined(sd[a], sd[b], independent)
            ratio = gap / spread if spread > 0 else (0.0 if gap == 0 else _CERTAIN)
            if ratio < gaps[0] or rows[0, 0] < 0:
                _replace_top(gaps, rows, ratio, anchor, order[a], order[b], serial)
                serial += 1
    # Were certain comparisons a bound, those of earlier anchors would be lost.
    if gaps[0] < min(bound[0], _CERTAIN):
        bound[0] = gaps[0]


@compiled
def _replace_top(gaps, rows, gap, anchor, near, far, serial):
    place, size = 0, gaps.size
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _above(gaps, rows, child + 1, child):
            child += 1
        if rows[child, 0] >= 0 and gaps[child] <= gap:
            break
        gaps[place] = gaps[child]
        for column in range(4):
            rows[place, column] = rows[child, column]
        place = child
    gaps[place] = gap
    rows[place, 0], rows[place, 1], rows[place, 2] = anchor, near, far
    rows[place, 3] = serial


@compiled
def _above(gaps, rows, a, b):
    """Whether entry a belongs above b: empty ones first, then larger gaps, then later ones."""
    if rows[a, 0] < 0 or rows[b, 0] < 0:
        return rows[a, 0] < 0
    if gaps[a] != gaps[b]:
        return gaps[a] > gaps[b]
    return rows[a, 0] > rows[b, 0] or (rows[a, 0] == rows[b, 0] and rows[a, 3] > rows[b, 3])
