"""Multidimensional scaling of dissimilarities, metric and non-metric."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata

from tripletscope.core.declared import Choice
from tripletscope.core.embedding.stress import Regression, Scaling
from tripletscope.core.method import register


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class MDS(Scaling):
    """Metric multidimensional scaling of given dissimilarities.

    Minimises stress-1 of the distances against the dissimilarities, as SMACOF does, whose stress
    has the same minima: against multiples of them (ratio), or against a straight line of them
    (interval), where zero is arbitrary, as in ratings. By gradients, from classical scaling and
    from random starts.

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
    >>> fitted = ts.MDS().fit_dissimilarities(apart)
    >>> np.allclose(fitted.distances(), apart, atol=1e-3)
    True
    """

    name = "mds"
    title = "Metric MDS"

    transform: Annotated[str, Choice(
        {"ratio": "Ratio: distances are multiples", "interval": "Interval: zero is arbitrary"},
        "Dissimilarities are",
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

    Shapes: given, weight (p,).
    free: Whether it may begin elsewhere than at zero.
    """

    def __init__(self, dissimilarities: np.ndarray, weight: np.ndarray, free: bool) -> None:
        self._weight, self._free = weight / weight.sum(), free
        self._given = dissimilarities - self._weight @ dissimilarities if free else dissimilarities
        self._square = float(self._weight @ self._given**2)

    def __call__(self, distances: np.ndarray) -> np.ndarray:
        """(p,) the values closest to distances (p,) on such a line."""
        slope = float(self._weight @ (distances * self._given)) / (self._square or 1.0)
        begin = float(self._weight @ distances) if self._free else 0.0
        return begin + max(slope, 0.0) * self._given


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class NMDS(Scaling):
    """Non-metric multidimensional scaling of given dissimilarities.

    Minimises Kruskal's stress-1 of the distances against the best monotone transform of the
    dissimilarities, by gradients until it falls no further. The first start is the classical
    scaling of the ranks, without which one-dimensional scales end in local minima; the others are
    random.

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

    def _regression(self, dissimilarities: np.ndarray, weight: np.ndarray) -> Regression:
        return _Monotone(rankdata(dissimilarities, method="dense"), self.ties, weight)

    def _first(self, dissimilarities: np.ndarray) -> np.ndarray:
        return rankdata(dissimilarities, method="dense").astype(float)


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

    def __call__(self, distances: np.ndarray) -> np.ndarray:
        """(p,) the values closest to distances (p,) whose order is allowed."""
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
