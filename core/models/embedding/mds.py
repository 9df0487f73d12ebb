"""Multidimensional scaling of dissimilarities, metric and non-metric."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances, principal_axes, rms
from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.method import register
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding.ordinal import Embedding, Starts, Tolerance
from tripletscope.core.models.optimise.minimise import minimise, restarts

#: Stress is minimised as a percentage, squared, so that tolerances are shares of it.
_PERCENT = 1e4
#: Axes through which the starts of a line lie, and lines of which each start is the best.
_AXES, _LINES = 3, 10

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
        Positions, centred, on their principal axes. Metric scaling: in units of the
        dissimilarities; non-metric: with an arbitrary root mean square of 1.
    loss_ : float
        Stress-1 of the best start: 0 is perfect, 0.1 fair.
    losses_ : ndarray, shape (n_init,)
    dissimilarities_ : ndarray, shape (n, n)
        The input, with zeros on the diagonal.
    disparities_ : ndarray, shape (n, n)
        The allowed values closest to the distances; NaN for pairs of weight 0. A Shepard
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
        """The function that finds the disparities; dissimilarities and weights (p,), above 0."""
        raise NotImplementedError

    def _first(self, dissimilarities: np.ndarray) -> np.ndarray:
        """(p,) distances from which the first start is made."""
        raise NotImplementedError

    def _enlargement(
        self, dissimilarities: np.ndarray, weight: np.ndarray, lengths: np.ndarray
    ) -> float:
        """Factor from a map with distances (p,) to the fitted one; 0 for a map of unit size."""
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
            Weight of each pair in the stress, 0 or more (default 1). Pairs of weight 0 may be NaN.
        progress : Progress
            A stop keeps the best map so far.

        Raises
        ------
        DataError
            If the matrix is not square and symmetric, a pair that counts is not a number, or an
            object has no pair that counts.
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
            # The regression is the closest point of a cone, so its own change adds nothing.
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
                self._starts(
                    self._first(dissimilarities), upper, shape, lambda x: objective(x)[0]
                ),
                progress=part(progress, show=lambda x: x.reshape(shape)),
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
        self, first: np.ndarray, upper: tuple[np.ndarray, np.ndarray], shape: tuple[int, int],
        stress: Callable[[np.ndarray], float],
    ) -> list[np.ndarray]:
        """Classical scaling (Torgerson 1952), then noise.

        On a line objects hardly pass each other, and noise ends in local minima: each other start
        is the best of some lines in random directions through the first axes.
        """
        n, d = shape
        # Missing pairs begin at the mean of the others.
        square = np.full((n, n), np.mean(first**2)) if len(first) < n * (n - 1) // 2 else (
            np.zeros((n, n))
        )
        np.fill_diagonal(square, 0.0)
        square[upper] = square[upper[::-1]] = first**2
        means = square.mean(axis=0)
        values, vectors = np.linalg.eigh(-0.5 * (square - means - means[:, None] + means.mean()))
        axes = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
        scaled = np.zeros(shape)
        leading = min(n, d)
        scaled[:, :leading] = axes[:, :leading]
        seeds = np.random.SeedSequence(self.seed).spawn(self.n_init - 1)
        rngs = [np.random.default_rng(seed) for seed in seeds]
        if d == 1:
            lines = (rng.standard_normal((_LINES, min(n, _AXES))) @ axes[:, :_AXES].T
                     for rng in rngs)
            others = [min((one / (rms(one) or 1.0) for one in some), key=stress) for some in lines]
        else:
            others = [rng.standard_normal(n * d) for rng in rngs]
        return [(scaled / (rms(scaled) or 1.0)).ravel(), *others]

    def _look_at_fit(
        self, regression: Regression, upper: tuple[np.ndarray, np.ndarray], weight: np.ndarray
    ) -> None:
        lengths = self.distances()
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


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class MDS(Scaling):
    """Metric multidimensional scaling of given dissimilarities.

    Minimises stress-1 of the distances against the dissimilarities, by gradients from classical
    scaling and from random starts: against multiples of them (ratio), or against a straight line
    (interval), where zero is arbitrary, as in ratings. SMACOF's stress has the same minima.

    References
    ----------
    de Leeuw, J., & Mair, P. (2009). Multidimensional scaling using majorization: SMACOF in R.
    Journal of Statistical Software, 31(3), 1-30.
    Borg, I., & Groenen, P. J. F. (2005). Modern multidimensional scaling. Springer. Chapters 8, 9.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1.2], [2, 0.5]])
    >>> apart = np.linalg.norm(corners[:, None] - corners, axis=2)
    >>> fitted = ts.ratings.MDS().fit_dissimilarities(apart)
    >>> np.allclose(fitted.distances(), apart, atol=1e-3)
    True
    """

    name = "mds"
    title = "Metric MDS"

    transform: Annotated[str, Choice(
        {"ratio": "Ratio", "interval": "Interval"}, "Scale of dissimilarities",
        "Ratio: twice as dissimilar is twice as far, as for arrangements and measured "
        "distances. Interval: any straight line, as for ratings, whose zero is arbitrary."
    )] = "ratio"

    def _regression(self, dissimilarities: np.ndarray, weight: np.ndarray) -> Regression:
        return _Line(dissimilarities, weight, self.transform == "interval")

    def _first(self, dissimilarities: np.ndarray) -> np.ndarray:
        return dissimilarities

    def _enlargement(
        self, dissimilarities: np.ndarray, weight: np.ndarray, lengths: np.ndarray
    ) -> float:
        # The size at which the squared differences, which SMACOF minimises, are smallest.
        if self.transform == "interval":
            dissimilarities = dissimilarities - dissimilarities.mean()
            lengths = lengths - lengths.mean()
        square = float((weight * lengths) @ lengths)
        return float((weight * dissimilarities) @ lengths) / (square or 1.0)


class _Line:
    """Regression of distances on dissimilarities by a line that does not fall.

    It passes through zero unless it is `free`.
    """

    def __init__(self, dissimilarities: np.ndarray, weight: np.ndarray, free: bool) -> None:
        self._weight, self._free = weight / weight.sum(), free
        centre = self._weight @ dissimilarities if free else 0.0
        self._predictor = dissimilarities - centre
        self._square = float(self._weight @ self._predictor**2)

    def __call__(self, distances: np.ndarray) -> np.ndarray:
        """(p,) the values on such a line that are closest to distances (p,)."""
        slope = float(self._weight @ (distances * self._predictor)) / (self._square or 1.0)
        begin = float(self._weight @ distances) if self._free else 0.0
        return begin + max(slope, 0.0) * self._predictor


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class NMDS(Scaling):
    """Non-metric multidimensional scaling of given dissimilarities.

    Minimises Kruskal's stress-1 of the distances against the best monotone transform of the
    dissimilarities, by gradients. The first start is the classical scaling of the ranks, without
    which one-dimensional scales end in local minima; the others are random.

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
    >>> fitted = ts.ratings.NMDS().fit_dissimilarities(apart**2)
    >>> round(fitted.loss_, 3)
    0.0
    """

    name = "nmds"
    title = "NMDS"

    ties: Annotated[str, Choice(
        {
            "primary": "Primary: may differ",
            "secondary": "Secondary: stay equal",
            "tertiary": "Tertiary: on average",
        },
        "Tied dissimilarities",
        "Kruskal's approaches: distances of tied pairs may differ, should be equal, or are in "
        "order on average. R's MASS and vegan use the primary one. Ratings with few "
        "levels have many ties, and the secondary approach constrains their map strongly."
    )] = "primary"

    def _regression(self, dissimilarities: np.ndarray, weight: np.ndarray) -> Regression:
        return _Monotone(rankdata(dissimilarities, method="dense"), self.ties, weight)

    def _first(self, dissimilarities: np.ndarray) -> np.ndarray:
        return rankdata(dissimilarities, method="dense").astype(float)


class _Monotone:
    """Monotone regression of distances on dissimilarities, of which it takes dense ranks from 1."""

    def __init__(self, ranks: np.ndarray, ties: str, weight: np.ndarray) -> None:
        self._group, self._weight = ranks.astype(np.int64) - 1, weight
        self._sizes = np.bincount(self._group, weight)
        self._order = np.argsort(self._group, kind="stable")
        self._ties = ties if len(self._sizes) < len(ranks) else "none"

    def __call__(self, distances: np.ndarray) -> np.ndarray:
        """(p,) the values in an allowed order that are closest to distances (p,)."""
        if self._ties in ("primary", "none"):
            order = self._order
            if self._ties == "primary":
                order = np.lexsort((distances, self._group))
            fit = np.empty_like(distances)
            fit[order] = isotonic_regression(distances[order], weights=self._weight[order]).x
            return fit
        means = np.bincount(self._group, self._weight * distances) / self._sizes
        fitted = isotonic_regression(means, weights=self._sizes).x
        if self._ties == "secondary":
            return fitted[self._group]
        return distances + (fitted - means)[self._group]
