"""Metric multidimensional scaling of dissimilarities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.embedding.ordinal import Starts, Tolerance
from tripletscope.core.embedding.stress import Regression, Scaling
from tripletscope.core.method import Choice, Number, register
from tripletscope.core.options import Seed


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class MDS(Scaling):
    """Metric multidimensional scaling of given dissimilarities.

    Minimises stress-1 of the distances against the dissimilarities, as SMACOF does, whose stress
    has the same minima: against multiples of them (ratio), or against a straight line of them
    (interval), where zero is arbitrary, as in ratings. By gradients, from classical scaling and
    from random starts.

    Attributes
    ----------
    embedding_ : ndarray, shape (n, d)
        Positions, centred, turned to their principal axes, in units of the dissimilarities.
    loss_ : float
        Stress-1 of the best start: 0 is perfect.
    losses_ : ndarray, shape (n_init,)
    dissimilarities_ : ndarray, shape (n, n)
        As they were given, with zeros on the diagonal.
    disparities_ : ndarray, shape (n, n)
        The dissimilarities, or the line of them, that the distances should be; NaN for pairs of
        weight 0.
    stress_per_object_ : ndarray, shape (n,)
        Share of every object in the squared stress; they sum to 1, or are 0 where it is 0.
    n_iter_ : int
        Iterations of the best start.
    converged_, stopped_ : bool
    n_objects_ : int

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

    n_components: Annotated[int, Number(1, 20, "Dimensions", "Coordinates per object.")] = 2
    transform: Annotated[
        str,
        Choice(
            {"ratio": "Ratio: distances are multiples", "interval": "Interval: zero is arbitrary"},
            "Dissimilarities are",
            "Ratio: twice as dissimilar is twice as far, as for arrangements and measured "
            "distances. Interval: any straight line, as for ratings, whose zero is arbitrary.",
        ),
    ] = "ratio"
    n_init: Starts = 10
    max_iter: Annotated[
        int, Number(1, 100_000, "Max. iterations", advanced=True)
    ] = 1000
    tol: Tolerance = 1e-9
    seed: Seed = 0

    def _regression(self, given: np.ndarray, weight: np.ndarray) -> Regression:
        return _Line(given, weight, self.transform == "interval")

    def _first(self, given: np.ndarray) -> np.ndarray:
        return given

    def _enlargement(self, given: np.ndarray, weight: np.ndarray, apart: np.ndarray) -> float:
        # The size at which the squared differences, which SMACOF minimises, are smallest.
        if self.transform == "interval":
            given = given - given.mean()
            apart = apart - apart.mean()
        return float((weight * given) @ apart) / (float((weight * apart) @ apart) or 1.0)


class _Line:
    """Regression of distances on dissimilarities by a line that does not fall.

    Shapes: given, weight (p,).
    free: Whether it may begin elsewhere than at zero.
    """

    def __init__(self, given: np.ndarray, weight: np.ndarray, free: bool) -> None:
        self._weight, self._free = weight / weight.sum(), free
        self._given = given - self._weight @ given if free else given
        self._square = float(self._weight @ self._given**2)

    def __call__(self, apart: np.ndarray) -> np.ndarray:
        """(p,) the values closest to distances (p,) on such a line."""
        slope = float(self._weight @ (apart * self._given)) / (self._square or 1.0)
        begin = float(self._weight @ apart) if self._free else 0.0
        return begin + max(slope, 0.0) * self._given
