"""A column of the objects, predicted by comparison forests, and by their peers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import column_of
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Column, Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import corrected_half_width
from tripletscope.core.similarity.kernels.kernel import SINGLE_ABOVE
from tripletscope.core.similarity.kernels.space import Space, space_of
from tripletscope.core.trees.forest import ComparisonForest
from tripletscope.core.trees.oracle import AnswersOracle, MapOracle, Oracle
from tripletscope.core.trees.supervised import (
    ComparisonForestClassifier,
    ComparisonForestRegressor,
    Multiclass,
)

#: Leaf sizes and numbers of trees to try.
LEAVES = (1, 2, 4, 8, 16, 32)
TREES = (1, 3, 10, 30, 100)
#: Numbers of neighbours for inner folds to choose from.
_NEIGHBOURS = (1, 3, 5, 9, 15)
_PENALTIES = (0.1, 1.0, 10.0, 100.0)
_INNER_FOLDS = 3
_CART_TREES = 100
#: What predicts, classifiers and regressors alike.
FOREST, NEAREST, MACHINE, CART = (
    "Comparison forest", "Nearest neighbours", "Support vector machine", "CART forest"
)

OracleChoice = Annotated[str, Choice(
    {"fitted": "Map or features", "answered": "The data first"}, "Oracle",
    "Source of comparisons: the map, kernel or features alone, or the data wherever they have an "
    "answer."
)]
Kind = Annotated[str, Choice({"classes": "Classes", "numbers": "Numbers"}, "Predicted as")]
Learner = Annotated[str, Choice(
    {"all": "All", "forest": FOREST, "knn": NEAREST, "svm": MACHINE}, "Predicted by",
    "All: forests of several sizes, nearest neighbours, a support vector machine, and on "
    "coordinates a CART forest, on the same folds."
)]
Share = Annotated[float, Number(
    0.1, 1.0, "Subsample fraction r", "Share of the objects for each tree.", advanced=True
)]


@dataclass(frozen=True)
class ColumnErrors:
    """A column predicted for held-out objects.

    Errors are shares of wrong classes, or root mean squares for numbers.

    Attributes
    ----------
    classes : ndarray of str, shape (c,)
        Empty for numbers.
    truth : ndarray, shape (n,)
        Positions in `classes`, or numbers; NaN for objects without a value or without comparisons.
    leaf_sizes : ndarray of int, shape (a,)
    n_trees : ndarray of int, shape (b,)
        Of forests; none where they were not asked for.
    errors : ndarray, shape (folds, a, b)
    predicted : ndarray, shape (a, b, n)
        Coded as `truth`.
    peers : ndarray of str, shape (p,)
        Other methods on the same folds.
    peer_errors : ndarray, shape (folds, p)
    peer_predicted : ndarray, shape (p, n)
    constant_errors : ndarray, shape (folds,)
        Errors of the most frequent class, or the mean, of the training part.
    """

    classes: np.ndarray
    truth: np.ndarray
    leaf_sizes: np.ndarray
    n_trees: np.ndarray
    errors: np.ndarray
    predicted: np.ndarray
    peers: np.ndarray
    peer_errors: np.ndarray
    peer_predicted: np.ndarray
    constant_errors: np.ndarray

    @property
    def chance(self) -> float:
        """Mean of `constant_errors`."""
        return float(self.constant_errors.mean())

    def gain(self, size: int, trees: int) -> tuple[float, float]:
        """Reduction of `chance` by a forest, and the half-width of its 95 % interval.

        size, trees: Positions of the leaf size and the number of trees.
        """
        return _mean_with_reach(self.constant_errors - self.errors[:, size, trees])

    @property
    def chosen_gain(self) -> tuple[float, float]:
        """The same where all other folds choose leaf size and trees: the lowest error flatters."""
        errors = self.errors.reshape(len(self.errors), -1)
        chosen = np.argmin(errors.sum(axis=0) - errors, axis=1)
        return _mean_with_reach(self.constant_errors - errors[np.arange(len(errors)), chosen])

    def is_better(self, size: int, trees: int) -> bool:
        """Whether both gains are significantly above 0.

        Of forests on shuffled labels, 1 in 15 with the lowest error had a gain of its own.
        """
        return all(gain > reach for gain, reach in (self.gain(size, trees), self.chosen_gain))

    @property
    def best(self) -> tuple[int, int] | None:
        """Positions of the leaf size and the number of trees with the lowest error, if any."""
        if not self.errors.size:
            return None
        mean = self.errors.mean(axis=0)
        return tuple(int(i) for i in np.unravel_index(np.argmin(mean), mean.shape))

    def table(self) -> pd.DataFrame:
        """``method``, ``leaf size``, ``trees`` (missing for peers), ``error``, ``low``, ``high``.

        With 95 % intervals by Nadeau & Bengio (2003).
        """
        folds, a, b = self.errors.shape
        forest = pd.DataFrame({
            "method": FOREST, "leaf size": np.repeat(self.leaf_sizes, b),
            "trees": np.tile(self.n_trees, a),
        })
        peers = pd.DataFrame({"method": self.peers})
        table = pd.concat([forest, peers], ignore_index=True)
        errors = np.hstack([self.errors.reshape(folds, -1), self.peer_errors])
        table["error"] = errors.mean(axis=0)
        reach = corrected_half_width(errors, 1.0 / (folds - 1))
        table["low"] = np.maximum(table["error"] - reach, 0.0)
        table["high"] = table["error"] + reach
        if len(self.classes):
            table["high"] = np.minimum(table["high"], 1.0)
        return table

    def confusion(self, predicted: np.ndarray) -> np.ndarray:
        """(c, c) number of objects by true (rows) and predicted class (columns)."""
        finite = np.isfinite(self.truth)
        table = np.zeros((len(self.classes), len(self.classes)), dtype=int)
        np.add.at(table, (self.truth[finite].astype(int), predicted[finite].astype(int)), 1)
        return table


@task("Predicting held-out values", "embedding", "kernel", "features")
def predict_column(
    method: Method, triplets: Triplets, *,
    column: Annotated[str, Column("Predicted column", "A column of the stimulus metadata.")],
    kind: Kind = "classes", learner: Learner = "all", answers: OracleChoice = "fitted",
    max_samples: Share = 1.0, multiclass: Multiclass = "pooled",
    folds: Annotated[int, Number(2, 50, "Folds", advanced=True)] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> ColumnErrors:
    """Cross-validated errors of forests by leaf size and number of trees, and of their peers.

    Peers are nearest neighbours, a support vector machine on the kernel (of a map: a Gaussian one
    as wide as its median distance), and on coordinates a CART forest. Inner folds choose the number
    of neighbours and the penalty where there are enough objects. Only values of the column are held
    out, not answers.
    """
    triplets = as_triplets(triplets)
    fitted = clone(method).fit(triplets)
    space = space_of(fitted)
    there, values, classes = _values(triplets, column, kind, space)
    objects = space.objects[there]
    grouped = kind == "classes"
    forest = _forest(grouped).set_params(
        metric=_oracle(fitted, triplets, answers),
        max_samples=max_samples, seed=seed,
    )
    if grouped:
        forest.set_params(multiclass=multiclass)
    with_forests = learner in ("all", "forest")
    leaves = [size for size in LEAVES if 2 * size <= len(there)] if with_forests else []
    trees = TREES if with_forests else ()
    settings = [{"leaf_size": size, "n_estimators": m} for size in leaves for m in trees]
    peers = _peers(learner, grouped, space.part(there), seed)
    parts = list(_divided(values, grouped, folds, seed))
    items = [(forest, settings, list(peers.values()), objects, values, *part) for part in parts]
    guesses, errors, constant = np.zeros((len(settings) + len(peers), len(there))), [], []
    for (train, test), guess in zip(parts, results_of(_predict, items, progress), strict=True):
        guesses[:, test] = guess
        errors.append(_missed(guess, values[test], grouped))
        usual = np.bincount(values[train].astype(int)).argmax() if grouped else values[train].mean()
        constant.append(_missed(np.full((1, len(test)), usual), values[test], grouped)[0])
    errors = np.array(errors)
    truth = np.full(space.n_objects, np.nan)
    truth[objects] = values
    predicted = np.full((len(guesses), space.n_objects), np.nan)
    predicted[:, objects] = guesses
    shape, n_settings = (len(leaves), len(trees)), len(settings)
    return ColumnErrors(
        classes, truth, np.array(leaves, dtype=int), np.array(trees, dtype=int),
        errors[:, :n_settings].reshape(len(errors), *shape),
        predicted[:n_settings].reshape(*shape, space.n_objects),
        np.array(list(peers)), errors[:, n_settings:], predicted[n_settings:], np.array(constant),
    )


def _mean_with_reach(less: np.ndarray) -> tuple[float, float]:
    """Mean over the folds, and the half-width of its 95 % interval."""
    return float(less.mean()), float(corrected_half_width(less[:, None], 1 / (len(less) - 1))[0])


def _missed(guesses: np.ndarray, truth: np.ndarray, grouped: bool) -> np.ndarray:
    """(settings,) share of wrong classes, or root mean square, of guesses (settings, objects)."""
    if grouped:
        return np.mean(guesses != truth, axis=1)
    return np.sqrt(np.mean((guesses - truth) ** 2, axis=1))


def grown_forest(
    fitted: Method, triplets: Triplets, column: str, *, kind: str = "classes",
    answers: str = "fitted", **settings: Any,
) -> tuple[ComparisonForest, np.ndarray]:
    """A forest of all objects with a value, and their positions.

    fitted: A map or kernel of these answers.
    **settings: Parameters of the forest; the others are those of `predict_column`.
    """
    space = space_of(fitted)
    there, values, _ = _values(triplets, column, kind, space)
    oracle = _oracle(fitted, triplets, answers)
    forest = _forest(kind == "classes").set_params(metric=oracle, **settings)
    return forest.fit(space.objects[there], values), space.objects[there]


def _oracle(fitted: Method, triplets: Triplets, answers: str) -> Oracle:
    oracle = MapOracle(fitted)
    return AnswersOracle(triplets, otherwise=oracle) if answers == "answered" else oracle


def _forest(grouped: bool) -> ComparisonForest:
    return ComparisonForestClassifier() if grouped else ComparisonForestRegressor()


def _values(
    triplets: Triplets, column: str, kind: str, space: Space
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Objects of the space with a value, the values, and the names of classes."""
    values = column_of(triplets.objects, column, triplets.name)
    values = values.iloc[space.objects].reset_index(drop=True)
    if kind == "numbers":
        values = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
        there = np.flatnonzero(np.isfinite(values))
        if len(there) < 4 or np.ptp(values[there]) == 0:
            raise DataError(
                "numbers can be learned if four objects or more have them, and not all the same",
                remedy="Choose another column, or predict classes.",
            )
        return there, values[there], np.zeros(0, dtype=str)
    there = np.flatnonzero(values.notna())
    codes, classes = pd.factorize(values.iloc[there].astype(str), sort=True)
    if len(classes) < 2 or np.bincount(codes).min() < 2:
        raise DataError(
            "classes can be learned if there are at least two, and each of two objects",
            remedy="Choose another column, merge rare classes, or learn numbers.",
            python='kind="numbers"',
        )
    return there, codes.astype(float), np.asarray(classes, dtype=str)


