"""Hierarchical clustering of triplets alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NoReturn

import numba
import numpy as np
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Choice
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.similarity.clusters.clustering import Hierarchy
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.kernels.kernel import refuse_matrix
from tripletscope.core.similarity.kernels.space import Space


@register("cluster")
@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonLinkage(Hierarchy):
    """Average linkage from triplets alone, without a map or a kernel.

    By "additive similarity" (AddS-3), s_ij is how often j was near rather than far when i was the
    anchor, less how often it was far, plus the same with i and j exchanged; average linkage merges
    by the mean s between clusters. "Quadruples of clusters" (4-AL) merges the two clusters whose
    objects were judged more similar to each other than those of any other two, averaged over
    clusters at every step; triplets are comparisons of two pairs that share an object. Its heights
    count the merges, which have no size.

    References
    ----------
    Perrot, M., Esser, P. M., & Ghoshdastidar, D. (2020). Near-optimal comparison based
    clustering. Advances in Neural Information Processing Systems 33. AddS-3, which the paper
    clusters by semi-definite programming instead.
    Ghoshdastidar, D., Perrot, M., & von Luxburg, U. (2019). Foundations of comparison-based
    hierarchical clustering. Advances in Neural Information Processing Systems 32. 4-AL.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.ComparisonLinkage(n_clusters=3).fit(answers).labels_.tolist()
    [1, 1, 1, 1, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0]
    """

    name = "comparison"
    title = "Average linkage on triplets"

    rule: Annotated[str, Choice(
        {"additive": "Additive similarity", "clusters": "Quadruples of clusters"},
        "Similarity of clusters",
        "Additive similarity is fast. Quadruples of clusters use every answer at each merge; time "
        "grows with answers times objects."
    )] = "additive"

    def space(self, triplets: Triplets, *, progress: Progress = silent) -> tuple[Space, bool]:
        """Distances for average linkage.

        By additive similarity, the difference to the most similar pair; otherwise the step of the
        merge.
        """
        if not np.any(triplets.weight > 0):
            raise DataError(
                "there are no answers to learn from",
                file=triplets.name, remedy="Include at least one answer.",
            )
        refuse_matrix(triplets.n_objects)
        counted = triplets.weight > 0
        rows, weight = triplets.rows[counted], triplets.weight[counted]
        placed, places = np.unique(rows, return_inverse=True)
        rows = places.reshape(rows.shape)
        if self.rule == "additive":
            similar = additive_similarity(rows, weight, len(placed))
            distances = similar.max() - similar
            np.fill_diagonal(distances, 0.0)
        else:
            distances = squareform(cophenet(_merges(rows, weight, len(placed))))
        return Space(triplets.n_objects, placed, distance_matrix=distances), False

    def fit_distances(
        self, matrix: Any, objects: np.ndarray | None = None, n_objects: int | None = None
    ) -> NoReturn:
        """Not for this method."""
        raise DataError(
            "clustering triplets alone needs triplets",
            remedy="Choose agglomerative clustering for distances.",
        )

    def tree(self, space: Space) -> Dendrogram:
        """The tree of the objects of a space."""
        merges = linkage(squareform(space.distances(), checks=False), "average")
        return Dendrogram(merges, space.objects, space.n_objects)


def additive_similarity(rows: np.ndarray, weight: np.ndarray, n_objects: int) -> np.ndarray:
    """(n, n) AddS-3 (Perrot et al. 2020) of rows (T, 3) and weights (T,); 0 without answers."""
    anchor, near, far = rows.T
    similarity = np.zeros((n_objects, n_objects))
    np.add.at(similarity, (anchor, near), weight)
    np.add.at(similarity, (anchor, far), -weight)
    return similarity + similarity.T


@numba.njit(nogil=True, cache=True, error_model="numpy")
def _merges(rows, weight, n_objects):
    """SciPy's linkage of 4-AL, by counting all answers again at every step."""
    rows, weight = rows.copy(), weight.copy()
    sizes = np.ones(n_objects)
    alive = np.ones(n_objects, dtype=np.bool_)
    node = np.arange(n_objects)
    merges = np.empty((n_objects - 1, 4))
    score = np.empty((n_objects, n_objects))
    kept = len(rows)
    for step in range(n_objects - 1):
        score[:] = 0.0
        still = 0
        for t in range(kept):
            a, p, q = rows[t, 0], rows[t, 1], rows[t, 2]
            # Answers within a cluster never count again.
            if a in (p, q) or p == q:
                continue
            vote = weight[t] / (sizes[a] * sizes[a] * sizes[p] * sizes[q])
            score[min(a, p), max(a, p)] += vote
            score[min(a, q), max(a, q)] -= vote
            rows[still, 0], rows[still, 1], rows[still, 2] = a, p, q
            weight[still] = weight[t]
            still += 1
        kept = still
        best, first, second = -np.inf, -1, -1
        for i in range(n_objects):
            if alive[i]:
                for j in range(i + 1, n_objects):
                    if alive[j] and score[i, j] > best:
                        best, first, second = score[i, j], i, j
        merges[step, 0], merges[step, 1] = node[first], node[second]
        merges[step, 2], merges[step, 3] = step + 1.0, sizes[first] + sizes[second]
        sizes[first] += sizes[second]
        alive[second] = False
        node[first] = n_objects + step
        for t in range(kept):
            for c in range(3):
                if rows[t, c] == second:
                    rows[t, c] = first
    return merges
