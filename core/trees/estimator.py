"""Shared by trees and forests: the form of their objects, and trees grown in parallel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from tripletscope.core.data.answers import Answers
from tripletscope.core.engine.declared import checked, parameters
from tripletscope.core.engine.parallel import CancelToken, in_parallel, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.trees.growing import (
    Chooser,
    SplitRule,
    grow_measured,
    growing,
    new_growth,
    nodes_of,
)
from tripletscope.core.trees.nodes import Nodes, descend_measured, descending
from tripletscope.core.trees.oracle import (
    MISMATCH,
    DistanceOracle,
    Distances,
    KernelOracle,
    Oracle,
    Vectors,
    converse,
)

#: Matrices between all objects, or from further objects to all.
MATRICES = {"precomputed": Distances, "kernel": KernelOracle}


class ComparingEstimator(BaseEstimator):
    """An estimator that learns by asking an oracle.

    `metric` is a name from `tripletscope.core.trees.oracle.metrics` for vectors, "precomputed" or
    "kernel" for rows of a matrix, or an `Oracle` for its object numbers.
    """

    metric: str | Oracle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric in MATRICES
        tags.input_tags.categorical = self.metric == MISMATCH
        return tags

    def _check_parameters(self) -> None:
        if isinstance(self.metric, Answers):
            raise TypeError(
                "answers alone do not answer all questions of a tree: give metric a map of them, "
                "tripletscope.MapOracle(map)"
            )
        names = [parameter.name for parameter in parameters(type(self))]
        checked(type(self), {name: getattr(self, name) for name in names})

    def _training(self, X: Any) -> tuple[Oracle, np.ndarray]:
        """The oracle and its object numbers, at `fit`."""
        self._check_parameters()
        if isinstance(self.metric, Oracle):
            self.n_features_in_ = 1
            return self.metric, _numbers(X, self.metric.n_objects)
        X = validate_data(self, X, dtype=_dtype(self.metric), ensure_min_samples=1)
        matrix = MATRICES.get(self.metric)
        oracle = matrix(X) if matrix else Vectors(X, self.metric)
        return oracle, np.arange(len(X), dtype=np.int32)

    def _queries(self, X: Any) -> tuple[Oracle, np.ndarray, bool]:
        """Likewise after `fit`, and whether these are numbers of the tree's own objects."""
        check_is_fitted(self)
        if isinstance(self.metric, Oracle):
            return self.oracle_, _numbers(X, self.metric.n_objects), True
        X = validate_data(self, X, dtype=_dtype(self.metric), reset=False)
        return self.oracle_.about(X), np.arange(len(X), dtype=np.int32), False


def _dtype(metric: str) -> Any:
    return None if metric == MISMATCH else "numeric"


def _numbers(X: Any, n_objects: int) -> np.ndarray:
    numbers = np.asarray(X)
    numbers = numbers.reshape(len(numbers), -1)
    if numbers.shape[1] != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(
            "metric is an oracle, so objects are given by their numbers: whole, one for each."
        )
    if numbers.size and not 0 <= numbers.min() <= numbers.max() < n_objects:
        raise ValueError(f"objects are numbered from 0 to {n_objects - 1}.")
    return numbers[:, 0].astype(np.int32)


def compiled_answers(oracle: Oracle) -> bool:
    """Whether compiled loops can answer for an oracle: it is measured, and no list is wanted."""
    return isinstance(oracle, DistanceOracle) and not oracle.listed and bool(oracle.measure())


def grow_trees(
    oracle: Oracle, samples: Sequence[np.ndarray], seeds: Sequence[int], how: SplitRule, *,
    n_pairs: int = 1, choose: Chooser | None = None, progress: Progress = silent,
) -> list[Nodes]:
    """Trees of samples of the objects, a sample and a seed each, side by side.

    The oracle is asked once per level of all trees; compiled loops run in threads over trees.
    """
    seeds_of = list(zip(samples, seeds, strict=True))
    if compiled_answers(oracle) and n_pairs == 1 and choose is None:
        items = [(sample, seed, how, oracle.measure()) for sample, seed in seeds_of]
        trees = []
        for nodes, n_questions in results_of(_grow_one, items, progress):
            trees.append(nodes)
            oracle.count(n_questions)
        return trees
    growths = [new_growth(sample, seed, n_pairs) for sample, seed in seeds_of]
    converse(oracle, [growing(growth, how, [0], choose) for growth in growths], progress)
    return [nodes_of(growth) for growth in growths]


def _grow_one(
    sample: np.ndarray, seed: int, how: SplitRule, measure: Any, halt: CancelToken
) -> tuple[Nodes, int]:
    growth = new_growth(sample, seed)
    n_asked = 0 if halt() else grow_measured(growth, how, measure)
    return nodes_of(growth), n_asked


def find_leaves(
    oracle: Oracle, trees: Sequence[Nodes], objects: Sequence[np.ndarray], is_own: bool
) -> list[np.ndarray]:
    """For each tree, the leaves of its objects.

    is_own: Whether these are numbers of the trees' objects.
    """
    pairs = list(zip(trees, objects, strict=True))
    # Pivots need no question about themselves, but the compiled loop would count one.
    if compiled_answers(oracle) and not is_own and all(t.pivots.shape[1] == 1 for t in trees):
        items = [(nodes, oracle.measure(), x) for nodes, x in pairs]
        leaves = []
        for leaf, n_questions in in_parallel(_find_one, items):
            leaves.append(leaf)
            oracle.count(n_questions)
        return leaves
    results = converse(oracle, [descending(nodes, x, is_own) for nodes, x in pairs])
    return [leaf for leaf, _ in results]


def _find_one(
    nodes: Nodes, measure: Any, x: np.ndarray, halt: CancelToken
) -> tuple[np.ndarray, int]:
    leaf = np.empty(len(x), dtype=np.int32)
    n_asked = descend_measured(nodes, measure, np.ascontiguousarray(x, dtype=np.int32), leaf)
    return leaf, n_asked
