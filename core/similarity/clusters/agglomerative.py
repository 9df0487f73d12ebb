"""Agglomerative clustering of distances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.cluster.hierarchy import linkage, optimal_leaf_ordering

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import Choice, Switch
from tripletscope.core.engine.method import register
from tripletscope.core.similarity.clusters.clustering import Hierarchy, SimilarityClustering
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.kernels.kernel import MOST_IN_A_MATRIX
from tripletscope.core.similarity.kernels.space import Space, is_euclidean

#: Above so many objects, the best order of the leaves would take longer than all the rest.
_MOST_ORDERED = 1_000
#: Linkages that need only vectors.
_FROM_VECTORS = ("single", "ward")


@register("cluster")
@dataclass(kw_only=True, eq=False, repr=False)
class AgglomerativeClustering(SimilarityClustering, Hierarchy):
    """Agglomerative clustering: the two nearest clusters are merged until one is left.

    SciPy computes it; above 20,000 objects, fastcluster computes single and Ward's linkage from
    vectors, without distances. Complete linkage on a kernel is the method of the triplet-kernel
    paper; average linkage on k1 corresponds to 4K-AL of Ghoshdastidar et al. (2019) if all
    comparisons are triplets, except that distances are averaged instead of similarities.

    References
    ----------
    Müllner, D. (2011). Modern hierarchical, agglomerative clustering algorithms. arXiv:1109.2378.
    Müllner, D. (2013). fastcluster: fast hierarchical, agglomerative clustering routines for R and
    Python. Journal of Statistical Software, 53(9).
    Bar-Joseph, Z., Gifford, D. K., & Jaakkola, T. S. (2001). Fast optimal leaf ordering for
    hierarchical clustering. Bioinformatics, 17, S22-S29.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.AgglomerativeClustering(n_clusters=3, linkage="complete").fit(answers)
    >>> fitted.n_clusters_, len(fitted.linkage_)
    (3, 13)
    >>> fitted.tree_.cut(2).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0]
    """

    name = "agglomerative"
    title = "Agglomerative"

    linkage: Annotated[str, Choice(
        {"average": "Average", "complete": "Complete", "single": "Single", "ward": "Ward"},
        "Linkage",
        "Distance between two clusters: average over their objects (average), the farthest two "
        "(complete), the nearest two (single), or the increase of variance within clusters (Ward)."
    )] = "average"
    order_leaves: Annotated[bool, Switch(
        "Optimal leaf order", "Rotates branches for the most similar neighbouring leaves; up to "
                              f"{_MOST_ORDERED:,} objects.", advanced=True
    )] = True

    def tree(self, space: Space) -> Dendrogram:
        """The tree of the objects of a space."""
        if self.linkage == "ward" and not is_euclidean(space):
            raise DataError(
                "Ward's linkage needs Euclidean distances, and these are not",
                remedy="Choose average or complete linkage.",
            )
        if len(space) < 2:
            return Dendrogram(np.zeros((0, 4)), space.objects, space.n_objects)
        if len(space) > MOST_IN_A_MATRIX:
            return Dendrogram(self._without_matrix(space), space.objects, space.n_objects)
        distances = space.condensed()
        merges = linkage(distances, self.linkage)
        if self.order_leaves and len(space) <= _MOST_ORDERED:
            merges = optimal_leaf_ordering(merges, distances)
        return Dendrogram(merges, space.objects, space.n_objects)

    def _without_matrix(self, space: Space) -> np.ndarray:
        """The merges of more objects than a matrix has room for."""
        if self.linkage not in _FROM_VECTORS or space.vectors is None:
            raise DataError(
                f"{self.linkage} linkage needs all distances, and those of {len(space):,} objects "
                f"would take {4 * len(space) ** 2 / 1e9:.0f} GB of memory",
                remedy="Choose Ward's or single linkage of a map or of answers in a landmark "
                f"design, or use at most {MOST_IN_A_MATRIX:,} objects.",
            )
        from fastcluster import linkage_vector  # imported late: for many objects only

        return linkage_vector(np.ascontiguousarray(space.vectors, dtype=float), self.linkage)
