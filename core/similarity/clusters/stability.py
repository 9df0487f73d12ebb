"""Stability of clusters when the answers are resampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.answers import HELD_TOGETHER
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of, single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import SamplingUnits, Unit, sampling_units
from tripletscope.core.similarity.clusters.clustering import Clustering, Hierarchy
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram


@dataclass(frozen=True)
class Stability:
    """Clusters of all answers beside those of resampled answers.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        Clusters of all answers; -1 for objects without one.
    together : ndarray, shape (n, n)
        Share of the replicates with both objects that put them in one cluster, with as many
        clusters as `labels` has; NaN without such replicates.
    recovery : ndarray, shape (k,)
        For each cluster of `labels`, mean largest overlap (Jaccard) with a cluster of a replicate.
        Below 0.5 it dissolves, above 0.75 it is stable (Hennig 2007).
    numbers : ndarray of int, shape (m,)
        Numbers of clusters: 2, 3, ...
    agreement : ndarray, shape (r, m)
        Adjusted Rand index of each replicate and the clusters of all answers, by number.
    linkage : ndarray of merges, shape (p, 4)
        Tree of all answers; no rows for methods without one.
    support : ndarray, shape (p,)
        Share of replicates with exactly this branch.
    branch_recovery : ndarray, shape (p,)
        For each branch, mean largest overlap (Jaccard) with a branch of a replicate.
    unit : {"answers", "participants", "both"}
        Resampling unit.
    n_units : int or None
        Number of units.
    """

    labels: np.ndarray
    together: np.ndarray
    recovery: np.ndarray
    numbers: np.ndarray
    agreement: np.ndarray
    linkage: np.ndarray
    support: np.ndarray
    branch_recovery: np.ndarray
    unit: str = "answers"
    n_units: int | None = None

    @property
    def tree(self) -> Dendrogram:
        """The tree of all answers."""
        return Dendrogram(self.linkage, np.flatnonzero(self.labels >= 0), len(self.labels))

    @property
    def most_stable(self) -> int:
        """The number of clusters that replicates agree on most."""
        return int(self.numbers[np.argmax(self.agreement.mean(axis=0))])


@task("Clustering bootstrap replicates", "cluster", columns=("participant",))
def stability(
    method: Clustering, triplets: Triplets, *,
    replicates: Annotated[
        int, Number(2, 10_000, "Bootstrap replicates", "Resampled sets of answers.")
    ] = 50,
    unit: Unit = "auto",
    most: Annotated[int, Number(2, 50, "Max. clusters")] = 12,
    seed: Seed = 0, progress: Progress = silent,
) -> Stability:
    """Cluster the answers of resampled participants or trials, and compare with those of all.

    A resample lacks about a third of the answers, so that objects with few answers look less stable
    than they are. A stop keeps two replicates or more.

    References
    ----------
    Felsenstein, J. (1985). Confidence limits on phylogenies: an approach using the bootstrap.
    Evolution, 39, 783-791.
    Hennig, C. (2007). Cluster-wise assessment of cluster stability. Computational Statistics &
    Data Analysis, 52, 258-271.
    """
    triplets = as_triplets(triplets)
    if (triplets.weight == 0).any():
        # They would be drawn instead of answers that count.
        triplets = triplets.take(triplets.weight > 0)
    # Resampling needs these columns alone.
    answers = triplets.answers.filter(["weight", "trial", HELD_TOGETHER])
    bare = Triplets(triplets.rows, triplets.objects, answers, triplets.name)
    units = sampling_units(triplets, unit)
    space, stopped = method.space(bare)
    if stopped or progress(0.0):
        raise Stopped
    whole = clone(method).fit_space(space)
    quick = method.for_cuts()
    numbers = np.arange(2, max(min(most, len(space) - 1), 2) + 1)
    divisions = clone(quick).divisions(space, numbers)
    reference = np.array([space.spread(labels, -1) for labels in divisions])
    linkage, branches = np.zeros((0, 4)), np.zeros((0, bare.n_objects), dtype=bool)
    if isinstance(whole, Hierarchy):
        linkage, branches = whole.linkage_, whole.tree_.membership()
    pieces = [
        (quick, bare, units, whole.n_clusters_, numbers, reference, branches, seed)
        for seed in np.random.SeedSequence(seed).spawn(replicates)
    ]
    drawn = results_of(_replicate, pieces, progress, least=2)
    divisions, agreement, overlaps = zip(*drawn, strict=True)
    overlaps = np.array(overlaps)
    clusters = _members(whole.labels_)
    return Stability(
        labels=whole.labels_,
        together=_together(divisions),
        recovery=np.mean([_overlaps(clusters, _members(labels)) for labels in divisions], axis=0),
        numbers=numbers,
        agreement=np.array(agreement),
        linkage=linkage,
        support=np.mean(overlaps == 1.0, axis=0),
        branch_recovery=overlaps.mean(axis=0),
        unit=units.unit,
        n_units=units.number,
    )


def _replicate(
    method: Clustering, triplets: Triplets, units: SamplingUnits, n_clusters: int,
    numbers: np.ndarray, reference: np.ndarray, branches: np.ndarray, seed: np.random.SeedSequence,
    halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Clusters (n,), their agreement with others by number, and overlaps with branches."""
    from sklearn.metrics import adjusted_rand_score  # imported late: slow to import

    method = clone(method)
    counts = units.drawn(np.random.default_rng(seed))
    drawn = np.repeat(np.arange(len(triplets)), counts)
    space, _ = method.space(triplets.take(drawn), progress=halt)
    wanted = [min(number, len(space)) for number in (n_clusters, *numbers.tolist())]
    labels, *others = (space.spread(labels, -1) for labels in method.divisions(space, wanted))
    both = (labels >= 0) & (reference[0] >= 0)
    agreement = np.array([
        adjusted_rand_score(nodes[both], other[both])
        for nodes, other in zip(reference, others, strict=True)
    ])
    overlaps = np.zeros(0)
    if len(branches):
        tree = Dendrogram(method.linkage_, space.objects, space.n_objects)
        # A leaf is a branch too: one of two objects may have lost its answers.
        nodes = np.concatenate([tree.membership(), np.eye(len(labels), dtype=bool)[space.objects]])
        overlaps = _overlaps(branches & (labels >= 0), nodes)
    return labels, agreement, overlaps


def _members(labels: np.ndarray) -> np.ndarray:
    """(k, n) bool: objects of each cluster."""
    return labels == np.arange(labels.max() + 1)[:, None]


def _overlaps(sets: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(k,) largest Jaccard index of each set (k, n) with one of the others (l, n)."""
    with single_blas_thread():
        common = sets.astype(np.float32) @ others.T.astype(np.float32)
    either = sets.sum(axis=1)[:, None] + others.sum(axis=1) - common
    return np.max(common / np.maximum(either, 1), axis=1, initial=0.0)


def _together(divisions: Sequence[np.ndarray]) -> np.ndarray:
    """(n, n) share of divisions that put two objects together."""
    n = len(divisions[0])
    same, total = np.zeros((2, n, n), dtype=np.float32)
    for labels in divisions:
        placed = labels >= 0
        both = placed[:, None] & placed
        same += both & (labels[:, None] == labels)
        total += both
    return np.where(total > 0, same / np.maximum(total, 1), np.nan)
