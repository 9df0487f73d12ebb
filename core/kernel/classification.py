"""Classification of labels from a kernel, by nested cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import column_of
from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.engine.declared import Choice, Column, Number
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.options import Seed
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.kernel.kernel import SINGLE_ABOVE, Kernel, inner_products
from tripletscope.core.kernel.space import Space, space_of

#: Choices of the inner cross-validation.
_PENALTIES = {"C": [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0]}
_FEW_PENALTIES = {"C": [0.1, 1.0, 10.0]}
_NEIGHBOURS = (1, 3, 5, 9, 15, 25)
_INNER_FOLDS = 5


@dataclass(frozen=True)
class Classification:
    """Labels predicted for held-out objects.

    Attributes
    ----------
    classes : ndarray of str, shape (c,)
    truth : ndarray of int, shape (n,)
        Positions in `classes`; -1 for objects without a label or usable answers.
    predicted : ndarray of int, shape (n,)
        Likewise, in the first repetition.
    fold_errors : ndarray, shape (r, folds)
        Share of wrong labels in every outer fold of every repetition.
    chosen : ndarray, shape (r, folds)
        Penalty or number of neighbours chosen by the inner folds; 1 where a label has only one
        training object, too few for inner folds.
    """

    classes: np.ndarray
    truth: np.ndarray
    predicted: np.ndarray
    fold_errors: np.ndarray
    chosen: np.ndarray

    @property
    def error(self) -> float:
        """Mean share of wrong labels."""
        return float(self.fold_errors.mean())

    @property
    def standard_error(self) -> float:
        """Standard error of `error` for further objects.

        It allows for training objects that folds share (Nadeau & Bengio 2003; Bouckaert & Frank
        2004).
        """
        ratio = 1.0 / (self.fold_errors.shape[1] - 1)
        return float(np.sqrt((1.0 / self.fold_errors.size + ratio) * self.fold_errors.var(ddof=1)))

    @property
    def chance(self) -> float:
        """Error of the most frequent label."""
        counts = np.bincount(self.truth[self.truth >= 0])
        return float(1.0 - counts.max() / counts.sum())

    @property
    def confusion(self) -> np.ndarray:
        """(c, c) number of objects by true (rows) and predicted label (columns)."""
        labelled = self.truth >= 0
        table = np.zeros((len(self.classes), len(self.classes)), dtype=int)
        np.add.at(table, (self.truth[labelled], self.predicted[labelled]), 1)
        return table


@task("Predicting held-out labels")
def classify(
    method: Method,
    triplets: Triplets,
    *,
    labels: Annotated[str, Column("Labels", "A column of the stimulus metadata.")],
    algorithm: Annotated[
        str, Choice({"svm": "Support vector machine", "knn": "Nearest neighbours"}, "Classifier")
    ] = "svm",
    folds: Annotated[int, Number(2, 50, "Folds", advanced=True)] = 10,
    repeats: Annotated[int, Number(
        1, 100, "Repeats", "Repeats of the cross-validation, with objects shuffled each time.",
        advanced=True
    )] = 5,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Classification:
    """Predict a column of labels from a kernel, or from any distances by nearest neighbours.

    Cross-validation is repeated, because its error depends on the folds. Only labels are held out,
    not answers.
    """
    triplets = as_triplets(triplets)
    values = column_of(triplets.objects, labels, triplets.name)
    return classify_labels(
        clone(method).fit(triplets), values, algorithm=algorithm,
        folds=folds, repeats=repeats, seed=seed,
        progress=progress,
    )


def classify_labels(
    fitted: Method, labels: Any, *, algorithm: str = "svm", folds: int = 10, repeats: int = 5,
    seed: int = 0, progress: Progress = silent,
) -> Classification:
    """`classify` for a fitted method and labels (n,) of its objects; missing labels are unknown."""
    from sklearn.model_selection import GridSearchCV, StratifiedKFold  # imported late: slow

    space = space_of(fitted)
    column = pd.Series(np.asarray(labels, dtype=object)).iloc[space.objects].reset_index(drop=True)
    there = np.flatnonzero(column.notna())
    codes, classes = pd.factorize(column.iloc[there].astype(str), sort=True)
    counts = np.bincount(codes)
    if len(counts) < 2 or counts.min() < 2:
        raise DataError(
            "classification needs at least two labels, each on at least two objects",
            remedy="Choose another column, or merge rare labels.",
        )
    folds = min(folds, int(counts.min()))
    inputs, classifier, grid, square = _learner(
        fitted, space, algorithm, int(len(there) * (1 - 1 / folds) * (1 - 1 / _INNER_FOLDS))
    )
    inputs = inputs[np.ix_(there, there)] if square else inputs[there]
    errors, chosen, first = [], [], np.full(len(there), -1)
    seeds = np.random.SeedSequence(seed).generate_state(repeats)
    with single_blas_thread():
        for repeat, state in enumerate(seeds):
            outer = StratifiedKFold(folds, shuffle=True, random_state=state)
            for train, test in outer.split(inputs, codes):
                least = int(np.bincount(codes[train], minlength=len(counts)).min())
                search = clone(classifier)
                if least > 1:
                    inner = StratifiedKFold(
                        min(_INNER_FOLDS, least), shuffle=True, random_state=state
                    )
                    search = GridSearchCV(classifier, grid, cv=inner)
                search.fit(inputs[np.ix_(train, train)] if square else inputs[train], codes[train])
                guesses = search.predict(inputs[np.ix_(test, train)] if square else inputs[test])
                errors.append(float(np.mean(guesses != codes[test])))
                chosen.append(float(next(iter(search.best_params_.values()))) if least > 1 else 1.0)
                if repeat == 0:
                    first[test] = guesses
                if progress(len(errors) / (folds * repeats)) and len(errors) < folds * repeats:
                    raise Stopped
    truth, predicted = np.full((2, space.n_objects), -1)
    truth[space.objects[there]], predicted[space.objects[there]] = codes, first
    return Classification(
        np.asarray(classes, dtype=str), truth, predicted,
        np.array(errors).reshape(repeats, folds), np.array(chosen).reshape(repeats, folds),
    )


class _Learner(NamedTuple):
    """A classifier of scikit-learn's kind for m objects.

    grid: Values of one parameter, for inner folds to choose from.
    square: Whether inputs, a row per object, are a matrix between the objects.
    """

    inputs: np.ndarray
    classifier: BaseEstimator
    grid: dict[str, list]
    square: bool


def _learner(fitted: Method, space: Space, algorithm: str, n_train: int) -> _Learner:
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC, LinearSVC

    if algorithm == "knn":
        grid = {"n_neighbors": [k for k in _NEIGHBOURS if k <= max(n_train, 1)]}
        if space.vectors is not None:
            return _Learner(space.vectors, KNeighborsClassifier(1), grid, False)
        nearest = KNeighborsClassifier(1, metric="precomputed")
        return _Learner(space.distances(), nearest, grid, True)
    if not isinstance(fitted, Kernel):
        raise ValueError("a support vector machine needs a kernel")
    if len(space) > SINGLE_ABOVE and space.vectors is not None:
        machine = LinearSVC(dual=False, random_state=0)
        return _Learner(space.vectors, machine, _FEW_PENALTIES, False)
    gram = inner_products(space.vectors) if space.gram is None else space.gram
    return _Learner(gram, SVC(kernel="precomputed"), _PENALTIES, True)
