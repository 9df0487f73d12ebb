"""Non-metric multidimensional scaling of dissimilarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.stats import rankdata

from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.embedding.ordinal import Embedding, Starts
from tripletscope.core.geometry import principal_axes
from tripletscope.core.method import Number, register


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class NMDS(Embedding):
    """Non-metric multidimensional scaling of given dissimilarities.

    Minimises Kruskal's stress-1 of the distances against the best monotone transform of the
    dissimilarities; scikit-learn's SMACOF. The first start is the classical scaling of the ranks,
    without which one-dimensional scales end in local minima; the others are random.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, turned to their principal axes. Their size means nothing.
    loss_ : float
        Stress-1 of the best start: 0 is perfect, 0.1 fair.
    losses_ : ndarray, shape (n_init,)
    n_iter_ : int
        Iterations of the best start.
    converged_, stopped_ : bool
    n_objects_ : int

    References
    ----------
    Kruskal, J. B. (1964). Nonmetric multidimensional scaling: a numerical method. Psychometrika,
    29, 115-129.
    """

    name = "nmds"
    title = "NMDS"

    n_components: Annotated[int, Number(1, 20, "Dimensions", "Coordinates per object.")] = 2
    n_init: Starts = 4
    max_iter: Annotated[
        int, Number(1, 100_000, "Max. iterations", advanced=True)
    ] = 1000
    tol: Annotated[
        float,
        Number(
            1e-15, 1e-1, "Tolerance",
            "A restart has converged when an iteration lowers the stress by less than this.",
            advanced=True,
        ),
    ] = 1e-6
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0

    def fit_dissimilarities(self, matrix: Any, *, progress: Progress = silent) -> Self:
        """Find the map with the lowest stress.

        Parameters
        ----------
        matrix : array-like, shape (n, n)
            Symmetric. Only its order matters; the diagonal does not.
        progress : Progress
            Called after every start; a stop keeps the best map so far.

        Raises
        ------
        DataError
            If the matrix is not square and symmetric, or an entry is not a number.
        """
        from sklearn.manifold import MDS  # imported late: slow to import

        self._check_parameters()
        ranks = _ranks(matrix)
        found, seeds = [], np.random.SeedSequence(self.seed).generate_state(self.n_init)
        self.stopped_ = False
        with single_blas_thread():
            for seed in seeds:
                scaling = MDS(
                    self.n_components, metric_mds=False, metric="precomputed", n_init=1,
                    init="random" if found else "classical_mds", max_iter=self.max_iter,
                    eps=self.tol, random_state=seed, normalized_stress=True,
                )
                found.append(scaling.fit(ranks))
                self.stopped_ = progress(
                    len(found) / self.n_init, loss=float(scaling.stress_),
                    snapshot=scaling.embedding_, start=len(found) - 1,
                )
                if self.stopped_:
                    break
            best = min(found, key=lambda scaling: scaling.stress_)
            self.embedding_ = principal_axes(best.embedding_)
        self.n_objects_ = len(ranks)
        self.losses_ = np.array([scaling.stress_ for scaling in found])
        self.loss_ = float(best.stress_)
        self.n_iter_ = int(best.n_iter_)
        self.converged_ = self.n_iter_ < self.max_iter
        return self


def _ranks(matrix: Any) -> np.ndarray:
    """Ranks of the dissimilarities from 1, because scikit-learn takes 0 for "not known"."""
    matrix = np.array(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise DataError(
            f"dissimilarities need a square matrix, this one has shape {matrix.shape}",
            remedy="Give one row and one column per object.",
        )
    np.fill_diagonal(matrix, 0.0)
    known = np.isfinite(matrix)
    if not known.all():
        raise DataError(
            "a dissimilarity is missing", row=int(np.argmin(known.all(axis=1))),
            remedy="Give all of them, or use a method for triplets.",
        )
    if not np.allclose(matrix, matrix.T):
        raise DataError(
            "the dissimilarities of two objects differ by direction",
            remedy="Average the two directions.",
        )
    ranks = np.zeros_like(matrix)
    above = np.triu_indices(len(matrix), 1)
    ranks[above] = rankdata(matrix[above], method="dense")
    return ranks + ranks.T
