"""Similarities with gaps as products of weights from 0 up, and the number of dimensions for it.

With all other objects' weights fixed, those of an object are a least-squares problem with bounds,
since the similarity of an object to itself does not count. The objects take turns, and each of
their weights is set to its optimum: on 1,854 objects a round takes about as long as a gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.models.dimensions.likelihood import scored, trials_of
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.ratings.dissimilarities import RatedDissimilarities, pair_number, squares
from tripletscope.core.similarity.kernels.kernel import Kernel, refuse_matrix

#: Most dimensions that are tried; steps between numbers are about a third, to begin with.
MOST = 100
_NUMBERS = (0, 1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 80, MOST)
#: Numbers that are tried side by side. A larger one cannot be the best where the best of all is
#: none of the latest two.
_AT_ONCE, _LATEST = 2, 1
#: Between neighbours of the best number, smaller steps are at most this share of it.
_FINE = 0.1
#: Parts of the pairs, and pairs to hold out: of many, one part.
PARTS, _HELD_OUT = 10, 10_000
#: Fits on the way to the number need less precision.
ROUGH = 2e-4
#: Rounds before the penalty counts; then it falls from so many times its value, in as many rounds.
#: Sparse weights lead out of most local minima: of 20 planted dimensions in noise of equal
#: variance, fits found 19 instead of 9. From 5 times on, weak data lost all dimensions.
_FREE, _HIGHER, _FALL = 5, 3.0, 80
#: In every such round weights of zero have a turn as well.
_EVERY = 4
#: Rounds before a fit may end.
_LEAST = 90
#: Unexplained share of the variance that is rounding.
_NOTHING = 1e-7
#: Random starts of up to so many objects, or of so many on the way to the number; one of more.
_STARTS, _FEW, _VERY_FEW = 3, 300, 60


class Similarities(NamedTuple):
    """Similarities of pairs, and what each counts.

    values (n, n): float32, symmetric, the smallest 0; 0 where unknown.
    counts (n, n): float32, with a mean of 1 where known; else 0, as on the diagonal.
    lowest: What was subtracted.
    """

    values: np.ndarray
    counts: np.ndarray
    lowest: float

    @classmethod
    def of(cls, values: np.ndarray, counts: np.ndarray) -> Self:
        """From float (n, n), NaN where unknown; the diagonal does not matter."""
        refuse_matrix(len(values))
        known = np.isfinite(values) & (counts > 0) & ~np.eye(len(values), dtype=bool)
        if not known.any():
            raise DataError("no similarity is known", remedy="Give at least one.")
        lowest = float(values[known].min())
        shifted = np.where(known, values - lowest, 0.0).astype(np.float32)
        weights = np.where(known, counts / counts[known].mean(), 0.0).astype(np.float32)
        return cls(np.ascontiguousarray(shifted), np.ascontiguousarray(weights), lowest)

    @classmethod
    def measured(cls, given: RatedDissimilarities, ids: Sequence[str] | None = None) -> Self:
        """From ratings, piles and so on; weighted by the number of judgements.

        ids: Of the objects of the matrix, by default those of the data.
        """
        found, ids = given.dissimilarities(0), ids or given.objects
        place = {name: k for k, name in enumerate(ids)}
        at = np.ix_(*2 * [[place[name] for name in found.ids]])
        values, counts = np.full((len(ids),) * 2, np.nan), np.zeros((len(ids),) * 2)
        values[at], counts[at] = given.similarity_of(found.mean), found.count
        return cls.of(values, counts)

    @classmethod
    def chosen(cls, triplets: Triplets) -> Self:
        """Share of the answers with a pair that chose it as the more similar."""
        trials = scored(trials_of(triplets))
        n = trials.n_objects
        refuse_matrix(n)
        first = np.zeros(len(trials.pairs), dtype=bool)
        first[trials.bounds[:-1]] = True
        together = np.where(trials.sign[trials.stage] > 0, first, ~first)
        pair, weight = pair_number(*trials.pairs.T.astype(np.int64), n), trials.weight[trials.stage]
        shown = np.bincount(pair, weight, n * (n - 1) // 2)
        with np.errstate(invalid="ignore"):
            shares = np.bincount(pair, weight * together, len(shown)) / shown
        return cls.of(squares(shares, n), squares(shown, n))

    @classmethod
    def in_kernel(cls, kernel: Kernel) -> Self:
        """All of a fitted kernel, between objects that have answers."""
        return cls.of(kernel.kernel_, np.outer(kernel.placed_, kernel.placed_).astype(float))

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Both objects of every known pair."""
        return np.nonzero(np.triu(self.counts, 1))

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects with a known pair."""
        return self.counts.any(axis=1)

    @property
    def most_dimensions(self) -> int:
        """Above it there would be as many weights as pairs."""
        return max(min(MOST, (int(self.placed.sum()) - 1) // 2), 1)

    def without(self, first: np.ndarray, second: np.ndarray) -> Similarities:
        """Without some pairs, both triangles."""
        counts = self.counts.copy()
        counts[first, second] = counts[second, first] = 0.0
        return self._replace(counts=counts)


class Factors(NamedTuple):
    """Weights x (n, d); the similarity of objects that share nothing; unexplained variances."""

    x: np.ndarray
    level: float
    losses: np.ndarray
    converged: bool
    stopped: bool


def factorised(
    similar: Similarities, n_components: int, *, seed: int, max_iter: int, tol: float,
    progress: Progress = silent,
) -> Factors:
    """Weights whose products, and a level, come closest to similarities, from a random start.

    A penalty on the sum of the weights is that of weights with an exponential distribution, whose
    mean and the variance of the noise are estimated on the way. The level is free from the lowest
    similarity up: without one, what all pairs have in common would become a dimension, and with a
    lower one, dimensions would explain what single objects have with all others.

    tol: Converged when a round lowers the unexplained variance by less than this fraction.
    """
    total = float(similar.counts.sum(dtype=float))
    level = float((similar.counts * similar.values).sum(dtype=float)) / total
    variance = float((similar.counts * (similar.values - level) ** 2).sum(dtype=float)) / total
    n, rng = len(similar.values), np.random.default_rng(seed)
    x = rng.uniform(0.0, 2.0 * np.sqrt(level / max(n_components, 1)), (n_components, n))
    x = np.ascontiguousarray(x * similar.placed, dtype=np.float32)
    if not n_components or not variance:
        return Factors(np.zeros((n, 0)), level, np.array([variance]), True, False)
    n_placed = np.count_nonzero(similar.placed)
    level, losses, penalty, base, converged, stopped = 0.0, [], 0.0, 0.0, False, False
    for number in range(max_iter):
        if number % _EVERY == 0:  # an empty dimension stays so
            x = np.ascontiguousarray(x[x.any(axis=1)])
        square, excess = _round(
            x, similar.values, similar.counts, np.float32(level), np.float32(penalty),
            number % _EVERY == 0 or number <= _FREE,
        )
        level, unexplained = max(level - excess / total, 0.0), square / total
        losses.append(unexplained)
        mean = float(x.sum(dtype=float)) / max(len(x) * n_placed, 1)
        if mean <= 0.0 or unexplained <= _NOTHING * variance:
            converged = True
            break
        if number <= _FREE or number >= _FREE + _FALL:
            base = unexplained / mean
        # While it falls, what it does to the mean must not raise it again.
        left = max(1.0 - (number - _FREE) / _FALL, 0.0)
        penalty = base * (1.0 + (_HIGHER - 1.0) * left) if number >= _FREE else 0.0
        is_whole = number >= _LEAST and number % _EVERY == 0
        if is_whole and abs(losses[-2] - unexplained) < tol * unexplained:
            converged = True
            break
        if progress((number + 1) / (max_iter + 1), loss=unexplained, snapshot=x.T):
            stopped = True
            break
    filled = x.any(axis=1)
    if not filled.any():  # the penalty was too much for so many dimensions
        level = float((similar.counts * similar.values).sum(dtype=float)) / total
    return Factors(x[filled].T.astype(float), level, np.array(losses), converged, stopped)


@compiled
def _round(x, values, counts, level, penalty, every):
    """Every object's weights (d, n) to their optimum, one by one; both triangles' residuals.

    every: Whether weights of zero have a turn.
    Returns: Weighted sums of their squares and of themselves, each as of its object's turn.
    """
    d, n = x.shape
    off = np.empty(n, np.float32)
    squares_, sums = 0.0, 0.0
    for i in range(n):
        value, count = values[i], counts[i]
        for j in range(n):
            off[j] = level - value[j]
        for k in range(d):
            own, others = x[k, i], x[k]
            if own != 0.0:
                for j in range(n):
                    off[j] += own * others[j]
        for k in range(d):
            if x[k, i] == 0.0 and not every:
                continue
            others = x[k]
            slope = bend = np.float32(0.0)
            for j in range(n):
                weighted = count[j] * others[j]
                slope += weighted * off[j]
                bend += weighted * others[j]
            best = np.float32(0.0)
            if bend > 0.0:
                best = max(x[k, i] - (slope + penalty) / bend, np.float32(0.0))
            change = best - x[k, i]
            if change != 0.0:
                for j in range(n):
                    off[j] += change * others[j]
                x[k, i] = best
        square = total = np.float32(0.0)
        for j in range(n):
            weighted = count[j] * off[j]
            square += weighted * off[j]
            total += weighted
        squares_ += square
        sums += total
    return squares_, sums


def best_of(
    similar: Similarities, n_components: int, *, seed: int, max_iter: int, tol: float,
    progress: Progress = silent,
) -> Factors:
    """The best of several random starts, by unexplained variance and number of weights."""
    starts = _STARTS if len(similar.values) <= (_VERY_FEW if tol >= ROUGH else _FEW) else 1
    found = []
    for start in range(starts):
        found.append(factorised(
            similar, n_components, seed=seed + start, max_iter=max_iter, tol=tol,
            progress=part(progress, start / starts, (start + 1) / starts),
        ))
        if found[-1].stopped:
            break
    n_pairs = len(similar.pairs[0])
    # Schwarz's criterion: the least unexplained variance alone would have the most weights.
    best = min(found, key=lambda one: n_pairs * np.log(max(one.losses[-1], 1e-300))
               + np.count_nonzero(one.x) * np.log(n_pairs))
    return best._replace(stopped=found[-1].stopped)


class HeldOut(NamedTuple):
    """Squared errors (k, p) of pairs that were held out, by ascending number of dimensions (k,)."""

    numbers: np.ndarray
    squares: np.ndarray
    counts: np.ndarray


def held_out(
    similar: Similarities, numbers: Sequence[int] | None = None, *, seed: int, max_iter: int,
    parts: int | None = None, progress: Progress = silent,
) -> HeldOut:
    """Predict pairs, each held out in both triangles, by some numbers of dimensions.

    numbers: By default as many as it takes to find the best.
    parts: Of the pairs that are held out in turn, of `PARTS`; by default enough for 10,000 pairs.

    Raises DataError for fewer pairs than `PARTS`.
    """
    first, second = similar.pairs
    if len(first) < PARTS:
        raise DataError(
            f"there are {len(first)} similarities, too few to hold some out",
            remedy="Set the number of dimensions.",
        )
    fold_of = np.random.default_rng(seed).permutation(len(first)) % PARTS
    if parts is None:
        parts = min(-(-_HELD_OUT * PARTS // len(first)), PARTS)
    folds = [np.flatnonzero(fold_of == k) for k in range(parts)]
    held = np.concatenate(folds)
    counts = similar.counts[first[held], second[held]].astype(float)
    tried: dict[int, np.ndarray] = {}

    def attempt(wanted: Sequence[int]) -> None:
        pieces = [(similar, (first[fold], second[fold]), d, seed, max_iter)
                  for d in wanted for fold in folds]
        squares = list(in_parallel(_predicted, pieces, shared=True))
        for k, d in enumerate(wanted):
            tried[d] = np.concatenate(squares[k * parts : (k + 1) * parts])
        if progress(1.0 - 0.85 ** (len(tried) / _AT_ONCE)):
            raise Stopped

    def order() -> list[int]:
        return sorted(tried, key=lambda d: float(counts @ tried[d]))

    if numbers is not None:
        attempt(numbers)
    else:
        left = [d for d in _NUMBERS if d < similar.most_dimensions] + [similar.most_dimensions]
        while left and (len(tried) < 6 or order()[0] in sorted(tried)[-_LATEST:]):
            attempt(left[:_AT_ONCE])
            del left[:_AT_ONCE]
        while wanted := _between(sorted(tried), order()[0]):
            attempt(wanted)
    each = sorted(tried)
    return HeldOut(np.array(each), np.array([tried[d] for d in each]), counts)


def _between(tried: list[int], best: int) -> list[int]:
    """Numbers half-way between the best one and its neighbours, where they are far apart."""
    place = tried.index(best)
    gaps = [tuple(sorted((best, tried[k]))) for k in (place - 1, place + 1) if 0 <= k < len(tried)]
    return [(low + high) // 2 for low, high in gaps if high - low > max(1, _FINE * best)]


def _predicted(
    similar: Similarities, held: tuple[np.ndarray, np.ndarray], n_components: int, seed: int,
    max_iter: int, halt: CancelToken,
) -> np.ndarray:
    """Squared errors (p,) of held-out pairs."""
    found = best_of(
        similar.without(*held), n_components, seed=seed, max_iter=max_iter, tol=ROUGH,
        progress=halt,
    )
    predicted = found.level + np.einsum("ij,ij->i", *(found.x[objects] for objects in held))
    return (similar.values[held] - predicted) ** 2
