"""What was chosen among what: the stages of a trial, each a choice among pairs of objects.

An answer to "is A more like B or like C?" is a choice between two pairs. The odd one out of three
is one choice among three pairs, although it is kept as two triplets; a ranking is a choice of the
first, then of the second from what is left, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import comb

from tripletscope.core.data.places import first_of, within


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


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices among pairs of objects, in stages.

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
        An answer of the data that belongs to the stage: its weight, participant and so on are
        the stage's.
    trial : ndarray of int, shape (S,)
        The trial of each stage, from 0; stages of a ranking share one.
    """

    pairs: np.ndarray
    bounds: np.ndarray
    n_chosen: np.ndarray
    sign: np.ndarray
    answer: np.ndarray
    trial: np.ndarray

    def __len__(self) -> int:
        return len(self.answer)

    @property
    def n_shown(self) -> np.ndarray:
        """(S,) number of pairs of each stage."""
        return np.diff(self.bounds)

    @cached_property
    def are_triplets(self) -> bool:
        """Whether every stage is a choice of one pair out of two."""
        return bool((self.n_shown == 2).all())

    @property
    def chance(self) -> np.ndarray:
        """(S,) probability of guessing what was chosen."""
        return 1.0 / comb(self.n_shown, self.n_chosen)

    @cached_property
    def stage(self) -> np.ndarray:
        """(E,) the stage of every pair."""
        return np.repeat(np.arange(len(self)), self.n_shown)

    def take(self, which: np.ndarray) -> Choices:
        """Only some of the stages, by their positions."""
        n_shown = self.n_shown[which]
        bounds = np.concatenate([[0], np.cumsum(n_shown)])
        pairs = self.pairs[np.repeat(self.bounds[:-1][which], n_shown) + within(n_shown)]
        return Choices(
            pairs, bounds, self.n_chosen[which], self.sign[which], self.answer[which],
            self.trial[which],
        )

    def odd_one_out(self) -> OddOnes:
        """The trials in which one of three objects was said not to belong."""
        found = np.flatnonzero((self.n_shown == 3) & (self.n_chosen == 1) & (self.sign == 1))
        three = self.pairs[self.bounds[found][:, None] + np.arange(3)]  # (Q, 3, 2)
        together, others = three[:, 0], three[:, 1:].reshape(-1, 4)
        # Each of the three objects occurs twice among the pairs of an odd one out.
        odd = others.sum(axis=1) - together.sum(axis=1)
        odd //= 2
        right = ((others == odd[:, None]).sum(axis=1) == 2) & (
            np.sort(others, axis=1)
            == np.sort(np.column_stack([together, odd, odd]), axis=1)
        ).all(axis=1)
        rows = np.column_stack([together, odd]).astype(np.int32)
        return OddOnes(rows[right], self.answer[found[right]])


def choices_of(rows: np.ndarray, trials: np.ndarray | None) -> Choices:
    """The choices that answers tell of.

    rows (T, 3) or (T, 4): Anchor, near and far; or i, j, k, l, where i and j are more similar than
        k and l.
    trials (T,) or None: The trial of each answer, from 0. Answers of a trial that do not make one
        choice, such as those about a cycle, are choices of their own.
    """
    if trials is None or rows.shape[1] == 4:
        return _as_pairs(rows, np.arange(len(rows)), np.arange(len(rows)))
    order = np.argsort(trials, kind="stable")
    begins = first_of(trials[order])
    sizes = np.diff(begins, append=len(order))
    twins = begins[sizes == 2]
    first, second = order[twins], order[twins + 1]
    kinds = _twins(rows[first], rows[second])
    alone = np.ones(len(rows), dtype=bool)
    found = []
    for odd, sign in ((True, 1), (False, -1)):
        which = kinds == sign
        alone[first[which]] = alone[second[which]] = False
        found.append(_of_three(rows, first[which], trials, odd, sign))
    grouped = np.repeat(sizes > 1, sizes)
    rest = order[grouped & alone[order]]
    ranked, used = _ranked(rows[rest], trials[rest])
    alone[rest[used]] = False
    found.append(ranked._replace(answer=rest[ranked.answer]))
    single = np.flatnonzero(alone)
    pairs = _as_pairs(rows[single], single, trials[single])
    return _joined([_Stages(*_fields(pairs)), *found])


