"""How often chance makes conclusions about people stand in as many analyses of a multiverse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd

from tripletscope.core.data.columns import marked_by
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.named import column_of
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Column, Number, Seed, Switch
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import OfMarked, task
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.comparing import sees_groups
from tripletscope.core.people.conditions import exchanged_conditions
from tripletscope.core.people.weights import WeightedEuclidean, people_of

#: Of each test.
_LEVEL = 0.05
_MOST = 5  # conclusions


@dataclass(frozen=True)
class MultiverseChance:
    """Conclusions about people in all analyses alike, as they are and exchanged by chance.

    Attributes
    ----------
    people : list of str, length q
        As of a `Multiverse`: an empty text for groups, or a column of conditions.
    ranks : ndarray, shape (q, s, 1 + r)
        How often exchanges have as large a statistic in an analysis: as the answers are, then of r
        exchanges. What is at most .05 stands; of groups, 0 where they are seen, and 1 elsewhere.
    told : ndarray of bool, shape (q, s)
        Whether that could be tested.
    done : ndarray of bool, shape (q, 1 + r)
        What was computed; of others, ranks are 1.
    marks : ndarray of bool, shape (t, w), or None
        Answers of each view.
    """

    people: list[str]
    ranks: np.ndarray
    told: np.ndarray
    done: np.ndarray
    marks: np.ndarray | None = None

    @property
    def n_exchanges(self) -> int:
        """How many exchanges are done, for all conclusions."""
        return int(self.done.all(axis=0)[1:].sum())

    @property
    def p(self) -> np.ndarray:
        """(q,) how often exchanges make some conclusion stand in as large a share of the analyses.

        Of equal shares, that with the lower ranks is larger. NaN of what no analysis can test, and
        as long as no exchange is done.
        """
        p, done = np.full(len(self.people), np.nan), self.done.all(axis=0)
        tested = self.told.any(axis=1)
        if not done[0] or not self.n_exchanges or not tested.any():
            return p
        found = np.array([
            np.mean((ranks <= _LEVEL) - 1e-3 * ranks, axis=0) for ranks in (
                of[told][:, done] for of, told in zip(self.ranks, self.told, strict=True)
                if told.any())
        ])
        # Of each conclusion among its own exchanges; then of the least of all conclusions.
        own = (found[:, None, :] >= found[:, :, None] - 1e-12).mean(axis=2)
        p[tested] = (own.min(axis=0) <= own[:, :1] + 1e-12).mean(axis=1)
        return p

    @property
    def table(self) -> pd.DataFrame:
        """``conclusion`` (a column, or ``groups``), and its ``p``."""
        return pd.DataFrame({
            "conclusion": [name or "groups" for name in self.people], "p": self.p,
        })


@task("Exchanging people", "embedding", columns=("participant",), parts=10, computation=OfMarked)
def multiverse_chance(
    method: OrdinalEmbedding,
    answers: Answers,
    *,
    fewest: Annotated[int, Number(1, 20, "Dimensions")] = 1,
    most: Annotated[int, Number(1, 20, "to")] = 5,
    views: Annotated[list[str] | None, Column(
        "Views", "Columns that are true for the answers of a view.", of="answers", several=True,
        marks=True,
    )] = None,
    groups: Annotated[bool, Switch("Groups of participants")] = True,
    conditions: Annotated[list[str] | None, Column(
        "Conditions", "Columns of the answers.", of="answers", several=True,
    )] = None,
    permutations: Annotated[int, Number(
        19, 9999, "Exchanges", "How often people, or conditions, are exchanged."
    )] = 99,
    seed: Seed = 0,
    begun: MultiverseChance | None = None,
    progress: Progress = silent,
) -> MultiverseChance:
    """One p for all conclusions about people in a multiverse.

    Parameters
    ----------
    method : OrdinalEmbedding
        Of the main analysis, whose number of dimensions is one of those tested.
    answers : Triplets, Quadruples or array-like of int, shape (T, 3) or (T, 4)
        All of them, as of `tripletscope.experiment.multiverse`.
    begun : MultiverseChance, optional
        The result of an earlier call with the same arguments that was stopped: it goes on there.
    progress : Progress

    Returns
    -------
    MultiverseChance

    Raises
    ------
    DataError
        If there is nobody to exchange, or there are more than five conclusions.

    Notes
    -----
    If people do not differ, any of them could have given any answer: participants are exchanged
    over the trials of the same views, so that each keeps the number of their trials. If
    conditions do not matter, they are exchanged over or within participants, as in
    `tripletscope.people.compare_conditions`. An exchange is the same in all analyses, and each
    analysis is tested as it is without one; p values are adjusted for all conclusions by the least
    of them (Westfall & Young 1993). Clusters have none: nothing can be exchanged
    that leaves maps as they are.

    References
    ----------
    Simonsohn, U., Simmons, J. P., & Nelson, L. D. (2020). Specification curve analysis. Nature
    Human Behaviour, 4, 1208-1214. Westfall, P. H., & Young, S. S. (1993). Resampling-based multiple
    testing. Wiley.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> found = ts.experiment.multiverse_chance(
    ...     ts.STE(), answers, fewest=2, most=2, groups=False, conditions=["group"],
    ...     permutations=19)
    >>> found.people, found.p.tolist()
    (['group'], [0.05])
    """
    answers = as_answers(answers)
    people = [*([""] if groups and "participant" in answers.answers else []), *(conditions or [])]
    if not 0 < len(people) <= _MOST:
        raise DataError(
            f"{len(people)} conclusions about people would be tested, and 1 to {_MOST} can be",
            file=answers.name, remedy="Choose groups of participants, or fewer conditions.",
        )
    for name in conditions or []:
        column_of(answers.answers, name, answers.name)
    marks = [marked_by(answers, view) for view in views or []]
    inside = [np.ones(len(answers), dtype=bool), *marks]
    dimensions = sorted({*range(min(fewest, most), max(fewest, most) + 1), method.n_components})
    cells = [(mask, d) for mask in inside for d in dimensions if d > 1]  # a line has no axes
    result = MultiverseChance(
        people, np.ones((len(people), len(cells), permutations + 1)),
        np.zeros((len(people), len(cells)), dtype=bool),
        np.zeros((len(people), permutations + 1), dtype=bool),
        np.transpose(marks) if marks else None,
    )
    if begun is not None:
        if (begun.people, begun.ranks.shape) != (people, result.ranks.shape):
            raise ValueError("what was begun is of other analyses; leave it out to begin anew.")
        result = begun
    todo = [(k, r) for k, name in enumerate(people) for r in range(permutations + 1)
            if not result.done[k, r] and (not name or r == 0)]
    todo.sort(key=lambda one: (not people[one[0]], one))  # conditions take one analysis each
    items = [(answers, cells, people[k], permutations, r, seed) for k, r in todo]
    found = results_of(_exchanged, items, progress, least=0)
    return _filled(result, zip(todo, found, strict=False))


def _filled(
    result: MultiverseChance, found: Iterator[tuple[tuple[int, int], tuple]]
) -> MultiverseChance:
    """With further exchanges."""
    ranks, told, done = (one.copy() for one in (result.ranks, result.told, result.done))
    for (k, r), (some, tested) in found:
        which = slice(None) if result.people[k] else slice(r, r + 1)
        ranks[k, :, which], done[k, which] = some, True
        if r == 0:
            told[k] = tested
    return replace(result, ranks=ranks, told=told, done=done)


def _exchanged(
    answers: Answers, cells: Sequence[tuple[np.ndarray, int]], column: str, permutations: int,
    r: int, seed: int, halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray]:
    """Ranks of a conclusion (s, 1), of conditions in all exchanges; and where it is tested."""
    ranks = np.ones((len(cells), permutations + 1 if column else 1))
    told, exchange = np.zeros(len(cells), dtype=bool), None
    if column:
        with suppress(DataError):  # one condition
            which, names = people_of(answers, column)
            exchange = exchanged_conditions(answers, which, len(names), permutations, seed)
    elif r:
        answers = _other_people(answers, cells, np.random.default_rng([seed, r]))
    for k, (mask, d) in enumerate(cells):
        method = WeightedEuclidean(
            n_components=d, by=column or "participant", n_init=1, seed=seed
        )
        with suppress(DataError):  # a view with too few answers
            if not column:
                ranks[k] = not sees_groups(
                    method, answers.take(mask), folds=2, seed=seed, progress=halt
                )
                told[k] = True
            elif exchange is not None and (
                found := exchange.statistics(method, mask, halt)
            ) is not None:
                ranks[k] = (found >= found[:, None] - 1e-9).mean(axis=1)
                told[k] = True
    return ranks, told


def _other_people(
    answers: Answers, cells: Sequence[tuple[np.ndarray, int]], rng: np.random.Generator
) -> Answers:
    """The answers with participants exchanged over trials that are in the same views."""
    trials = np.arange(len(answers)) if answers.trials is None else answers.trials
    _, first, trial = np.unique(trials, return_index=True, return_inverse=True)
    views = np.unique([mask for mask, _ in cells], axis=0)[:, first]
    block = np.unique(views, axis=1, return_inverse=True)[1].ravel()
    given = np.lexsort((rng.random(len(first)), block))
    drawn = np.empty(len(first), dtype=np.int64)
    drawn[np.argsort(block, kind="stable")] = first[given]
    who = answers.answers["participant"].iloc[drawn[trial]].reset_index(drop=True)
    return answers.with_columns({"participant": who.to_numpy()})
