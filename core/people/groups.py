"""Answers by participant or group, and the held-out error of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.score import ErrorEstimate, cross_validate
from tripletscope.core.inference.held_out.units import IntervalUnit, n_participants
from tripletscope.core.people.floor import floor_of

By = Annotated[str, Column(
    "Participants", "Column of the response metadata that names the participant or the "
    "session.", of="answers"
)]
Most = Annotated[int, Number(2, 1000, "Max. participants", "Participants with the most answers are "
                                                           "used.")]


def groups_of(triplets: Answers, column: str) -> dict[str, np.ndarray]:
    """Positions of the answers of every group, by name, the largest first.

    Empty cells have no group.
    """
    answers = triplets.answers
    if column not in answers or answers[column].isna().all():
        raise DataError(
            f"the answers have no column {column!r}", file=triplets.name,
            remedy="Choose the column that names the participant.",
        )
    values = answers[column].astype("str").where(answers[column].notna())
    codes, names = pd.factorize(values, sort=True)
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(len(names) + 1))
    members = {name: order[ends[i] : ends[i + 1]] for i, name in enumerate(names)}
    return dict(sorted(members.items(), key=lambda item: -len(item[1])))


def counted(data: Any) -> Answers:
    """Answers without those of weight 0."""
    triplets = as_answers(data)
    counts = triplets.weight > 0
    return triplets if counts.all() else triplets.take(counts)


def largest(triplets: Answers, by: str, most: int) -> dict[str, np.ndarray]:
    groups = dict(list(groups_of(triplets, by).items())[:most])
    if len(groups) < 2:
        raise DataError(
            f"column {by!r} names a single participant", file=triplets.name,
            remedy="Choose another column, or collect answers of several participants.",
        )
    return groups


@dataclass(frozen=True)
class GroupErrors:
    """Cross-validated error of a method for each group of answers.

    Attributes
    ----------
    names : ndarray of str, shape (g,)
        "all" first: all answers pooled.
    n_answers : ndarray of int, shape (g,)
    fold_errors : ndarray, shape (g, folds)
        NaN for groups with too few answers; see `tripletscope.core.people.floor`.
    low, high : ndarray, shape (g,)
        95 % interval of each error; see
        `tripletscope.core.inference.held_out.score.cross_validate`.
    n_units : ndarray of int, shape (g,)
        Participants of each interval; 0 if it is over answers.
    """

    names: np.ndarray
    n_answers: np.ndarray
    fold_errors: np.ndarray
    low: np.ndarray
    high: np.ndarray
    n_units: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """One row per group: ``error`` is the mean over the folds, ``spread`` their s.d."""
        return pd.DataFrame({
            "name": self.names, "answers": self.n_answers,
            "error": self.fold_errors.mean(axis=1),
            "spread": self.fold_errors.std(axis=1, ddof=1),
            "low": self.low, "high": self.high, "participants": self.n_units,
        })


@task("Predicting held-out answers of every group", columns=("participant",))
def errors_by_group(
    method: Method, triplets: Answers, *, by: By = "participant", most: Most = 20,
    folds: Annotated[int, Number(2, 100, "Folds")] = 10,
    unit: IntervalUnit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> GroupErrors:
    """Held-out error of a method for every participant or group by itself, and for all pooled.

    The interval of a group of one participant is over answers, whatever the unit.
    """
    triplets = counted(triplets)
    groups = dict(list(groups_of(triplets, by).items())[: most])
    reached = floor_of(method, triplets, groups).reached
    groups = {"all": np.arange(len(triplets)), **groups}
    pieces = [
        (method, triplets.take(members) if enough else None, folds, unit, seed)
        for members, enough in zip(groups.values(), [True, *reached], strict=True)
    ]
    estimates = list(results_of(estimate_of, pieces, progress))
    return GroupErrors(
        np.array(list(groups)), np.array([len(members) for members in groups.values()]),
        np.array([np.full(folds, np.nan) if e is None else e.fold_errors for e in estimates]),
        np.array([np.nan if e is None else e.low for e in estimates]),
        np.array([np.nan if e is None else e.high for e in estimates]),
        np.array([0 if e is None else e.n_units or 0 for e in estimates]),
    )


def estimate_of(
    method: Method, triplets: Answers | None, folds: int, unit: str, seed: int, halt: CancelToken
) -> ErrorEstimate | None:
    """Held-out error of some answers; None if they are too few or the job was stopped."""
    if triplets is None:
        return None
    unit = unit if n_participants(triplets) > 1 else "answers"
    try:
        return cross_validate(method, triplets, folds=folds, unit=unit, seed=seed, progress=halt)
    except (DataError, Stopped):
        return None
