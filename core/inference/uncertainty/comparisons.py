"""Certainty of every comparison, from mean and spread of all distances.

n objects have n (n - 1) (n - 2) / 2 comparisons; memory for n x n numbers suffices here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, stdtr

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.models.optimise.elementary import compiled

#: Parts of the anchors, whatever the number of threads.
_PARTS = 8
#: Rows and columns of a part of a matrix that fits into the processor's cache.
_TILE = 32
#: Coefficients of Abramowitz & Stegun (1964), 7.1.28, highest power first: right to 3e-7.
_ERFC = np.array(
    [0.0000430638, 0.0002765672, 0.0001520143, 0.0092705272, 0.0422820123, 0.0705230784, 1.0],
    dtype=np.float32,
)
_ROOT_HALF = np.float32(np.sqrt(0.5))
#: Standardised gap of two different distances without spread: certain.
_CERTAIN = 1e300


@short_repr
@dataclass(frozen=True)
class Comparisons:
    """Distances between n objects, and the certainty of every comparison of two.

    Attributes
    ----------
    mean : ndarray, shape (n, n)
        Mean distance over the maps; NaN for pairs that fewer than two maps place.
    sd : ndarray, shape (n, n)
        Standard deviation of each distance.
    spread : {"published", "independent"}
        Standard deviation of a difference of distances: the sum of their own, which is conservative
        (``benchmarks/uncertainty.py``), or the root of the sum of squares, nearly calibrated.

    References
    ----------
    Lohaus, M., Hennig, P., & von Luxburg, U. (2019). Uncertainty estimates for ordinal
    embeddings. Section 3.3.
    """

    mean: np.ndarray
    sd: np.ndarray
    spread: str = "published"

    def probability(self, triplets: Triplets) -> np.ndarray:
        """(T,) normal probability that near is closer to the anchor than far (equation 4)."""
        anchor, near, far = as_triplets(triplets, known=len(self.mean)).rows.T
        gap = self.mean[anchor, far] - self.mean[anchor, near]
        one, other = self.sd[anchor, far], self.sd[anchor, near]
        return certainty(gap, np.hypot(one, other) if self._independent else one + other)

    def most_uncertain(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """The k least certain of all comparisons, least certain first.

        Rows (k, 3) of anchor, nearer and farther object; probability (k,) of this order, from 1/2
        up.
        """
        gaps, rows = np.zeros(0), np.zeros((0, 3), dtype=np.int64)
        for anchor in self._placed if k > 0 else ():
            order, distance, spread = _row(self.mean, self.sd, anchor)
            widest = 2.0 * spread.max(initial=0.0)
            for step in range(1, len(order)):
                gap = distance[step:] - distance[:-step]
                bound = gaps[-1] if len(gaps) == k else np.inf
                # Objects farther apart in this order have a larger gap.
                if len(gaps) == k and not np.any(gap < bound * widest):
                    break
                both = _joined(spread[:-step], spread[step:], self._independent)
                without = np.where(gap == 0, 0.0, _CERTAIN)
                gap = np.divide(gap, both, out=without, where=both > 0)
                less = np.flatnonzero(gap < bound)
                gaps = np.concatenate([gaps, gap[less]])
                added = np.stack([np.full(len(less), anchor), order[less], order[less + step]])
                rows = np.concatenate([rows, added.T])
                kept = np.argsort(gaps, kind="stable")[:k]
                gaps, rows = gaps[kept], rows[kept]
        kept = np.lexsort((*rows.T[::-1], gaps))
        return rows[kept], ndtr(gaps[kept])

    @cached_property
    def uncertainty(self) -> np.ndarray:
        """(n, n) mean of min(p, 1 - p) over comparisons of distance (i, j) with others from i."""
        anchors = self._placed
        total = np.full(self.mean.shape, np.nan)
        if len(anchors) < 3:
            return total
        parts = [
            (self.mean, self.sd, self._independent, part, anchors)
            for part in np.array_split(anchors, min(_PARTS, len(anchors)))
        ]
        sums = np.concatenate(list(in_parallel(_sums_of, parts, shared=True)))
        total[np.ix_(anchors, anchors)] = sums / (len(anchors) - 2)
        np.fill_diagonal(total, np.nan)
        return total

    @property
    def average_uncertainty(self) -> float:
        """Mean of min(p, 1 - p) over all comparisons (appendix D): 0 certain, 1/2 not at all."""
        finite = np.isfinite(self.uncertainty)
        return float(self.uncertainty[finite].mean()) if finite.any() else float("nan")

    @property
    def _independent(self) -> bool:
        return self.spread == "independent"

    @property
    def _placed(self) -> np.ndarray:
        """Objects with at least one known distance."""
        return np.flatnonzero(np.isfinite(self.mean).sum(axis=1) > 1)


def certainty(gap: np.ndarray, spread: np.ndarray, degrees: float | None = None) -> np.ndarray:
    """Probability that a difference of this mean and spread is above 0; 1/2 for a difference of 0.

    Student's if the spread has `degrees` of freedom, otherwise normal.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(gap == 0, gap, gap / spread)
    return ndtr(ratio) if degrees is None else stdtr(degrees, ratio)


