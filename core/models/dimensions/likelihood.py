"""Choices among three objects, and their likelihood, with dot products as similarities.

Rows of 32-bit weights are padded for vector instructions. Gradients of pieces of the trials are
added in order: bits do not depend on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import as_triplets
from tripletscope.core.engine.threads import side_by_side
from tripletscope.core.models.optimise.elementary import compiled
from tripletscope.core.models.optimise.layout import LayoutPart
from tripletscope.core.models.optimise.loss import Block, Loss, add_up
from tripletscope.core.models.optimise.pairs import PairModel

#: Weights per vector of numbers.
LANES = 16
#: Fewest trials per piece, and most pieces.
_PIECE, _PIECES = 4096, 8


#: Kinds of choices: the most similar of three pairs, the nearer of two, the least similar of three.
ODD_ONE_OUT, NEARER, MOST_CENTRAL = 0, 1, 2


def kinds_of(trials: Choices) -> np.ndarray:
    """(Q,) int8 kind of each trial."""
    of_three = np.where(trials.sign < 0, MOST_CENTRAL, ODD_ONE_OUT)
    return np.where(trials.n_shown == 2, NEARER, of_three).astype(np.int8)


def padded(d: int) -> int:
    """Length of a padded row of d weights."""
    return -(-d // LANES) * LANES


@compiled
def _products(x, w, roles, unit, low, high, values):
    d, third = x.shape[1], values.shape[0] == 3
    for t in range(high - low):
        a, b, c = x[roles[0, low + t]], x[roles[1, low + t]], x[roles[2, low + t]]
        ab = ac = bc = np.float32(0.0)
        if third:
            for k in range(d):
                ab += a[k] * b[k]
                ac += a[k] * c[k]
                bc += b[k] * c[k]
            values[2, t] = bc
        else:
            for k in range(d):
                ab += a[k] * b[k]
                ac += a[k] * c[k]
        values[0, t], values[1, t] = ab, ac


@compiled
def _products_back(x, w, roles, unit, low, high, by, by_x, by_w):
    d, third = x.shape[1], by.shape[0] == 3
    for t in range(high - low):
        i, j, m = roles[0, low + t], roles[1, low + t], roles[2, low + t]
        a, b, c, ga, gb, gc = x[i], x[j], x[m], by_x[i], by_x[j], by_x[m]
        ab, ac = np.float32(by[0, t]), np.float32(by[1, t])
        bc = np.float32(by[2, t]) if third else np.float32(0.0)
        for k in range(d):
            ga[k] += ab * b[k] + ac * c[k]
            gb[k] += ab * a[k] + bc * c[k]
            gc[k] += ac * a[k] + bc * b[k]


@compiled
def _similarity(products, constants, similarity, slope):
    for e in range(products.size):
        similarity[e] = products[e]
        slope[e] = 1.0


#: Choices among the pairs of three objects by the dot products of 32-bit weights.
_LOSS = Loss(similarity=_similarity, pairs=PairModel(_products, _products_back))


@dataclass(frozen=True, eq=False)
class TrialBatch:
    """Trials to evaluate together, of each kind ordered by their first objects.

    pieces: What is added up by itself: ranges of parts.
    """

    parts: tuple[LayoutPart, ...]
    pieces: tuple[list[tuple[LayoutPart, int, int]], ...]

    @classmethod
    def of(cls, trials: Choices, which: np.ndarray | None = None) -> TrialBatch:
        """Some trials, by their positions; by default those with a weight."""
        trials = trials.take(trials.weight > 0 if which is None else which)
        rows, kind = trials.triples, kinds_of(trials)
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        parts = tuple(
            LayoutPart.of(rows[mine], trials.weight[mine], trials.n_objects, chosen)
            for one, chosen in ((ODD_ONE_OUT, 1), (NEARER, 0), (MOST_CENTRAL, -1))
            if len(mine := order[kind[order] == one])
        )
        number = min(max(len(rows) // _PIECE, 1), _PIECES)
        bounds = np.linspace(0, len(rows), number + 1).astype(np.int64)
        return cls(parts, tuple(_ranges(parts, *ends) for ends in pairwise(bounds.tolist())))

    def evaluate(self, x: np.ndarray, gradients: np.ndarray) -> float:
        """Loss at x float32 (n, padded d): minus the log-probability of the trials.

        gradients float32 (>= pieces, n, padded d): Overwritten; the sum is in ``gradients[0]``.
        """
        def of_piece(ranges: list[tuple[LayoutPart, int, int]], gradient: np.ndarray) -> float:
            gradient[:] = 0.0
            blocks = [Block.of(part, _LOSS, x, gradient) for part, *_ in ranges]
            return math.fsum(
                add_up(block, low, high, gradient, block.of_units)
                for block, (_, low, high) in zip(blocks, ranges, strict=True)
            )

        each = list(zip(self.pieces, gradients, strict=False))
        losses = side_by_side(lambda piece: of_piece(*piece), each)
        for further in gradients[1 : len(self.pieces)]:
            gradients[0] += further
        return math.fsum(losses)

    @property
    def total(self) -> float:
        """Sum of the weights of the trials."""
        return sum(float(part.weight.sum()) for part in self.parts)


def _ranges(
    parts: tuple[LayoutPart, ...], begin: int, end: int
) -> list[tuple[LayoutPart, int, int]]:
    """What is between two positions among the trials of all parts."""
    result = []
    for part in parts:
        low, high = max(begin, 0), min(end, len(part))
        if low < high:
            result.append((part, low, high))
        begin, end = begin - len(part), end - len(part)
    return result


def trials_of(data: Any) -> Choices:
    """The choices about three objects: odd ones out, then triplets, then most central ones."""
    triplets = as_triplets(data)
    choices = triplets.choices
    two = (choices.n_shown == 2) & (choices.n_chosen == 1) & (choices.sign == 1)
    of_three = choices.are_of_three
    kinds = (of_three & (choices.sign == 1), two, of_three & (choices.sign == -1))
    trials = choices.take(np.concatenate([np.flatnonzero(kind) for kind in kinds]))
    n_others = len(choices) - len(trials)
    if n_others:
        raise DataError(
            f"{n_others:,} choices are rankings or choices among more than three pairs, which "
            "SPoSE and VICE do not learn from",
            file=triplets.name,
            remedy="Use trials with three objects, preferably odd one out, or an embedding.",
        )
    return trials


def scored(trials: Choices) -> Choices:
    """The trials for accuracy, of one kind and chance.

    Odd ones out if there are any, else triplets, else most central ones.
    """
    for kind in (
        (trials.n_shown == 3) & (trials.sign == 1), trials.n_shown == 2, trials.sign == -1
    ):
        if kind.any():
            return trials.take(kind)
    return trials