class _Stages(NamedTuple):
    """As `Choices`, with the numbers of shown pairs in place of bounds."""

    pairs: np.ndarray
    n_shown: np.ndarray
    n_chosen: np.ndarray
    sign: np.ndarray
    answer: np.ndarray
    trial: np.ndarray


def _fields(choices: Choices) -> tuple[np.ndarray, ...]:
    return (
        choices.pairs, choices.n_shown, choices.n_chosen, choices.sign, choices.answer,
        choices.trial,
    )


def _joined(parts: list[_Stages]) -> Choices:
    parts = [part for part in parts if len(part.answer)] or parts[:1]
    joined = _Stages(*(np.concatenate(each) for each in zip(*parts, strict=True)))
    trial = np.unique(joined.trial, return_inverse=True)[1]
    bounds = np.concatenate([[0], np.cumsum(joined.n_shown)])
    return Choices(joined.pairs, bounds, joined.n_chosen, joined.sign, joined.answer, trial)


def _as_pairs(rows: np.ndarray, answer: np.ndarray, trial: np.ndarray) -> Choices:
    places = [0, 1, 0, 2] if rows.shape[1] == 3 else [0, 1, 2, 3]
    n = len(rows)
    return Choices(
        rows[:, places].reshape(-1, 2), 2 * np.arange(n + 1), np.ones(n, np.int64),
        np.ones(n, np.int8), answer, trial,
    )


def _twins(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """(Q,) 1 where two answers say which of three is odd, -1 which is central, 0 neither."""
    odd = (
        (one[:, 0] == other[:, 1]) & (one[:, 1] == other[:, 0]) & (one[:, 2] == other[:, 2])
    )
    central = (
        (one[:, 0] == other[:, 2]) & (one[:, 2] == other[:, 0]) & (one[:, 1] == other[:, 1])
    )
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

    An option's wins tell its place: in a ranking of groups each wins against all below, and
    against none beside it.

    Shapes: trials (T,).
    rows (T, 3): Those of one trial next to each other.
    Returns: stages; used bool (T,).
    """
    if not len(rows):
        none = np.zeros(0, np.int64)
        return (
            _Stages(rows[:, :2], none, none, none.astype(np.int8), none, none),
            np.zeros(0, dtype=bool),
        )
    begin = first_of(trials)
    group = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(trials)))
    n = int(rows.max()) + 1
    options, place = np.unique(
        np.concatenate([group * n + rows[:, 1], group * n + rows[:, 2]]), return_inverse=True
    )
    near, far = place[: len(rows)], place[len(rows):]
    wins = np.bincount(near, minlength=len(options))
    of = options // n
    right = _all(rows[:, 0] == rows[begin[group], 0], group, len(begin))
    right &= _all(wins[near] > wins[far], group, len(begin))
    again = np.ones(len(rows), dtype=bool)
    again[np.unique(near * len(options) + far, return_index=True)[1]] = False
    right &= _all(~again, group, len(begin))
    order = np.lexsort((-wins, of))
    levels = first_of((of * (len(rows) + 1) + wins)[order])
    size = np.diff(levels, append=len(order))
    owner = of[order][levels]
    end = np.searchsorted(of[order], owner, side="right")
    below = end - levels - size
    right &= _all(wins[order][levels] == below, owner, len(begin))
    kept = right[owner] & (below > 0)
    levels, size, below, owner = levels[kept], size[kept], below[kept], owner[kept]
    shown = size + below
    objects = (options % n)[order][np.repeat(levels, shown) + within(shown)]
    anchor = np.repeat(rows[begin[owner], 0], shown)
    stages = _Stages(
        np.column_stack([anchor, objects]).astype(np.int32), shown, size,
        np.ones(len(levels), np.int8), begin[owner], trials[begin[owner]],
    )
    return stages, right[group]


def _all(true: np.ndarray, group: np.ndarray, n_groups: int) -> np.ndarray:
    """(groups,) whether all of a group are true."""
    return np.bincount(group[~true], minlength=n_groups) == 0
