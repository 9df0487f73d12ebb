"""Shared by all clusterings: their space, the number of clusters, and predicted answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import Method, MethodParameter, make_method
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.similarity.clusters.dendrogram import Dendrogram
from tripletscope.core.similarity.kernels.space import Space, space_of, space_of_distances

#: Above so many objects, silhouettes are those of a random sample.
_MOST = 3_000
#: Most clusters to try without a fixed number.
MOST = 15


@dataclass(kw_only=True, eq=False, repr=False)
class Clustering(Method):
    """Clusters of objects.

    Attributes
    ----------
    labels_ : ndarray of int, shape (n,)
        Cluster of every object, from 0; -1 for objects without usable answers.
    n_clusters_ : int
    silhouettes_ : ndarray, shape (k,)
        Mean silhouette with 2, 3, ... clusters; empty for a fixed number of them.
    placed_ : ndarray of bool, shape (n,)
    n_objects_ : int
    stopped_ : bool
    """

    n_clusters: Annotated[
        int | None, Number(1, 1000, "Clusters", automatic="the highest silhouette")
    ] = None

    def fit(
        self, triplets: Triplets, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Estimate the objects' distances, then cluster them.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        progress : Progress
            A stop keeps clusters of the distances so far.

        Raises
        ------
        DataError
            If there are no usable answers, or too many objects for a matrix.
        """
        data = self._to_learn(triplets, y, sample_weight, as_triplets)
        space, stopped = self.space(data, progress=progress)
        self.fit_space(space)
        self.stopped_ = stopped
        progress(1.0)
        return self

    def fit_predict(self, triplets: Triplets, y: Any = None, **options: Any) -> np.ndarray:
        """Fit and return `labels_`, shape (n,): of the objects, where `predict` is of answers."""
        return self.fit(triplets, y, **options).labels_

    def space(self, triplets: Triplets, *, progress: Progress = silent) -> tuple[Space, bool]:
        """The objects' space, and whether its fit was stopped."""
        raise NotImplementedError

    def fit_distances(
        self, matrix: Any, objects: np.ndarray | None = None, n_objects: int | None = None
    ) -> Self:
        """Cluster by distances.

        Parameters
        ----------
        matrix : array-like, shape (m, m)
        objects : ndarray of int, shape (m,), optional
            Positions of its rows among `n_objects`; by default all objects in their order.
        n_objects : int, optional

        Raises
        ------
        DataError
            If they are no distances, or unsuitable for the method.
        """
        return self.fit_space(space_of_distances(matrix, objects, n_objects))

    def fit_space(self, space: Space) -> Self:
        """Cluster the objects of a space."""
        self._check_parameters()
        if len(space) < 1:
            raise DataError("no object has usable answers", remedy="Use more answers.")
        self.silhouettes_ = np.zeros(0)
        numbers = [min(self.n_clusters or 1, len(space))]
        if self.n_clusters is None and len(space) > 2:
            numbers = range(2, min(MOST, len(space) - 1) + 1)
        divisions = self.divisions(space, numbers)
        best = 0
        if self.n_clusters is None and len(space) > 2:
            self.silhouettes_ = silhouettes(space, divisions)
            best = int(np.argmax(np.nan_to_num(self.silhouettes_, nan=-1.0)))
        self.labels_ = space.spread(divisions[best], -1)
        self.n_clusters_ = int(divisions[best].max()) + 1
        self.placed_ = self.labels_ >= 0
        self.n_objects_, self.stopped_ = space.n_objects, False
        return self

    def for_cuts(self) -> Self:
        """A clone whose trees are not drawn: ordering their leaves takes longer than all else."""
        other = clone(self)
        return other.set_params(order_leaves=False) if hasattr(other, "order_leaves") else other

    def divisions(self, space: Space, numbers: Sequence[int]) -> np.ndarray:
        """(len(numbers), m) clusters of the objects of a space, for several numbers of them."""
        raise NotImplementedError

    def distances(self) -> np.ndarray:
        """(n, n) 0 within a cluster, 1 between clusters and for objects without one."""
        self._require_fit()
        distances = (self.labels_[:, None] != self.labels_).astype(float)
        distances[~self.placed_] = 1.0
        np.fill_diagonal(distances, 0.0)
        return distances

    def margins(self, triplets: Triplets) -> np.ndarray:
        """(T,) 1 if only near is in the anchor's cluster, -1 if only far is, otherwise 0."""
        rows = self._to_predict(triplets, convert=as_triplets).rows
        anchor, near, far = self.labels_[rows.T]
        return ((anchor == near).astype(float) - (anchor == far)) * (anchor >= 0)


