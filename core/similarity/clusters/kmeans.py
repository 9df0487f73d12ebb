"""K-means, in a map or in the space of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated

import numpy as np
from threadpoolctl import ThreadpoolController

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import register
from tripletscope.core.engine.parallel import CancelToken, in_parallel
from tripletscope.core.similarity.clusters.clustering import SimilarityClustering
from tripletscope.core.similarity.kernels.space import Space, centred_gram, is_euclidean

_MAX_ITER = 100


@register("cluster")
@dataclass(kw_only=True, eq=False, repr=False)
class KMeans(SimilarityClustering):
    """K-means: clusters whose members are near their common centre.

    Maps and kernels with explicit features use scikit-learn; kernel matrices use kernel k-means.
    Both start from k-means++.

    References
    ----------
    Lloyd, S. P. (1982). Least squares quantization in PCM. IEEE Transactions on Information
    Theory, 28, 129-137.
    Dhillon, I. S., Guan, Y., & Kulis, B. (2004). Kernel k-means, spectral clustering and
    normalized cuts. KDD. Section 2.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.KMeans(n_clusters=3).fit(answers)
    >>> fitted.labels_.tolist()
    [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    """

    name = "kmeans"
    title = "k-means"

    n_init: Annotated[
        int, Number(1, 100, "Restarts", "The clusters of the best restart are kept.", advanced=True)
    ] = 5
    seed: Seed = 0

    def divisions(self, space: Space, numbers: Sequence[int]) -> np.ndarray:
        """(len(numbers), m) clusters, for several numbers of them."""
        one = _in_vectors
        data = space.vectors
        if data is None:
            one, data = kernel_kmeans, space.gram
            if data is None:
                if not is_euclidean(space):
                    raise DataError(
                        "k-means needs Euclidean distances, and these are not",
                        remedy="Choose agglomerative or spectral clustering.",
                    )
                data = centred_gram(space)
        seeds = np.random.SeedSequence(self.seed).generate_state(self.n_init)
        pieces = [(data, number, int(seed)) for number in numbers for seed in seeds]
        results = list(in_parallel(one, pieces))
        best = [
            min(results[i : i + self.n_init], key=lambda pair: pair[0])[1]
            for i in range(0, len(results), self.n_init)
        ]
        return np.array([_in_order(labels) for labels in best])


def _in_vectors(
    vectors: np.ndarray, n_clusters: int, seed: int, halt: CancelToken
) -> tuple[float, np.ndarray]:
    from sklearn.cluster import KMeans as Lloyd  # imported late: slow to import

    # The last bits of a sum depend on the number of threads.
    with _pools().limit(limits=1, user_api="openmp"):
        fitted = Lloyd(n_clusters, n_init=1, max_iter=_MAX_ITER, random_state=seed).fit(vectors)
    return float(fitted.inertia_), fitted.labels_


@cache
def _pools() -> ThreadpoolController:
    """All pools of threads once scikit-learn has loaded its own; looking for them takes longer
    than a start of k-means.
    """
    return ThreadpoolController()


def kernel_kmeans(
    gram: np.ndarray, n_clusters: int, seed: int, halt: CancelToken | None = None
) -> tuple[float, np.ndarray]:
    """One start of k-means from inner products (m, m): sum of squares, and clusters (m,)."""
    rng = np.random.default_rng(seed)
    diagonal, centres = gram.diagonal(), _seeds(gram, n_clusters, rng)
    labels = np.argmin(diagonal[centres] - 2 * gram[:, centres], axis=1)
    rows = np.arange(len(gram))
    for _ in range(_MAX_ITER):
        sizes = np.bincount(labels, minlength=n_clusters)
        for empty in np.flatnonzero(sizes == 0):
            # An empty cluster takes the object furthest from its centre.
            labels[_furthest(gram, labels, n_clusters)] = empty
            sizes = np.bincount(labels, minlength=n_clusters)
        squares = _from_centres(gram, labels, n_clusters)
        nearest = np.argmin(squares, axis=1)
        # Objects stay where they are equally near, or the last ones would go back and forth.
        nearest = np.where(squares[rows, nearest] < squares[rows, labels], nearest, labels)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
    squares = _from_centres(gram, labels, n_clusters)
    return float((diagonal + squares[rows, labels]).sum()), labels


def _from_centres(gram: np.ndarray, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """(m, k) squared distance of every object from every centre, less its own inner product."""
    member = np.zeros((len(gram), n_clusters), dtype=gram.dtype)
    member[np.arange(len(gram)), labels] = 1.0
    sizes = member.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        to_members = (gram @ member) / sizes
        within = np.einsum("ij,ij->j", member, to_members) / sizes
    return np.where(sizes > 0, within - 2 * to_members, np.inf)


def _furthest(gram: np.ndarray, labels: np.ndarray, n_clusters: int) -> int:
    gap = gram.diagonal() + _from_centres(gram, labels, n_clusters)[np.arange(len(gram)), labels]
    alone = np.bincount(labels, minlength=n_clusters)[labels] == 1
    return int(np.argmax(np.where(alone, -np.inf, gap)))


def _seeds(gram: np.ndarray, n_clusters: int, rng: np.random.Generator) -> list[int]:
    """k-means++: far objects are likelier to be the next centre."""
    norm = gram.diagonal()
    chosen = [int(rng.integers(len(gram)))]
    gap = np.full(len(gram), np.inf)
    for _ in range(n_clusters - 1):
        last = chosen[-1]
        gap = np.minimum(gap, np.maximum(norm + norm[last] - 2 * gram[:, last], 0.0))
        gap[last] = 0.0
        total = gap.sum()
        if total > 0:
            drawn = np.searchsorted(np.cumsum(gap), rng.random() * total)
            chosen.append(min(int(drawn), len(gram) - 1))
        else:
            chosen.append(int(rng.integers(len(gram))))
    return chosen


def _in_order(labels: np.ndarray) -> np.ndarray:
    """Clusters numbered by first appearance."""
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]
