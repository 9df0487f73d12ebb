"""One number of clusters from three criteria, or none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.cluster.counting import ClusterCounts
from tripletscope.core.cluster.stability import Stability

#: Below it a structure "could be artificial" (Kaufman & Rousseeuw 1990, p. 88).
_REASONABLE = 0.5
#: Agreement of replicates that no points without clusters reached in simulations; where similarity
#: is noisy, as that of kernels, silhouettes are low with clear clusters too.
_STABLE = 0.9


@dataclass(frozen=True)
class ClusterAdvice:
    """How many clusters to take.

    Attributes
    ----------
    n_clusters : int
        1 if there are no clusters.
    reason : str
        One sentence.
    supported : ndarray of int, shape (s,)
        All numbers that hold against points without clusters; ascending.
    """

    n_clusters: int
    reason: str
    supported: np.ndarray


def recommend_clusters(counts: ClusterCounts, stability: Stability | None = None) -> ClusterAdvice:
    """The number of clusters with the highest silhouette, of those that are no artefact.

    A number is supported if its clusters are more compact than those of points without clusters
    by more than they are for one cluster (gap, by more than its error), and if either their mean
    silhouette is 0.5 or more, or bootstrap replicates agree on them with an adjusted Rand index
    of 0.9 or more.

    Parameters
    ----------
    counts : ClusterCounts
    stability : Stability, optional
        Of the same method.

    Notes
    -----
    The gap's own rule, the first number that the next does not exceed, stops at one where several
    clusters lie symmetrically, and a silhouette always names some number. In simulations with
    k-means in STE maps this finds 2 to 5 planted groups, and none in Gaussian and uniform clouds
    and along a line. Objects on a ring are divided into arcs: their gap is that of clusters.

    References
    ----------
    Kaufman, L., & Rousseeuw, P. J. (1990). Finding groups in data. Wiley.
    """
    numbers = counts.numbers[1:]
    silhouettes = counts.silhouettes[1:]
    agreement = np.full(len(numbers), np.nan)
    if stability is not None:
        known = dict(zip(
            stability.numbers.tolist(), stability.agreement.mean(axis=0).tolist(), strict=True
        ))
        agreement = np.array([known.get(n, np.nan) for n in numbers.tolist()])
    compact = counts.gaps[1:] - counts.gap_errors[1:] > counts.gaps[0]
    clear = (silhouettes >= _REASONABLE) | (agreement >= _STABLE)
    supported = numbers[compact & clear]
    if not len(supported):
        return ClusterAdvice(1, _why_none(numbers, silhouettes, compact), supported)
    chosen = int(supported[np.argmax(np.nan_to_num(silhouettes[compact & clear], nan=-1.0))])
    at = int(np.flatnonzero(numbers == chosen)[0])
    stable = ""
    if np.isfinite(agreement[at]):
        stable = f"; bootstrap replicates agree on them with a Rand index of {agreement[at]:.2f}"
    most = "the highest silhouette of such numbers" if len(supported) > 1 else "a silhouette"
    return ClusterAdvice(
        chosen,
        "They are more compact than clusters of points without structure, with "
        f"{most}, {silhouettes[at]:.2f}{stable}.",
        supported,
    )


def _why_none(numbers: np.ndarray, silhouettes: np.ndarray, compact: np.ndarray) -> str:
    if not compact.any():
        return (
            "No number of clusters is more compact than one, compared with points without "
            "clusters: the objects form a continuum, and clusters merely partition it."
        )
    of = np.where(compact, np.nan_to_num(silhouettes, nan=-1.0), -1.0)
    best = int(np.argmax(of))
    return (
        f"The clearest division, into {numbers[best]}, has a silhouette of only {of[best]:.2f}: "
        "below 0.5 it could be an artefact of dividing a continuum."
    )
