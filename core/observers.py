"""Who answered like whom: predictions between participants, pools of them, maps of each."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import stdtrit
from sklearn.base import clone

from core.cluster import Agglomerative
from core.cluster.dendrogram import Dendrogram
from core.embedding.ordinal import Embedding
from core.geometry import procrustes, procrustes_disparity
from core.method import Column, Method, Number, checked
from core.parallel import Halt, in_parallel
from core.progress import Progress, Stopped, silent
from core.quadruples import Quadruples, as_answers
from core.score import cross_validate
from core.triplets import DataError, Triplets

#: Numbers of pooled participants at which accuracy is measured.
_POOLS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)

By = Annotated[
    str,
    Column(
        "Participants", "Column of the answers that names who gave them, or in which session.",
        of="answers",
    ),
]
Most = Annotated[
    int,
    Number(2, 1000, "Participants at most", "Those with the most answers."),
]
Seed = Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)]


def groups_of(triplets: Triplets | Quadruples, column: str) -> dict[str, np.ndarray]:
    """Positions of the answers of every group, by name; those with the most answers first.

    Parameters
    ----------
    triplets : Triplets or Quadruples
    column : str
        Of the answers; where it is empty, an answer belongs to no group.

    Raises
    ------
    DataError
        If there is no such column or it is empty.
    """
    answers = triplets.answers
    if column not in answers or answers[column].isna().all():
        raise DataError(
            f"the answers have no column {column!r}", file=triplets.name,
            remedy="Choose the column that names the participant.",
        )
    values = answers[column].astype("str").where(answers[column].notna())
    codes, names = pd.factorize(values, sort=True)
    members = {name: np.flatnonzero(codes == code) for code, name in enumerate(names)}
    return dict(sorted(members.items(), key=lambda item: -len(item[1])))


def _largest(triplets: Triplets | Quadruples, by: str, most: int) -> dict[str, np.ndarray]:
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
        NaN for groups with too few questions.
    """

    names: np.ndarray
    n_answers: np.ndarray
    fold_errors: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """``name``, ``answers``, ``error`` (mean over the folds) and ``spread`` (their s.d.)."""
        return pd.DataFrame({
            "name": self.names, "answers": self.n_answers,
            "error": self.fold_errors.mean(axis=1),
            "spread": self.fold_errors.std(axis=1, ddof=1),
        })


def errors_by_group(
    method: Method,
    triplets: Triplets | Quadruples,
    *,
    by: By = "participant",
    most: Most = 20,
    folds: Annotated[int, Number(2, 100, "Folds")] = 10,
    seed: Seed = 0,
    progress: Progress = silent,
) -> GroupErrors:
    """Held-out error of a method for every participant or group by itself, and for all pooled.

    Parameters
    ----------
    method : Method
    triplets : Triplets or Quadruples
    by, most, folds, seed
        See their declarations.
    progress : Progress
        Called after every group.

    Raises
    ------
    DataError
        If there is no such column.
    Stopped
        If `progress` asks to stop before the end.
    """
    options = checked(errors_by_group, {"by": by, "most": most, "folds": folds, "seed": seed})
    triplets = as_answers(triplets)
    groups = dict(list(groups_of(triplets, by).items())[: options["most"]])
    groups = {"all": np.arange(len(triplets)), **groups}
    pieces = [
        (method, triplets.take(members), options["folds"], options["seed"])
        for members in groups.values()
    ]
    errors = _collected(_fold_errors, pieces, progress)
    return GroupErrors(
        np.array(list(groups)), np.array([len(members) for members in groups.values()]),
        np.array(errors),
    )


def _collected(function, pieces: list[tuple], progress: Progress) -> list:
    """Results of all pieces, or Stopped."""
    found = []
    for result in in_parallel(function, pieces):
        found.append(result)
        if progress(len(found) / len(pieces)) and len(found) < len(pieces):
            raise Stopped
    return found


def _fold_errors(
    method: Method, triplets: Triplets | Quadruples, folds: int, seed: int, halt: Halt
) -> np.ndarray:
    try:
        return cross_validate(method, triplets, folds=folds, seed=seed, progress=halt).fold_errors
    except (DataError, Stopped):  # too few questions, or nobody waits for it any more
        return np.full(folds, np.nan)


# Between participants --------------------------------------------------------------------------


