"""Kernels of a map, and the Gaussian kernel on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.spatial.distance import pdist, squareform

from tripletscope.core.data.errors import DataError, refuse_lengths
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import Method, MethodParameter, make_method, register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.similarity.kernels.kernel import Kernel, refuse_matrix


@dataclass(kw_only=True, eq=False, repr=False)
class MapKernel(Kernel):
    """Similarities that need a map."""

    basis: Annotated[Method | dict | None, MethodParameter(
        ("embedding",), "Map", "The map that the kernel needs.", automatic=DEFAULT_EMBEDDING.title
    )] = None

    def fit(
        self, triplets: Answers, y: Any = None, *, sample_weight: Any = None,
        progress: Progress = silent,
    ) -> Self:
        """Fit the map, then the kernel.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
            Or Quadruples, for kernels that need the map alone.
        progress : Progress
            For the map; a stop keeps the kernel of the map so far.

        Raises
        ------
        DataError
            If there are no usable answers, or too many objects for a matrix.
        """
        data = self._to_learn(triplets, y, sample_weight)
        refuse_matrix(data.n_objects)
        fitted = make_method(self.basis or DEFAULT_EMBEDDING()).fit(data, progress=progress)
        self._fit_mapped(fitted, data)
        self.stopped_ = fitted.stopped_
        return self

    def _fit_mapped(self, fitted: Method, triplets: Answers) -> None:
        """Compute the kernel from the map."""
        raise NotImplementedError


@register("kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class GaussianKernel(MapKernel):
    """Gaussian kernel exp(-d^2 / (2 s^2)) of the distances d in an ordinal embedding.

    Similarity falls with distance in the map like a Gaussian with standard deviation s, the
    bandwidth.

    Attributes
    ----------
    bandwidth_ : float
        s, in units of the map.

    References
    ----------
    Schölkopf, B., & Smola, A. J. (2002). Learning with kernels. MIT Press. Section 2.3. The median
    distance as bandwidth: Gretton, A., et al. (2012). A kernel two-sample test. Journal of Machine
    Learning Research, 13, 723-773. Section 8.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.GaussianKernel().fit(answers)
    >>> fitted.kernel_.shape, fitted.bandwidth_ > 0
    ((14, 14), True)
    """

    name = "gaussian"
    title = "Gaussian on a map"

    basis: Annotated[Method | dict | None, MethodParameter(
        ("embedding",), "Map", "The kernel is computed from the distances in this map.",
        automatic=DEFAULT_EMBEDDING.title
    )] = None
    bandwidth: Annotated[float | None, Number(
        1e-6, 1e6, "Bandwidth",
        "Distance, in units of the map, at which similarity has fallen to 0.61.",
        automatic="median distance"
    )] = None

    def _fit_mapped(self, fitted: Method, triplets: Answers) -> None:
        self.fit_positions(fitted.embedding_, fitted.placed_)

    def fit_positions(self, positions: Any, placed: np.ndarray | None = None) -> Self:
        """Compute the kernel of positions.

        Parameters
        ----------
        positions : array-like, shape (n, d)
        placed : ndarray of bool, shape (n,), optional
            Positions to use; by default all.

        Raises
        ------
        DataError
            If a position is not finite, or there are too many objects for a matrix.
        """
        self._check_parameters()
        positions = np.asarray(positions, dtype=float)
        if positions.ndim != 2 or not np.isfinite(positions).all():
            raise DataError(
                "positions must be a table of finite numbers, one row per object",
                remedy="Remove objects without a position.",
            )
        n = len(positions)
        refuse_matrix(n)
        placed = np.ones(n, dtype=bool) if placed is None else np.asarray(placed, dtype=bool)
        refuse_lengths(positions=n, flags_of_placed=placed)
        distances = pdist(positions[placed])
        typical = float(np.median(distances)) if len(distances) else 0.0
        self.bandwidth_ = self.bandwidth or typical or 1.0
        self.gram_ = np.zeros((n, n))
        similar = squareform(np.exp(-0.5 * (distances / self.bandwidth_) ** 2))
        np.fill_diagonal(similar, 1.0)
        self.gram_[np.ix_(placed, placed)] = similar
        self.features_, self.placed_, self.n_objects_ = None, placed, n
        self.stopped_ = False
        return self
