"""A kernel from comparisons alone: how often two objects share a leaf of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.embedding import STE
from tripletscope.core.kernel.kernel import Kernel, refuse_matrix
from tripletscope.core.method import Inner, Method, Number, register, unfitted
from tripletscope.core.tree.forest import ComparisonForest, Trees
from tripletscope.core.tree.oracle import AnswersOracle, Distances


@register("kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class ForestProximity(Kernel):
    """Proximity in a comparison forest: the share of trees in which two objects share a leaf.

    Questions that the triplets answer are answered by them, the others by a map. Pivots are
    random; no labels are used.

    Attributes
    ----------
    answered_share_ : float
        Of the questions that growing the trees took, those that the triplets answered.

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
    Breiman, L. (2001). Random forests. Machine Learning, 45, 5-32. Section on proximities.
    """

    name = "proximity"
    title = "Forest proximity"

    basis: Annotated[
        Method | dict | None,
        Inner(("embedding",), "Map", "Answers questions that nobody was asked.", automatic="STE"),
    ] = None
    n_estimators: Trees = 200
    leaf_size: Annotated[
        int,
        Number(
            2, 1000, "Leaf size", "Cells of this many objects are not divided. Larger leaves "
            "reveal larger structures.",
        ),
    ] = 8
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0

    def fit(self, triplets: Triplets, y: Any = None, *, progress: Progress = silent) -> Self:
        """Find the map and grow the forest.

        Parameters
        ----------
        triplets : Triplets or array-like of int, shape (T, 3)
        y : ignored
        progress : Progress
            Of the map; a stop keeps the kernel of the map so far.

        Raises
        ------
        DataError
            If there is no answer to learn from, or the objects are too many for a matrix.
        """
        self._check_parameters()
        given = as_triplets(triplets)
        refuse_matrix(given.n_objects)
        fitted = unfitted(self.basis or STE()).fit(given, progress=progress)
        self.placed_ = fitted.placed_
        objects = np.flatnonzero(self.placed_)
        oracle = AnswersOracle(given, otherwise=Distances(fitted.distances()))
        forest = ComparisonForest(
            metric=oracle, n_estimators=self.n_estimators, leaf_size=self.leaf_size,
            seed=self.seed,
        ).fit(objects)
        self.gram_ = np.zeros((given.n_objects, given.n_objects))
        self.gram_[np.ix_(objects, objects)] = forest.proximity()
        self.features_, self.n_objects_ = None, given.n_objects
        self.answered_share_ = float(oracle.answered_share)
        self.stopped_ = fitted.stopped_
        return self
