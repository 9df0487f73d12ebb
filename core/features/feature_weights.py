"""Weights of features in people's answers, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import ndtri, stdtrit

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.places import run_starts
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.intervals import Units, effective_number, objects_in
from tripletscope.core.features.models import chance, combine, right
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.features.splits import ChoiceSets, averaged, divisions_of, prepared
from tripletscope.core.inference.held_out.units import Unit, sampling_units

#: Most features, and fewest answers for each.
MOST, FOR_EACH = 60, 10
#: Folds of objects and, where these cannot be held out, of trials; level of the test.
OBJECT_FOLDS, FOLDS, _LEVEL = 3, 5, 0.025


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of k features.

    Attributes
    ----------
    spaces, features : list of str, length k
        Name of each feature and of its space.
    share : Estimate, shape (k,)
        Part of each feature in the log-odds of a choice: its weight times the standard deviation,
        over pairs of objects, of what it adds to dissimilarity, as a share of the sum of these.
    weight : Estimate, shape (k,)
        Log-odds for a squared difference of one standard deviation; for a distance matrix or city
        block, for a distance of one standard deviation.
    samples : ndarray, shape (r, k)
        Weights in bootstrap replicates.
    accuracy : Estimate
        Of all features together, on choices among held-out objects or, where objects cannot be
        held out, on held-out trials; interval over objects and `unit`.
    predicts : bool
        Whether this accuracy is above chance, at 2.5 % (one-sided).
    n_choices : int
    """

    spaces: list[str]
    features: list[str]
    share: Estimate
    weight: Estimate
    samples: np.ndarray
    n_choices: int
    accuracy: Estimate
    predicts: bool

    @property
    def is_zero(self) -> np.ndarray:
        """(k,) bool: whether the interval of a weight reaches 0, or all together only guess."""
        return (self.weight.low <= 1e-9) | (not self.predicts)

    @property
    def table(self) -> pd.DataFrame:
        """One row per feature, the heaviest first."""
        result = pd.DataFrame({
            "space": self.spaces, "feature": self.features, **self.share.columns("share"),
            **self.weight.columns("weight"),
        })
        return result.sort_values("share", ascending=False, kind="stable", ignore_index=True)