def _divided(
    values: np.ndarray, grouped: bool, folds: int, seed: int
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Training and test positions, fold by fold."""
    from sklearn.model_selection import KFold, StratifiedKFold  # imported late: slow

    most = int(np.bincount(values.astype(int)).min()) if grouped else len(values) // 2
    kind = StratifiedKFold if grouped else KFold
    folds = kind(min(folds, most), shuffle=True, random_state=seed)
    yield from folds.split(values, values)


def _peers(
    learner: str, grouped: bool, space: Space, seed: int
) -> dict[str, tuple[BaseEstimator, np.ndarray]]:
    """By name, the estimators to compare with, and their inputs."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR

    near, cart, machine, linear = (
        (KNeighborsClassifier, RandomForestClassifier, SVC, LinearSVC(dual=False)) if grouped
        else (KNeighborsRegressor, RandomForestRegressor, SVR,
              LinearSVR(dual=False, loss="squared_epsilon_insensitive"))
    )
    grid = {"n_neighbors": [k for k in _NEIGHBOURS if k <= len(space) // 4 or k == 1]}
    # One object has a squared error, too, but no share of explained variance.
    how = {} if grouped else {"scoring": "neg_mean_squared_error"}
    penalties = {"C": _PENALTIES}
    if learner == "forest":
        return {}
    if learner != "all" and len(space) > SINGLE_ABOVE and space.vectors is not None:
        # A matrix between so many objects would be large, and a machine on it slow.
        return {
            "knn": {NEAREST: (GridSearchCV(near(1), grid, **how), space.vectors)},
            "svm": {MACHINE: (GridSearchCV(linear, penalties, **how), space.vectors)},
        }[learner]
    distances = space.distances()
    peers = {
        NEAREST: (GridSearchCV(near(1, metric="precomputed"), grid, **how), distances),
        MACHINE: (
            GridSearchCV(machine(kernel="precomputed"), penalties, **how), _kernel(space, distances)
        ),
    }
    if space.vectors is not None:
        peers[CART] = cart(_CART_TREES, random_state=seed), space.vectors
    one = {"knn": NEAREST, "svm": MACHINE}.get(learner)
    return peers if one is None else {one: peers[one]}


def _kernel(space: Space, distances: np.ndarray) -> np.ndarray:
    """(m, m) kernel of a space; without one, a Gaussian on the distances."""
    if space.gram is not None:
        return space.gram
    typical = float(np.median(distances[np.triu_indices(len(distances), 1)])) or 1.0
    return np.exp(-0.5 * (distances / typical) ** 2)


def _predict(
    forest: ComparisonForest, settings: list[dict[str, Any]],
    peers: list[tuple[BaseEstimator, np.ndarray]], objects: np.ndarray, values: np.ndarray,
    train: np.ndarray, test: np.ndarray, halt: CancelToken,
) -> np.ndarray:
    """(settings and peers, test objects) predictions."""
    results = [
        clone(forest).set_params(**setting).fit(objects[train], values[train])
        .predict(objects[test])
        for setting in settings if not halt()
    ]
    # Penalties and tolerances are in units of the training values.
    centre, unit = 0.0, 1.0
    if not is_classifier(forest):
        centre, unit = values[train].mean(), values[train].std() or 1.0
    targets = (values[train] - centre) / unit
    for peer, seen in peers:
        pairwise = get_tags(peer).input_tags.pairwise
        learned = seen[np.ix_(train, train)] if pairwise else seen[train]
        inputs = seen[np.ix_(test, train)] if pairwise else seen[test]
        results.append(centre + unit * _chosen(peer, targets).fit(learned, targets).predict(inputs))
    return np.array(results)


def _chosen(peer: BaseEstimator, values: np.ndarray) -> BaseEstimator:
    """A clone of a peer with the inner folds that the values allow, or of its estimator."""
    if not hasattr(peer, "cv"):
        return clone(peer)
    most = np.unique(values, return_counts=True)[1].min() if is_classifier(peer) else len(values)
    if most < 2:
        return clone(peer.estimator)
    return clone(peer).set_params(cv=int(min(_INNER_FOLDS, most)))
