"""Non-metric multidimensional scaling of dissimilarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata

from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.embedding.ordinal import Embedding, Starts, Tolerance
from tripletscope.core.geometry import distances, principal_axes, rms
from tripletscope.core.method import Choice, Number, register
from tripletscope.core.optimise.minimise import adapted, minimise, restarts

#: Stress is minimised as a percentage, squared, so that tolerances are shares of it.
_PERCENT = 1e4


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class NMDS(Embedding):
    """Non-metric multidimensional scaling of given dissimilarities.

    Minimises Kruskal's stress-1 of the distances against the best monotone transform of the
    dissimilarities, by gradients until it falls no further. The first start is the classical
    scaling of the ranks, without which one-dimensional scales end in local minima; the others are
    random.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, turned to their principal axes, with a root mean square of 1: their
        size means nothing.
    loss_ : float
        Stress-1 of the best start: 0 is perfect, 0.1 fair.
    losses_ : ndarray, shape (n_init,)
    dissimilarities_ : ndarray, shape (n, n)
        As they were given, with zeros on the diagonal.
    disparities_ : ndarray, shape (n, n)
        The monotone transform of the dissimilarities that is closest to `distances`, in units of
        the map. A Shepard plot shows distances and disparities against dissimilarities.
    stress_per_object_ : ndarray, shape (n,)
        Share of every object in the squared stress; they sum to 1, or are 0 where it is 0.
    n_iter_ : int
        Iterations of the best start.
    converged_, stopped_ : bool
    n_objects_ : int

    References
    ----------
    Kruskal, J. B. (1964). Nonmetric multidimensional scaling: a numerical method. Psychometrika,
    29, 115-129.
    de Leeuw, J. (1977). Correctness of Kruskal's algorithms for monotone regression with ties.
    Psychometrika, 42, 141-144.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1.2], [2, 0.5]])
    >>> apart = np.linalg.norm(corners[:, None] - corners, axis=2)
    >>> fitted = ts.NMDS().fit_dissimilarities(apart**2)
    >>> round(fitted.loss_, 3)
    0.0
    """

    name = "nmds"
    title = "NMDS"

    n_components: Annotated[int, Number(1, 20, "Dimensions", "Coordinates per object.")] = 2
    ties: Annotated[
        str,
        Choice(
            {
                "primary": "Primary: may differ in the map",
                "secondary": "Secondary: should be equal in the map",
                "tertiary": "Tertiary: in order on average",
            },
            "Tied dissimilarities",
            "Kruskal's approaches; R's MASS and vegan use the primary one. Ratings with few "
            "levels have many ties, and the secondary approach asks much of their map.",
        ),
    ] = "primary"
    n_init: Starts = 10
    max_iter: Annotated[
        int, Number(1, 100_000, "Max. iterations", advanced=True)
    ] = 1000
    tol: Tolerance = 1e-9
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0

    def fit_dissimilarities(self, matrix: Any, *, progress: Progress = silent) -> Self:
        """Find the map with the lowest stress.

        Parameters
        ----------
        matrix : array-like, shape (n, n)
            Symmetric. Only its order matters; the diagonal does not.
        progress : Progress
            As for `fit` of an ordinal embedding; a stop keeps the best map so far.

        Raises
        ------
        DataError
            If the matrix is not square and symmetric, or an entry is not a number.
        """
        self._check_parameters()
        matrix = _checked(matrix)
        n, shape = len(matrix), (len(matrix), self.n_components)
        upper = np.triu_indices(n, 1)
        ranks = rankdata(matrix[upper], method="dense")
        regression = _Monotone(ranks, self.ties)

        def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
            positions = x.reshape(shape)
            apart = distances(positions)[upper]
            off = apart - regression(apart)
            size = max(float(apart @ apart), 1e-300)
            stress = float(off @ off) / size
            # The regression is the closest point of a cone, so that its own change adds nothing.
            slope = np.zeros((n, n))
            slope[upper] = (off - stress * apart) / (size * np.where(apart > 0, apart, np.inf))
            slope += slope.T
            gradient = slope.sum(axis=1)[:, None] * positions - slope @ positions
            return _PERCENT * stress, 2.0 * _PERCENT * gradient.ravel()

        with single_blas_thread():
            found = restarts(
                lambda start, progress: minimise(
                    objective, start, max_iter=self.max_iter, tol=self.tol, progress=progress
                ),
                self._starts(ranks, upper, shape),
                progress=adapted(progress, lambda x: x.reshape(shape)),
            )
        self.losses_ = np.sqrt(np.array([optimum.loss for optimum in found]) / _PERCENT)
        best = found[int(np.argmin(self.losses_))]
        embedding = principal_axes(best.x.reshape(shape))
        self.embedding_ = embedding / (rms(embedding) or 1.0)
        self.loss_ = float(self.losses_.min())
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        self.stopped_ = any(optimum.stopped for optimum in found)
        self.n_objects_, self.dissimilarities_ = n, matrix
        self._look_at_fit(regression, upper)
        return self

    def _starts(
        self, ranks: np.ndarray, upper: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]
    ) -> list[np.ndarray]:
        """Classical scaling of the ranks (Torgerson 1952), then noise."""
        n, d = shape
        square = np.zeros((n, n))
        square[upper] = ranks.astype(float) ** 2
        square += square.T
        means = square.mean(axis=0)
        values, vectors = np.linalg.eigh(-0.5 * (square - means - means[:, None] + means.mean()))
        scaled = np.zeros(shape)
        leading = min(n, d)
        scaled[:, :leading] = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :leading]
        seeds = np.random.SeedSequence(self.seed).spawn(self.n_init - 1)
        noise = [np.random.default_rng(seed).standard_normal(n * d) for seed in seeds]
        return [(scaled / (rms(scaled) or 1.0)).ravel(), *noise]

    def _look_at_fit(self, regression: _Monotone, upper: tuple[np.ndarray, np.ndarray]) -> None:
        apart = self.distances()
        self.disparities_ = np.zeros_like(apart)
        self.disparities_[upper] = regression(apart[upper])
        self.disparities_ += self.disparities_.T
        each = np.sum((apart - self.disparities_) ** 2, axis=1)
        self.stress_per_object_ = each / (each.sum() or 1.0)


class _Monotone:
    """Monotone regression of distances on dissimilarities with ties.

    Parameters
    ----------
    ranks : ndarray of int, shape (p,)
        Dense, from 1.
    ties : str
        "primary", "secondary" or "tertiary".
    """

    def __init__(self, ranks: np.ndarray, ties: str) -> None:
        self._group = ranks.astype(np.int64) - 1
        self._sizes = np.bincount(self._group).astype(float)
        self._order = np.argsort(self._group, kind="stable")
        self._ties = ties if len(self._sizes) < len(ranks) else "none"

    def __call__(self, apart: np.ndarray) -> np.ndarray:
        """(p,) the values closest to distances (p,) whose order is allowed."""
        if self._ties in ("primary", "none"):
            order = self._order
            if self._ties == "primary":
                order = np.lexsort((apart, self._group))
            found = np.empty_like(apart)
            found[order] = isotonic_regression(apart[order]).x
            return found
        means = np.bincount(self._group, apart) / self._sizes
        fitted = isotonic_regression(means, weights=self._sizes).x
        if self._ties == "secondary":
            return fitted[self._group]
        return apart + (fitted - means)[self._group]


def _checked(matrix: Any) -> np.ndarray:
    """(n, n) dissimilarities with zeros on the diagonal."""
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
    return matrix
