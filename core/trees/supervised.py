"""Classification and regression by random forests from comparisons alone (CompRF).

References
----------
Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from tripletscope.core.data.errors import refuse_lengths
from tripletscope.core.engine.declared import Choice, Number, Switch
from tripletscope.core.engine.docstrings import parametric
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.trees.forest import ComparisonForest
from tripletscope.core.trees.growing import LABELS, LABELS_FIRST, RANDOM, RESPONSES
from tripletscope.core.trees.leaf_size import try_leaf_sizes
from tripletscope.core.trees.oracle import Oracle

#: Share of objects per tree for choosing a leaf size: that of a bootstrap sample.
_SEEN = 0.632
#: Standard errors by which a forest must beat the mean.
_CLEARLY = 2.0

#: For each tree, positions among the objects to predict, and their leaves.
Reached = Iterable[tuple[np.ndarray, np.ndarray]]

OutOfBag = Annotated[bool, Switch(
    "Out-of-bag error",
    "Each training object is predicted by the trees grown without it, which takes questions about "
    "it. Needs a share of objects per tree below 1."
)]

#: How votes of more than two classes are counted.
Multiclass = Annotated[str, Choice(
    {
        "pooled": "Pooled vote", "one-vs-one": "Forest per pair",
        "summed": "Per pair, summed",
    },
    "More than two classes",
    "One forest per pair of classes takes more questions, and as many trees for each pair. "
    "Each votes for a class, or its shares of votes are summed, as published.",
    advanced=True, later=True
)]


class SupervisedForest(ComparisonForest):
    """A forest whose leaves predict."""

    oob_score: bool

    def fit(self, X: Any, y: Any, *, progress: Progress = silent) -> Self:
        """Grow the trees; X and progress as for `ComparisonForest`.

        Parameters
        ----------
        X : array-like
        y : array-like, shape (n,)
            Classes or responses.
        progress : Progress
        """
        oracle, objects = self._training(X)
        y = _targets(self, y, len(objects))
        groups, how = self._learn(y, oracle, objects)
        self.leaf_size_ = self._sized(oracle, objects, groups, how, progress)
        self._grow(oracle, objects, groups, how, progress)
        self._look_at_leaves()
        if self.oob_score:
            before = oracle.n_questions
            self._predict_out_of_bag(y)
            self.n_oob_questions_ = oracle.n_questions - before
        return self

    def _learn(
        self, y: np.ndarray, oracle: Oracle, objects: np.ndarray
    ) -> tuple[list[np.ndarray], dict[str, Any]]:
        """Keep the targets; return the groups of objects to grow trees from, and the split rule."""
        raise NotImplementedError

    def _sized(
        self, oracle: Oracle, objects: np.ndarray, groups: list[np.ndarray], how: dict[str, Any],
        progress: Progress,
    ) -> int:
        """The leaf size to grow trees with."""
        return self.leaf_size

    def _look_at_leaves(self) -> None:
        """Keep the leaves' predictions."""
        raise NotImplementedError

    def _predict_out_of_bag(self, y: np.ndarray) -> None:
        """Predict each object by the trees grown without it."""
        raise NotImplementedError

    def _reached(self, X: Any) -> tuple[int, Reached]:
        """Number of the objects to predict, and the leaves they reach."""
        oracle, x, is_own = self._queries(X)
        leaves = self._leaves(oracle, x, is_own)
        everyone = np.arange(len(x))
        return len(x), [(everyone, leaf) for leaf in leaves]


