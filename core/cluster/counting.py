"""How many clusters: silhouettes beside those of continua of the same shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import clone

from tripletscope.core.cluster.clustering import BasedClustering, Clustering
from tripletscope.core.cluster.continua import continua
from tripletscope.core.cluster.silhouette import silhouettes
from tripletscope.core.computing.parallel import Halt, results_of
from tripletscope.core.computing.progress import Progress, Stopped, part, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.declared import Number
from tripletscope.core.evaluation.score import cross_validate, n_groups
from tripletscope.core.kernel.space import Space
from tripletscope.core.kernel.spectrum import principal_components
from tripletscope.core.options import Seed
from tripletscope.core.task import task

#: Principal components that are looked at, at most.
_COMPONENTS = 10
#: Above so many objects a random sample of them is looked at: continua are clustered many times.
_MOST = 500
_FOLDS = 5


@dataclass(frozen=True)
class ClusterCounts:
    """What speaks for each number of clusters.

    Attributes
    ----------
    numbers : ndarray of int, shape (k,)
        2, 3, 4, ...
    silhouettes : ndarray, shape (k,)
        Mean silhouette. The highest always names a number.
    smallest : ndarray of int, shape (k,)
        Objects in the smallest cluster.
    continua : ndarray, shape (s, r, k)
        Those of r draws from each of s continua that are as long, as wide and as bent as the
        objects lie, clustered in the same way.
    error, error_low, error_high : float
        Held-out triplet error of what is clustered, with its 95 % interval; NaN where there are
        too few answers to hold some out.
    n_objects : int
        That are clustered.
    """

    numbers: np.ndarray
    silhouettes: np.ndarray
    smallest: np.ndarray
    continua: np.ndarray
    error: float
    error_low: float
    error_high: float
    n_objects: int

    @property
    def best_by_silhouette(self) -> int:
        """Never one cluster, of which there is no silhouette."""
        return int(self.numbers[np.argmax(np.nan_to_num(self.silhouettes, nan=-1.0))])

    @property
    def expected(self) -> tuple[np.ndarray, np.ndarray]:
        """(k,) mean of the continuum with the highest silhouettes, and its standard deviation."""
        means = self.continua.mean(axis=1)
        of, at = means.argmax(axis=0), np.arange(len(self.numbers))
        return means[of, at], self.continua.std(axis=1, ddof=1)[of, at]


@task("Comparing with continua", "cluster")
def count_clusters(
    method: Clustering,
    triplets: Triplets,
    *,
    most: Annotated[int, Number(2, 50, "Max. clusters")] = 12,
    references: Annotated[int, Number(
        20, 500, "Continua", "Sets of points without clusters, of each shape.", advanced=True
    )] = 20,
    seed: Seed = 0,
    progress: Progress = silent,
) -> ClusterCounts:
    """Silhouettes with 2 to `most` clusters, and those of points without clusters.

    Of kernels and dissimilarities the ten leading principal components are looked at, of more than
    500 objects a sample. The method's own number of clusters does not matter.
    """
    method = clone(method)
    triplets = as_triplets(triplets)
    space, _ = method.space(triplets)
    if len(space) < 4:
        raise DataError(
            f"only {len(space)} objects have usable answers", remedy="Use more answers."
        )
    rng = np.random.default_rng(seed)
    points = principal_components(space, min(_COMPONENTS, len(space) - 1)).coordinates
    points = points[space.objects]
    if len(points) > _MOST:
        points = points[np.sort(rng.choice(len(points), _MOST, replace=False))]
    numbers = np.arange(2, min(most, len(points) - 1) + 1)
    sets = [draw(rng) for draw in continua(points) for _ in range(references)]
    pieces = [(method, drawn, numbers) for drawn in (points, *sets)]
    (silhouette, smallest), *drawn = results_of(_clustered, pieces, part(progress, 0.0, 0.8))
    if progress(0.8):
        raise Stopped
    error = low = high = np.nan
    if n_groups(triplets) >= _FOLDS:
        judged = method.similarity() if isinstance(method, BasedClustering) else method
        held_out = cross_validate(judged, triplets, folds=_FOLDS, unit="answers", seed=seed)
        error, low, high = held_out.error, held_out.low, held_out.high
    progress(1.0)
    others = np.reshape([one for one, _ in drawn], (-1, references, len(numbers)))
    return ClusterCounts(numbers, silhouette, smallest, others, error, low, high, len(points))


def _clustered(
    method: Clustering, points: np.ndarray, numbers: Sequence[int], halt: Halt
) -> tuple[np.ndarray, np.ndarray]:
    """(k,) silhouettes, and objects in the smallest cluster."""
    # By inner products: k-means of vectors spends its time on what pays for many objects only.
    centred = points - points.mean(axis=0)
    space = Space(len(points), np.arange(len(points)), gram=centred @ centred.T)
    # Where objects coincide, there may be fewer clusters than asked for, and no silhouette.
    divisions = clone(method).divisions(space, numbers)
    smallest = np.array([np.unique(labels, return_counts=True)[1].min() for labels in divisions])
    return np.nan_to_num(silhouettes(space, divisions), nan=-1.0), smallest