@dataclass(kw_only=True, eq=False, repr=False)
class SimilarityClustering(Clustering):
    """Clusters of objects by the distances of another method."""

    basis: Annotated[Method | dict | None, MethodParameter(
        ("kernel", "embedding"), "Similarity", "The method that determines how similar objects "
        "are.", automatic=DEFAULT_EMBEDDING.title
    )] = None

    def fit_predict(self, triplets: Triplets, y: Any = None, **options: Any) -> np.ndarray:
        """Fit and return `labels_`, shape (n,): of the objects, where `predict` is of answers."""
        return self.fit(triplets, y, **options).labels_

    def space(self, triplets: Triplets, *, progress: Progress = silent) -> tuple[Space, bool]:
        """The objects' space, and whether its fit was stopped."""
        fitted = self.similarity().fit(triplets, progress=progress)
        return space_of(fitted), fitted.stopped_

    def similarity(self) -> Method:
        """The unfitted method that determines similarity."""
        return make_method(self.basis or DEFAULT_EMBEDDING())


class Hierarchy(Clustering):
    """Clusters within clusters.

    Attributes
    ----------
    linkage_ : ndarray of merges, shape (m - 1, 4)
        SciPy's, of the m objects with usable answers.
    """

    @property
    def tree_(self) -> Dendrogram:
        """The tree of all merges; any number of clusters can be cut from it."""
        self._require_fit()
        return Dendrogram(self.linkage_, np.flatnonzero(self.placed_), self.n_objects_)

    def tree(self, space: Space) -> Dendrogram:
        """The tree of the objects of a space."""
        raise NotImplementedError

    def divisions(self, space: Space, numbers: Sequence[int]) -> np.ndarray:
        """(len(numbers), m) cuts of one tree."""
        tree = self.tree(space)
        self.linkage_ = tree.linkage
        return np.array([tree.cut(number)[space.objects] for number in numbers])

    def distances(self) -> np.ndarray:
        """(n, n) height of the lowest branch with both objects."""
        return self.tree_.cophenetic()

    def margins(self, triplets: Triplets) -> np.ndarray:
        """(T,) height of the branch that joins anchor and far minus that of anchor and near."""
        rows, tree = self._to_predict(triplets).rows, self.tree_
        to_far = tree.joined_at(rows[:, -2 if rows.shape[1] == 4 else 0], rows[:, -1])
        return to_far - tree.joined_at(rows[:, 0], rows[:, 1])


def silhouettes(space: Space, divisions: np.ndarray) -> np.ndarray:
    """(k,) mean silhouettes of divisions (k, m); NaN outside 2 to m - 1 clusters.

    References
    ----------
    Rousseeuw, P. J. (1987). Silhouettes: a graphical aid to the interpretation and validation of
    cluster analysis. Journal of Computational and Applied Mathematics, 20, 53-65.
    """
    if len(space) > _MOST:
        some = np.sort(np.random.default_rng(0).choice(len(space), _MOST, replace=False))
        space, divisions = space.part(some), divisions[:, some]
    distances = space.distances()
    values = np.full(len(divisions), np.nan)
    for i, labels in enumerate(divisions):
        if 2 <= len(np.unique(labels)) < len(labels):
            values[i] = _silhouette(distances, labels)
    return values


def _silhouette(distances: np.ndarray, labels: np.ndarray) -> float:
    """scikit-learn's value; its checks take five times as long, and hundreds are drawn for each."""
    _, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
    at = np.arange(len(labels))
    to = distances @ np.eye(len(sizes))[codes]
    own = to[at, codes] / np.maximum(sizes[codes] - 1, 1)
    to /= sizes
    to[at, codes] = np.inf
    other = to.min(axis=1)
    longer = np.maximum(own, other)
    value = np.divide(other - own, longer, out=np.zeros_like(own), where=longer > 0)
    return float(np.where(sizes[codes] > 1, value, 0.0).mean())