@parametric
@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForestClassifier(ClassifierMixin, SupervisedForest):
    """Classification by a comparison-based random forest.

    Parameters
    ----------
    metric
        See `ComparisonForest`.

    Attributes
    ----------
    classes_ : ndarray
    oob_decision_function_ : ndarray, shape (n, n_classes)
        Probabilities of the classes by trees grown without the object; NaN where every tree has it.
    oob_score_ : float
        Accuracy of the out-of-bag predictions.
    n_oob_questions_ : int
        Questions that out-of-bag predictions took.
    trees_, leaf_size_, oracle_, objects_, n_questions_
        See `ComparisonForest`.

    Warns
    -----
    UserWarning
        If the most frequent class has no larger out-of-bag error.

    Notes
    -----
    The members of the leaves that an object reaches in all trees are pooled and vote. A pure cell
    is not divided further under supervised pivots; it has `leaf_size` votes, as its parts would
    have had. (For a leaf size of 1 that is exactly the law of the fully grown forest.)

    As published: `leaf_size` 1, `divide_pure`, and `multiclass` "summed", which equals "pooled" for
    two classes. The published one-vs-one forests have both kinds of pivots.

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.
    Algorithms 1 and 2.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> points = np.random.default_rng(0).normal(size=(100, 3))
    >>> side = np.where(points[:, 0] > 0, "right", "left")
    >>> forest = ts.ComparisonForestClassifier(n_estimators=30).fit(points[:80], side[:80])
    >>> forest.score(points[80:], side[80:]) > 0.7
    True
    """

    pivots: Annotated[str, Choice(
        {"supervised": "Of different classes", "random": "Random"}, "Pivots",
        "Pairs of different classes yield purer cells."
    )] = "supervised"
    multiclass: Multiclass = "pooled"
    divide_pure: Annotated[bool, Switch(
        "Divide pure cells",
        "Under supervised pivots, cells of one class are divided by random pairs too, as in "
        "the paper: more questions, and for a leaf size of 1 the same distribution of votes.",
        advanced=True
    )] = False
    oob_score: OutOfBag = False

    def _learn(
        self, y: np.ndarray, oracle: Oracle, objects: np.ndarray
    ) -> tuple[list[np.ndarray], dict[str, Any]]:
        check_classification_targets(y)
        self.classes_, label = np.unique(y, return_inverse=True)
        self._label = _spread(label, objects, oracle.n_objects, np.int32)
        self._groups = [np.arange(len(self.classes_))]
        if self.multiclass != "pooled" and len(self.classes_) > 2:
            self._groups = [np.array(pair) for pair in combinations(range(len(self.classes_)), 2)]
        kind = LABELS_FIRST if self.divide_pure else LABELS
        return [np.flatnonzero(np.isin(label, group)) for group in self._groups], {
            "kind": kind if self.pivots == "supervised" else RANDOM, "label": self._label,
        }

    def _look_at_leaves(self) -> None:
        self._pure = [_pure_labels(nodes, self._label) for nodes in self.trees_]

    def _predict_out_of_bag(self, y: np.ndarray) -> None:
        self.oob_decision_function_ = self._probabilities(len(y), self._left_out())
        predicted = np.isfinite(self.oob_decision_function_[:, 0])
        guess = self.classes_[np.argmax(self.oob_decision_function_[predicted], axis=1)]
        self.oob_score_ = float(np.mean(guess == y[predicted])) if predicted.any() else np.nan
        most = np.bincount(self._label[self.objects_]).max() / len(y)
        if self.oob_score_ <= most:
            _warn_useless("the most frequent class")

    def predict_proba(self, X: Any) -> np.ndarray:
        """(m, n_classes) shares of the pooled votes, or their mean over a class's forests."""
        return self._probabilities(*self._reached(X))

    def predict(self, X: Any) -> np.ndarray:
        """(m,) class with most votes; with one forest per pair, with most wins or summed votes."""
        m, reached = self._reached(X)
        if self.multiclass == "summed":
            return self.classes_[np.argmax(self._probabilities(m, reached), axis=1)]
        shares = self._shares(m, reached)
        if len(self._groups) == 1:
            return self.classes_[np.argmax(next(shares), axis=1)]
        wins = np.zeros((m, len(self.classes_)))
        total = np.zeros_like(wins)
        for share in shares:
            total += share
            wins[np.arange(m), np.argmax(share, axis=1)] += 1
        # Votes decide between equal numbers of wins.
        return self.classes_[np.argmax(wins + total / (2 * len(self._groups)), axis=1)]

    @property
    def pivot_importances_(self) -> np.ndarray:
        """(n,) share of each training object, as a pivot, in the removal of Gini impurity."""
        check_is_fitted(self)
        return self._pivot_importances(np.eye(len(self.classes_))[self._label[self.objects_]])

    def _probabilities(self, m: int, reached: Reached) -> np.ndarray:
        total = np.zeros((m, len(self.classes_)))
        for share in self._shares(m, reached):
            total += share
        return total / len(self._groups)

    def _shares(self, m: int, reached: Reached) -> Iterator[np.ndarray]:
        """For each group of classes (m, n_classes) shares of the votes of its trees."""
        trees = zip(self.trees_, self._pure, reached, strict=True)
        for _ in self._groups:
            votes = np.zeros((m, len(self.classes_)))
            for nodes, pure, (x, leaf) in (next(trees) for _ in range(self.n_estimators)):
                _vote(nodes, self._label, pure, self.leaf_size_, x, leaf, votes)
            total = votes.sum(axis=1, keepdims=True)
            yield np.divide(votes, total, out=np.full_like(votes, np.nan), where=total > 0)


