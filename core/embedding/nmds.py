"""Non-metric multidimensional scaling of dissimilarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata

from tripletscope.core.embedding.ordinal import Starts, Tolerance
from tripletscope.core.embedding.stress import Regression, Scaling
from tripletscope.core.method import Choice, Number, register
from tripletscope.core.options import Seed


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class NMDS(Scaling):
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
    seed: Seed = 0

    def _regression(self, given: np.ndarray, weight: np.ndarray) -> Regression:
        return _Monotone(rankdata(given, method="dense"), self.ties, weight)

    def _first(self, given: np.ndarray) -> np.ndarray:
        return rankdata(given, method="dense").astype(float)


class _Monotone:
    """Monotone regression of distances on dissimilarities with ties.

    Shapes: weight (p,).
    ranks (p,): Dense, from 1.
    ties: "primary", "secondary" or "tertiary".
    """

    def __init__(self, ranks: np.ndarray, ties: str, weight: np.ndarray) -> None:
        self._group, self._weight = ranks.astype(np.int64) - 1, weight
        self._sizes = np.bincount(self._group, weight)
        self._order = np.argsort(self._group, kind="stable")
        self._ties = ties if len(self._sizes) < len(ranks) else "none"

    def __call__(self, apart: np.ndarray) -> np.ndarray:
        """(p,) the values closest to distances (p,) whose order is allowed."""
        if self._ties in ("primary", "none"):
            order = self._order
            if self._ties == "primary":
                order = np.lexsort((apart, self._group))
            found = np.empty_like(apart)
            found[order] = isotonic_regression(apart[order], weights=self._weight[order]).x
            return found
        means = np.bincount(self._group, self._weight * apart) / self._sizes
        fitted = isotonic_regression(means, weights=self._sizes).x
        if self._ties == "secondary":
            return fitted[self._group]
        return apart + (fitted - means)[self._group]
