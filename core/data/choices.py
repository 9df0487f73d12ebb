"""Choices among pairs of objects, in stages.

"Is A more like B or like C?" is a choice between two pairs; the odd one out of three is one choice
among three pairs, although it is kept as two triplets. A ranking is a choice of the first option,
then of the second among the rest, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.special import comb

from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.places import position_in_run, run_starts


class OddOnes(NamedTuple):
    """Odd-one-out trials.

    Attributes
    ----------
    rows : ndarray of int32, shape (Q, 3)
        The two objects that belong together, then the odd one.
    answer : ndarray of int, shape (Q,)
        An answer of each trial.
    """

    rows: np.ndarray
    answer: np.ndarray


class StageKind(NamedTuple):
    """Stages with equal numbers of shown and of chosen pairs.

    stage (K,): Their positions.
    place (K, m): Positions of their pairs, the chosen ones first.
    chosen: Number of chosen pairs; negative for the least similar.
    """

    stage: np.ndarray
    place: np.ndarray
    chosen: int


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices among pairs of objects, in stages: the one numeric form of answers.

    In a stage some pairs were shown, and those that are most similar, or with a sign of -1 least
    similar, were chosen. Stages of one trial are independent given the map: the probability of a
    ranking is the product of those of its stages (Plackett, 1975; Luce, 1959).

    Attributes
    ----------
    pairs : ndarray of int32, shape (E, 2)
        The pairs of all stages, those of a stage next to each other, the chosen ones first.
    bounds : ndarray of int, shape (S + 1,)
        Where the pairs of each stage begin; the last is E.
    n_chosen : ndarray of int, shape (S,)
        How many pairs were chosen, in no order.
    sign : ndarray of int8, shape (S,)
        1 where the chosen pairs are the most similar, -1 where they are the least similar.
    answer : ndarray of int, shape (S,)
        An answer of the data that belongs to the stage: its participant and so on are the stage's.
    trial : ndarray of int, shape (S,)
        The trial of each stage, from 0; stages of a ranking share one.
    weight : ndarray of float, shape (S,)
    unit : ndarray of int, shape (S,)
        Of whatever stages are told apart by, such as people; 0 where by nothing.
    n_objects : int
        Of the data.
    """

    pairs: np.ndarray
    bounds: np.ndarray
    n_chosen: np.ndarray
    sign: np.ndarray
    answer: np.ndarray
    trial: np.ndarray
    weight: np.ndarray
    unit: np.ndarray
    n_objects: int

    def __repr__(self) -> str:
        return f"<Choices: {len(self):,} stages on {self.n_objects:,} objects>"

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects in a stage of positive weight."""
        counts = self.weight[self.stage] > 0
        return np.bincount(self.pairs[counts].ravel(), minlength=self.n_objects) > 0

    def __len__(self) -> int:
        return len(self.answer)

    @cached_property
    def n_shown(self) -> np.ndarray:
        """(S,) number of pairs of each stage."""
        return np.diff(self.bounds)

    @cached_property
    def are_triplets(self) -> bool:
        """Whether every stage is a choice between two pairs."""
        return bool((self.n_shown == 2).all())

    @property
    def chance(self) -> np.ndarray:
        """(S,) probability of guessing the choice."""
        return 1.0 / comb(self.n_shown, self.n_chosen)

    @cached_property
    def stage(self) -> np.ndarray:
        """(E,) the stage of every pair."""
        return np.repeat(np.arange(len(self)), self.n_shown)

    @cached_property
    def kinds(self) -> tuple[StageKind, ...]:
        """All stages by kind: few pairs first, then few chosen."""
        code = self.n_shown * (2 * int(self.n_shown.max(initial=0)) + 1) + self.n_chosen * self.sign
        _, first, kind = np.unique(code, return_index=True, return_inverse=True)
        stages = np.split(np.argsort(kind, kind="stable"), np.cumsum(np.bincount(kind))[:-1])
        return tuple(
            StageKind(
                stage, self.bounds[stage][:, None] + np.arange(self.n_shown[one]),
                int(self.n_chosen[one] * self.sign[one]),
            ) for stage, one in zip(stages, first, strict=bool(len(self)))
        )

    @cached_property
    def _distinct(self) -> tuple[np.ndarray, np.ndarray]:
        low, high = np.sort(self.pairs, axis=1).T.astype(np.int64)
        n = int(high.max(initial=-1)) + 1
        code, place = np.unique(low * n + high, return_inverse=True)
        return np.column_stack(np.divmod(code, max(n, 1))), place

    @property
    def distinct(self) -> np.ndarray:
        """(u, 2) distinct pairs, smaller object first."""
        return self._distinct[0]

    @property
    def place(self) -> np.ndarray:
        """(E,) position of every pair in `distinct`."""
        return self._distinct[1]

    def take(self, which: np.ndarray) -> Choices:
        """Some of the stages, by mask or positions."""
        which = np.flatnonzero(which) if which.dtype == bool else which
        n_shown = self.n_shown[which]
        bounds = np.concatenate([[0], np.cumsum(n_shown)])
        pairs = self.pairs[np.repeat(self.bounds[:-1][which], n_shown) + position_in_run(n_shown)]
        return Choices(
            pairs, bounds, self.n_chosen[which], self.sign[which], self.answer[which],
            self.trial[which], self.weight[which], self.unit[which], self.n_objects,
        )

    def reweighted(self, weight: np.ndarray) -> Choices:
        """The same stages with other weights, shape (S,)."""
        return self._with(weight=np.asarray(weight, dtype=float))

    def of_units(self, unit: np.ndarray) -> Choices:
        """The same stages with other units, shape (S,)."""
        return self._with(unit=np.asarray(unit, dtype=np.int64))

    def _with(self, **changes: np.ndarray) -> Choices:
        """With other weights or units; what is cached of the pairs is kept."""
        changed = replace(self, **changes)
        for name in ("n_shown", "are_triplets", "stage", "kinds", "_distinct"):
            if name in vars(self):
                vars(changed)[name] = vars(self)[name]
        return changed

    def among(self, objects: np.ndarray) -> np.ndarray:
        """(S,) bool: stages about objects of a mask (n,) alone."""
        if not len(self):
            return np.zeros(0, dtype=bool)
        return np.logical_and.reduceat(objects[self.pairs].all(axis=1), self.bounds[:-1])

    def singly(self) -> Choices:
        """Each of several chosen pairs as a choice among itself and the unchosen pairs."""
        several = self.n_chosen
        if (several == 1).all():
            return self
        stage = np.repeat(np.arange(len(self)), several)
        size = self.n_shown[stage] - several[stage] + 1
        place, chosen = position_in_run(size), np.repeat(position_in_run(several), size)
        after = place + np.repeat(several[stage], size) - 1
        places = np.repeat(self.bounds[stage], size) + np.where(place == 0, chosen, after)
        bounds = np.concatenate([[0], np.cumsum(size)])
        return Choices(
            self.pairs[places], bounds, np.ones_like(stage), self.sign[stage], self.answer[stage],
            self.trial[stage], self.weight[stage], self.unit[stage], self.n_objects,
        )

    @cached_property
    def are_of_three(self) -> np.ndarray:
        """(S,) bool: choices of one of the three pairs of three objects."""
        result = (self.n_shown == 3) & (self.n_chosen == 1)
        which = np.flatnonzero(result)
        pairs = self.pairs[self.bounds[which][:, None] + np.arange(3)].reshape(-1, 6)
        same = np.sort(pairs, axis=1)
        # Each of the three objects occurs twice.
        result[which] = (same[:, ::2] == same[:, 1::2]).all(axis=1) & (
            (same[:, 1:5:2] != same[:, 2::2]).all(axis=1)
        )
        return result

    @property
    def triples(self) -> np.ndarray:
        """(S, 3) int32: of choices about three objects the chosen pair, then the third object.

        Of a triplet these are anchor, near and far.
        """
        chosen = self.pairs[self.bounds[:-1]]
        other = self.pairs[self.bounds[:-1] + 1]
        again = (other == chosen[:, :1]) | (other == chosen[:, 1:])
        return np.column_stack([chosen, np.where(again, -1, other).max(axis=1)])

    def odd_one_out(self) -> OddOnes:
        """Trials in which one of three objects is the odd one."""
        odd = self.take(self.are_of_three & (self.sign == 1))
        return OddOnes(odd.triples, odd.answer)


def choices_of(
    rows: np.ndarray, trials: np.ndarray | None, weight: np.ndarray | None = None,
    n_objects: int | None = None,
) -> Choices:
    """Choices of answers.

    rows (T, 3) or (T, 4): Anchor, near and far; or i, j, k, l, where i and j are more similar than
        k and l.
    trials (T,) or None: From 0. Answers of a trial that are no single choice, such as those about
        a cycle, are choices each.
    weight (T,): By default ones.
    n_objects: By default the highest position plus one.
    """
    n_objects = int(rows.max(initial=-1)) + 1 if n_objects is None else n_objects
    weight = np.ones(len(rows)) if weight is None else weight
    every = np.arange(len(rows))
    if trials is None or rows.shape[1] == 4:
        return _joined([_as_pairs(rows, every, every)], weight, n_objects)
    order = np.argsort(trials, kind="stable")
    begins = run_starts(trials[order])
    sizes = np.diff(begins, append=len(order))
    twins = begins[sizes == 2]
    first, second = order[twins], order[twins + 1]
    kinds = _twins(rows[first], rows[second])
    alone = np.ones(len(rows), dtype=bool)
    result = []
    for odd, sign in ((True, 1), (False, -1)):
        which = kinds == sign
        alone[first[which]] = alone[second[which]] = False
        result.append(_of_three(rows, first[which], trials, odd, sign))
    grouped = np.repeat(sizes > 1, sizes)
    rest = order[grouped & alone[order]]
    ranked, used = _ranked(rows[rest], trials[rest])
    alone[rest[used]] = False
    result.append(ranked._replace(answer=rest[ranked.answer]))
    single = np.flatnonzero(alone)
    return _joined([_as_pairs(rows[single], single, trials[single]), *result], weight, n_objects)


class _Stages(NamedTuple):
    """As `Choices`, with numbers of shown pairs instead of bounds."""

    pairs: np.ndarray
    n_shown: np.ndarray
    n_chosen: np.ndarray
    sign: np.ndarray
    answer: np.ndarray
    trial: np.ndarray


def _joined(parts: list[_Stages], weight: np.ndarray, n_objects: int) -> Choices:
    parts = [part for part in parts if len(part.answer)] or parts[:1]
    joined = parts[0]
    if len(parts) > 1:
        joined = _Stages(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    trial = np.unique(joined.trial, return_inverse=True)[1]
    bounds = np.concatenate([[0], np.cumsum(joined.n_shown)])
    return Choices(
        joined.pairs, bounds, joined.n_chosen, joined.sign, joined.answer, trial,
        weight[joined.answer], np.zeros(len(trial), np.int64), n_objects,
    )


def _as_pairs(rows: np.ndarray, answer: np.ndarray, trial: np.ndarray) -> _Stages:
    places = [0, 1, 0, 2] if rows.shape[1] == 3 else [0, 1, 2, 3]
    n = len(rows)
    return _Stages(
        rows[:, places].reshape(-1, 2), np.full(n, 2), np.ones(n, np.int64), np.ones(n, np.int8),
        answer, trial,
    )


def _twins(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(Q,) 1 where two answers name the odd one of three, -1 where the central one, else 0."""
    odd = ((one[:, 0] == other[:, 1]) & (one[:, 1] == other[:, 0]) & (one[:, 2] == other[:, 2]))
    central = ((one[:, 0] == other[:, 2]) & (one[:, 2] == other[:, 0]) & (one[:, 1] == other[:, 1]))
    return odd.astype(np.int8) - central