@parametric
@dataclass(kw_only=True, eq=False, repr=False)
class ComparisonForestRegressor(RegressorMixin, SupervisedForest):
    """Regression by a comparison-based random forest.

    Parameters
    ----------
    metric
        See `ComparisonForest`.

    Attributes
    ----------
    leaf_size_ : int
        As set, or as chosen.
    leaf_sizes_, leaf_errors_ : ndarray, shape (k,)
        Sizes tried and their out-of-bag root mean square errors; empty for a fixed size or fewer
        than four objects.
    n_choice_questions_ : int
        Questions that choosing took.
    oob_prediction_ : ndarray, shape (n,)
        By trees grown without the object; NaN where every tree has it.
    oob_score_ : float
        Coefficient of determination of the out-of-bag predictions.
    n_oob_questions_ : int
        Questions that out-of-bag predictions took.
    trees_, oracle_, objects_, n_questions_
        See `ComparisonForest`.

    Warns
    -----
    UserWarning
        If the chosen leaf size's square error is not below that of predicting the mean by two
        standard errors.

    Notes
    -----
    A forest of as many trees chooses the leaf size, each of 63 % of the objects, or of
    `max_samples` if that is less. Weakly related responses want large leaves, smooth ones small
    leaves.

    The prediction is the mean response of the pooled members of the leaves reached in all trees.
    The paper's forest has random pivots; the other pivots use the responses too, which its authors
    left for later.

    References
    ----------
    Haghiri, S., Garreau, D., & von Luxburg, U. (2018). Comparison-based random forests. ICML.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> points = np.random.default_rng(0).normal(size=(100, 3))
    >>> forest = ts.ComparisonForestRegressor(n_estimators=30, leaf_size=2)
    >>> forest.fit(points[:80], points[:80, 0]).score(points[80:], points[80:, 0]) > 0.9
    True
    """

    leaf_size: Annotated[int | None, Number(
        1, 100_000, "Leaf size",
        "Cells of at most this many objects are not divided. Choosing takes about as many "
        "questions as growing the forest with a leaf size of 1.", automatic="By out-of-bag error"
    )] = None
    pivots: Annotated[str, Choice(
        {
            "best": "Best of several random pairs", "different": "Of different values",
            "random": "Random",
        },
        "Pivots",
        "The best of several pairs lowers the variance of the responses most: fewest errors, "
        "but several times the questions. Of different values: one up to the mean of the cell, "
        "one above it."
    )] = "best"
    candidates: Annotated[
        int, Number(2, 100, "Pairs to choose from", "Only for the best of several pairs.")
    ] = 10
    oob_score: OutOfBag = False

    def _learn(
        self, y: np.ndarray, oracle: Oracle, objects: np.ndarray
    ) -> tuple[list[np.ndarray], dict[str, Any]]:
        y = y.astype(float)
        # Sums of squares about the mean keep their digits.
        self._mean = float(y.mean())
        self._response = _spread(y - self._mean, objects, oracle.n_objects, float)
        return [np.arange(len(objects))], {
            "kind": RESPONSES if self.pivots == "different" else RANDOM,
            "candidates": self.candidates if self.pivots == "best" else 1,
            "response": self._response,
        }

    def _sized(
        self, oracle: Oracle, objects: np.ndarray, groups: list[np.ndarray], how: dict[str, Any],
        progress: Progress,
    ) -> int:
        self.leaf_sizes_, self.leaf_errors_ = np.zeros(0, dtype=int), np.zeros(0)
        self.n_choice_questions_ = 0
        if self.leaf_size is not None:
            return self.leaf_size
        before = oracle.n_questions
        trial = copy(self)
        trial.leaf_size_, trial.max_samples = 1, min(self.max_samples, _SEEN)
        trial._grow(oracle, objects, groups, how, progress)
        tried = try_leaf_sizes(trial.trees_, trial._left_out(), self._response, objects)
        self.n_choice_questions_ = oracle.n_questions - before
        if tried is None:
            return 1
        self.leaf_sizes_, self.leaf_errors_ = tried.sizes, tried.errors
        if tried.gain <= _CLEARLY * tried.gain_error:
            _warn_useless("the mean")
        return tried.best

    def _look_at_leaves(self) -> None:
        self._leaf_mean = [_means(nodes, self._response) for nodes in self.trees_]

    def _predict_out_of_bag(self, y: np.ndarray) -> None:
        y = y.astype(float)
        self.oob_prediction_ = self._means_of(len(y), self._left_out())
        predicted = np.isfinite(self.oob_prediction_)
        missed = np.sum((y - self.oob_prediction_)[predicted] ** 2)
        spread = np.sum((y[predicted] - y[predicted].mean()) ** 2) if predicted.any() else 0.0
        self.oob_score_ = float(1 - missed / spread) if spread > 0 else np.nan

    def predict(self, X: Any) -> np.ndarray:
        """(m,) mean response of the pooled members of the leaves."""
        return self._means_of(*self._reached(X))

    @property
    def pivot_importances_(self) -> np.ndarray:
        """(n,) share of each training object, as a pivot, in the removal of variance."""
        check_is_fitted(self)
        return self._pivot_importances(self._response[self.objects_, None])

    def _means_of(self, m: int, reached: Reached) -> np.ndarray:
        total, weight = np.zeros(m), np.zeros(m)
        for nodes, mean, (x, leaf) in zip(self.trees_, self._leaf_mean, reached, strict=True):
            votes = np.minimum(nodes.stop[leaf] - nodes.start[leaf], self.leaf_size_)
            total[x] += votes * mean[leaf]
            weight[x] += votes
        has_votes = weight > 0
        return np.where(has_votes, self._mean + total / np.where(has_votes, weight, 1), np.nan)


