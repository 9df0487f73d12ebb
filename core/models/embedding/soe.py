"""Soft ordinal embedding: of answers, and of neighbours in a graph."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Number
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding, Prior
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.loss import Loss

#: Added to squared distances, because a distance has no derivative where it is 0.
_ROUNDING = 1e-12
#: Strength per answer and object of a first prior, which keeps the map of a graph so small that
#: it unfolds: most other starts end in folded maps.
_PULL = 0.03


@compiled
def _soe(near2, far2, weight, constants, by_near, by_far):
    margin = constants[0]
    total = 0.0
    for t in range(near2.size):
        near, far = math.sqrt(near2[t] + _ROUNDING), math.sqrt(far2[t] + _ROUNDING)
        short = max(near + margin - far, 0.0)
        total += weight[t] * short * short
        by_near[t] = weight[t] * short / near
        by_far[t] = -weight[t] * short / far
    return total


@register("embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class SOE(OrdinalEmbedding):
    """Soft ordinal embedding.

    Minimises max(0, d_near + margin - d_far)^2. The map grows in proportion to the margin, and
    shrinks where answers contradict each other. The two answers of an odd one out count as two.

    References
    ----------
    Terada, Y., & von Luxburg, U. (2014). Local ordinal embedding. International Conference on
    Machine Learning. Section 3.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.SOE().fit(answers)
    >>> fitted.predict([[0, 1, 9]])  # 434 nm, 445 nm and 600 nm
    array([ True])
    """

    name = "soe"
    title = "SOE"

    margin: Annotated[float, Number(
        1e-3, 1000.0, "Margin",
        "Minimum difference of the two distances in an answer. It sets the size of the map.",
        advanced=True
    )] = 1.0
    prior: Prior = 0.01

    def _loss(self) -> Loss:
        return Loss(_soe, (float(self.margin),))


@register("matrix_embedding")
@dataclass(kw_only=True, eq=False, repr=False)
class LOE(SOE):
    """Local ordinal embedding: a map in which the neighbours in a graph are the nearest objects.

    Soft ordinal embedding of all triplets (i, j, k) where j is a neighbour of i and k is not.

    References
    ----------
    Terada & von Luxburg (2014), section 3: see `SOE`.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.ratings.LOE(n_components=2).fit(answers)
    >>> fitted.embedding_.shape, fitted.triplet_error_ < 0.1
    ((14, 2), True)
    """

    name = "loe"
    title = "LOE"

    max_answers: Annotated[int, Number(
        1, 100_000_000, "Max. comparisons",
        "If a graph implies more, each neighbour is compared with a random subset of the other "
        "objects, for about this many comparisons.", advanced=True
    )] = 200_000

    def fit_graph(self, adjacency: Any, *, progress: Progress = silent) -> Self:
        """Find the map with the lowest loss.

        Parameters
        ----------
        adjacency : array-like or sparse matrix, shape (n, n)
            Row i is not 0 at the neighbours of i; it need not be symmetric.
        progress : Progress

        Raises
        ------
        DataError
            If the matrix is not square, or no object has both a neighbour and a non-neighbour.
        """
        self._check_parameters()
        rows, n_objects = self._comparisons(adjacency)
        triplets = Triplets.from_array(rows, n_objects, name="graph")

        rough = clone(self).set_params(prior=max(self.prior, _PULL * len(rows) / n_objects))
        rough.fit(triplets, progress=part(progress, high=0.5))
        return self.fit(triplets, init_embedding=rough.embedding_, progress=part(progress, low=0.5))

    def _comparisons(self, adjacency: Any) -> tuple[np.ndarray, int]:
        """(T, 3) triplets that the graph implies, and its number of objects."""
        graph = csr_array(adjacency)
        n = graph.shape[0]
        if graph.ndim != 2 or graph.shape[1] != n:
            raise DataError(
                f"a graph needs a square matrix, this one has shape {graph.shape}",
                remedy="Give one row and one column per object.",
            )
        neighbours = [
            np.setdiff1d(graph.indices[low:high][graph.data[low:high] != 0], [i])
            for i, (low, high) in enumerate(
                zip(graph.indptr[:-1], graph.indptr[1:], strict=True)
            )
        ]
        n_answers = sum(len(near) * (n - 1 - len(near)) for near in neighbours)
        share = min(self.max_answers / max(n_answers, 1), 1.0)
        rng = np.random.default_rng(self.seed)
        parts = [np.empty((0, 3), dtype=np.int64)]
        for i, near in enumerate(neighbours):
            others = np.setdiff1d(np.arange(n), [*near, i])
            for j in near if len(others) else ():
                drawn = others
                if share < 1:
                    size = max(int(share * len(others)), 1)
                    drawn = rng.choice(others, size, replace=False)
                parts.append(np.column_stack([np.full((len(drawn), 2), [i, j]), drawn]))
        return np.concatenate(parts), n
