"""Spectral clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.linalg import cho_factor, get_blas_funcs, qr, svd
from scipy.sparse.linalg import LinearOperator, eigsh

from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.similarity.clusters.clustering import SimilarityClustering
from tripletscope.core.similarity.kernels.kernel import SINGLE_ABOVE, refuse_matrix
from tripletscope.core.similarity.kernels.space import Space

#: Objects stay connected, however far apart.
_LEAST = 1e-6
#: Added to the eigenvalues, one of which is 0, for the inverse of the Laplacian.
_SHIFT = 1e-5
#: Rows of a matrix at a time.
_BLOCK = 256


@register("cluster")
@dataclass(kw_only=True, eq=False, repr=False)
class SpectralClustering(SimilarityClustering):
    """Spectral clustering: groups of any shape, connected by chains of neighbours.

    Similarities are exp(-d_ab^2 / (s_a s_b)), where s is the distance to the scaling neighbour. A
    pivoted QR turns the eigenvectors of the normalised Laplacian into clusters without random
    initialisation. The clusters are those of scikit-learn's ``spectral_clustering``, for all
    numbers at once; above 5,000 objects in single precision.

    References
    ----------
    Zelnik-Manor, L., & Perona, P. (2004). Self-tuning spectral clustering. Advances in Neural
    Information Processing Systems 17. Section 2.
    Damle, A., Minden, V., & Ying, L. (2019). Simple, direct and efficient multi-way spectral
    clustering. Information and Inference, 8, 181-203.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> ts.SpectralClustering(n_clusters=3).fit(answers).n_clusters_
    3
    """

    name = "spectral"
    title = "Spectral"

    n_neighbours: Annotated[int, Number(
        1, 200, "Scaling neighbour",
        "Distances are scaled by the distance to this nearest neighbour before they become "
        "similarities.", advanced=True
    )] = 7

    def divisions(self, space: Space, numbers: Sequence[int]) -> np.ndarray:
        """(len(numbers), m) clusters, for several numbers of them."""
        m = len(space)
        inner = [number for number in numbers if 1 < number < m]
        divisions = {1: np.zeros(m, dtype=int), m: np.arange(m)}
        if inner:
            vectors = self.coordinates(space, max(inner))
            with single_blas_thread():
                divisions |= {number: _divided(vectors[:, :number]) for number in inner}
        return np.array([divisions[number] for number in numbers])

    def coordinates(self, space: Space, number: int) -> np.ndarray:
        """(m, number) coordinates in which neighbours are nearest; the first is constant."""
        with single_blas_thread():
            return _smoothest(self._affinity(space), number)

    def _affinity(self, space: Space) -> np.ndarray:
        """(m, m) similarities."""
        m = len(space)
        refuse_matrix(m)
        matrix = np.empty((m, m), dtype=np.float32 if m > SINGLE_ABOVE else float)
        for first in range(0, m, _BLOCK):
            matrix[first : first + _BLOCK] = space.rows(first, first + _BLOCK)
        nearest = min(self.n_neighbours, m - 1)
        scale = np.concatenate([
            np.partition(matrix[first : first + _BLOCK], nearest, axis=1)[:, nearest].copy()
            for first in range(0, m, _BLOCK)
        ])
        scale = np.where(scale > 0, scale, matrix.max() or 1.0)
        for first in range(0, m, _BLOCK):
            rows = matrix[first : first + _BLOCK]
            rows **= 2
            rows /= -(scale[first : first + _BLOCK, None] * scale)
            np.maximum(np.exp(rows, out=rows), _LEAST, out=rows)
        return matrix


def _smoothest(affinity: np.ndarray, number: int) -> np.ndarray:
    """(m, number) eigenvectors of the normalised Laplacian with the smallest eigenvalues.

    Divided by the roots of the degrees. Overwrites the matrix.
    """
    m = len(affinity)
    np.fill_diagonal(affinity, 0.0)
    root = np.sqrt(affinity.sum(axis=0, dtype=float)).astype(affinity.dtype)
    for first in range(0, m, _BLOCK):
        affinity[first : first + _BLOCK] /= -(root[first : first + _BLOCK, None] * root)
    np.fill_diagonal(affinity, 1.0 + _SHIFT)
    # Fortran overwrites the equal transpose instead of copying it.
    factor, _ = cho_factor(affinity.T, lower=True, overwrite_a=True, check_finite=False)
    (solve,) = get_blas_funcs(("trsv",), (factor,))

    def apply(x: np.ndarray) -> np.ndarray:
        return solve(factor, solve(factor, x.ravel(), lower=1), lower=1, trans=1)

    inverse = LinearOperator((m, m), apply, dtype=affinity.dtype)
    start = np.random.default_rng(0).uniform(-1.0, 1.0, m).astype(affinity.dtype)
    single = affinity.dtype == np.float32
    values, vectors = eigsh(inverse, number, which="LA", v0=start, tol=1e-5 if single else 0.0)
    return vectors[:, np.argsort(-values)].astype(float) / root[:, None]


def _divided(vectors: np.ndarray) -> np.ndarray:
    """(m,) nearest axis to each object, after a rotation of distant objects to the axes."""
    number = vectors.shape[1]
    _, _, order = qr(vectors.T, mode="economic", pivoting=True)
    left, _, right = svd(vectors[order[:number]].T)
    labels = np.abs(vectors @ (left @ right)).argmax(axis=1)
    return np.unique(labels, return_inverse=True)[1]
