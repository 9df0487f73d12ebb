"""A map of where objects differ for people beyond their features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from scipy.sparse.linalg import eigsh

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import principal_axes
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.explain import TrialFolds
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.intervals import Units
from tripletscope.core.features.models import (
    chance,
    combine,
    guessing,
    laplacian,
    log_likelihood,
    mean_loss,
    right,
)
from tripletscope.core.features.spaces import MOST_FEATURES, Together, predictors_of
from tripletscope.core.features.splits import by_trials, prepared
from tripletscope.core.inference.held_out.score import require_groups
from tripletscope.core.inference.held_out.units import LearnedUnit
from tripletscope.core.models.optimise.minimise import minimise

#: The three predictors.
PARTS = ("features", "features and map", "map alone")
#: Sizes of a start.
_SIZES = 2.0 ** np.arange(-5, 3)


@dataclass(frozen=True)
class ResidualMap:
    """A map of what features do not explain, and whether it improves predictions.

    Attributes
    ----------
    embedding : ndarray, shape (n, d)
        Positions; squared distances are log-odds beyond those of the features. 0 for objects
        without choices.
    placed : ndarray of bool, shape (n,)
    predictors : list of str, length k
    weights : ndarray, shape (k,)
        Of the features beside the map; see `tripletscope.features.FeatureModel`.
    spread : ndarray, shape (d,)
        Standard deviation of each axis over the objects.
    parts : list of str
        The three predictors, `PARTS`.
    explained : Estimate, shape (3,)
        Share of the deviance of guessing on held-out trials that each explains.
    accuracy : Estimate, shape (3,)
        Of the same.
    gain : Estimate
        Explained by the map beyond the features; the map may be noise if this reaches 0.
    beyond : Estimate
        Explained by features and map beyond the map without features.
    chance : float
    n_choices : int
    """

    embedding: np.ndarray
    placed: np.ndarray
    predictors: list[str]
    weights: np.ndarray
    spread: np.ndarray
    parts: list[str]
    explained: Estimate
    accuracy: Estimate
    gain: Estimate
    beyond: Estimate
    chance: float
    n_choices: int

    @property
    def is_something(self) -> bool:
        """Whether the map predicts held-out trials better than the features do alone."""
        return self.gain.low > 0

    @property
    def table(self) -> pd.DataFrame:
        """One row for each of `PARTS`."""
        return pd.DataFrame({
            "predicts": self.parts, **self.explained.columns("explained"),
            "accuracy": self.accuracy.value, "low": self.accuracy.low, "high": self.accuracy.high,
            "chance": self.chance,
        })


@task(
    "Mapping what features do not explain", "spaces", name="left_over", columns=("participant",)
)
def residual_map(
    spaces: FeatureModel, answers: Answers, *,
    n_components: Annotated[int, Number(
        1, 10, "Dimensions", "Dimensions of the residual map."
    )] = 2,
    predictors: Together = "auto",
    prior: Annotated[float, Number(
        0.01, 1000.0, "Prior", "Strength of the Gaussian prior on the map's coordinates. It "
        "leaves to features what they can explain.", advanced=True
    )] = 1.0,
    folds: TrialFolds = 5, unit: LearnedUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> ResidualMap:
    """Map what features do not explain, and measure how well it predicts.

    The log-odds of a choice are differences of the weighted dissimilarities of the features plus
    squared distances in a map, fitted together. Distant objects look more different to people
    than their features say; a map cannot bring objects together.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
    prior : float
        Half of it times each object's squared distance from the origin is added to the loss.

    Raises
    ------
    DataError
        If there are features of other objects, too few choices among those that have some, or more
        dimensions than objects.

    Notes
    -----
    The fit starts at the best features, a saddle point, from the directions in which a map lowers
    the loss most. As in STE, which has the same likelihood, one start suffices. Trials are held
    out, because objects without answers have no position.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> seen = np.random.default_rng(0).normal(size=(30, 2)) * 1.5
    >>> answers = ts.simulate(seen, 1500, noise="logistic", seed=0)
    >>> found = ts.features.residual_map(
    ...     ts.features.FeatureSpace(name="first", values=seen[:, :1]), answers, n_components=1)
    >>> bool(abs(np.corrcoef(found.embedding[:, 0], seen[:, 1])[0, 1]) > 0.95)
    True
    >>> found.is_something
    True
    """
    answers = as_answers(answers)
    if n_components > answers.n_objects:
        raise DataError(
            f"a map of {answers.n_objects} objects cannot have {n_components} dimensions",
            file=answers.name, remedy=f"Ask for at most {answers.n_objects} dimensions.",
        )
    tables, has_features, data = prepared(spaces, answers)
    chosen = predictors_of(tables, predictors, most=MOST_FEATURES)
    sets = data.choices
    parts = np.column_stack([one.apart(sets.distinct) for one in chosen])
    rng = np.random.default_rng(seed)
    if answers.is_one_rating:
        require_groups(answers, folds)
    divisions = by_trials(answers, data.between_two.answer, has_features, folds, rng)
    n, fold = answers.n_objects, divisions[0].fold[sets.answer]
    pieces = [(sets, parts, fold != -1, n, n_components, prior)]
    pieces += [
        (sets, columns, fold != k, n, d, prior)
        for columns, d in ((parts, 0), (parts, n_components), (parts[:, :0], n_components))
        for k in range(len(divisions))
    ]
    (weights, x), *fits = results_of(_fit, pieces, progress)
    log, hit = _held_out(sets, parts, fold, fits)
    units = Units.of(answers, unit)
    mine = units.about(sets)
    explained = (log - np.log(sets.chance)) / -guessing(sets)
    placed = np.zeros(n, dtype=bool)
    placed[sets.pairs] = True
    x[placed], x[~placed] = principal_axes(x[placed]), 0.0
    means = np.array([mine.mean(row) for row in explained]).T
    shares = np.array([mine.share(row) for row in hit]).T
    return ResidualMap(
        x, placed, [one.name for one in chosen], weights, x[placed].std(axis=0), list(PARTS),
        units.estimate(*means), units.estimate(*shares),
        units.estimate(*mine.mean(explained[1] - explained[0])),
        units.estimate(*mine.mean(explained[1] - explained[2])), chance(sets), len(sets),
    )


def _held_out(
    sets: Choices, parts: np.ndarray, fold: np.ndarray, fits: list[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """(2, 3, S) log-likelihood and accuracy of every choice, by fits of `PARTS` to other folds."""
    result = np.zeros((2, len(PARTS), len(sets)))
    for place, (weights, x) in enumerate(fits):
        part, k = divmod(place, len(fits) // len(PARTS))
        columns = parts if part < 2 else parts[:, :0]
        difference, held_out = _log_odds(sets.distinct, columns, weights, x), fold == k
        result[0, part, held_out] = log_likelihood(sets, difference)[held_out]
        result[1, part, held_out] = right(sets, difference)[held_out]
    return result


def _log_odds(
    pairs: np.ndarray, parts: np.ndarray, weights: np.ndarray, x: np.ndarray
) -> np.ndarray:
    """(u,) dissimilarities as log-odds: of the features, and squared distances in the map."""
    between = x[pairs[:, 0]] - x[pairs[:, 1]]
    return parts @ weights + np.einsum("ud,ud->u", between, between)


def _fit(
    sets: Choices, parts: np.ndarray, learned: np.ndarray, n: int, d: int, prior: float,
    halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray]:
    """(k,) weights of the features and (n, d) positions, from some of the choices."""
    sets = sets.reweighted(sets.weight * learned)
    k = parts.shape[1]
    weights = combine(sets, parts) if k else np.zeros(0)
    if not d or halt():
        return weights, np.zeros((n, d))
    i, j = sets.distinct.T
    total = sets.weight.sum()
    spread = parts.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    scaled = parts / scale

    def loss(flat: np.ndarray) -> tuple[float, np.ndarray]:
        x = flat[k:].reshape(n, d)
        value, pull = mean_loss(sets, _log_odds(sets.distinct, scaled, flat[:k], x))
        gradient = 2 * (laplacian(pull, i, j, n) @ x) + prior / total * x
        value += 0.5 * prior / total * float(np.sum(x**2))
        return value, np.concatenate([pull @ scaled, gradient.ravel()])

    pull = mean_loss(sets, parts @ weights)[1]
    directions = _steepest(laplacian(pull, i, j, n), d)
    starts = [np.concatenate([weights * scale, (size * directions).ravel()]) for size in _SIZES]
    start = min(starts, key=lambda one: loss(one)[0])
    lowest = np.concatenate([np.zeros(k), np.full(n * d, -np.inf)])
    result = minimise(loss, start, bounds=(lowest, np.inf), max_iter=500).x
    return result[:k] / scale, result[k:].reshape(n, d)


def _steepest(matrix: np.ndarray, d: int) -> np.ndarray:
    """(n, d) directions of a map that lower the loss most, with coordinates of about 1."""
    n = matrix.shape[0]
    if issparse(matrix):
        start = np.random.default_rng(0).normal(size=n)
        vectors = eigsh(matrix, k=d, which="SA", v0=start)[1]
    else:
        vectors = np.linalg.eigh(matrix)[1][:, :d]
    return vectors * np.sqrt(n)
