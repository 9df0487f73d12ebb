"""Choices among three objects, as models of dimensions learn from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, as_triplets

#: What was chosen: the most similar of three pairs, the nearer of two, the least similar of three.
ODD_ONE_OUT, NEARER, MOST_CENTRAL = 0, 1, 2


@dataclass(frozen=True, eq=False)
class ChoiceTrials:
    """Trials with three objects each.

    Shapes: weight (Q,).
    rows int32 (Q, 3): The chosen pair, then the third object. Of a triplet: anchor, near, far.
    kind int8 (Q,): ODD_ONE_OUT, NEARER or MOST_CENTRAL.
    answer (Q,): An answer of the data for each.
    """

    rows: np.ndarray
    kind: np.ndarray
    weight: np.ndarray
    answer: np.ndarray
    n_objects: int

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, which: np.ndarray) -> ChoiceTrials:
        """Only some of the trials, by position or mask."""
        return ChoiceTrials(
            self.rows[which], self.kind[which], self.weight[which], self.answer[which],
            self.n_objects,
        )

    def weighted(self, weight: np.ndarray) -> ChoiceTrials:
        """The same trials with other weights, shape (Q,)."""
        return replace(self, weight=weight)

    @property
    def placed(self) -> np.ndarray:
        """(n,) bool: objects that a trial is about that counts."""
        return np.bincount(
            self.rows[self.weight > 0].ravel(), minlength=self.n_objects
        ) > 0

    @property
    def scored(self) -> np.ndarray:
        """(Q,) bool: the trials whose accuracy is told, which have one chance.

        The odd ones out where there are any, else triplets, else most central ones.
        """
        for kind in (ODD_ONE_OUT, NEARER, MOST_CENTRAL):
            found = self.kind == kind
            if found.any():
                return found
        return np.zeros(len(self), dtype=bool)


def trials_of(data: Any) -> ChoiceTrials:
    """The trials of answers: odd ones out, triplets and most central ones of three.

    Shapes: data (T, 3).
    """
    triplets = as_triplets(data)
    choices = triplets.choices
    odd = choices.odd_one_out()
    found = [_of(odd.rows, odd.answer, ODD_ONE_OUT)]
    shown = choices.n_shown
    two = np.flatnonzero((shown == 2) & (choices.n_chosen == 1) & (choices.sign == 1))
    found.append(_of(_anchored(choices, two), choices.answer[two], NEARER))
    central = choices.take(np.flatnonzero((shown == 3) & (choices.sign == -1)))
    rows, answer = _central(central)
    found.append(_of(rows, answer, MOST_CENTRAL))
    rows, answer, kind = (np.concatenate(each) for each in zip(*found, strict=True))
    _refuse_others(triplets, len(choices) - len(rows))
    return ChoiceTrials(rows, kind, triplets.weight[answer], answer, triplets.n_objects)


def _of(rows: np.ndarray, answer: np.ndarray, kind: int) -> tuple[np.ndarray, ...]:
    return np.asarray(rows, np.int32), answer, np.full(len(rows), kind, np.int8)


def _anchored(choices: Choices, which: np.ndarray) -> np.ndarray:
    """(S, 3) anchor, near and far of choices between two pairs."""
    chosen = choices.pairs[choices.bounds[which]]
    other = choices.pairs[choices.bounds[which] + 1]
    return np.column_stack([chosen, other[:, 1]])


def _central(choices: Choices) -> tuple[np.ndarray, np.ndarray]:
    """Rows with the least similar pair first, and answers, of most central ones of three."""
    swapped = Choices(
        choices.pairs, choices.bounds, choices.n_chosen, np.ones_like(choices.sign),
        choices.answer, choices.trial,
    )
    return swapped.odd_one_out()


def _refuse_others(triplets: Triplets, n_others: int) -> None:
    if n_others:
        raise DataError(
            f"{n_others:,} choices are rankings or choices among more than three pairs, which "
            "SPoSE and VICE do not learn from",
            file=triplets.name,
            remedy="Use trials with three objects, odd one out at best, or an embedding.",
        )
