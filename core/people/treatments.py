"""Exclusion or weighting of unreliable people: effects on predictions and on the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from sklearn.base import clone

from tripletscope.core.data.columns import codes_of, marked_by
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import procrustes_disparity
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed, Switch
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import OfMarked, task
from tripletscope.core.inference.held_out.score import held_out_half_width, question_folds
from tripletscope.core.inference.held_out.units import IntervalUnit, known_people, unit_fields
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.lapses import with_lapses

#: Column of answers that exclusion keeps.
KEPT = "kept"
#: Treatments of people who guess, in the order of all tables.
TREATMENTS = ("all answers alike", "exclusion", "weights")


@dataclass(frozen=True)
class Treatments:
    """Effects of exclusion and weights, for each of `TREATMENTS`.

    Attributes
    ----------
    error : ndarray, shape (3,), or (2,) without weights
        Held-out error on the answers that are not excluded.
    everybody : ndarray, shape (3,) or (2,)
        The same on all answers.
    difference, low, high : ndarray, shape (3,) or (2,)
        `error` minus that of all answers alike, with a 95 % interval: over participants as in
        `tripletscope.core.inference.held_out.score.half_width_over_people`, over answers as in
        `tripletscope.core.inference.held_out.score.corrected_half_width`.
    n_excluded : int
        People without any answer left.
    n_predicted : int
        Answers of `error`.
    marks : ndarray of bool, shape (t, 1)
        Answers that exclusion keeps.
    apart : ndarray, shape (3,), or None
        `error` with weights minus that after exclusion, and both ends of its 95 % interval.
    effective : ndarray, shape (3,), or None
        Equivalent number of answers of equal weight (Kish); known where weights are.
    moved : ndarray, shape (3,), or None
        Share of the variance of the map of all answers that is unexplained (Procrustes); likewise.
    unit : {"answers", "participants"}
        What the intervals take as independent.
    n_units : int or None
        How many participants.
    """

    error: np.ndarray
    everybody: np.ndarray
    difference: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_excluded: int
    n_predicted: int
    marks: np.ndarray
    apart: np.ndarray | None = None
    effective: np.ndarray | None = None
    moved: np.ndarray | None = None
    unit: str = "answers"
    n_units: int | None = None

    @property
    def table(self) -> pd.DataFrame:
        """One row for each treatment."""
        return pd.DataFrame({"treatment": TREATMENTS[: len(self.error)], **{
            name: getattr(self, name) for name in
            ("error", "difference", "low", "high", "everybody", "effective", "moved")
        }})


def person_weights(answers: Answers, participants: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(T,) weight of each answer's person, from (P,), or 1 without one."""
    who, names = codes_of(answers, "participant")
    by_name = dict(zip(map(str, participants), weight, strict=True))
    return np.append([by_name.get(name, 1.0) for name in names], 1.0)[who]


def effective_number(weight: np.ndarray) -> float:
    """Number of answers of equal weight that would make means as precise (Kish, 1965)."""
    square = float(weight @ weight)
    return float(weight.sum()) ** 2 / square if square else 0.0


