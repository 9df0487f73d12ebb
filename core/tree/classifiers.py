"""Classifiers of the objects of a kernel, compared on the same folds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.computing.progress import Progress, silent
from tripletscope.core.evaluation.score import corrected_reach
from tripletscope.core.kernel.classification import (
    Classification,
    Learner,
    classify_by,
    classify_labels,
)
from tripletscope.core.kernel.kernel import Kernel
from tripletscope.core.kernel.space import Space, space_of
from tripletscope.core.tree.supervised import ComparisonForestClassifier

#: What is compared, by the names that `predict_labels` takes.
CLASSIFIERS = {
    "svm": "Support vector machine", "knn": "Nearest neighbours",
    "supervised": "Comparison forest", "random": "Forest, random pivots",
}
_LEAVES = (1, 4, 16)


def predict_labels(
    fitted: Kernel, labels: Any, classifier: str, *, folds: int = 10, repeats: int = 5,
    seed: int = 0, n_estimators: int = 100, progress: Progress = silent,
) -> Classification:
    """Labels of held-out objects, predicted from a kernel by one of `CLASSIFIERS`.

    The folds are the same for each. Inner folds choose the penalty, the number of neighbours, or
    the leaf size of forests, which ask only which of two objects a third is nearer to.

    labels (n,): Missing values mean that the label is not known.
    folds, repeats, seed: Of the cross-validation; see
        `tripletscope.core.kernel.classification.classify`.
    n_estimators: Trees of a forest.
    """
    how = {"folds": folds, "repeats": repeats, "seed": seed, "progress": progress}
    if classifier in ("svm", "knn"):
        return classify_labels(fitted, labels, algorithm=classifier, **how)
    forest = ComparisonForestClassifier(
        metric="precomputed", pivots=classifier, n_estimators=n_estimators, seed=seed
    )
    space = space_of(fitted)
    return classify_by(partial(_forest, forest, space), space, labels, **how)


def _forest(forest: ComparisonForestClassifier, space: Space, n_train: int) -> Learner:
    leaves = [size for size in _LEAVES if size == 1 or 2 * size <= n_train]
    return Learner(space.distances(), forest, {"leaf_size": leaves}, True)


def error_table(found: Mapping[str, Classification]) -> pd.DataFrame:
    """Errors of classifiers with their 95 % intervals over the folds of all repeats.

    found: By names from `CLASSIFIERS`.
    Returns: ``name``, ``value`` (share of wrong labels), ``low`` and ``high``.

    References
    ----------
    Nadeau, C., & Bengio, Y. (2003). Inference for the generalization error. Machine Learning, 52,
    239-281; for repeats: Bouckaert, R. R., & Frank, E. (2004). Evaluating the replicability of
    significance tests for comparing learning algorithms. PAKDD.
    """
    errors = {CLASSIFIERS[name]: one.fold_errors for name, one in found.items()}
    table = pd.DataFrame({"name": list(errors), "value": [one.mean() for one in errors.values()]})
    reach = np.array([
        corrected_reach(one.reshape(-1, 1), 1.0 / (one.shape[1] - 1))[0]
        for one in errors.values()
    ])
    table["low"] = np.maximum(table["value"] - reach, 0.0)
    table["high"] = np.minimum(table["value"] + reach, 1.0)
    return table
