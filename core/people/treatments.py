"""Exclusion or weighting of unreliable people: effects on predictions and on the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.columns import codes_of
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.parallel import Halt, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.inference.evaluation.score import (
    corrected_reach,
    question_folds,
    reach_over_people,
)
from tripletscope.core.inference.evaluation.units import known_people, unit_fields
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.careless import with_lapses

#: Treatments of people who guess, in the order of all tables.
TREATMENTS = ("all answers alike", "exclusion", "weights")


@dataclass(frozen=True)
class Treatments:
    """Effects of exclusion and weights, for each of `TREATMENTS`.

    error (3,): Held-out error on the answers of people who are not excluded.
    everybody (3,): The same on everybody's answers.
    difference, low, high (3,): `error` minus that of all answers alike, with a 95 % interval.
    apart (3,): `error` with weights minus that after exclusion, and both ends of its 95 % interval.
    effective (3,): Equivalent number of answers of equal weight (Kish).
    moved (3,): Share of the variance of the map of all answers that is unexplained (Procrustes).
    n_excluded: People without any answer left.
    n_predicted: Answers of `error`.
    unit {"answers", "participants"}: Independent units of the intervals.
    """

    error: np.ndarray
    everybody: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    apart: np.ndarray
    effective: np.ndarray
    moved: np.ndarray
    n_excluded: int
    n_predicted: int
    unit: str = "answers"
    n_units: int | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row for each treatment."""
        return pd.DataFrame({"treatment": TREATMENTS, **{
            name: getattr(self, name) for name in
            ("error", "difference", "low", "high", "everybody", "effective", "moved")
        }})


def person_weights(
    answers: Judgements, participants: np.ndarray, weight: np.ndarray
) -> np.ndarray:
    """(T,) weight of each answer's person, from (P,), or 1 without one."""
    who, names = codes_of(answers, "participant")
    by_name = dict(zip(map(str, participants), weight, strict=True))
    return np.append([by_name.get(name, 1.0) for name in names], 1.0)[who]


def effective_number(weight: np.ndarray) -> float:
    """Number of answers of equal weight that would make means as precise (Kish, 1965)."""
    square = float(weight @ weight)
    return float(weight.sum()) ** 2 / square if square else 0.0


def compare_treatments(
    method: OrdinalEmbedding,
    triplets: Judgements,
    kept: np.ndarray,
    *,
    folds: int = 5,
    unit: str = "auto",
    seed: int = 0,
    progress: Progress = silent,
) -> Treatments:
    """Predict held-out answers from all answers alike, after exclusion, and with weights.

    Weights are those of `with_lapses` on the other folds. All three predict the answers that
    exclusion keeps: `kept`, bool (T,). `progress` is called after every fold, and after the maps of
    all answers.
    """
    fold = question_folds(triplets, folds, np.random.default_rng(seed))
    parts = [fold == k for k in range(folds)]
    parts = [part for part in parts if (part & kept).any() and (~part & kept).any()]
    if len(parts) < 2:
        raise DataError(
            "exclusion leaves no answer, or too few", file=triplets.name,
            remedy="Exclude fewer people.",
        )
    result = list(results_of(
        partial(_treated, method, triplets, kept), [(one,) for one in parts],
        part(progress, 0.0, len(parts) / (len(parts) + 1)),
    ))
    errors, everybody = np.array([
        (np.average(wrong[:, kept[part]], axis=1, weights=triplets.weight[part & kept]),
         np.average(wrong, axis=1, weights=triplets.weight[part]))
        for wrong, part in zip(result, parts, strict=True)
    ]).transpose(1, 0, 2)
    held_out = np.concatenate([np.flatnonzero(part & kept) for part in parts])
    people = known_people(triplets.take(held_out), unit)
    wrong = np.hstack([one[:, kept[part]] for one, part in zip(result, parts, strict=True)])

    def between(k: int, other: int) -> tuple[float, float, float]:
        """Difference of two errors, with the ends of its interval."""
        gain, ratio = errors[:, k] - errors[:, other], 1.0 / (folds - 1)
        reach = float(corrected_reach(gain, ratio)) if people is None else reach_over_people(
            gain, ratio, people.influence(wrong[k] - wrong[other], triplets.weight[held_out]),
            people.number,
        )
        return float(gain.mean()), float(gain.mean()) - reach, float(gain.mean()) + reach

    difference, low, high = np.transpose([(0.0, 0.0, 0.0), between(1, 0), between(2, 0)])
    effective, moved = _on_the_map(method, triplets, kept)
    who, names = codes_of(triplets, "participant")
    left = np.unique(who[kept & (who >= 0)])
    progress(1.0)
    return Treatments(
        errors.mean(axis=0), everybody.mean(axis=0), difference, low, high,
        np.array(between(2, 1)), effective, moved, len(names) - len(left), len(held_out),
        **unit_fields(people),
    )


def _variants(
    method: OrdinalEmbedding, data: Judgements, kept: np.ndarray,
    progress: Progress = silent,
) -> list[Judgements]:
    """The answers under each treatment."""
    result = with_lapses(method, data, progress=progress)
    weight = person_weights(data, result.participants, result.person_weight)
    return [data, data.take(kept), data.reweighted(data.weight * weight)]


def _treated(
    method: OrdinalEmbedding, data: Judgements, kept: np.ndarray, held_out: np.ndarray,
    halt: Halt,
) -> np.ndarray:
    """(3, t) mistakes in each answer of a fold."""
    train, test = data.take(~held_out), data.take(held_out)
    return np.array([
        clone(method).fit(answers, progress=halt).mistakes(test)
        for answers in _variants(method, train, kept[~held_out], halt)
    ])


def _on_the_map(
    method: OrdinalEmbedding, data: Judgements, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Effective numbers of answers, and the disparity of each map to that of all answers."""
    variants = _variants(method, data, kept)
    maps = [clone(method).fit(answers) for answers in variants]
    placed = np.logical_and.reduce([fitted.placed_ for fitted in maps])
    reference = maps[0].embedding_[placed]
    return (
        np.array([effective_number(answers.weight) for answers in variants]),
        np.array([procrustes_disparity(one.embedding_[placed], reference) for one in maps]),
    )
