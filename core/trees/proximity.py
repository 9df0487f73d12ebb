"""A kernel from comparisons alone: how often two objects share a leaf of a forest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from tripletscope.core.data.triplets import Answers, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method, MethodParameter, register
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.similarity.kernels.gaussian import MapKernel
from tripletscope.core.trees.forest import ComparisonForest, Trees
from tripletscope.core.trees.oracle import AnswersOracle, Distances


@register("kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class ForestProximity(MapKernel):
    """Proximity in a comparison forest: the share of trees in which two objects share a leaf.

    The triplets answer what they can; a map answers the other questions. Pivots are random; labels
    are not used.

    Attributes
    ----------
    answered_share_ : float
        Share of the questions for growing the trees that the triplets answered.

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
    Breiman, L. (2001). Random forests. Machine Learning, 45, 5-32. Section on proximities.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> fitted = ts.ForestProximity(n_estimators=20).fit(answers)
    >>> fitted.kernel_.shape, 0 < fitted.answered_share_ < 1
    ((14, 14), True)
    """

    name = "proximity"
    title = "Forest proximity"

    basis: Annotated[Method | dict | None, MethodParameter(
        ("embedding",), "Map", "Answers questions that nobody answered.",
        automatic=DEFAULT_EMBEDDING.title
    )] = None
    n_estimators: Trees = 200
    leaf_size: Annotated[int, Number(
        2, 1000, "Leaf size", "Cells of at most this many objects are not divided. Larger leaves "
        "reveal larger structures."
    )] = 8
    seed: Seed = 0

    def _fit_mapped(self, fitted: Method, triplets: Answers) -> None:
        self.placed_ = fitted.placed_
        objects = np.flatnonzero(self.placed_)
        oracle = AnswersOracle(as_triplets(triplets), otherwise=Distances(fitted.distances()))
        forest = ComparisonForest(
            metric=oracle, n_estimators=self.n_estimators, leaf_size=self.leaf_size,
            seed=self.seed,
        ).fit(objects)
        self.gram_ = np.zeros((triplets.n_objects, triplets.n_objects))
        self.gram_[np.ix_(objects, objects)] = forest.proximity()
        self.features_, self.n_objects_ = None, triplets.n_objects
        self.answered_share_ = float(oracle.answered_share)
