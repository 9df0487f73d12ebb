"""What scalings of dissimilarities share: the stress, its minimisation, and how it was reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.computing.parallel import single_blas_thread
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.declared import Number
from tripletscope.core.embedding.ordinal import Embedding, Starts, Tolerance
from tripletscope.core.geometry import distances, principal_axes, rms
from tripletscope.core.optimise.minimise import adapted, minimise, restarts
from tripletscope.core.options import Seed

#: Stress is minimised as a percentage, squared, so that tolerances are shares of it.
_PERCENT = 1e4

#: The allowed values that are closest to distances (p,): the closest point of a cone.
Regression = Callable[[np.ndarray], np.ndarray]


@dataclass(kw_only=True, eq=False, repr=False)
class Scaling(Embedding):
    """A map of given dissimilarities with the lowest stress-1.

    Stress-1 is the root of the squared differences of distances and disparities, over the squared
    distances. A subclass says which disparities are allowed.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, turned to their principal axes. Of metric scaling in units of the
        dissimilarities; of non-metric scaling with a root mean square of 1: their size means
        nothing.
    loss_ : float
        Stress-1 of the best start: 0 is perfect, 0.1 fair.
    losses_ : ndarray, shape (n_init,)
    dissimilarities_ : ndarray, shape (n, n)
        As they were given, with zeros on the diagonal.
    disparities_ : ndarray, shape (n, n)
        The allowed values that are closest to the distances; NaN for pairs of weight 0. A Shepard
        plot shows distances and disparities against dissimilarities.
    stress_per_object_ : ndarray, shape (n,)
        Share of every object in the squared stress; they sum to 1, or are 0 where it is 0.
    n_iter_ : int
        Iterations of the best start.
    converged_, stopped_ : bool
    n_objects_ : int
    """

    n_components: Annotated[int, Number(1, 20, "Dimensions", "Coordinates per object.")] = 2
    n_init: Starts = 10
    max_iter: Annotated[int, Number(1, 100_000, "Max. iterations", advanced=True)] = 1000
    tol: Tolerance = 1e-9
    seed: Seed = 0

    def _regression(self, dissimilarities: np.ndarray, weight: np.ndarray) -> Regression:
        """What finds the disparities of dissimilarities (p,) with weights (p,) above 0."""
        raise NotImplementedError

    def _first(self, dissimilarities: np.ndarray) -> np.ndarray:
        """(p,) what the first start takes for distances."""
        raise NotImplementedError

    def _enlargement(
        self, dissimilarities: np.ndarray, weight: np.ndarray, lengths: np.ndarray
    ) -> float:
        """Factor from a map with distances (p,) to the one that is kept; 0 for one of size 1."""
        return 0.0

    def fit_dissimilarities(
        self, matrix: Any, *, weights: Any = None, progress: Progress = silent
    ) -> Self:
        """Find the map with the lowest stress.

        Parameters
        ----------
        matrix : array-like, shape (n, n)
            Symmetric; the diagonal does not matter.
        weights : array-like, shape (n, n), optional
            How much each pair counts in the stress, 0 or more; pairs of weight 0 may be missing
            (NaN). By default all count the same and must be there.
        progress : Progress
            As for `fit` of an ordinal embedding; a stop keeps the best map so far.

        Raises
        ------
        DataError
            If the matrix is not square and symmetric, or an entry that counts is not a number, or
            an object has none.
        """
        self._check_parameters()
        matrix, weights = _checked(matrix, weights)
        n, shape = len(matrix), (len(matrix), self.n_components)
        upper = np.nonzero(np.triu(weights, 1))
        weight, dissimilarities = weights[upper], matrix[upper]
        regression = self._regression(dissimilarities, weight)

        def objective(x: np.ndarray) -> tuple[float, np.ndarray]:
            positions = x.reshape(shape)
            lengths = distances(positions)[upper]
            off = lengths - regression(lengths)
            size = max(float(lengths @ (weight * lengths)), 1e-300)
            stress = float(off @ (weight * off)) / size
            # The regression is the closest point of a cone, so that its own change adds nothing.
            slope = np.zeros((n, n))
            slope[upper] = weight * (off - stress * lengths) / (
                size * np.where(lengths > 0, lengths, np.inf)
            )
            slope += slope.T
            gradient = slope.sum(axis=1)[:, None] * positions - slope @ positions
            return _PERCENT * stress, 2.0 * _PERCENT * gradient.ravel()

        with single_blas_thread():
            optima = restarts(
                lambda start, progress: minimise(
                    objective, start, max_iter=self.max_iter, tol=self.tol, progress=progress
                ),
                self._starts(self._first(dissimilarities), upper, shape),
                progress=adapted(progress, lambda x: x.reshape(shape)),
            )
        self.losses_ = np.sqrt(np.array([optimum.loss for optimum in optima]) / _PERCENT)
        best = optima[int(np.argmin(self.losses_))]
        embedding = principal_axes(best.x.reshape(shape))
        spread = rms(embedding) or 1.0
        factor = self._enlargement(dissimilarities, weight, distances(embedding)[upper])
        self.embedding_ = embedding * factor if factor > 0 else embedding / spread
        self.loss_ = float(self.losses_.min())
        self.n_iter_, self.converged_ = best.n_iter, best.converged
        self.stopped_ = any(optimum.stopped for optimum in optima)
        self.n_objects_, self.dissimilarities_ = n, matrix
        self._look_at_fit(regression, upper, weight)
        return self

    def _starts(
        self, first: np.ndarray, upper: tuple[np.ndarray, np.ndarray], shape: tuple[int, int]
    ) -> list[np.ndarray]:
        """Classical scaling (Torgerson 1952), then noise."""
        n, d = shape
        # Missing pairs begin at the mean of the others.
        square = np.full((n, n), np.mean(first**2)) if len(first) < n * (n - 1) // 2 else (
            np.zeros((n, n))
        )
        np.fill_diagonal(square, 0.0)
        square[upper] = square[upper[::-1]] = first**2
        means = square.mean(axis=0)
        values, vectors = np.linalg.eigh(-0.5 * (square - means - means[:, None] + means.mean()))
        scaled = np.zeros(shape)
        leading = min(n, d)
        scaled[:, :leading] = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1][:, :leading]
        seeds = np.random.SeedSequence(self.seed).spawn(self.n_init - 1)
        noise = [np.random.default_rng(seed).standard_normal(n * d) for seed in seeds]
        return [(scaled / (rms(scaled) or 1.0)).ravel(), *noise]

    def _look_at_fit(
        self, regression: Regression, upper: tuple[np.ndarray, np.ndarray], weight: np.ndarray
    ) -> None:
        lengths = self.distances()
        # Those of pairs that do not count are not known.
        self.disparities_ = np.full_like(lengths, np.nan)
        np.fill_diagonal(self.disparities_, 0.0)
        fit = regression(lengths[upper])
        self.disparities_[upper] = self.disparities_[upper[::-1]] = fit
        missed = np.zeros_like(lengths)
        missed[upper] = missed[upper[::-1]] = weight * (lengths[upper] - fit) ** 2
        each = np.sum(missed, axis=1)
        self.stress_per_object_ = each / (each.sum() or 1.0)


def _checked(matrix: Any, weights: Any) -> tuple[np.ndarray, np.ndarray]:
    """(n, n) dissimilarities with zeros on the diagonal, and their weights."""
    matrix = np.array(matrix, dtype=float)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) < 2:
        raise DataError(
            f"dissimilarities need a square matrix, this one has shape {matrix.shape}",
            remedy="Give one row and one column per object.",
        )
    np.fill_diagonal(matrix, 0.0)
    counts = np.ones(matrix.shape) if weights is None else np.array(weights, dtype=float)
    if counts.shape != matrix.shape or not (counts >= 0).all() or not np.isfinite(counts).all():
        raise ValueError("weights must be a number from 0 up for each dissimilarity.")
    np.fill_diagonal(counts, 0.0)
    finite = np.isfinite(matrix) | (counts == 0)
    if not finite.all():
        raise DataError(
            "a dissimilarity is missing", row=int(np.argmin(finite.all(axis=1))),
            remedy="Give all of them, or give missing ones a weight of 0.",
        )
    counted = np.where(counts > 0, matrix, 0.0)
    if not np.allclose(counted, counted.T) or not np.allclose(counts, counts.T):
        raise DataError(
            "the dissimilarities of two objects differ by direction",
            remedy="Average the two directions.",
        )
    alone = ~(counts > 0).any(axis=1)
    if alone.any():
        raise DataError(
            "all dissimilarities of an object are missing", row=int(np.argmax(alone)),
            remedy="Leave it out.",
        )
    return matrix, counts