@dataclass(frozen=True)
class Predictions:
    """How well the answers of one participant predict those of another.

    Attributes
    ----------
    names : ndarray of str, shape (p,)
    groups : ndarray of str, shape (p,)
        Group of each participant; empty text where none was asked for, or the participant's is
        not known.
    n_answers : ndarray of int, shape (p,)
    accuracy : ndarray, shape (p, p)
        Share of the answers of the column's participant that are predicted from the row's; on
        the diagonal, cross-validated. NaN where there are too few.
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
        """Accuracy by who predicts: oneself, one of the same or of another group, all others.

        Columns ``relation``, ``accuracy``, ``low``, ``high``, ``participants``. The mean is over
        the predicted participants, with its 95 % t interval. Participants of no known group stand
        in no relation to others, unless there are no groups.
        """
        itself = np.eye(len(self.names), dtype=bool)
        same = self.groups[:, None] == self.groups
        grouped = self.groups != ""
        known = grouped[:, None] & grouped if grouped.any() else np.ones_like(same)
        relations = {
            "self": itself, "same group": same & known & ~itself, "other group": ~same & known,
        }
        each = {
            name: [
                np.nanmean(column[chosen]) if np.isfinite(column[chosen]).any() else np.nan
                for column, chosen in zip(self.accuracy.T, which.T, strict=True)
            ]
            for name, which in relations.items() if which.any()
        }
        if len(np.unique(self.groups)) == 1:
            each["another"] = each.pop("same group")
        each["all others"] = self.pooled
        return pd.DataFrame(
            [(name, *_mean_interval(np.array(values))) for name, values in each.items()],
            columns=["relation", "accuracy", "low", "high", "participants"],
        )


def _mean_interval(values: np.ndarray) -> tuple[float, float, float, int]:
    """Mean of shares, its 95 % t interval, and how many of them are known."""
    values = values[np.isfinite(values)]
    n = len(values)
    if n < 2:
        return (float(values[0]) if n else np.nan), np.nan, np.nan, n
    mean = float(values.mean())
    reach = float(stdtrit(n - 1, 0.975) * values.std(ddof=1) / np.sqrt(n))
    return mean, max(mean - reach, 0.0), min(mean + reach, 1.0), n


def who_predicts_whom(
    method: Method,
    triplets: Triplets | Quadruples,
    *,
    by: By = "participant",
    group: Annotated[
        str | None,
        Column("Groups", "Column of the answers: lab or crowd, session, condition.", of="answers"),
    ] = None,
    most: Most = 40,
    folds: Annotated[
        int, Number(2, 100, "Folds", "For predicting participants from themselves.")
    ] = 5,
    seed: Seed = 0,
    progress: Progress = silent,
) -> Predictions:
    """Learn from each participant, predict every other one.

    Parameters
    ----------
    method : Method
        Fitted anew, as a clone, to the answers of each participant.
    triplets : Triplets or Quadruples
    by, group, most, folds, seed
        See their declarations. A participant in several groups belongs to the most frequent.
    progress : Progress
        Called after every participant.

    Returns
    -------
    Predictions

    Raises
    ------
    DataError
        If there are fewer than two participants.
    Stopped
        If `progress` asks to stop before the end.
    """
    options = checked(
        who_predicts_whom,
        {"by": by, "group": group, "most": most, "folds": folds, "seed": seed},
    )
    triplets = as_answers(triplets)
    members = _largest(triplets, by, options["most"])
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
    pieces = [
        (method, kept, who, number, options["folds"], options["seed"])
        for number in range(len(sizes))
    ]
    rows, pooled = zip(*_collected(_predicting, pieces, progress), strict=True)
    return Predictions(
        np.array(list(members)), groups.astype(str), sizes, np.array(rows), np.array(pooled)
    )


def _predicting(
    method: Method, triplets: Triplets | Quadruples, who: np.ndarray, number: int, folds: int,
    seed: int, halt: Halt,
) -> tuple[np.ndarray, float]:
    """How well one participant predicts all others and itself, and all others predict it."""
    own = triplets.take(who == number)
    row = np.full(who.max() + 1, np.nan)
    pooled = np.nan
    with suppress(DataError):  # the method learns nothing from these answers
        mistakes = clone(method).fit(own, progress=halt).mistakes(triplets)
        weights = np.bincount(who, triplets.weight)
        right = weights - np.bincount(who, triplets.weight * mistakes)
        np.divide(right, weights, out=row, where=weights > 0)
    with suppress(DataError):
        others = clone(method).fit(triplets.take(who != number), progress=halt)
        pooled = others.score(own) if own.weight.any() else np.nan
    row[number] = 1.0 - np.mean(_fold_errors(method, own, folds, seed, halt))
    return row, pooled


@dataclass(frozen=True)
class PoolingCurve:
    """Accuracy of predicting a participant from more and more others.

    Attributes
    ----------
    n_pooled : ndarray of int, shape (k,)
        Participants learned from.
    accuracy : ndarray, shape (r, k)
        In r random orders, on the answers of one participant who is not among them.
    """

    n_pooled: np.ndarray
    accuracy: np.ndarray

    @property
    def table(self) -> pd.DataFrame:
        """``participants`` learned from, ``accuracy``, ``standard error``, ``low``, ``high``.

        The mean over the orders and its 95 % t interval; NaN where too few of them could be
        learned from.
        """
        known = pd.DataFrame(self.accuracy)
        mean, error = known.mean().to_numpy(), known.sem().to_numpy()
        reach = stdtrit(np.maximum(known.count().to_numpy() - 1, 1), 0.975) * error
        return pd.DataFrame({
            "participants": self.n_pooled, "accuracy": mean, "standard error": error,
            "low": np.maximum(mean - reach, 0.0), "high": np.minimum(mean + reach, 1.0),
        })


def pooling_curve(
    method: Method,
    triplets: Triplets | Quadruples,
    *,
    by: By = "participant",
    most: Most = 16,
    repeats: Annotated[
        int, Number(2, 1000, "Orders", "In each, another participant is predicted.")
    ] = 20,
    seed: Seed = 0,
    progress: Progress = silent,
) -> PoolingCurve:
    """Accuracy against the number of participants whose answers are pooled.

    Parameters
    ----------
    method : Method
    triplets : Triplets or Quadruples
    by, most, repeats, seed
        See their declarations; `most` is the largest pool.
    progress : Progress
        Called after every order.

    Raises
    ------
    DataError
        If there are fewer than two participants.
    Stopped
        If `progress` asks to stop before the end.
    """
    options = checked(
        pooling_curve, {"by": by, "most": most, "repeats": repeats, "seed": seed}
    )
    triplets = as_answers(triplets)
    members = list(_largest(triplets, by, options["most"] + 1).values())
    sizes = sorted({k for k in _POOLS if k < len(members)} | {len(members) - 1})
    rng = np.random.default_rng(options["seed"])
    targets = np.resize(rng.permutation(len(members)), options["repeats"])
    pieces = []
    for target in targets:
        others = rng.permutation(np.delete(np.arange(len(members)), target))
        pieces.append((method, triplets, [members[i] for i in others], members[target], sizes))
    return PoolingCurve(np.array(sizes), np.array(_collected(_pooled, pieces, progress)))


def _pooled(
    method: Method, triplets: Triplets | Quadruples, others: list[np.ndarray], target: np.ndarray,
    sizes: list[int], halt: Halt,
) -> list[float]:
    test, found = triplets.take(target), []
    for size in sizes:
        learned = triplets.take(np.concatenate(others[:size]))
        try:
            found.append(clone(method).fit(learned, progress=halt).score(test))
        except DataError:
            found.append(np.nan)
    return found


# Maps of participants --------------------------------------------------------------------------


@dataclass(frozen=True)
class ObserverMaps:
    """A map for every participant or group, turned towards the map of all.

    Attributes
    ----------
    names : ndarray of str, shape (p,)
    n_answers : ndarray of int, shape (p,)
    maps : ndarray, shape (p, n, d)
        Aligned by rotation, reflection, shift and scale; NaN for objects without answers.
    common : ndarray, shape (n, d)
        The map of all answers.
    apart : ndarray, shape (p, p)
        Share of the variance of one map that the other leaves unexplained, over the objects that
        both place: 0 for the same shape, 1 where these are too few.
    """

    names: np.ndarray
    n_answers: np.ndarray
    maps: np.ndarray
    common: np.ndarray
    apart: np.ndarray

    @property
    def tree(self) -> Dendrogram:
        """Participants clustered by how far apart their maps are, by average linkage."""
        return Agglomerative(linkage="average").fit_distances(self.apart).tree_


def observer_maps(
    method: Embedding,
    triplets: Triplets | Quadruples,
    *,
    by: By = "participant",
    most: Most = 20,
    progress: Progress = silent,
) -> ObserverMaps:
    """Maps of participants or groups, aligned by Procrustes, and how far apart they are.

    Maps of few answers differ by chance alone; compare the distances with those between random
    halves of one participant's answers before reading clusters.

    Parameters
    ----------
    method : OrdinalEmbedding
    triplets : Triplets or Quadruples
    by, most
        See their declarations.
    progress : Progress
        Called after every participant.

    Raises
    ------
    DataError
        If there are fewer than two participants.
    Stopped
        If `progress` asks to stop before the end.
    """
    options = checked(observer_maps, {"by": by, "most": most})
    triplets = as_answers(triplets)
    members = _largest(triplets, by, options["most"])
    pieces = [(method, triplets.take(of)) for of in (np.arange(len(triplets)), *members.values())]
    common, *maps = _collected(_map_of, pieces, progress)
    aligned = np.full((len(maps), *common.shape), np.nan)
    for target, positions in zip(aligned, maps, strict=True):
        known = np.isfinite(positions[:, 0]) & np.isfinite(common[:, 0])
        target[known] = procrustes(positions[known], common[known])(positions[known])
    return ObserverMaps(
        np.array(list(members)), np.array([len(of) for of in members.values()]), aligned,
        common, _apart(maps),
    )


def _map_of(method: Embedding, triplets: Triplets | Quadruples, halt: Halt) -> np.ndarray:
    """(n, d) map; NaN for objects without answers."""
    fitted = clone(method).fit(triplets, progress=halt)
    return np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)


def _apart(maps: list[np.ndarray]) -> np.ndarray:
    apart = np.zeros((len(maps), len(maps)))
    for i, first in enumerate(maps):
        for j, second in enumerate(maps[:i]):
            both = np.isfinite(first[:, 0]) & np.isfinite(second[:, 0])
            # As many objects as a similarity transformation has freedoms align perfectly.
            enough = both.sum() > first.shape[1] + 1 and np.ptp(second[both]) > 0
            apart[i, j] = apart[j, i] = (
                procrustes_disparity(first[both], second[both]) if enough else 1.0
            )
    return apart
