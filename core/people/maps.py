"""A map of every participant or group, and their similarity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes, procrustes_disparity
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.parallel import results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.models.embedding.ordinal import Embedding, map_of
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import By, Most, counted, largest
from tripletscope.core.similarity.clusters import AgglomerativeClustering
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram


@dataclass(frozen=True)
class ObserverMaps:
    """A map for every participant or group, aligned with the map of all.

    Attributes
    ----------
    names : ndarray of str, shape (p,)
    n_answers : ndarray of int, shape (p,)
    maps : ndarray, shape (p, n, d)
        Aligned by rotation, reflection, shift and scale; NaN for objects without answers.
    common : ndarray, shape (n, d)
        The map of all answers.
    apart : ndarray, shape (p, p)
        Share of the variance of one map that the other leaves unexplained, over their common
        objects: 0 for the same shape, 1 where these are too few.
    """

    names: np.ndarray
    n_answers: np.ndarray
    maps: np.ndarray
    common: np.ndarray
    apart: np.ndarray

    @property
    def comparable(self) -> np.ndarray:
        """(p, p) bool: whether two maps have enough objects in common."""
        placed = np.isfinite(self.maps[..., 0]).astype(int)
        return placed @ placed.T > _too_few(self.maps.shape[2])

    @property
    def tree(self) -> Dendrogram:
        """Participants clustered by the disparity of their maps, by average linkage."""
        return AgglomerativeClustering(linkage="average").fit_distances(self.apart).tree_


@task("Mapping every participant", "embedding")
def observer_maps(
    method: Embedding, triplets: Answers, *, by: By = "participant", most: Most = 20,
    progress: Progress = silent,
) -> ObserverMaps:
    """Maps of participants or groups, aligned by Procrustes, and their disparities.

    Only of those with enough answers (`tripletscope.core.people.floor`): maps of few answers differ
    by chance.
    """
    triplets = counted(triplets)
    members = largest(triplets, by, most)
    floor = floor_of(method, triplets, members)
    members = {name: members[name] for name in floor.names[floor.reached].tolist()}
    if len(members) < 2:
        needed, gave, worth = floor.medians()
        raise DataError(
            "fewer than two people gave enough answers for their own maps", file=triplets.name,
            remedy=f"A map takes {needed:,} answers of each, and they gave {gave:,}"
            f"{f', which count as {worth:,}' if worth < gave else ''} (medians).",
        )
    pieces = [(method, triplets.take(of)) for of in (np.arange(len(triplets)), *members.values())]
    common, *maps = results_of(map_of, pieces, progress)
    aligned = np.full((len(maps), *common.shape), np.nan)
    for target, positions in zip(aligned, maps, strict=True):
        both = np.isfinite(positions[:, 0]) & np.isfinite(common[:, 0])
        target[both] = procrustes(positions[both], common[both])(positions[both])
    return ObserverMaps(
        np.array(list(members)), np.array([len(of) for of in members.values()]), aligned,
        common, _distances(maps),
    )


def _too_few(n_components: int) -> int:
    """Most objects that a similarity transformation aligns too easily."""
    return n_components + 1


def _distances(maps: list[np.ndarray]) -> np.ndarray:
    distances = np.zeros((len(maps), len(maps)))
    for i, first in enumerate(maps):
        for j, second in enumerate(maps[:i]):
            both = np.isfinite(first[:, 0]) & np.isfinite(second[:, 0])
            enough = both.sum() > _too_few(first.shape[1]) and np.ptp(second[both]) > 0
            distances[i, j] = distances[j, i] = (
                procrustes_disparity(first[both], second[both]) if enough else 1.0
            )
    return distances
