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
    if np.ptp(known) == 0:
        return None
    return tuple(_stress(sign * known, first, second, len(values)) for sign in (1, -1))


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
    rng, n = np.random.default_rng(0), len(values)
    both = np.stack([values, values.T])
    known = np.isfinite(both)
    mean = np.where(known, both, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    first, second = np.nonzero(np.triu(known.any(axis=0), 1))
    least = np.inf
    for _ in range(_SHUFFLES):
        shuffled = np.full((n, n), np.nan)
        shuffled[first, second] = rng.permutation(mean[first, second])
        least = min(least, *(stresses(shuffled) or (np.inf,)))
    return least


def _stress(known: np.ndarray, first: np.ndarray, second: np.ndarray, n: int) -> float:
    """Kruskal's stress 1 of a plane non-metric map, by majorisation (de Leeuw, 1977)."""
    ranks = known.argsort(kind="stable").argsort() / len(known)
    squared = np.full((n, n), (0.5 + np.mean(ranks)) ** 2)
    squared[first, second] = squared[second, first] = (0.5 + ranks) ** 2
    np.fill_diagonal(squared, 0)
    centre = np.eye(n) - 1 / n
    size, axes = eigh(-0.5 * centre @ squared @ centre, subset_by_index=[n - 2, n - 1])
    points = axes * np.sqrt(np.maximum(size, 1e-9))
    weights = np.zeros((n, n))
    weights[first, second] = weights[second, first] = -1
    np.fill_diagonal(weights, -weights.sum(axis=1))
    turn = np.linalg.pinv(weights)
    for _ in range(_STEPS):
        apart = np.linalg.norm(points[first] - points[second], axis=1)
        order = np.lexsort((apart, known))
        fitted = np.empty_like(apart)
        fitted[order] = isotonic_regression(apart[order]).x
        stress = np.sqrt(((apart - fitted) ** 2).sum() / max((apart**2).sum(), 1e-12))
        ratio = np.zeros((n, n))
        ratio[first, second] = ratio[second, first] = -fitted / np.maximum(apart, 1e-12)
        np.fill_diagonal(ratio, -ratio.sum(axis=1))
        points = turn @ ratio @ points
    return float(stress)
