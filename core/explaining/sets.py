"""Choices among pairs of objects, ready for models that give each pair a dissimilarity."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from tripletscope.core.data.choices import choices_of
from tripletscope.core.data.places import within
from tripletscope.core.data.triplets import Judgements


@dataclass(frozen=True, eq=False)
class ChoiceSets:
    """Choices of one pair out of two or more, among objects that have features.

    Of r chosen pairs each is a choice against those that were not chosen, with the r-th part of
    the weight.

    pairs (u, 2): The different pairs, smaller object first.
    pair (E,): Which pair stands at each place; those of a set next to each other, the chosen one
        first.
    bounds (S + 1,): Where the places of each set begin; the last is E.
    sign (S,): 1 where the most, -1 where the least similar pair was chosen.
    weight (S,): Above 0.
    answer (S,): An answer of the data that each set belongs to.
    """

    pairs: np.ndarray
    pair: np.ndarray
    bounds: np.ndarray
    sign: np.ndarray
    weight: np.ndarray
    answer: np.ndarray

    def __len__(self) -> int:
        return len(self.answer)

    @cached_property
    def set_of(self) -> np.ndarray:
        """(E,) the set of each place."""
        return np.repeat(np.arange(len(self)), self.n_shown)

    @cached_property
    def n_shown(self) -> np.ndarray:
        """(S,) number of pairs of each set."""
        return np.diff(self.bounds)

    @property
    def objects(self) -> tuple[np.ndarray, np.ndarray]:
        """Set and object of each time that an object takes part in a set, once in each."""
        n = int(self.pairs.max(initial=-1)) + 1
        code = np.unique(self.set_of[:, None] * n + self.pairs[self.pair])
        return code // max(n, 1), code % max(n, 1)

    @property
    def chance(self) -> float:
        """Accuracy of guessing."""
        return float(np.average(1.0 / self.n_shown, weights=self.weight))

    @property
    def guessing(self) -> float:
        """Log-likelihood of guessing, of each answer."""
        return float(-np.average(np.log(self.n_shown), weights=self.weight))

    def take(self, which: np.ndarray) -> Self:
        """Only some of the sets, given by a mask (S,)."""
        kept = np.flatnonzero(which)
        places = np.repeat(self.bounds[kept], self.n_shown[kept]) + within(self.n_shown[kept])
        used, pair = np.unique(self.pair[places], return_inverse=True)
        bounds = np.concatenate([[0], np.cumsum(self.n_shown[kept])])
        return replace(
            self, pairs=self.pairs[used], pair=pair, bounds=bounds, sign=self.sign[kept],
            weight=self.weight[kept], answer=self.answer[kept],
        )

    def weighted(self, factor: np.ndarray) -> Self:
        """With weights times a factor (S,); sets whose weight becomes 0 stay."""
        return replace(self, weight=self.weight * factor)

    def among(self, objects: np.ndarray) -> np.ndarray:
        """(S,) bool: sets that are about some objects alone, given by a mask (n,)."""
        if not len(self):
            return np.zeros(0, dtype=bool)
        inside = objects[self.pairs].all(axis=1)
        return np.logical_and.reduceat(inside[self.pair], self.bounds[:-1])

    def right(self, apart: np.ndarray) -> np.ndarray:
        """(S,) how rightly dissimilarities (u,) predict: 1, 0, or the chance of a tie broken."""
        value = apart[self.pair] * -np.repeat(self.sign, self.n_shown)
        best = np.maximum.reduceat(value, self.bounds[:-1])
        tied = np.add.reduceat((value == best[self.set_of]).astype(float), self.bounds[:-1])
        return np.where(value[self.bounds[:-1]] == best, 1.0 / tied, 0.0)

    def log_likelihood(self, apart: np.ndarray) -> np.ndarray:
        """(S,) log-probability of each choice, where dissimilarities (u,) are log-odds."""
        return self._softmax(apart)[0]

    def loss(self, apart: np.ndarray) -> tuple[float, np.ndarray]:
        """Mean negative log-likelihood, and its derivative (u,) by dissimilarities (u,)."""
        log, share = self._softmax(apart)
        share[self.bounds[:-1]] -= 1.0
        weight = self.weight / self.weight.sum()
        pull = share * np.repeat(-self.sign * weight, self.n_shown)
        return -float(weight @ log), np.bincount(self.pair, pull, len(self.pairs))

    def _softmax(self, apart: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        begins = self.bounds[:-1]
        value = apart[self.pair] * -np.repeat(self.sign, self.n_shown)
        value -= np.maximum.reduceat(value, begins)[self.set_of]
        share = np.exp(value)
        total = np.add.reduceat(share, begins)
        share /= total[self.set_of]
        return value[begins] - np.log(total), share


def sets_of(
    answers: Judgements, known: np.ndarray, *, as_asked: bool = True
) -> ChoiceSets:
    """The choices of the answers that count and are about objects that are known.

    Shapes: known bool (n,).
    as_asked: Whether an odd one out is one choice of three; otherwise every answer is one of two.
    """
    choices = answers.choices if as_asked else choices_of(answers.rows, None)
    whole = np.logical_and.reduceat(
        known[choices.pairs].all(axis=1), choices.bounds[:-1]
    ) if len(choices) else np.zeros(0, dtype=bool)
    kept = np.flatnonzero(whole & (answers.weight[choices.answer] > 0))
    choices = choices.take(kept)
    stage = np.repeat(np.arange(len(choices)), choices.n_chosen)
    r = choices.n_chosen[stage]
    size = choices.n_shown[stage] - r + 1
    place = within(size)
    begin = np.repeat(choices.bounds[stage], size)
    chosen = np.repeat(within(choices.n_chosen), size)
    places = begin + np.where(place == 0, chosen, place + np.repeat(r, size) - 1)
    low, high = np.sort(choices.pairs[places], axis=1).T.astype(np.int64)
    code, pair = np.unique(low * len(known) + high, return_inverse=True)
    answer = choices.answer[stage]
    return ChoiceSets(
        np.column_stack(np.divmod(code, len(known))), pair,
        np.concatenate([[0], np.cumsum(size)]), choices.sign[stage].astype(float),
        answers.weight[answer] / r, answer,
    )
