"""The space of a fitted method's objects, for clustering, maps and classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist, pdist, squareform

from tripletscope.core.data.errors import DataError, refuse_lengths
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.similarity.kernels.kernel import Kernel, kernel_distances, refuse_matrix


@short_repr
@dataclass(frozen=True)
class Space:
    """The space of m of n objects, by their vectors, inner products or distances.

    Attributes
    ----------
    n_objects : int
    objects : ndarray of int, shape (m,)
        Positions of the objects with usable answers, ascending.
    vectors : ndarray, shape (m, d), or None
    gram : ndarray, shape (m, m), or None
        Inner products, without vectors.
    distance_matrix : ndarray, shape (m, m), or None
        Distances, without either.
    """

    n_objects: int
    objects: np.ndarray
    vectors: np.ndarray | None = None
    gram: np.ndarray | None = None
    distance_matrix: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.objects)

    def distances(self) -> np.ndarray:
        """(m, m) distances."""
        if self.distance_matrix is not None:
            return self.distance_matrix
        if self.gram is not None:
            return kernel_distances(self.gram)
        return squareform(self.condensed())

    def condensed(self) -> np.ndarray:
        """(m (m - 1) / 2,) distances in SciPy's order, without a matrix."""
        m = len(self)
        refuse_matrix(m)
        if self.vectors is not None:
            return pdist(self.vectors)
        distances, stop = np.empty(m * (m - 1) // 2), 0
        for i in range(m):
            start, stop = stop, stop + m - 1 - i
            distances[start:stop] = self.rows(i, i + 1, i + 1)
        return distances

    def rows(self, first: int, stop: int, start: int = 0) -> np.ndarray:
        """(stop - first, m - start) distances of some objects from those at `start` and later."""
        if self.vectors is not None:
            return cdist(self.vectors[first:stop], self.vectors[start:])
        if self.distance_matrix is not None:
            return self.distance_matrix[first:stop, start:]
        diagonal = self.gram.diagonal()
        squared = diagonal[first:stop, None] + diagonal[None, start:]
        squared -= 2.0 * self.gram[first:stop, start:]
        return np.sqrt(np.maximum(squared, 0.0, out=squared), out=squared)

    def part(self, which: np.ndarray) -> Space:
        """Some of the m objects, by their positions among these."""
        square = np.ix_(which, which)
        return Space(
            self.n_objects, self.objects[which],
            None if self.vectors is None else self.vectors[which],
            None if self.gram is None else self.gram[square],
            None if self.distance_matrix is None else self.distance_matrix[square],
        )

    def spread(self, values: np.ndarray, missing: Any) -> np.ndarray:
        """Values of the m objects as values of all n."""
        everywhere = np.full((self.n_objects, *values.shape[1:]), missing, dtype=values.dtype)
        everywhere[self.objects] = values
        return everywhere


def space_of(fitted: Method) -> Space:
    """The space of a fitted method."""
    placed = np.flatnonzero(getattr(fitted, "placed_", np.ones(fitted.n_objects_, dtype=bool)))
    n = fitted.n_objects_
    if isinstance(fitted, Kernel):
        if fitted.gram_ is None:
            return Space(n, placed, vectors=fitted.features_[placed])
        return Space(n, placed, gram=fitted.gram_[np.ix_(placed, placed)])
    if isinstance(fitted, Embedding) and not getattr(fitted, "average", False):
        return Space(n, placed, vectors=fitted.embedding_[placed])
    return Space(n, placed, distance_matrix=fitted.distances()[np.ix_(placed, placed)])


def space_of_distances(
    matrix: Any, objects: np.ndarray | None = None, n_objects: int | None = None
) -> Space:
    """The space of distances (m, m).

    objects (m,): Positions of the rows among `n_objects`; by default all objects in their order.
    """
    matrix = np.array(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(
            f"distances need a square matrix, this one has shape {matrix.shape}",
            remedy="Give one row and one column per object.",
        )
    wrong = ~(np.isfinite(matrix) & (matrix >= 0))
    if wrong.any():
        raise DataError(
            "a distance is missing or below zero", row=int(np.argmax(wrong.any(axis=1))),
            remedy="Give all of them as numbers from 0 up.",
        )
    if not np.allclose(matrix, matrix.T) or np.any(matrix.diagonal() != 0):
        raise DataError(
            "the distances of two objects differ by direction, or an object has a distance from "
            "itself",
            remedy="Average the two directions, and put zeros on the diagonal.",
        )
    matrix = (matrix + matrix.T) / 2
    if objects is None:
        return Space(len(matrix), np.arange(len(matrix)), distance_matrix=matrix)
    refuse_lengths(rows=matrix, positions_of_objects=objects)
    order = np.argsort(objects)
    matrix = matrix[np.ix_(order, order)]
    return Space(n_objects, np.asarray(objects)[order], distance_matrix=matrix)


def centred_gram(space: Space) -> np.ndarray:
    """(m, m) inner products about the centre; of distances, those of classical scaling."""
    if space.vectors is not None:
        refuse_matrix(len(space))
        about = space.vectors - space.vectors.mean(axis=0)
        with single_blas_thread():
            return about @ about.T
    gram = -0.5 * space.distance_matrix**2 if space.gram is None else space.gram
    means = gram.mean(axis=0)
    return gram - means - means[:, None] + means.mean()


def is_euclidean(space: Space) -> bool:
    """Whether points in some Euclidean space have these distances, up to rounding."""
    if space.distance_matrix is None:
        return True
    gram = centred_gram(space)
    slack = 1e-8 * max(float(np.trace(gram)), 1e-300)
    try:
        with single_blas_thread():
            np.linalg.cholesky(gram + slack * np.eye(len(gram)))
    except np.linalg.LinAlgError:
        return False
    return True
