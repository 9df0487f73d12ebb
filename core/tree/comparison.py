"""How well trees find nearest neighbours on a map, against the size of their leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from tripletscope.core.computing.progress import Progress, part, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.declared import Number
from tripletscope.core.evaluation.share import wilson
from tripletscope.core.kernel.space import space_of
from tripletscope.core.method import Method
from tripletscope.core.options import Seed
from tripletscope.core.task import task
from tripletscope.core.tree.forest import ComparisonForest
from tripletscope.core.tree.projection import KDTree, PATree, RPTree
from tripletscope.core.tree.quality import search_errors
from tripletscope.core.tree.rank_cover import RankCoverTree
from tripletscope.core.tree.tree import ComparisonTree, Neighbours

#: Leaf sizes that are tried, and coverages of the rank cover tree, which has no leaves.
_LEAVES = (1, 2, 4, 8, 16, 32, 64)
_COVERAGES = (1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class SearchCurve:
    """Nearest neighbours that c trees of several kinds and sizes found, or missed.

    Attributes
    ----------
    trees : ndarray of str, shape (c,)
        What kind of tree.
    sizes : ndarray, shape (c,)
        Leaf size n0, or coverage of a rank cover tree.
    missed : ndarray of bool, shape (c, m)
        Whether the neighbour of each object was missed.
    excess : ndarray, shape (c,)
        Mean relative distance error.
    asked : ndarray, shape (c,)
        Questions about an object, on average; projection trees ask none and measure instead.
    to_build : ndarray, shape (c,)
        Questions to grow the trees; NaN for those that do not ask.
    """

    trees: np.ndarray
    sizes: np.ndarray
    missed: np.ndarray
    excess: np.ndarray
    asked: np.ndarray
    to_build: np.ndarray

    def table(self) -> pd.DataFrame:
        """All of it, with 95 % intervals by Wilson of the miss rate."""
        rates = self.missed.mean(axis=1)
        low, high = np.array([wilson(rate, self.missed.shape[1]) for rate in rates]).T
        return pd.DataFrame({
            "tree": self.trees, "size": self.sizes, "miss rate": rates, "low": low, "high": high,
            "distance error": self.excess, "questions per search": self.asked,
            "questions to build": self.to_build,
        })


@task("Searching for neighbours", "embedding", "kernel", "features")
def search_curve(
    method: Method,
    triplets: Triplets,
    *,
    n_trees: Annotated[int, Number(
        2, 100, "Trees of the forest", "Compared with one tree, for as many questions."
    )] = 10,
    folds: Annotated[int, Number(
        2, 100_000, "Folds",
        "The neighbours of each part are searched in trees of the others; as many folds as "
        "objects leave one out.", advanced=True
    )] = 10,
    max_objects: Annotated[int, Number(
        10, 100_000, "Objects searched for", "Fewer are faster, with wider intervals.",
        advanced=True
    )] = 1000,
    seed: Seed = 0,
    progress: Progress = silent,
) -> SearchCurve:
    """How often trees miss the nearest neighbour on a map, or by the distances of a kernel.

    Comparison trees, forests of them and rank cover trees ask; KD, RP and PA trees, which need
    coordinates, are there where the method has some.
    """
    space = space_of(clone(method).fit(as_triplets(triplets)))
    if len(space) < 4:
        raise DataError(
            "neighbours can be searched among four objects or more", remedy="Use more answers."
        )
    measured = space.vectors is not None
    X = space.vectors if measured else space.distances()
    metric = "euclidean" if measured else "precomputed"
    tried = list(_trees(metric, len(space), n_trees))
    results = []
    for number, (_, _, tree) in enumerate(tried):
        results.append(search_errors(
            tree, X, folds=folds, max_objects=max_objects, seed=seed,
            progress=part(progress, number / len(tried), (number + 1) / len(tried)),
        ))
    return SearchCurve(
        np.array([name for name, _, _ in tried]), np.array([size for _, size, _ in tried], float),
        np.array([errors.missed for errors in results]),
        np.array([errors.mean_excess for errors in results]),
        np.array([errors.asked.mean() for errors in results]),
        np.array([errors.to_build for errors in results]),
    )


def _trees(metric: str, n_objects: int, n_trees: int) -> Iterator[tuple[str, float, BaseEstimator]]:
    """Name, size and tree of all that are compared."""
    leaves = [size for size in _LEAVES if 2 * size <= n_objects]
    for size in leaves:
        yield "Comparison tree", size, ComparisonTree(metric=metric, leaf_size=size)
    for size in leaves:
        forest = _CountingForest(metric=metric, n_estimators=n_trees, leaf_size=size)
        yield f"{n_trees} comparison trees", size, forest
    if metric == "euclidean":
        for name, tree in (("KD tree", KDTree), ("RP tree", RPTree), ("PA tree", PATree)):
            for size in leaves:
                yield name, size, tree(leaf_size=size)
    for coverage in _COVERAGES:
        yield "Rank cover tree", coverage, RankCoverTree(metric=metric, coverage=coverage)


class _CountingForest(ComparisonForest):
    """A forest that says how much it asked about its queries, on average."""

    def kneighbors(self, X: Any = None, n_neighbors: int = 1) -> Neighbours:
        before = self.oracle_.n_questions
        neighbours = super().kneighbors(X, n_neighbors)
        share = (self.oracle_.n_questions - before) / len(neighbours)
        return Neighbours(neighbours, np.full(len(neighbours), share))
