"""How often trees find nearest neighbours, and the theory of their height."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.similarity.kernels.space import space_of
from tripletscope.core.trees.forest import ComparisonForest
from tripletscope.core.trees.oracle import Vectors
from tripletscope.core.trees.tree import ComparisonTree, Neighbours

#: Leaf sizes to try.
_LEAVES = (1, 2, 4, 8, 16, 32, 64)


@dataclass(frozen=True)
class SearchErrors:
    """Searches for the nearest neighbours of objects that a tree was grown without.

    missed bool (n,): Whether the result is farther than the nearest neighbour, or none.
    excess (n,): Ratio of the two distances, less one; NaN without a result or for distance 0.
    n_questions (n,): Questions about each object.
    to_build: Mean number of questions to grow a tree.
    """

    missed: np.ndarray
    excess: np.ndarray
    n_questions: np.ndarray
    to_build: float

    @classmethod
    def joined(cls, parts: Sequence[SearchErrors]) -> SearchErrors:
        """Those of several trees."""
        *columns, to_build = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*map(np.concatenate, columns), float(np.mean(to_build)))

    @property
    def mean_excess(self) -> float:
        """Mean relative distance error (Liu et al. 2004)."""
        finite = self.excess[np.isfinite(self.excess)]
        return float(finite.mean()) if len(finite) else np.nan


def search_errors(
    estimator: BaseEstimator, X: np.ndarray, *, folds: int = 10, max_objects: int = 1_000_000,
    seed: int = 0, progress: Progress = silent,
) -> SearchErrors:
    """How often a tree misses the nearest neighbours of at most `max_objects` held-out objects.

    estimator: A comparison tree or forest; each fold fits a clone with its own seed.
    X: Vectors (n, d) or distances (n, n).
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    share = min(max_objects / len(X), 1.0)
    items = []
    for fold in np.array_split(order, min(folds, len(X))):
        fresh = clone(estimator).set_params(seed=int(rng.integers(2**31)))
        test = fold[: max(round(share * len(fold)), 1)]
        items.append((fresh, X, np.setdiff1d(order, fold), test))
        if sum(len(test) for *_, test in items) >= max_objects:
            break
    return SearchErrors.joined(list(results_of(_fold_errors, items, progress)))


def _fold_errors(
    estimator: BaseEstimator, X: np.ndarray, train: np.ndarray, test: np.ndarray, halt: CancelToken
) -> SearchErrors:
    """Neighbours of the test objects in a tree of the others."""
    if estimator.metric == "precomputed":
        training, queries = X[np.ix_(train, train)], X[np.ix_(test, train)]
        distances = queries
    else:
        training, queries = X[train], X[test]
        distances = Vectors(training, estimator.metric).about(queries).distances()
    tree = clone(estimator).fit(training)
    neighbours = tree.kneighbors(queries)
    if isinstance(neighbours, Neighbours):
        neighbours, n_asked = neighbours
    else:  # a forest counts the questions about all objects together
        share = (tree.oracle_.n_questions - tree.n_questions_) / len(test)
        n_asked = np.full(len(test), share)
    nearest, first = distances.min(axis=1), neighbours[:, 0]
    reached = np.where(first >= 0, distances[np.arange(len(test)), first], np.inf)
    usable = (nearest > 0) & np.isfinite(reached)
    excess = np.full(len(test), np.nan)
    excess[usable] = reached[usable] / nearest[usable] - 1
    return SearchErrors(reached > nearest, excess, n_asked, tree.n_questions_)


def expansion_rates(distances: Iterable[np.ndarray]) -> np.ndarray:
    """(m,) how fast the balls around each object fill, from distances (m, n) to all objects.

    Rows are taken one after the other.

    The smallest c with |B(x, 2r)| <= c |B(x, r)| for all r > 0 (Haghiri et al. 2017), estimated
    as in section 2.3.3 of Haghiri's thesis.
    """
    rates = []
    for unsorted in distances:
        row = np.sort(unsorted)
        # The ratio is largest where the larger ball has just reached another object.
        larger = np.searchsorted(row, row, side="right")
        smaller = np.searchsorted(row, row / 2, side="right")
        rates.append((larger / smaller).max())
    return np.array(rates)