def moments(embeddings: np.ndarray, correction: float = 1.0) -> Comparisons:
    """Mean and standard deviation of every distance over maps (b, n, d); NaN without objects."""
    n = embeddings.shape[1]
    columns = np.ascontiguousarray(embeddings.transpose(1, 2, 0))
    mean, sd = np.full((2, n, n), np.nan)
    # Row i has i entries: interleaved parts have about as much to do.
    parts = [
        (columns, np.arange(part * _TILE, n, _PARTS * _TILE), mean, sd) for part in range(_PARTS)
    ]
    for _ in in_parallel(_fill_moments, parts, shared=True):
        pass
    sd *= np.sqrt(correction)
    return Comparisons(mean, sd)


def _fill_moments(
    columns: np.ndarray, firsts: np.ndarray, mean: np.ndarray, sd: np.ndarray, halt: CancelToken
) -> None:
    _moments(columns, firsts, mean, sd)


@compiled
def _moments(columns, firsts, mean, sd):
    n, _, n_maps = columns.shape
    squares = np.empty(n_maps)
    for first in firsts:
        # Tile by tile, because every number is also written to its transposed place.
        for start in range(0, first + 1, _TILE):
            for i in range(first, min(first + _TILE, n)):
                for j in range(start, min(start + _TILE, i)):
                    mean[i, j], sd[i, j] = _moments_of_pair(columns[i], columns[j], squares)
                    mean[j, i], sd[j, i] = mean[i, j], sd[i, j]
        for i in range(first, min(first + _TILE, n)):
            mean[i, i] = sd[i, i] = 0.0


@compiled
def _moments_of_pair(x, y, squares):
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


def _row(
    mean: np.ndarray, sd: np.ndarray, anchor: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Other objects by mean distance, with mean and standard deviation."""
    order = np.argsort(mean[anchor], kind="stable")
    order = order[np.isfinite(mean[anchor, order]) & (order != anchor)]
    return order, mean[anchor, order], sd[anchor, order]


def _sums_of(
    mean: np.ndarray, sd: np.ndarray, independent: bool, anchors: np.ndarray, others: np.ndarray,
    halt: CancelToken,
) -> np.ndarray:
    """(a, n) sums of min(p, 1 - p) over the comparisons of each of `others` with the rest."""
    sums = np.zeros((len(anchors), len(others)))
    place = np.full(len(mean), -1)
    place[others] = np.arange(len(others))
    for result, anchor in zip(sums, anchors, strict=True):
        order, distance, spread = _row(mean, sd, anchor)
        total = np.zeros(len(order), dtype=np.float32)
        _add_tails(distance.astype(np.float32), spread.astype(np.float32), independent, total)
        result[place[order]] = total
    return sums


@compiled
def _joined(one, other, independent):
    """Standard deviation of a difference, from those of its parts."""
    return np.sqrt(one * one + other * other) if independent else one + other


@compiled
def _add_tails(mean, sd, independent, total):
    """Add the normal lower tail at minus each standardised gap to both of its ends.

    Single precision and a rational function: this is the one loop over all comparisons.
    """
    least, furthest = np.float32(1e-15), np.float32(6.0)
    for a in range(mean.size):
        tail = np.float32(0.0)
        here, spread = mean[a], sd[a] + least  # no gap at all means one half, not 0 / 0
        others, spreads, totals = mean[a + 1 :], sd[a + 1 :], total[a + 1 :]
        for b in range(others.size):
            both = _joined(spread, spreads[b], independent)
            t = min((others[b] - here) / both * _ROOT_HALF, furthest)
            p = _ERFC[0]
            for power in range(1, 7):
                p = p * t + _ERFC[power]
            p = p * p
            p = p * p
            p = p * p
            p = p * p
            value = np.float32(0.5) / p
            tail += value
            totals[b] += value
        total[a] += tail
