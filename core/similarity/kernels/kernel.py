"""Shared by all kernels: a matrix or the vectors behind it, and predicted answers."""

from __future__ import annotations

import numba
import numpy as np
from scipy import sparse
from scipy.linalg import blas, eigvalsh
from scipy.sparse.linalg import ArpackNoConvergence, eigsh

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import single_blas_thread

#: Above so many objects, kernels and features are in single precision, to halve their memory.
SINGLE_ABOVE = 5_000
#: Most objects of an (n, n) matrix: more would take over 1.6 GB.
MOST_IN_A_MATRIX = 20_000
#: Entries at a time.
_CHUNK = 2**22
#: Up to so many objects, all eigenvalues take no longer than one.
_FEW = 300


class Kernel(Method):
    """Similarities of n objects: inner products of vectors.

    Attributes
    ----------
    features_ : ndarray, shape (n, m), or None
        The vectors, if m < n.
    gram_ : ndarray, shape (n, n), or None
        Their inner products, if the vectors are not kept.
    placed_ : ndarray of bool, shape (n,)
        False for objects without usable answers; their similarities are 0.
    n_objects_ : int
    stopped_ : bool
    """

    @property
    def kernel_(self) -> np.ndarray:
        """(n, n) similarities.

        Raises
        ------
        DataError
            If there are too many objects for a matrix.
        """
        self._require_fit()
        if self.gram_ is not None:
            return self.gram_
        refuse_matrix(self.n_objects_)
        return inner_products(self.features_)

    def rows(self, objects: np.ndarray) -> np.ndarray:
        """(k, n) similarities of k objects to all, without making a matrix."""
        self._require_fit()
        if self.gram_ is not None:
            return self.gram_[objects]
        with single_blas_thread():
            return self.features_[objects] @ self.features_.T

    def squared_norms(self) -> np.ndarray:
        """(n,) similarities of the objects to themselves."""
        self._require_fit()
        if self.gram_ is not None:
            return self.gram_.diagonal()
        return np.einsum("ij,ij->i", self.features_, self.features_)

    def distances(self) -> np.ndarray:
        """(n, n) distances of the vectors: sqrt(K_aa + K_bb - 2 K_ab)."""
        return kernel_distances(self.kernel_)

    def margins(self, triplets: Triplets) -> np.ndarray:
        """(T,) distance from anchor to far minus distance from anchor to near."""
        anchor, near, far = self._to_predict(triplets, convert=as_triplets).rows.T
        return self._between(anchor, far) - self._between(anchor, near)

    def _between(self, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        """Distances of pairs of objects, without making a matrix."""
        if self.gram_ is not None:
            diagonal = self.gram_.diagonal()
            return np.sqrt(np.maximum(diagonal[a] + diagonal[b] - 2.0 * self.gram_[a, b], 0.0))
        distances = np.empty(len(a))
        step = max(1, _CHUNK // max(self.features_.shape[1], 1))
        for start in range(0, len(a), step):
            part = slice(start, start + step)
            difference = self.features_[a[part]] - self.features_[b[part]]
            distances[part] = np.linalg.norm(difference, axis=1)
        return distances

    def _keep(self, features: np.ndarray | sparse.csc_array, placed: np.ndarray) -> None:
        """Keep vectors, or their products if these are no larger."""
        self.n_objects_, self.placed_, self.stopped_ = features.shape[0], placed, False
        self.features_ = self.gram_ = None
        if features.shape[1] < features.shape[0]:
            self.features_ = features.toarray() if sparse.issparse(features) else features
        else:
            refuse_matrix(self.n_objects_)
            self.gram_ = inner_products(features)


def refuse_matrix(n_objects: int) -> None:
    """Raise DataError if an (n, n) matrix would exceed a laptop's memory."""
    if n_objects > MOST_IN_A_MATRIX:
        raise DataError(
            f"all similarities of {n_objects:,} objects would take "
            f"{4 * n_objects**2 / 1e9:.0f} GB of memory",
            remedy=f"Use at most {MOST_IN_A_MATRIX:,} objects, or answers in a landmark design "
            "and methods that work on features.",
        )


def inner_products(features: np.ndarray | sparse.csc_array) -> np.ndarray:
    """(n, n) products of all rows, exactly symmetric."""
    if features.shape[1] == 0:
        return np.zeros((features.shape[0],) * 2)
    if sparse.issparse(features):
        products = np.zeros((features.shape[0],) * 2, dtype=features.dtype)
        _add_columns(features.indptr, features.indices, features.data, products)
        return _mirrored(products)
    syrk = blas.ssyrk if features.dtype == np.float32 else blas.dsyrk
    with single_blas_thread():
        # Fortran takes the transpose of a row-major array without a copy.
        return _mirrored(syrk(1.0, features.T, trans=1, lower=0).T)


@numba.njit(nogil=True, cache=True, error_model="numpy")
def _add_columns(starts, rows, values, products):
    """Add the lower triangles of the products of columns, whose rows ascend."""
    for column in range(starts.size - 1):
        for p in range(starts[column], starts[column + 1]):
            for q in range(starts[column], p + 1):
                products[rows[p], rows[q]] += values[p] * values[q]


def _mirrored(lower: np.ndarray, block: int = 512) -> np.ndarray:
    """Complete a symmetric matrix from its lower triangle, in place."""
    for i in range(0, len(lower), block):
        tile = lower[i : i + block, i : i + block]
        tile[:] = np.tril(tile) + np.tril(tile, -1).T
        for j in range(0, i, block):
            lower[j : j + block, i : i + block] = lower[i : i + block, j : j + block].T
    return lower


def kernel_distances(kernel: np.ndarray) -> np.ndarray:
    """(n, n) distances sqrt(K_aa + K_bb - 2 K_ab) of the vectors behind a kernel (n, n)."""
    diagonal = kernel.diagonal()
    squared = diagonal[:, None] + diagonal[None, :]
    squared -= 2.0 * kernel
    np.maximum(squared, 0.0, out=squared)
    np.fill_diagonal(squared, 0.0)
    return np.sqrt(squared, out=squared)


def smallest_eigenvalue(kernel: np.ndarray) -> float:
    """Smallest eigenvalue of a kernel, at least 0."""
    n = len(kernel)
    with single_blas_thread():
        if n > _FEW:
            try:
                start = np.random.default_rng(0).standard_normal(n).astype(kernel.dtype)
                values = eigsh(
                    kernel, 1, which="SA", tol=1e-6, v0=start, maxiter=20 * n,
                    ncv=min(n, 40), return_eigenvectors=False,
                )
                return max(float(values[0]), 0.0)
            except ArpackNoConvergence:
                pass  # the smallest eigenvalues are nearly equal
        return max(float(eigvalsh(kernel, subset_by_index=(0, 0))[0]), 0.0)
