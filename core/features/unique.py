"""Unique and shared parts of predictors: commonality analysis."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Seed
from tripletscope.core.engine.estimate import Estimate, estimates_of
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.explain import SCHEMES, ObjectFolds, TrialFolds
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.models import chance, combine, guessing, log_likelihood, right
from tripletscope.core.features.spaces import Predictor, Together, predictors_of
from tripletscope.core.features.splits import (
    ChoiceSets,
    Division,
    averaged,
    divisions_of,
    prepared,
)
from tripletscope.core.inference.held_out.units import LearnedUnit

#: Most predictors: all their subsets are tried.
MOST = 6


@dataclass(frozen=True)
class UniqueParts:
    """Deviance of held-out choices that k predictors explain, alone and together.

    Explained is a share of the deviance of guessing (McFadden's R²). Columns are the schemes,
    "objects" and "trials"; NaN where objects could not be held out.

    Attributes
    ----------
    predictors, schemes : list of str
    total : Estimate, shape (2,)
        Explained by all predictors together.
    alone : Estimate, shape (k, 2)
        Explained by each one by itself.
    unique : Estimate, shape (k, 2)
        Explained by all minus explained by all others.
    joint : Estimate, shape (2,)
        The total without unique parts; negative where predictors help each other.
    accuracy : ndarray, shape (2,)
        Of all predictors together.
    accuracy_alone : ndarray, shape (k, 2)
    accuracy_unique : Estimate, shape (k, 2)
        Fall of accuracy without each.
    subsets : ndarray of bool, shape (2^k - 1, k)
        All subsets of predictors.
    explained, subset_accuracy : ndarray, shape (2^k - 1, 2)
        Of each subset.
    common : Estimate, shape (2^k - 1, 2)
        Part that all predictors of each subset share, and no other.
    chance : ndarray, shape (2,)
    n_choices : ndarray of int, shape (2,)
    not_held_out : dict
        Why objects were not held out: a ``code`` and its numbers; empty where they were.
    """

    predictors: list[str]
    schemes: list[str]
    total: Estimate
    alone: Estimate
    unique: Estimate
    joint: Estimate
    accuracy: np.ndarray
    accuracy_alone: np.ndarray
    accuracy_unique: Estimate
    subsets: np.ndarray
    explained: np.ndarray
    subset_accuracy: np.ndarray
    common: Estimate
    chance: np.ndarray
    n_choices: np.ndarray
    not_held_out: dict = field(default_factory=dict)

    @property
    def adds(self) -> np.ndarray:
        """(k, 2) bool: whether the interval of a unique part is above 0."""
        return self.unique.low > 0

    @property
    def table(self) -> pd.DataFrame:
        """One row for each predictor and scheme."""
        return pd.DataFrame([
            {
                "predictor": name, "held_out": scheme,
                **self.alone[i, k].columns("alone"), **self.unique[i, k].columns("unique"),
                "adds": self.adds[i, k], "accuracy_alone": self.accuracy_alone[i, k],
                **self.accuracy_unique[i, k].columns("accuracy_unique"),
                "total": self.total.value[k], "joint": self.joint.value[k],
                "choices": self.n_choices[k],
            }
            for k, scheme in enumerate(self.schemes) if self.n_choices[k]
            for i, name in enumerate(self.predictors)
        ])


@task("Partitioning the explained deviance", "spaces", columns=("participant",))
def unique_parts(
    spaces: FeatureModel, answers: Answers, *, predictors: Together = "auto",
    object_folds: ObjectFolds = 3, folds: TrialFolds = 5, unit: LearnedUnit = "auto",
    seed: Seed = 0, progress: Progress = silent,
) -> UniqueParts:
    """The part that each of two to six predictors explains beyond the others, and the shared parts.

    Every subset of predictors predicts held-out choices by the sum of its dissimilarities, with
    the weights, 0 or more, that are best for the training choices.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    predictors : str
        By default spaces, or the features of a single space.

    Raises
    ------
    DataError
        If there are fewer than two predictors or more than six.

    References
    ----------
    Nimon, K., & Oswald, F. L. (2013). Understanding the results of multiple linear regression:
    beyond standardized regression coefficients. Organizational Research Methods, 16, 650-674:
    commonality analysis.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> seen = np.random.default_rng(0).normal(size=(30, 3))
    >>> answers = ts.simulate(seen[:, :2], 1000, noise="logistic", seed=0)
    >>> space = ts.features.FeatureSpace(
    ...     name="ratings", values=seen, feature_names=["colour", "shape", "price"])
    >>> found = ts.features.unique_parts(space, answers)
    >>> found.adds[:, 0].tolist()
    [True, True, False]
    """
    answers = as_answers(answers)
    tables, has_features, data = prepared(spaces, answers)
    alone = predictors == "auto" and len(tables) == 1
    chosen = predictors_of(tables, "features" if alone else predictors, most=MOST)
    if not 2 <= len(chosen) <= MOST:
        raise DataError(
            f"{len(chosen)} predictors cannot be partitioned; choose 2 to {MOST}",
            file=answers.name, remedy="Choose fewer, or combine related ones in one feature space.",
        )
    divided, refused = divisions_of(answers, has_features, data, object_folds, folds, seed)
    # Bit i of the number of a subset, from 1, is predictor i.
    subsets = (np.arange(1, 2 ** len(chosen))[:, None] >> np.arange(len(chosen)) & 1).astype(bool)
    pieces = [
        (chosen, subsets, data, division) for scheme in SCHEMES for division in divided[scheme]
    ]
    rest = iter(list(results_of(_predict, pieces, progress)))
    units = Units.of(answers, unit)
    columns = [
        _parted([next(rest) for _ in divided[scheme]], divided[scheme], subsets, data, units)
        for scheme in SCHEMES
    ]
    found = {
        name: np.stack([
            column.get(name, np.full_like(of_trials, np.nan, dtype=float)) for column in columns
        ], axis=-1)
        for name, of_trials in columns[1].items() if name != "n_choices"
    }
    found |= {name: units.estimate(*found[name]) for name in estimates_of(UniqueParts)}
    return UniqueParts(
        [one.name for one in chosen], list(SCHEMES), subsets=subsets, not_held_out=refused, **found,
        n_choices=np.array([column.get("n_choices", 0) for column in columns]),
    )


def _predict(
    predictors: list[Predictor], subsets: np.ndarray, data: ChoiceSets, division: Division,
    halt: CancelToken,
) -> np.ndarray:
    """(2, 2^k - 1, t) log-likelihood and accuracy of the held-out choices."""
    learned = data.choices.take(division.learned(data.choices))
    beyond = data.choices.take(division.predicted(data.choices))
    train = np.column_stack([one.apart(learned.distinct) for one in predictors])
    test = np.column_stack([one.apart(beyond.distinct) for one in predictors])
    result = np.zeros((2, len(subsets), len(beyond)))
    for place, subset in enumerate(subsets):
        if halt():
            break
        difference = test[:, subset] @ combine(learned, train[:, subset])
        result[:, place] = log_likelihood(beyond, difference), right(beyond, difference)
    return result


def _parted(
    parts: list[np.ndarray], divisions: list[Division], subsets: np.ndarray,
    data: ChoiceSets, units: Units,
) -> dict[str, np.ndarray]:
    """Fields of a `UniqueParts` for one scheme; of estimates (3, ...); empty without divisions."""
    if not divisions:
        return {}
    both = averaged(parts, divisions, data.choices)
    there = np.isfinite(both[0, 0])
    log, hit = both[:, :, there]
    sets = data.choices.take(there)
    mine = units.about(sets)
    # Their means over choices are shares of the deviance of guessing.
    explained = (log - np.log(sets.chance)) / -guessing(sets)
    whole, k = len(subsets), subsets.shape[1]
    single = [2**i - 1 for i in range(k)]
    without = [whole - 1 - 2**i for i in range(k)]

    def read(values: np.ndarray) -> np.ndarray:
        return np.array([mine.mean(row) for row in np.atleast_2d(values)]).T

    unique = explained[-1] - explained[without]
    estimates = {
        "total": read(explained[-1])[:, 0], "alone": read(explained[single]),
        "unique": read(unique), "joint": read(explained[-1] - unique.sum(axis=0))[:, 0],
        "accuracy_unique": read(hit[-1] - hit[without]),
        "common": read(_in_common(explained)),
    }
    accuracy = hit @ sets.weight / sets.weight.sum()
    return {
        **estimates, "accuracy": accuracy[-1], "accuracy_alone": accuracy[single],
        "explained": explained @ sets.weight / sets.weight.sum(), "subset_accuracy": accuracy,
        "chance": np.array(chance(sets)), "n_choices": len(sets),
    }


def _in_common(explained: np.ndarray) -> np.ndarray:
    """The common part of every subset, from what each subset explains.

    All minus what the predictors outside of a subset explain is a sum of common parts over the
    subset's own subsets; differences by one predictor after the other invert it.
    """
    number = len(explained) + 1
    outside = explained[-1] - np.concatenate([np.zeros((1, explained.shape[1])), explained])[::-1]
    for bit in range(number.bit_length() - 1):
        inside = np.flatnonzero(np.arange(number) >> bit & 1)
        outside[inside] -= outside[inside - 2**bit]
    return outside[1:]