def _warn_useless(constant: str) -> None:
    """Warn of the out-of-bag error."""
    warnings.warn(
        f"comparisons say little about these targets: by out-of-bag error, predicting "
        f"{constant} is not clearly worse than this forest.", UserWarning, stacklevel=4,
    )


def _targets(estimator: Any, y: Any, n_objects: int) -> np.ndarray:
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    y = column_or_1d(y, warn=True)
    refuse_lengths(objects=n_objects, responses=y)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("y contains NaN or infinity.")
    return y


def _spread(values: np.ndarray, objects: np.ndarray, n_objects: int, dtype: type) -> np.ndarray:
    """Values by the oracle's object numbers."""
    spread = np.zeros(n_objects, dtype=dtype)
    spread[objects] = values
    return spread


# Votes ---------------------------------------------------------------------------------------


@compiled
def _pure_labels(nodes, label):
    """(m,) common label of a leaf's members; -1 where they differ."""
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
    """Add the votes of leaves: one by each member, at most `most` by a leaf."""
    for i in range(x.size):
        start, stop = nodes.start[leaf[i]], nodes.stop[leaf[i]]
        n_votes = min(stop - start, most)
        if pure[leaf[i]] >= 0:
            votes[x[i], pure[leaf[i]]] += n_votes
        else:
            for member in nodes.order[start:stop]:
                votes[x[i], label[member]] += n_votes / (stop - start)
