"""How well trees find nearest neighbours, and what the theory says of their height."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from sklearn.base import BaseEstimator, clone

from tripletscope.core.computing.parallel import Halt, results_of
from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.declared import Number
from tripletscope.core.options import Seed
from tripletscope.core.task import declared
from tripletscope.core.tree.oracle import Vectors


@dataclass(frozen=True)
class SearchErrors:
    """Nearest neighbours of objects that a tree was grown without.

    missed bool (n,): Whether something farther than the nearest neighbour was found, or nothing.
    excess (n,): Distance to what was found, as a multiple of the distance to the nearest neighbour,
        less one; NaN where nothing was found or the neighbour is at distance 0.
    asked (n,): Questions about each object.
    to_build: Questions to grow a tree, on average; NaN for trees that do not ask.
    """

    missed: np.ndarray
    excess: np.ndarray
    asked: np.ndarray
    to_build: float

    @property
    def mean_excess(self) -> float:
        """Mean relative distance error (Liu et al. 2004)."""
        finite = self.excess[np.isfinite(self.excess)]
        return float(finite.mean()) if len(finite) else np.nan


@declared
def search_errors(
    estimator: BaseEstimator,
    X: np.ndarray,
    *,
    folds: Annotated[int, Number(
        2, 1_000_000, "Folds",
        "The neighbours of each part are searched in a tree of the others; as many folds as "
        "objects leave one out."
    )] = 10,
    max_objects: Annotated[
        int, Number(1, 1_000_000, "Objects", "Number of objects whose neighbours are searched.")
    ] = 1_000_000,
    seed: Seed = 0,
    progress: Progress = silent,
) -> SearchErrors:
    """How often a tree misses the nearest neighbours of objects that it has not seen.

    estimator: With ``kneighbors``: any tree of this package, about vectors or a matrix of
        distances. Fitted anew, as a clone with a seed of its own, on every training part.
    X: Vectors (n, d) or distances (n, n).
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(X))
    parts = np.array_split(order, min(folds, len(X)))
    share = min(max_objects / len(X), 1.0)
    items = []
    for part in parts:
        fresh = clone(estimator)
        if "seed" in fresh.get_params():
            fresh.set_params(seed=int(rng.integers(2**31)))
        test = part[: max(round(share * len(part)), 1)]
        items.append((fresh, X, np.setdiff1d(order, part), test))
        if sum(len(test) for *_, test in items) >= max_objects:
            break
    missed, excess, n_asked, to_build = zip(*results_of(_search, items, progress), strict=True)
    return SearchErrors(
        np.concatenate(missed), np.concatenate(excess), np.concatenate(n_asked),
        float(np.mean(to_build)),
    )


def _search(
    estimator: BaseEstimator, X: np.ndarray, train: np.ndarray, test: np.ndarray, halt: Halt
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    metric = getattr(estimator, "metric", "euclidean")
    if metric == "precomputed":
        training, queries = X[np.ix_(train, train)], X[np.ix_(test, train)]
        distances = queries
    else:
        training, queries = X[train], X[test]
        distances = Vectors(training, metric).about(queries).distances()
    neighbours, n_asked = estimator.fit(training).kneighbors(queries)
    nearest = distances.min(axis=1)
    first = neighbours[:, 0]
    reached = np.where(first >= 0, distances[np.arange(len(test)), first], np.inf)
    usable = (nearest > 0) & np.isfinite(reached)
    excess = np.full(len(test), np.nan)
    excess[usable] = reached[usable] / nearest[usable] - 1
    return reached > nearest, excess, n_asked, getattr(estimator, "n_questions_", np.nan)


def expansion_rates(distances: np.ndarray) -> np.ndarray:
    """How fast the balls around each object fill as their radius doubles.

    distances (m, n): From m objects to all n, themselves included.
    Returns: (m,): The smallest c with |B(x, 2r)| <= c |B(x, r)| for all r > 0; Haghiri et al.
        (2017), as section 2.3.3 of Haghiri's thesis estimates it point by point.
    """
    rates = np.ones(len(distances))
    for i, row in enumerate(np.sort(distances, axis=1)):
        # The ratio is largest where the larger ball has just reached another object.
        larger = np.searchsorted(row, row, side="right")
        smaller = np.searchsorted(row, row / 2, side="right")
        rates[i] = (larger / smaller).max()
    return rates


def height_bound(n_objects: int, leaf_size: int, expansion: float, epsilon: float = 0.05) -> float:
    """Height that a comparison tree stays below with probability 1 - `epsilon`.

    h* = 3 log(e / epsilon) + 96 c^2 log(n / n0), for the strong expansion rate c (Haghiri,
    Ghoshdastidar & von Luxburg 2017, Theorem 1).
    """
    return float(
        3 * np.log(np.e / epsilon) + 96 * expansion**2 * np.log(max(n_objects / leaf_size, 1))
    )
