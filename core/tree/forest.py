"""Random forests from comparisons alone (CompRF), and what they say of neighbours and kernels.

References
----------
Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.method import Choice, Number, Switch
from tripletscope.core.optimise.loss import compiled
from tripletscope.core.tree.nodes import LABELS, RANDOM, RESPONSES, Nodes
from tripletscope.core.tree.objects import ComparingEstimator, find_leaves, grow_trees, rule
from tripletscope.core.tree.oracle import Oracle, converse
from tripletscope.core.tree.search import nearest

LeafSize = Annotated[
    int,
    Number(1, 100_000, "Leaf size n₀", "Cells of at most this many objects are not divided."),
]
Trees = Annotated[
    int, Number(1, 10_000, "Trees M", "More trees reduce the error, slowly beyond a hundred.")
]


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForest(ComparingEstimator):
    """Comparison trees with random pivots: nearest neighbours and a kernel, without labels.

    Several trees with small leaves find nearest neighbours far more often than one with a large
    leaf, for as many questions.

    Parameters
    ----------
    metric : str or Oracle
        How objects are given: see `tripletscope.core.tree.objects.ComparingEstimator`.
    n_estimators, leaf_size, max_samples, seed
        See their declarations.

    Attributes
    ----------
    trees_ : list of Nodes
    oracle_ : Oracle
        Who was asked, and is asked about further objects.
    objects_ : ndarray of int32, shape (n,)
        Numbers of the training objects with the oracle.
    n_questions_ : int
        Questions that growing the trees took.
    """

    metric: str | Oracle = "euclidean"
    n_estimators: Trees = 100
    leaf_size: LeafSize = 1
    max_samples: Annotated[
        float,
        Number(
            0.01, 1.0, "Subsample fraction r",
            "Each tree is grown from this fraction of objects. Below 1, the others give the "
            "out-of-bag error.",
        ),
    ] = 1.0
    seed: Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)] = 0

    def fit(self, X: Any, y: Any = None, *, progress: Progress = silent) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says: vectors (n, d), matrix (n, n), or numbers (n,) or (n, 1).
        y : ignored
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        """
        oracle, objects = self._given(X)
        return self._grow(oracle, objects, [np.arange(len(objects))], {}, progress)

    def _grow(
        self, oracle: Oracle, objects: np.ndarray, groups: list[np.ndarray], how: dict[str, Any],
        progress: Progress,
    ) -> Self:
        """Grow `n_estimators` trees of every group of objects."""
        asked = oracle.n_questions
        root = np.random.SeedSequence(self.seed)
        samples, seeds = [], []
        for seed in root.spawn(self.n_estimators * len(groups)):
            group = groups[len(seeds) // self.n_estimators]
            rng = np.random.default_rng(seed)
            if self.max_samples < 1:
                size = max(int(self.max_samples * len(group)), 1)
                group = np.sort(rng.choice(group, size, replace=False))
            samples.append(objects[group])
            seeds.append(int(rng.integers(2**63)))
        self.trees_ = grow_trees(
            oracle, samples, seeds, rule(self.leaf_size, **how), progress=progress
        )
        self.oracle_, self.objects_ = oracle, objects
        self._place = np.full(oracle.n_objects, -1, dtype=np.int32)
        self._place[objects] = np.arange(len(objects))
        self.n_questions_ = oracle.n_questions - asked
        return self

    def apply(self, X: Any = None) -> np.ndarray:
        """(m, M) leaf of each object in each tree; by default of the training objects."""
        check_is_fitted(self)
        if X is None:
            # Only those that a tree was not grown from have to be asked about.
            n_objects = self.oracle_.n_objects
            leaves = np.column_stack([nodes.leaf_of(n_objects) for nodes in self.trees_])
            leaves = leaves[self.objects_]
            for column, (left_out, found) in zip(leaves.T, self._left_out(), strict=True):
                column[left_out] = found
            return leaves
        return np.column_stack(self._leaves(*self._asked_about(X)))

    def _leaves(self, oracle: Oracle, x: np.ndarray, own: bool) -> list[np.ndarray]:
        return find_leaves(oracle, self.trees_, [x] * len(self.trees_), own)

    def proximity(self, X: Any = None) -> np.ndarray:
        """How often objects share a leaf with the training objects: a kernel.

        Returns
        -------
        ndarray, shape (m, n)
            Shares of the trees; (n, n), symmetric and positive semi-definite, without `X`.
        """
        own = self._in_leaves(self.apply())
        other = own if X is None else self._in_leaves(self.apply(X))
        return (other @ own.T).toarray() / len(self.trees_)

    def _in_leaves(self, leaves: np.ndarray) -> csr_array:
        """(m, nodes of all trees) 1 where an object is in a leaf."""
        sizes = [len(nodes.child) for nodes in self.trees_]
        columns = leaves + (np.cumsum(sizes) - sizes)
        ends = np.arange(len(leaves) + 1) * len(sizes)
        return csr_array(
            (np.ones(columns.size), columns.ravel(), ends), shape=(len(leaves), sum(sizes))
        )

    def distances(self) -> np.ndarray:
        """(n, n) distances that belong to the kernel: sqrt(2 - 2 proximity)."""
        return np.sqrt(np.maximum(2 - 2 * self.proximity(), 0))

    def kneighbors(self, X: Any = None, n_neighbors: int = 1) -> np.ndarray:
        """The nearest training objects that share a leaf with each object, nearest first.

        Parameters
        ----------
        X : array-like
            By default the training objects, which are not their own neighbours.
        n_neighbors : int

        Returns
        -------
        ndarray of int, shape (m, n_neighbors)
            Positions in the training data; -1 where the leaves hold fewer.
        """
        if X is None:
            oracle, x, own, leaves = self.oracle_, self.objects_, True, list(self.apply().T)
        else:
            oracle, x, own = self._asked_about(X)
            leaves = self._leaves(oracle, x, own)
        candidates = []
        for i, row in enumerate(np.column_stack(leaves)):
            near = [nodes.members(leaf) for nodes, leaf in zip(self.trees_, row, strict=True)]
            found = np.unique(np.concatenate(near))
            candidates.append(found[found != x[i]] if own else found)
        ((found, _),) = converse(oracle, [nearest(x, candidates, n_neighbors)])
        return np.where(found >= 0, self._place[found], -1)

    def _left_out(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """For each tree the training objects it was not grown from, and their leaves."""
        left_out = [np.flatnonzero(~np.isin(self.objects_, t.order)) for t in self.trees_]
        # They are nobody's pivots, so that their numbers need not be told from the tree's own.
        leaves = find_leaves(
            self.oracle_, self.trees_, [self.objects_[out] for out in left_out], False
        )
        yield from zip(left_out, leaves, strict=True)

    def tree(self, number: int) -> Nodes:
        """One tree, with its members and pivots as positions in the training data."""
        check_is_fitted(self)
        nodes = self.trees_[number]
        pivots = np.where(nodes.pivots >= 0, self._place[nodes.pivots], -1)
        return nodes._replace(order=self._place[nodes.order], pivots=pivots)

    def _pivot_importances(self, moments: np.ndarray) -> np.ndarray:
        """(n,) how much of the impurity the splits by each pivot removed; sums to 1."""
        importance = np.zeros(len(self.objects_))
        for number in range(len(self.trees_)):
            nodes = self.tree(number)
            sums = np.vstack([np.zeros(moments.shape[1]), np.cumsum(moments[nodes.order], axis=0)])
            within = sums[nodes.stop] - sums[nodes.start]
            size = np.maximum(nodes.stop - nodes.start, 1)
            explained = (within**2).sum(axis=1) / size
            inner = np.flatnonzero(nodes.child >= 0)
            left = nodes.child[inner]
            gain = np.maximum(explained[left] + explained[left + 1] - explained[inner], 0)
            for side in range(2):
                np.add.at(importance, nodes.pivots[inner, 0, side], gain)
        total = importance.sum()
        return importance / total if total > 0 else importance


OutOfBag = Annotated[
    bool,
    Switch(
        "Out-of-bag error",
        "Each training object is predicted by the trees that were grown without it, which takes "
        "questions about it. Needs a share of objects per tree below 1.",
    ),
]


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForestClassifier(ClassifierMixin, ComparisonForest):
    """Classification by a comparison-based random forest.

    Parameters
    ----------
    metric, n_estimators, leaf_size, max_samples, seed
        See `ComparisonForest`.
    pivots, multiclass, oob_score
        See their declarations.

    Attributes
    ----------
    classes_ : ndarray
    oob_decision_function_ : ndarray, shape (n, n_classes)
        Probabilities of the classes by trees grown without the object; NaN where every tree has
        it.
    oob_score_ : float
        Accuracy of the predictions by these.
    n_oob_questions_ : int
        Questions that they took.
    trees_, oracle_, objects_, n_questions_
        See `ComparisonForest`.

    Notes
    -----
    The members of the leaves that an object reaches in all trees are pooled and vote. A pure cell
    is not divided further under supervised pivots; it has `leaf_size` votes, as its parts would
    have had. (For a leaf size of 1 that is exactly the law of the fully grown forest.)

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
    Algorithms 1 and 2.
    """

    pivots: Annotated[
        str,
        Choice(
            {"supervised": "Of different classes", "random": "Random"}, "Pivots",
            "Pairs of different classes yield purer cells.",
        ),
    ] = "supervised"
    multiclass: Annotated[
        str,
        Choice(
            {"pooled": "One forest, pooled vote", "one-vs-one": "One forest per pair of classes"},
            "More than two classes",
            "One forest per pair of classes takes more questions, and as many trees for each pair.",
            advanced=True,
        ),
    ] = "pooled"
    oob_score: OutOfBag = False

    def fit(self, X: Any, y: Any, *, progress: Progress = silent) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says: vectors (n, d), matrix (n, n), or numbers (n,) or (n, 1).
        y : array-like, shape (n,)
            Classes.
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        """
        oracle, objects = self._given(X)
        y = _targets(self, y, len(objects))
        check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        self._label = _spread(label, objects, oracle.n_objects, np.int32)
        self._groups = [np.arange(len(self.classes_))]
        if self.multiclass == "one-vs-one" and len(self.classes_) > 2:
            self._groups = [np.array(pair) for pair in combinations(range(len(self.classes_)), 2)]
        supervised = self.pivots == "supervised"
        self._grow(
            oracle, objects, [np.flatnonzero(np.isin(label, group)) for group in self._groups],
            {"kind": LABELS if supervised else RANDOM, "label": self._label}, progress,
        )
        self._pure = [_pure_labels(nodes, self._label) for nodes in self.trees_]
        if self.oob_score:
            asked = oracle.n_questions
            self.oob_decision_function_ = self._probabilities(
                len(objects), self._left_out()
            )
            known = np.isfinite(self.oob_decision_function_[:, 0])
            guess = np.argmax(self.oob_decision_function_[known], axis=1)
            self.oob_score_ = float(np.mean(guess == label[known])) if known.any() else np.nan
            self.n_oob_questions_ = oracle.n_questions - asked
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """(m, n_classes) shares of the pooled votes.

        With a forest for each two classes, the mean share over the classes that each is set
        against.
        """
        oracle, x, own = self._asked_about(X)
        leaves = self._leaves(oracle, x, own)
        return self._probabilities(len(x), ((np.arange(len(x)), leaf) for leaf in leaves))

    def predict(self, X: Any) -> np.ndarray:
        """(m,) class with most votes; with forests for each two classes, with most wins."""
        oracle, x, own = self._asked_about(X)
        leaves = self._leaves(oracle, x, own)
        shares = self._shares(len(x), ((np.arange(len(x)), leaf) for leaf in leaves))
        if len(self._groups) == 1:
            return self.classes_[np.argmax(next(shares), axis=1)]
        wins = np.zeros((len(x), len(self.classes_)))
        total = np.zeros_like(wins)
        for share in shares:
            total += share
            wins[np.arange(len(x)), np.argmax(share, axis=1)] += 1
        # Equal numbers of wins are decided by the votes, which weigh less than a win.
        return self.classes_[np.argmax(wins + total / (2 * len(self._groups)), axis=1)]

    @property
    def pivot_importances_(self) -> np.ndarray:
        """(n,) share of each training object, as a pivot, in the removal of Gini impurity."""
        check_is_fitted(self)
        return self._pivot_importances(np.eye(len(self.classes_))[self._label[self.objects_]])

    def _probabilities(
        self, m: int, reached: Iterator[tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        total = np.zeros((m, len(self.classes_)))
        for share in self._shares(m, reached):
            total += share
        return total / len(self._groups)

    def _shares(
        self, m: int, reached: Iterator[tuple[np.ndarray, np.ndarray]]
    ) -> Iterator[np.ndarray]:
        """For each group of classes (m, n_classes) shares of the votes of its trees."""
        trees = zip(self.trees_, self._pure, reached, strict=True)
        for _ in self._groups:
            votes = np.zeros((m, len(self.classes_)))
            for nodes, pure, (x, leaf) in (next(trees) for _ in range(self.n_estimators)):
                _vote(nodes, self._label, pure, self.leaf_size, x, leaf, votes)
            given = votes.sum(axis=1, keepdims=True)
            yield np.divide(votes, given, out=np.full_like(votes, np.nan), where=given > 0)


@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForestRegressor(RegressorMixin, ComparisonForest):
    """Regression by a comparison-based random forest.

    Parameters
    ----------
    metric, n_estimators, leaf_size, max_samples, seed
        See `ComparisonForest`.
    pivots, candidates, oob_score
        See their declarations.

    Attributes
    ----------
    oob_prediction_ : ndarray, shape (n,)
        By trees grown without the object; NaN where every tree has it.
    oob_score_ : float
        Coefficient of determination of these.
    n_oob_questions_ : int
        Questions that they took.
    trees_, oracle_, objects_, n_questions_
        See `ComparisonForest`.

    Notes
    -----
    The prediction is the mean response of the pooled members of the leaves reached in all trees.
    The paper's forest has random pivots; the others use the responses too, which its authors left
    for later.

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
    """

    pivots: Annotated[
        str,
        Choice(
            {
                "best": "Best of several random pairs", "different": "Of different values",
                "random": "Random",
            },
            "Pivots",
            "The best of several pairs lowers the variance of the responses most: fewest errors, "
            "and as many times the questions. Of different values: one up to the mean of the cell, "
            "one above it.",
        ),
    ] = "best"
    candidates: Annotated[
        int, Number(2, 100, "Pairs to choose from", "Only for the best of several pairs.")
    ] = 10
    oob_score: OutOfBag = False

    def fit(self, X: Any, y: Any, *, progress: Progress = silent) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like
            Objects, as `metric` says: vectors (n, d), matrix (n, n), or numbers (n,) or (n, 1).
        y : array-like of float, shape (n,)
            Responses.
        progress : Progress

        Raises
        ------
        Stopped
            If `progress` asks to stop.
        """
        oracle, objects = self._given(X)
        y = _targets(self, y, len(objects)).astype(float)
        # Sums of squares keep their digits if they are about the mean.
        self._mean = float(y.mean())
        self._response = _spread(y - self._mean, objects, oracle.n_objects, float)
        self._grow(
            oracle, objects, [np.arange(len(objects))],
            {
                "kind": RESPONSES if self.pivots == "different" else RANDOM,
                "candidates": self.candidates if self.pivots == "best" else 1,
                "response": self._response,
            },
            progress,
        )
        self._leaf_mean = [_means(nodes, self._response) for nodes in self.trees_]
        if self.oob_score:
            asked = oracle.n_questions
            self.oob_prediction_ = self._means_of(len(objects), self._left_out())
            known = np.isfinite(self.oob_prediction_)
            missed = np.sum((y - self.oob_prediction_)[known] ** 2)
            spread = np.sum((y[known] - y[known].mean()) ** 2) if known.any() else 0.0
            self.oob_score_ = float(1 - missed / spread) if spread > 0 else np.nan
            self.n_oob_questions_ = oracle.n_questions - asked
        return self

    def predict(self, X: Any) -> np.ndarray:
        """(m,) mean response of the pooled members of the leaves."""
        oracle, x, own = self._asked_about(X)
        leaves = self._leaves(oracle, x, own)
        return self._means_of(len(x), ((np.arange(len(x)), leaf) for leaf in leaves))

    @property
    def pivot_importances_(self) -> np.ndarray:
        """(n,) share of each training object, as a pivot, in the removal of variance."""
        check_is_fitted(self)
        return self._pivot_importances(self._response[self.objects_, None])

    def _means_of(self, m: int, reached: Iterator[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        total, weight = np.zeros(m), np.zeros(m)
        for nodes, mean, (x, leaf) in zip(self.trees_, self._leaf_mean, reached, strict=True):
            votes = np.minimum(nodes.stop[leaf] - nodes.start[leaf], self.leaf_size)
            total[x] += votes * mean[leaf]
            weight[x] += votes
        known = weight > 0
        return np.where(known, self._mean + total / np.where(known, weight, 1), np.nan)


def _targets(estimator: Any, y: Any, n_objects: int) -> np.ndarray:
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    y = column_or_1d(y, warn=True)
    if len(y) != n_objects:
        raise ValueError(f"there are {len(y)} responses to {n_objects} objects.")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity.")
    return y


def _spread(values: np.ndarray, objects: np.ndarray, n_objects: int, dtype: type) -> np.ndarray:
    """Values by the oracle's numbers of the objects."""
    spread = np.zeros(n_objects, dtype=dtype)
    spread[objects] = values
    return spread


# Votes ---------------------------------------------------------------------------------------


@compiled
def _pure_labels(nodes, label):
    """(m,) the label of all members of a leaf; -1 where they differ."""
    pure = np.full(nodes.child.size, -1, np.int32)
    for node in range(pure.size):
        if nodes.child[node] < 0:
            members = nodes.order[nodes.start[node] : nodes.stop[node]]
            if (label[members] == label[members[0]]).all():
                pure[node] = label[members[0]]
    return pure


@compiled
def _means(nodes, response):
    """(m,) mean response of the members of each leaf."""
    mean = np.zeros(nodes.child.size)
    for node in range(mean.size):
        if nodes.child[node] < 0:
            mean[node] = response[nodes.order[nodes.start[node] : nodes.stop[node]]].mean()
    return mean


@compiled
def _vote(nodes, label, pure, most, x, leaf, votes):
    """Add the votes of leaves: one by each member, and no more than `most` by a leaf."""
    for i in range(x.size):
        start, stop = nodes.start[leaf[i]], nodes.stop[leaf[i]]
        given = min(stop - start, most)
        if pure[leaf[i]] >= 0:
            votes[x[i], pure[leaf[i]]] += given
        else:
            for member in nodes.order[start:stop]:
                votes[x[i], label[member]] += given / (stop - start)