@task("Weighing features", "spaces", columns=("participant",))
def feature_weights(
    spaces: FeatureModel, answers: Answers, *,
    replicates: Annotated[int, Number(20, 10_000, "Bootstrap replicates")] = 200,
    unit: Unit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> FeatureWeights:
    """Weights, 0 or more, of features under which the answers are most likely.

    Every column of a table is a feature, and every matrix of distances. All are in one sum: each
    weight is what the feature adds to the others.

    Parameters
    ----------
    spaces : FeatureModel, FeatureSpace or list of FeatureSpace
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)

    Returns
    -------
    FeatureWeights
        With intervals over objects and `unit` at once: random numbers fit some objects by luck. A
        weight is never negative: a feature whose interval reaches 0 may as well be left out, and so
        may all of them if together they do not predict held-out choices.

    Raises
    ------
    DataError
        If there are more than 60 features, or fewer than ten choices for each.

    Notes
    -----
    There is no penalty, which would bias the weights. In a replicate a choice has the product of
    random weights of its objects, exponential with mean 1, and of the draws of its unit (Owen &
    Eckles, 2012). Percentiles are widened as Student's t is, by the effective number of objects
    that carry a feature: of a mark on a few objects hardly anything is known, and of one object
    nothing. These intervals are rather too long than too short. Correlated features share
    their weight arbitrarily; `unique_parts` says what each adds.

    References
    ----------
    Owen, A. B., & Eckles, D. (2012). Bootstrapping data arrays of arbitrary order. Annals of
    Applied Statistics, 6, 895-927.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> seen = np.random.default_rng(0).normal(size=(30, 3))
    >>> answers = ts.simulate(seen * [2, 1, 0], 2000, noise="logistic", seed=0)
    >>> space = ts.features.FeatureSpace(
    ...     name="ratings", values=seen, feature_names=["colour", "shape", "price"])
    >>> found = ts.features.feature_weights(space, answers, replicates=50)
    >>> found.table["feature"].tolist()
    ['colour', 'shape', 'price']
    >>> found.is_zero.tolist()
    [False, False, True]
    """
    answers = as_answers(answers)
    tables, has_features, data = prepared(spaces, answers)
    names = [(space.name, name) for space in tables for name in space.names]
    sets = data.choices
    if len(names) > MOST or len(sets) < FOR_EACH * len(names):
        raise DataError(
            f"{len(names):,} features cannot be weighted by {len(sets):,} choices",
            file=answers.name, remedy=f"Give at most {MOST} features, and {FOR_EACH} choices for "
            "each; explain weights any number of them under a penalty.",
        )
    parts = np.column_stack([_parts(space, sets.distinct) for space in tables])
    spread = parts.std(axis=0)
    parts /= np.where(spread > 0, spread, 1.0)
    units = sampling_units(answers, unit)
    seeds = np.random.SeedSequence(seed).spawn(replicates)
    choice, item = objects_in(sets)
    begins = run_starts(choice)

    def drawn(one: np.random.SeedSequence) -> np.ndarray:
        """(S,) how much each choice counts, by its unit and its objects."""
        rng = np.random.default_rng(one)
        of_units = units.drawn(rng)[sets.answer]
        return of_units * np.multiply.reduceat(rng.exponential(size=sets.n_objects)[item], begins)

    pieces = [(sets, parts, drawn(one)) for one in seeds]
    samples = np.array(list(results_of(_weigh, pieces, progress)))
    result = combine(sets, parts)
    degrees = _carried_by(tables, sets) - 1.0
    if units.degrees is not None:
        degrees = np.minimum(degrees, units.degrees)
    wider = stdtrit(np.maximum(degrees, 1.0), 0.975) / ndtri(0.975)
    samples = result + (samples - result) * wider * np.sqrt(units.correction)
    samples = np.maximum(samples, 0.0)
    share, shares = _shares(result), _shares(samples)
    unit_of = 1.0 / np.where(spread > 0, spread, 1.0) * _standard(tables)
    # No resampling tells what a feature that one object carries would weigh for others.
    several = degrees >= 1.0

    def estimated(value: np.ndarray, drawn: np.ndarray) -> Estimate:
        low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
        return Estimate(value, low * several, high, units.unit, units.number)

    accuracy, predicts = _held_out(answers, has_features, data, tables, unit, seed)
    accuracy = Estimate(*accuracy, units.unit, units.number)
    return FeatureWeights(
        [space for space, _ in names], [name for _, name in names], estimated(share, shares),
        estimated(result * unit_of, samples * unit_of), samples * unit_of, len(sets), accuracy,
        predicts,
    )


def _held_out(
    answers: Answers, has_features: np.ndarray, data: ChoiceSets, tables: list[FeatureSpace],
    unit: str, seed: int,
) -> tuple[tuple[float, float, float], bool]:
    """Accuracy of all features on held-out objects, or else trials; whether it is above chance."""
    divided, _ = divisions_of(answers, has_features, data, OBJECT_FOLDS, FOLDS, seed)
    divisions = divided["objects"] or divided["trials"]
    found = []
    for division in divisions:
        learned = data.choices.take(division.learned(data.choices))
        beyond = data.choices.take(division.predicted(data.choices))
        train, test = (
            np.column_stack([_parts(space, sets.distinct) for space in tables])
            for sets in (learned, beyond)
        )
        found.append(right(beyond, test @ combine(learned, train)))
    hit = averaged(found, divisions, data.choices)
    there = np.isfinite(hit)
    sets = data.choices.take(there)
    mine = Units.of(answers, "auto" if unit == "both" else unit).about(sets)
    return mine.share(hit[there]), mine.p_above(hit[there], chance(sets)) <= _LEVEL


def _weigh(sets: Choices, parts: np.ndarray, times: np.ndarray, halt: CancelToken) -> np.ndarray:
    kept = sets.reweighted(sets.weight * times)
    return combine(kept, parts)


def _parts(space: FeatureSpace, pairs: np.ndarray) -> np.ndarray:
    return space.apart(pairs)[:, None] if space.values is None else space.parts(pairs)


def _standard(tables: list[FeatureSpace]) -> np.ndarray:
    """(k,) one standard deviation of each feature, in the power of its weight."""
    result = []
    for space in tables:
        if space.values is None:
            i, j = np.triu_indices(space.n_objects, 1)
            result.append([np.nanstd(space.distances[i, j])])
            continue
        spread = space.coordinates[space.known].std(axis=0)
        power = 1 if space.metric == "cityblock" else 2
        result.append(spread**power / (2 if space.metric in ("cosine", "correlation") else 1))
    return np.concatenate(result)


def _carried_by(tables: list[FeatureSpace], sets: Choices) -> np.ndarray:
    """(k,) effective number of objects that carry each feature: 1 where one differs from all.

    By how far each is from the centre, or of products from 0.
    """
    seen = np.zeros(sets.n_objects, dtype=bool)
    seen[sets.pairs] = True
    result = []
    for space in tables:
        if space.values is None:
            apart = space.distances[np.ix_(seen, seen)]
            far = np.maximum(apart.mean(axis=1) - apart.mean() / 2.0, 0.0)[:, None]
        else:
            values = space.coordinates[seen]
            centre = 0.0 if space.metric == "product" else values.mean(axis=0)
            far = (values - centre) ** 2
        result.append(effective_number(far))
    return np.concatenate(result)


def _shares(weights: np.ndarray) -> np.ndarray:
    total = weights.sum(axis=-1, keepdims=True)
    return np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
