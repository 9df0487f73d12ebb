"""One number of clusters, or none, by a test against continua."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.cluster.counting import ClusterCounts

_LEVEL = 0.05
#: Fewer objects aside are outliers, as normal clouds have them, and no group.
_GROUP = 3
#: A silhouette varies at least by so much between continua, lest rounding decide.
_LEAST_SPREAD = 1e-3


@dataclass(frozen=True)
class ClusterAdvice:
    """How many clusters to take.

    n_clusters: 1 if none are seen; None if the answers say nothing about it.
    reason: Sentences that can stand alone.
    supported (s,): All numbers that hold against every continuum; ascending.
    is_too_small: Some do, but only with clusters of fewer than three objects.
    """

    n_clusters: int | None
    reason: str
    supported: np.ndarray
    is_too_small: bool = False


def recommend_clusters(counts: ClusterCounts) -> ClusterAdvice:
    """The number of clusters with the highest silhouette, of those that no continuum has.

    A number is supported if its silhouette, standardised by those of each continuum, is above all
    that draws of this continuum have at any number (p < .05 for all numbers together, and the
    largest p of all continua counts), and if each cluster has three objects or more. Nothing is
    said where held-out answers are not predicted better than by chance.

    Silent on: lines, arcs, discs (tests/core/cluster/test_recommendation.py::test_continua).
    Silent on: coin flips (tests/core/cluster/test_recommendation.py::test_coin_flips).
    Silent on: five objects (tests/core/cluster/test_recommendation.py::test_five_objects).

    The gap statistic's box has no line in it, and a silhouette of 0.6 is what a line gives: both
    recommended clusters on every line. Rates on planted data: ``benchmarks/verdicts.py clusters``.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis. Journal of Computational and Applied Mathematics, 20, 53-65.
    """
    none = np.zeros(0, dtype=int)
    if not counts.error_high < 0.5:
        if np.isnan(counts.error):
            return ClusterAdvice(None, "There are too few answers to hold some out.", none)
        return ClusterAdvice(
            None,
            "Held-out answers are not predicted better than by chance (error "
            f"{counts.error:.0%}, 95 % interval {counts.error_low:.0%} to "
            f"{counts.error_high:.0%}): nothing is said about clusters.",
            none,
        )
    large = counts.smallest >= _GROUP
    holds = np.ones(len(counts.numbers), dtype=bool)
    for drawn in counts.continua:
        everything = np.vstack([counts.silhouettes, drawn])
        # The objects' own are among what is standardised by: under the null they are one more draw.
        z = everything - everything.mean(axis=0)
        z /= np.maximum(everything.std(axis=0, ddof=1), _LEAST_SPREAD)
        beyond = (z[1:].max(axis=1)[:, None] >= z[0]).sum(axis=0)
        holds &= (1 + beyond) / len(z) <= _LEVEL
    compact, holds = holds, holds & large
    supported = counts.numbers[holds]
    if compact.any() and not len(supported):
        return ClusterAdvice(
            None,
            "More compact than parts of a line, a ring or a cloud of this shape are only numbers "
            f"with clusters of fewer than {_GROUP} objects: these may be pairs or outliers, and no "
            "number is recommended.",
            supported, is_too_small=True,
        )
    if counts.n_objects < 2 * _GROUP:
        return ClusterAdvice(
            None,
            f"{counts.n_objects} objects are too few for clusters of {_GROUP} or more: nothing is "
            "said about clusters.",
            supported,
        )
    if not len(supported):
        return ClusterAdvice(
            1,
            "None is seen with these answers: no number of clusters is more compact than parts of "
            "a line, a ring or a cloud of this shape would be.",
            supported,
        )
    best = int(np.argmax(np.where(holds, counts.silhouettes, -np.inf)))
    at = int(counts.numbers[best])
    return ClusterAdvice(
        at,
        f"They are more compact than {at} parts of a line, a ring or a cloud of this shape would "
        f"be (silhouette {counts.silhouettes[best]:.2f}, there "
        f"{counts.expected[0][best]:.2f} at most on average).",
        supported,
    )
