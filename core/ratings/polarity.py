"""Whether large values of pairs mean similar, where neither names nor a diagonal tell."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import isotonic_regression

#: Objects that are looked at: the first ones.
_MOST = 30
#: Fewest objects and share of judged pairs: of fewer, a map fits either way.
_FEWEST, _JUDGED = 8, 0.5
_STEPS = 40
#: The smaller stress is at most this much of the larger, which noise hardly reaches.
_AHEAD, _AHEAD_OF_FEW, _FEW = 0.8, 0.5, 12
#: Least difference: of a few clusters, a map fits either way; and of few objects, to be sure.
_APART, _SURELY_APART = 0.02, 0.06
#: Most objects of which chance is tried, and how often.
_BY_CHANCE, _SHUFFLES = 16, 39


def stresses(values: np.ndarray) -> tuple[float, float] | None:
    """Stress of a plane map of the values as dissimilarities, and as similarities.

    Only the order of the values counts: distances obey the triangle inequality, so that what is far
    from a third object is not near two that are near each other; similarities do not.

    Parameters
    ----------
    values : ndarray, shape (n, n)
        NaN for pairs without a value; the diagonal does not count.

    Returns
    -------
    tuple of float, or None
        None for few objects, few pairs, or values that are all equal.
    """
    judged = _judged(values)
    if judged is None:
        return None
    known, first, second, n = judged
    return tuple(_stresses(np.stack([known, -known]), first, second, n))


def _judged(values: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, int] | None:
    """Values of judged pairs, their two objects, and the number of these; None as of `stresses`."""
    values = np.asarray(values, dtype=float)[:_MOST, :_MOST]
    both = np.stack([values, values.T])
    judged = np.isfinite(both).any(axis=0) & ~np.eye(len(values), dtype=bool)
    if len(values) < _FEWEST or judged.sum() < _JUDGED * len(values) * (len(values) - 1) or (
        not judged.any(axis=1).all()
    ):
        return None
    mean = np.where(np.isfinite(both), both, 0).sum(axis=0) / np.maximum(
        np.isfinite(both).sum(axis=0), 1
    )
    first, second = np.nonzero(np.triu(judged, 1))
    known = mean[first, second]
    return None if np.ptp(known) == 0 else (known, first, second, len(values))


def large_is_similar(values: np.ndarray, *, surely: bool = False) -> bool | None:
    """Whether large values mean similar, by `stresses`; None if these do not differ enough.

    surely: Whether somebody can be asked instead. Few objects have maps that fit by chance: of
        what one person said of eight, with much noise, a third was wrong otherwise.
    """
    both = stresses(values)
    ahead = _AHEAD if len(values) >= _FEW else _AHEAD_OF_FEW
    apart = _SURELY_APART if surely and len(values) <= _FEW else _APART
    if both is None or min(both) > ahead * max(both) or max(both) - min(both) < apart:
        return None
    if surely and len(values) <= _BY_CHANCE and min(both) >= _least_by_chance(values):
        return None
    return both[1] < both[0]


def _least_by_chance(values: np.ndarray) -> float:
    """The smallest stress of the same values given to other pairs, however often."""
    known, first, second, n = _judged(values)
    rng = np.random.default_rng(0)
    shuffled = np.array([rng.permutation(known) for _ in range(_SHUFFLES)])
    return _stresses(np.concatenate([shuffled, -shuffled]), first, second, n).min()


def _stresses(known: np.ndarray, first: np.ndarray, second: np.ndarray, n: int) -> np.ndarray:
    """Kruskal's stress 1 of a plane non-metric map of each row (k, n_pairs) of dissimilarities.

    By majorisation (de Leeuw, 1977), of all rows together.
    """
    def square(of_pairs: np.ndarray) -> np.ndarray:
        full = np.zeros((len(of_pairs), n * n))
        full[:, first * n + second] = full[:, second * n + first] = of_pairs
        return full.reshape(-1, n, n)

    ranks = known.argsort(kind="stable").argsort() / known.shape[1]
    squared = square((0.5 + ranks) ** 2)
    unknown = ~np.eye(n, dtype=bool)
    unknown[first, second] = unknown[second, first] = False
    squared[:, unknown] = (0.5 + ranks.mean(axis=1, keepdims=True)) ** 2
    centre = np.eye(n) - 1 / n
    points = np.empty((len(known), n, 2))
    for row, one in enumerate(-0.5 * centre @ squared @ centre):
        size, axes = eigh(one, subset_by_index=[n - 2, n - 1])
        points[row] = axes * np.sqrt(np.maximum(size, 1e-9))
    weights = -square(np.ones((1, len(first))))[0]
    np.fill_diagonal(weights, -weights.sum(axis=1))
    turn, diagonal = np.linalg.pinv(weights), np.arange(n)
    for _ in range(_STEPS):
        step = points.take(first, axis=1) - points.take(second, axis=1)
        apart = np.sqrt((step**2).sum(axis=2))
        fitted = np.empty_like(apart)
        for row, order in enumerate(np.lexsort((apart, known))):
            fitted[row, order] = isotonic_regression(apart[row, order]).x
        stress = np.sqrt(
            ((apart - fitted) ** 2).sum(axis=1) / np.maximum((apart**2).sum(axis=1), 1e-12)
        )
        ratio = square(-fitted / np.maximum(apart, 1e-12))
        ratio[:, diagonal, diagonal] = -ratio.sum(axis=2)
        points = turn @ (ratio @ points)
    return stress
