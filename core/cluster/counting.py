"""How many clusters: silhouettes and the gap statistic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.cluster.clustering import Clustering
from tripletscope.core.cluster.silhouette import silhouettes
from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.kernel.space import Space
from tripletscope.core.kernel.spectrum import principal_components
from tripletscope.core.method import Number
from tripletscope.core.task import task

#: Principal components in which the gap is measured at most.
_COMPONENTS = 10


@dataclass(frozen=True)
class ClusterCounts:
    """What speaks for each number of clusters.

    Attributes
    ----------
    numbers : ndarray of int, shape (k,)
        1, 2, 3, ...
    silhouettes : ndarray, shape (k,)
        Mean silhouette; NaN for one cluster. The highest is best.
    gaps : ndarray, shape (k,)
        Log of the scatter within clusters of points without clusters, less that of the objects.
    gap_errors : ndarray, shape (k,)
        Standard error of each gap.
    """

    numbers: np.ndarray
    silhouettes: np.ndarray
    gaps: np.ndarray
    gap_errors: np.ndarray

    @property
    def best_by_silhouette(self) -> int:
        """Never one cluster, of which there is no silhouette."""
        return int(self.numbers[np.argmax(np.nan_to_num(self.silhouettes, nan=-1.0))])

    @property
    def best_by_gap(self) -> int:
        """The smallest number whose gap the next does not exceed by more than its error."""
        enough = self.gaps[:-1] >= self.gaps[1:] - self.gap_errors[1:]
        return int(self.numbers[np.argmax(enough)] if enough.any() else self.numbers[-1])


@task("Comparing with null data sets", "cluster")
def count_clusters(
    method: Clustering,
    triplets: Triplets,
    *,
    most: Annotated[int, Number(2, 50, "Max. clusters")] = 12,
    references: Annotated[
        int,
        Number(
            5, 500, "Null data sets", "Sets of points without clusters, for the gap statistic.",
            advanced=True,
        ),
    ] = 20,
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0,
    progress: Progress = silent,
) -> ClusterCounts:
    """Silhouettes and gaps for 1 to `most` clusters.

    Parameters
    ----------
    method : Clustering
        Its own number of clusters does not matter.
    triplets : Triplets or array-like of int, shape (T, 3)
    most, references, seed : int
    progress : Progress
        Called after every reference.

    Raises
    ------
    DataError
        If something is known of fewer than three objects.
    Stopped
        If `progress` asks to stop.

    References
    ----------
    Tibshirani, R., Walther, G., & Hastie, T. (2001). Estimating the number of clusters in a data
    set via the gap statistic. Journal of the Royal Statistical Society B, 63, 411-423. References
    are uniform in the box of the principal components, here the leading ten.
    """
    method = clone(method)
    space, _ = method.space(as_triplets(triplets))
    if len(space) < 3:
        raise DataError(
            f"only {len(space)} objects have usable answers", remedy="Use more answers."
        )
    numbers = np.arange(1, min(most, len(space) - 1) + 1)
    found = silhouettes(space, method.divisions(space, numbers))
    points = _coordinates(space)
    own = _log_scatters(method, points, numbers)
    seeds = np.random.SeedSequence(seed).spawn(references)
    scatters = []
    for scatter in in_parallel(_reference, [(method, points, numbers, seed) for seed in seeds]):
        scatters.append(scatter)
        if progress(len(scatters) / len(seeds)) and len(scatters) < len(seeds):
            raise Stopped
    expected = np.array(scatters)
    errors = expected.std(axis=0) * np.sqrt(1 + 1 / len(scatters))
    return ClusterCounts(numbers, found, expected.mean(axis=0) - own, errors)


def _coordinates(space: Space) -> np.ndarray:
    """(m, c) leading principal components; of distances, those of classical scaling."""
    found = principal_components(space, min(_COMPONENTS, len(space) - 1)).coordinates
    return found[space.objects]


def _reference(
    method: Clustering, points: np.ndarray, numbers: Sequence[int], seed: np.random.SeedSequence,
    halt: Halt,
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    uniform = rng.uniform(points.min(axis=0), points.max(axis=0), size=points.shape)
    return _log_scatters(clone(method), uniform, numbers)


def _log_scatters(
    method: Clustering, points: np.ndarray, numbers: Sequence[int]
) -> np.ndarray:
    """(k,) log of the sum of squared distances from the centres of the clusters."""
    space = Space(len(points), np.arange(len(points)), vectors=points)
    found = []
    for labels in method.divisions(space, numbers):
        within = sum(
            float(((group - group.mean(axis=0)) ** 2).sum())
            for group in (points[labels == label] for label in np.unique(labels))
        )
        found.append(np.log(max(within, 1e-300)))
    return np.array(found)