@task("Predicting with and without", columns=("participant",), computation=OfMarked)
def compare_treatments(
    method: Method, triplets: Answers, *,
    kept: Annotated[str, Column(
        "Kept answers", "A column that is true for answers that exclusion keeps.", of="answers",
        marks=True,
    )] = KEPT,
    weighted: Annotated[bool, Switch(
        "Compare weights", "Also weights people by their lapse rates on the other folds, instead "
        "of excluding anybody.",
    )] = True,
    folds: Annotated[int, Number(
        2, 20, "Folds", "Folds for the held-out error.", advanced=True,
    )] = 5,
    unit: IntervalUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> Treatments:
    """Predict held-out answers from all answers alike, after exclusion, and with weights.

    All predict the answers that exclusion keeps.

    Parameters
    ----------
    method : Method
        Fitted as a clone to every training part; for weights, an embedding.
    triplets : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        With a column such as `tripletscope.Cleaning.kept`.
    unit
        Of the answers that stay.
    progress : Progress
        Called after every fold, and after the maps of all answers.

    Raises
    ------
    DataError
        If nothing would be left, or too little to predict it, or fewer than two participants for a
        unit of participants.

    Examples
    --------
    >>> import numpy as np, tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> marked = answers.with_columns({"kept": np.arange(len(answers)) % 10 > 0})
    >>> found = ts.people.compare_treatments(ts.STE(), marked, weighted=False)
    >>> bool(found.low[1] <= found.difference[1] <= found.high[1])
    True
    """
    triplets, chosen = as_answers(triplets), kept
    kept = marked_by(triplets, chosen)
    fold = question_folds(triplets, folds, np.random.default_rng(seed))
    parts = [fold == k for k in range(folds)]
    parts = [part for part in parts if (part & kept).any() and (~part & kept).any()]
    if len(parts) < 2:
        raise DataError(
            "exclusion leaves no answer, or too few", file=triplets.name,
            remedy="Choose a less strict criterion.",
        )
    steps = len(parts) + weighted
    result = list(results_of(
        partial(_treated, method, triplets, kept, weighted), [(one,) for one in parts],
        part(progress, 0.0, len(parts) / steps),
    ))
    errors, everybody = np.array([
        (np.average(wrong[:, kept[part]], axis=1, weights=triplets.weight[part & kept]),
         np.average(wrong, axis=1, weights=triplets.weight[part]))
        for wrong, part in zip(result, parts, strict=True)
    ]).transpose(1, 0, 2)
    held_out = np.concatenate([np.flatnonzero(part & kept) for part in parts])
    people = known_people(triplets.take(held_out), unit)
    wrong = np.hstack([one[:, kept[part]] for one, part in zip(result, parts, strict=True)])

    def between(k: int, other: int) -> np.ndarray:
        """Difference of two errors, with the ends of its interval."""
        gain = errors[:, k] - errors[:, other]
        reach = held_out_half_width(
            gain, 1.0 / (folds - 1), people, wrong[k] - wrong[other], triplets.weight[held_out]
        )
        return gain.mean() + np.array([0.0, -reach, reach])

    further = {}
    if weighted:
        effective, moved = _on_the_map(method, triplets, kept)
        further = {"apart": between(2, 1), "effective": effective, "moved": moved}
        progress(1.0)
    who, names = codes_of(triplets, "participant")
    left = np.unique(who[kept & (who >= 0)])
    changes = [np.zeros(3), *(between(k, 0) for k in range(1, errors.shape[1]))]
    return Treatments(
        errors.mean(axis=0), everybody.mean(axis=0), *np.transpose(changes),
        len(names) - len(left), len(held_out), kept[:, None], **further, **unit_fields(people),
    )


def _variants(
    method: Method, data: Answers, kept: np.ndarray, weighted: bool, progress: Progress = silent
) -> list[Answers]:
    """The answers under each treatment."""
    variants = [data, data.take(kept)]
    if weighted:
        result = with_lapses(method, data, progress=progress)
        weight = person_weights(data, result.participants, result.person_weight)
        variants.append(data.reweighted(data.weight * weight))
    return variants


def _treated(
    method: Method, data: Answers, kept: np.ndarray, weighted: bool, held_out: np.ndarray,
    halt: CancelToken,
) -> np.ndarray:
    """(3, t) or (2, t) mistakes in each answer of a fold."""
    train, test = data.take(~held_out), data.take(held_out)
    return np.array([
        clone(method).fit(answers, progress=halt).mistakes(test)
        for answers in _variants(method, train, kept[~held_out], weighted, halt)
    ])


def _on_the_map(
    method: OrdinalEmbedding, data: Answers, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Effective numbers of answers, and the disparity of each map to that of all answers."""
    variants = _variants(method, data, kept, True)
    maps = [clone(method).fit(answers) for answers in variants]
    placed = np.logical_and.reduce([fitted.placed_ for fitted in maps])
    reference = maps[0].embedding_[placed]
    return (
        np.array([effective_number(answers.weight) for answers in variants]),
        np.array([procrustes_disparity(one.embedding_[placed], reference) for one in maps]),
    )