def _of_three(
    rows: np.ndarray, answer: np.ndarray, trials: np.ndarray, odd: bool, sign: int
) -> _Stages:
    a, b, c = rows[answer].T
    # The pair that was chosen: anchor and near as the most, anchor and far as the least similar.
    ordered = (a, b, a, c, b, c) if odd else (a, c, a, b, c, b)
    n = len(answer)
    return _Stages(
        np.stack(ordered, axis=1).reshape(-1, 2), np.full(n, 3), np.ones(n, np.int64),
        np.full(n, sign, np.int8), answer, trials[answer],
    )


def _ranked(rows: np.ndarray, trials: np.ndarray) -> tuple[_Stages, np.ndarray]:
    """Stages of the trials that rank their options, in groups of equals, and their answers.

    In a ranking of groups each option wins against all below it, and against none beside it.

    rows (T, 3), trials (T,): Sorted by trial.
    Returns: Stages; bool (T,), answers that are part of a ranking.
    """
    if not len(rows):
        none = np.zeros(0, np.int64)
        return (
            _Stages(rows[:, :2], none, none, none.astype(np.int8), none, none),
            np.zeros(0, dtype=bool),
        )
    begin = run_starts(trials)
    group = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(trials)))
    n = int(rows.max()) + 1
    # Options of all trials, numbered by trial and object, and how many others each wins against.
    options, place = np.unique(
        np.concatenate([group * n + rows[:, 1], group * n + rows[:, 2]]), return_inverse=True
    )
    near, far = place[: len(rows)], place[len(rows):]
    wins = np.bincount(near, minlength=len(options))
    of = options // n
    right = _all(rows[:, 0] == rows[begin[group], 0], group, len(begin))
    right &= _all(wins[near] > wins[far], group, len(begin))
    right &= _all(~_are_repeats(near * len(options) + far), group, len(begin))
    # Levels of a ranking: options that win as often, above those that win less often.
    order = np.lexsort((-wins, of))
    levels = run_starts((of * (len(rows) + 1) + wins)[order])
    size = np.diff(levels, append=len(order))
    owner = of[order][levels]
    below = np.searchsorted(of[order], owner, side="right") - levels - size
    right &= _all(wins[order][levels] == below, owner, len(begin))
    kept = right[owner] & (below > 0)
    levels, size, below, owner = levels[kept], size[kept], below[kept], owner[kept]
    shown = size + below
    objects = (options % n)[order][np.repeat(levels, shown) + position_in_run(shown)]
    anchor = np.repeat(rows[begin[owner], 0], shown)
    stages = _Stages(
        np.column_stack([anchor, objects]).astype(np.int32), shown, size,
        np.ones(len(levels), np.int8), begin[owner], trials[begin[owner]],
    )
    return stages, right[group]


def _are_repeats(values: np.ndarray) -> np.ndarray:
    """(T,) whether a value has occurred before."""
    again = np.ones(len(values), dtype=bool)
    again[np.unique(values, return_index=True)[1]] = False
    return again


def _all(true: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
    """(groups,) whether all values of a group are true."""
    return np.bincount(group[~true], minlength=n_groups) == 0