def height_bound(n_objects: int, leaf_size: int, expansion: float, epsilon: float = 0.05) -> float:
    """Height that a comparison tree stays below with probability 1 - `epsilon`.

    h* = 3 log(e / epsilon) + 96 c^2 log(n / n0), for the strong expansion rate c (Haghiri,
    Ghoshdastidar & von Luxburg 2017, Theorem 1).
    """
    return float(
        3 * np.log(np.e / epsilon) + 96 * expansion**2 * np.log(max(n_objects / leaf_size, 1))
    )


@dataclass(frozen=True)
class SearchCurve:
    """Searches for nearest neighbours by c trees and forests of several sizes.

    Attributes
    ----------
    trees : ndarray of str, shape (c,)
        A comparison tree, or several.
    sizes : ndarray, shape (c,)
        Leaf size n0.
    missed : ndarray of bool, shape (c, m)
        Whether the search missed each object's nearest neighbour.
    excess : ndarray, shape (c,)
        Mean relative distance error.
    asked : ndarray, shape (c,)
        Mean questions per object.
    to_build : ndarray, shape (c,)
        Questions to grow the trees.
    """

    trees: np.ndarray
    sizes: np.ndarray
    missed: np.ndarray
    excess: np.ndarray
    asked: np.ndarray
    to_build: np.ndarray

    def table(self) -> pd.DataFrame:
        """One row per tree, with 95 % intervals by Wilson of the miss rate."""
        rates = self.missed.mean(axis=1)
        low, high = np.array([wilson(rate, self.missed.shape[1]) for rate in rates]).T
        return pd.DataFrame({
            "tree": self.trees, "size": self.sizes, "miss rate": rates, "low": low, "high": high,
            "distance error": self.excess, "questions per search": self.asked,
            "questions to build": self.to_build,
        })


@task("Searching for neighbours", "embedding", "kernel", "features")
def search_curve(
    method: Method, triplets: Triplets, *,
    n_trees: Annotated[int, Number(
        2, 100, "Trees of the forest", "Compared with one tree, for the same number of questions."
    )] = 10,
    folds: Annotated[int, Number(
        2, 100_000, "Folds",
        "Neighbours of each fold are searched in trees of the others; as many folds as objects "
        "leave one out.", advanced=True
    )] = 10,
    max_objects: Annotated[int, Number(
        10, 100_000, "Objects searched for", "Fewer are faster, with wider intervals.",
        advanced=True
    )] = 1000,
    seed: Seed = 0, progress: Progress = silent,
) -> SearchCurve:
    """How often trees miss the nearest neighbour on a map, or by the distances of a kernel."""
    space = space_of(clone(method).fit(as_triplets(triplets)))
    if len(space) < 4:
        raise DataError(
            "neighbours can be searched among four objects or more", remedy="Use more answers."
        )
    X, metric = space.vectors, "euclidean"
    if X is None:
        X, metric = space.distances(), "precomputed"
    names, sizes, trees = zip(*_trees(metric, len(space), n_trees), strict=True)
    results = [
        search_errors(
            tree, X, folds=folds, max_objects=max_objects, seed=seed,
            progress=part(progress, number / len(trees), (number + 1) / len(trees)),
        )
        for number, tree in enumerate(trees)
    ]
    return SearchCurve(
        np.array(names), np.array(sizes, float),
        np.array([errors.missed for errors in results]),
        np.array([errors.mean_excess for errors in results]),
        np.array([errors.n_questions.mean() for errors in results]),
        np.array([errors.to_build for errors in results]),
    )


def _trees(metric: str, n_objects: int, n_trees: int) -> Iterator[tuple[str, float, BaseEstimator]]:
    """Name, size and tree of everything compared."""
    leaves = [size for size in _LEAVES if 2 * size <= n_objects]
    for size in leaves:
        yield "Comparison tree", size, ComparisonTree(metric=metric, leaf_size=size)
    for size in leaves:
        forest = ComparisonForest(metric=metric, n_estimators=n_trees, leaf_size=size)
        yield f"{n_trees} comparison trees", size, forest
