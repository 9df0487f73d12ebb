"""Predictions of participants from each other, and from growing pools."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed
from tripletscope.core.engine.method import Method
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import By, Most, counted, estimate_of, groups_of, largest

#: Numbers of pooled participants.
_POOLS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


@dataclass(frozen=True)
class Predictions:
    """How well the answers of one participant predict those of another.

    Attributes
    ----------
    names : ndarray of str, shape (p,)
    groups : ndarray of str, shape (p,)
        Group of each participant; empty if it is unknown, or without groups.
    n_answers : ndarray of int, shape (p,)
    accuracy : ndarray, shape (p, p)
        Share of the column's participant's answers that the row's participant predicts; on
        the diagonal, cross-validated. NaN where the row's participant gave too few for a map; see
        `tripletscope.core.people.floor`.
    pooled : ndarray, shape (p,)
        Share of each participant's answers that is predicted from all others'.
    """

    names: np.ndarray
    groups: np.ndarray
    n_answers: np.ndarray
    accuracy: np.ndarray
    pooled: np.ndarray

    @property
    def relations(self) -> pd.DataFrame:
        """Accuracy by relation: oneself, one of the same or of another group, all others.

        Columns ``relation``, ``accuracy``, ``low``, ``high``, ``participants``. The mean is over
        the predicted participants that all relations share, if two or more; the 95 % interval is by
        the jackknife over participants, as predicted and as predicting ones at once. Participants
        of no known group have no relation to others, unless there are no groups.
        """
        itself = np.eye(len(self.names), dtype=bool)
        same = self.groups[:, None] == self.groups
        grouped = self.groups != ""
        named = grouped[:, None] & grouped if grouped.any() else np.ones_like(same)
        relations = {
            "self": itself, "same group": same & named & ~itself, "other group": ~same & named,
        }
        values = {
            name: np.where(which, self.accuracy, np.nan)
            for name, which in relations.items() if which.any()
        }
        if len(np.unique(self.groups)) == 1:
            values["another"] = values.pop("same group")
        values["all others"] = np.where(itself, self.pooled, np.nan)
        there = np.array([np.isfinite(each).any(axis=0) for each in values.values()])
        common = there[there.any(axis=1)].all(axis=0)
        if common.sum() > 1:
            values = {name: np.where(common, each, np.nan) for name, each in values.items()}
        return pd.DataFrame(
            [(name, *_mean_interval(each)) for name, each in values.items()],
            columns=["relation", "accuracy", "low", "high", "participants"],
        )


def _mean_interval(values: np.ndarray) -> tuple[float, float, float, int]:
    """Mean over columns of their finite mean, its 95 % interval, and the number of such columns.

    values (p, p): Of the predicted (columns) from the predicting (rows) participants.
    """
    mean, n = _over_columns(values)
    if n < 2:
        return mean, np.nan, np.nan, n
    people = np.flatnonzero(np.isfinite(values).any(axis=0) | np.isfinite(values).any(axis=1))
    without = np.array([
        _over_columns(np.delete(np.delete(values, one, axis=0), one, axis=1))[0] for one in people
    ])
    if np.isnan(without).any():
        return mean, np.nan, np.nan, n
    p = len(people)
    reach = float(stdtrit(n - 1, 0.975) * np.sqrt((p - 1) * without.var()))
    return mean, max(mean - reach, 0.0), min(mean + reach, 1.0), n


def _over_columns(values: np.ndarray) -> tuple[float, int]:
    finite = np.isfinite(values)
    there = finite.any(axis=0)
    if not there.any():
        return np.nan, 0
    sums = np.where(finite, values, 0.0).sum(axis=0)[there]
    return float(np.mean(sums / finite.sum(axis=0)[there])), int(there.sum())


@task("Predicting participants from each other")
def who_predicts_whom(
    method: Method, triplets: Answers, *, by: By = "participant",
    group: Annotated[str | None, Column(
        "Groups", "Column of the response metadata, such as lab or online, session, condition.",
        of="answers"
    )] = None,
    most: Most = 40,
    folds: Annotated[
        int, Number(2, 100, "Folds", "For predicting participants from their own answers.")
    ] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> Predictions:
    """Learn from each participant, predict every other one.

    A participant in several groups belongs to the most frequent.
    """
    triplets = counted(triplets)
    members = largest(triplets, by, most)
    kept = triplets.take(np.concatenate(list(members.values())))
    sizes = np.array([len(of) for of in members.values()])
    who = np.repeat(np.arange(len(sizes)), sizes)
    groups = np.full(len(sizes), "", dtype=object)
    if group is not None:
        members_of = groups_of(kept, group)
        counts = np.array([
            np.bincount(who[of], minlength=len(sizes)) for of in members_of.values()
        ])
        most_frequent = np.array(list(members_of), dtype=object)[counts.argmax(axis=0)]
        groups = np.where(counts.any(axis=0), most_frequent, groups)
    reached = floor_of(method, triplets, members).reached
    pieces = [
        (method, kept, who, number, bool(reached[number]), folds, seed)
        for number in range(len(sizes))
    ]
    rows, pooled = zip(*results_of(_predicting, pieces, progress), strict=True)
    return Predictions(
        np.array(list(members)), groups.astype(str), sizes, np.array(rows), np.array(pooled)
    )


def _predicting(
    method: Method, triplets: Answers, who: np.ndarray, number: int, enough: bool,
    folds: int, seed: int, halt: CancelToken,
) -> tuple[np.ndarray, float]:
    """Accuracies of one participant for all others and itself, and of all others for it."""
    answers = triplets.take(who == number)
    row = np.full(who.max() + 1, np.nan)
    pooled = np.nan
    with suppress(DataError):  # the method learns nothing from these answers
        others = clone(method).fit(triplets.take(who != number), progress=halt)
        pooled = others.score(answers)
    if not enough:
        return row, pooled
    with suppress(DataError):
        mistakes = clone(method).fit(answers, progress=halt).mistakes(triplets)
        weights = np.bincount(who, triplets.weight)
        row = 1.0 - np.bincount(who, triplets.weight * mistakes) / weights
    itself = estimate_of(method, answers, folds, "answers", seed, halt)
    row[number] = np.nan if itself is None else 1.0 - np.mean(itself.fold_errors)
    return row, pooled


@dataclass(frozen=True)
class PoolingCurve:
    """Accuracy of predicting a participant from more and more others.

    Attributes
    ----------
    n_pooled : ndarray of int, shape (k,)
        Pooled participants.
    accuracy : ndarray, shape (r, k)
        In r random orders, on the answers of one further participant; NaN where the pool gave too
        few for a map.
    predicted : ndarray of int, shape (r,)
        That participant; if empty, a different one in each order.
    """

    n_pooled: np.ndarray
    accuracy: np.ndarray
    predicted: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @property
    def table(self) -> pd.DataFrame:
        """Mean over the orders, and its 95 % t interval over the predicted participants.

        ``participants`` are pooled, ``predicted`` the number of different predicted ones.
        """
        means, errors, numbers = np.array([self._over_people(of) for of in self.accuracy.T]).T
        reach = stdtrit(np.maximum(numbers - 1, 1), 0.975) * errors
        return pd.DataFrame({
            "participants": self.n_pooled, "accuracy": means, "standard error": errors,
            "low": np.maximum(means - reach, 0.0), "high": np.minimum(means + reach, 1.0),
            "predicted": numbers.astype(int),
        })

    def _over_people(self, accuracy: np.ndarray) -> tuple[float, float, int]:
        """Mean over the finite orders, its standard error, and the number of predicted people."""
        finite = np.isfinite(accuracy)
        who = self.predicted if len(self.predicted) else np.arange(len(accuracy))
        accuracy, predicted = accuracy[finite], who[finite]
        n = len(np.unique(predicted))
        if not n:
            return np.nan, np.nan, 0
        mean = float(accuracy.mean())
        by_person = np.bincount(predicted, accuracy - mean) / len(accuracy)
        error = np.sqrt(n / (n - 1) * float(by_person @ by_person)) if n > 1 else np.nan
        return mean, error, n


@task("Learning from more and more participants")
def pooling_curve(
    method: Method, triplets: Answers, *, by: By = "participant", most: Most = 16,
    repeats: Annotated[int, Number(
        2, 1000, "Random orders", "Random orders of participants; each predicts a different "
        "participant."
    )] = 20,
    seed: Seed = 0, progress: Progress = silent,
) -> PoolingCurve:
    """Accuracy against the number of participants whose answers are pooled, up to `most`."""
    triplets = counted(triplets)
    members = list(largest(triplets, by, most + 1).values())
    sizes = sorted({k for k in _POOLS if k < len(members)} | {len(members) - 1})
    rng = np.random.default_rng(seed)
    targets = np.resize(rng.permutation(len(members)), repeats)
    pieces = []
    for target in targets:
        others = rng.permutation(np.delete(np.arange(len(members)), target))
        pieces.append((method, triplets, [members[i] for i in others], members[target], sizes))
    accuracy = np.array(list(results_of(_pooled, pieces, progress)))
    return PoolingCurve(np.array(sizes), accuracy, targets)


def _pooled(
    method: Method, triplets: Answers, others: list[np.ndarray], target: np.ndarray,
    sizes: list[int], halt: CancelToken,
) -> list[float]:
    test, accuracy = triplets.take(target), []
    for size in sizes:
        pool = np.concatenate(others[:size])
        learned = triplets.take(pool)
        if not floor_of(method, triplets, {"": pool}).reached[0]:
            accuracy.append(np.nan)
            continue
        try:
            accuracy.append(clone(method).fit(learned, progress=halt).score(test))
        except DataError:
            accuracy.append(np.nan)
    return accuracy
