"""Differences between views of the same answers, beside random sets of the same sizes."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from math import exp
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import gammaln
from sklearn.base import clone

from tripletscope.core.data.columns import marked_by
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import map_disparity
from tripletscope.core.data.places import different
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, part, silent
from tripletscope.core.engine.task import OfMarked, task
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.inference.held_out.units import participants_of
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding

#: Statistics, in the order of all arrays.
STATISTICS = ("error", "ceiling", "moved")
ALL = "all answers"
#: Level of all comparisons together, fewest ways to divide answers that can reach it, and a number
#: of ways that stands for no limit.
LEVEL, FEWEST, MANY = 0.05, 20, 1e300
_ALIKE = 1.25  # largest ratio of trials between people who swap


@dataclass(frozen=True)
class Robustness:
    """Statistics of views of the same answers, and of random sets of the same sizes.

    Rows are held-out error, upper bound of the noise ceiling, and the share of the variance of the
    map of all answers that a view's map leaves unexplained (Procrustes).

    Attributes
    ----------
    views : list of str, length v
        All answers first.
    sizes : ndarray of int, shape (v)
        Answers in each.
    value : ndarray, shape (3, v)
        NaN where there is none.
    chance_low, chance_high, p : ndarray, shape (3, v)
        Range of 95 % of the random sets, and p value for all comparisons together (largest absolute
        z).
    draws, folds : int
    n_people : int
        Participants who are divided; 0 where trials are.
    ways : float
        Number of ways to divide them into sets of these sizes; `MANY` for trials.
    other_questions : list of str
        Views with more, or fewer, different questions than every random set: a difference may be of
        the questions, so that they have no p value.
    marks : ndarray of bool, shape (t, w), or None
        Answers of each view.
    """

    views: list[str]
    sizes: np.ndarray
    value: np.ndarray
    chance_low: np.ndarray
    chance_high: np.ndarray
    p: np.ndarray
    draws: int
    folds: int
    n_people: int = 0
    ways: float = MANY
    other_questions: list[str] = field(default_factory=list)
    marks: np.ndarray | None = None

    @property
    def changed(self) -> list[tuple[str, int]]:
        """Statistic and number of views that differ from random sets, at 5 % for all together."""
        if self.ways < FEWEST:
            return []
        return [(STATISTICS[s], int(k)) for s, k in np.argwhere(self.p <= LEVEL)]

    @property
    def table(self) -> pd.DataFrame:
        """One row per statistic and view."""
        columns = ("value", "chance_low", "chance_high", "p")
        return pd.DataFrame({
            "statistic": np.repeat(STATISTICS, len(self.views)), "view": self.views * 3,
            "answers": np.tile(self.sizes, 3),
        } | {name: getattr(self, name).ravel() for name in columns})


@task("Comparing views", "embedding", columns=("participant",), computation=OfMarked)
def robustness(
    method: OrdinalEmbedding, answers: Answers, *,
    views: Annotated[list[str], Column(
        "Views", "Columns that are true for the answers of a view.", of="answers", several=True,
        marks=True,
    )],
    draws: Annotated[int, Number(
        19, 9999, "Random sets", "More make p values and grey bands more precise."
    )] = 39,
    folds: Annotated[int, Number(
        2, 20, "Folds", "Folds for the held-out error.", advanced=True
    )] = 5,
    seed: Seed = 0, progress: Progress = silent,
) -> Robustness:
    """Held-out error, noise ceiling and map of every view, beside random sets of the same sizes.

    Random sets permute participants among the views. People whose answers are all in a view, or
    none, swap as wholes; for others, as large a part of the trials is drawn. Only people with about
    as many trials swap (at most 1.25 times), to keep sizes. Without participants, trials are
    permuted. All views are permuted at once, which keeps their overlaps, and the largest deviation
    of all statistics and views is compared (Westfall & Young, 1993).

    Parameters
    ----------
    method : OrdinalEmbedding
        Fitted as a clone to every set.
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        All of them; see `Cleaning.marked`.
    progress : Progress
        Called after every set.

    Raises
    ------
    DataError
        If a view has no answer, or all of them.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> every = ts.Cleaning(answers)
    >>> some = every.excluding(ts.Exclusion(participants=["observer 1", "observer 2"]))
    >>> found = ts.people.robustness(ts.STE(), every.marked({"some": some}), views=["some"])
    >>> found.sizes.tolist(), found.changed
    ([800, 600], [])
    """
    answers = as_answers(answers)
    inside = np.transpose([_is_in(answers, view) for view in views])
    rng, shuffle = np.random.default_rng(seed), _Shuffle(answers, inside)
    reference = _placed(clone(method).fit(answers, progress=part(progress, 0.0, 0.02)))
    sets = [np.ones(len(answers), dtype=bool), *inside.T]
    random = [each for _ in range(draws) for each in shuffle.drawn(rng).T]
    result = np.array([*results_of(_measured, [
        (method, answers, which, reference, folds, seed) for which in [*sets, *random]
    ], part(progress, 0.02, 1.0))])
    value = result[: len(sets)].T
    chance = result[len(sets) :].reshape(draws, len(views), 3).transpose(0, 2, 1)
    bounds = np.full((3, *value.shape), np.nan)
    some = np.isfinite(value[:, 1:]) & np.isfinite(chance).all(axis=0)
    bounds[:, :, 1:][:, some] = *np.quantile(chance[:, some], [0.025, 0.975], axis=0), _adjusted(
        value[:, 1:][some], chance[:, some], np.nonzero(some)[0] == STATISTICS.index("moved")
    )
    here, *there = np.reshape([
        len(different(answers.questions[which])) for which in [*sets[1:], *random]
    ], (-1, len(views)))
    differs = (here < np.min(there, axis=0)) | (here > np.max(there, axis=0))
    bounds[2][:, 1:][:, differs] = np.nan
    return Robustness([ALL, *views], np.array([which.sum() for which in sets]), value, *bounds,
                      draws, folds, shuffle.n_people, shuffle.ways,
                      [view for view, other in zip(views, differs, strict=True) if other], inside)


def _is_in(answers: Answers, view: str) -> np.ndarray:
    """(T,) whether answers are in a view."""
    inside = marked_by(answers, view)
    if inside.all() or not inside.any():
        raise DataError(
            f"the view {view} has {'all answers' if inside.all() else 'no answer'}",
            file=answers.name, remedy="Compare views that leave out some answers.",
        )
    return inside


def _measured(
    method: OrdinalEmbedding, answers: Answers, which: np.ndarray, reference: np.ndarray,
    folds: int, seed: int, halt: CancelToken,
) -> np.ndarray:
    """(3,) each statistic; NaN where there is none."""
    data, result = answers.take(which), np.full(3, np.nan)
    with suppress(DataError):  # too few questions
        result[0] = cross_validate(method, data, folds=folds, seed=seed, progress=halt).error
    if (bound := noise_ceiling(data).upper) is not None:
        result[1] = bound.value
    if not which.all():  # the map of all is the reference
        result[2] = map_disparity(_placed(clone(method).fit(data, progress=halt)), reference)
    return result


def _placed(fitted: OrdinalEmbedding) -> np.ndarray:
    return np.where(fitted.placed_[:, None], fitted.embedding_, np.nan)


class _Shuffle:
    """Random sets of the sizes of views, `inside` bool (T, V)."""

    def __init__(self, answers: Answers, inside: np.ndarray) -> None:
        trials = np.arange(len(answers)) if answers.trials is None else answers.trials
        _, first, self._trial = np.unique(trials, return_index=True, return_inverse=True)
        self._patterns, code = np.unique(inside[first], axis=0, return_inverse=True)
        who = participants_of(answers)[0][first]
        self._code, people = code.ravel(), np.unique(who[who >= 0])
        self.n_people = len(people) if len(people) > 1 else 0
        self._people = [np.flatnonzero(who == one) for one in people[: self.n_people]]
        self._unknown = np.flatnonzero((who < 0) | (self.n_people == 0))
        # People who may swap, by their number of trials.
        self._alike: list[list[int]] = []
        trials_of = [len(one) for one in self._people]
        for k in np.argsort(trials_of, kind="stable"):
            if self._alike and trials_of[k] <= _ALIKE * trials_of[self._alike[-1][0]]:
                self._alike[-1].append(k)
            else:
                self._alike.append([k])

    @property
    def ways(self) -> float:
        """Number of ways to divide the answers: a multinomial for people who stay whole."""
        codes = [self._code[one] for one in self._people]
        if len({*self._code[self._unknown]}) > 1 or any(len({*one}) > 1 for one in codes):
            return MANY
        log = 0.0
        for alike in self._alike:
            counts = np.bincount([codes[k][0] for k in alike])
            log += gammaln(counts.sum() + 1) - gammaln(counts + 1).sum()
        return min(exp(min(log, 690)), MANY)

    def drawn(self, rng: np.random.Generator) -> np.ndarray:
        """(T, V) bool: `inside` with people, and trials of unknown people, swapped."""
        code = self._code.copy()
        code[self._unknown] = rng.permutation(code[self._unknown])
        for alike in self._alike:
            for one, other in zip(alike, rng.permutation(alike), strict=True):
                mine, theirs = self._people[one], rng.permutation(self._code[self._people[other]])
                part = theirs[np.arange(len(mine)) * len(theirs) // len(mine)]
                code[mine] = rng.permutation(part)
        return self._patterns[code][self._trial]


def _adjusted(value: np.ndarray, chance: np.ndarray, is_one_sided: np.ndarray) -> np.ndarray:
    """(m,) p values for all comparisons together, of value (m,) among chance (draws, m).

    is_one_sided (m,): Whether only larger values count, as for the distance of a map.
    """
    every = np.concatenate([value[None], chance])
    spread = every.std(axis=0)
    z = (every - every.mean(axis=0)) / np.where(spread > 0, spread, np.inf)
    z = np.where(is_one_sided, z, np.abs(z))
    return (z.max(axis=1, initial=-np.inf)[:, None] >= z[0] - 1e-12).mean(axis=0)
