"""Choices among three objects, and their likelihood, with dot products as similarities.

Rows of 32-bit weights are padded for vector instructions. Gradients of parts of the trials are
added in order: bits do not depend on the number of threads.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import as_triplets
from tripletscope.core.engine.threads import side_by_side
from tripletscope.core.models.optimise.elementary import compiled

#: Weights per vector of numbers.
LANES = 16
#: Fewest trials per part, and most parts.
_PART, _PARTS = 4096, 8


#: Kinds of choices: the most similar of three pairs, the nearer of two, the least similar of three.
ODD_ONE_OUT, NEARER, MOST_CENTRAL = 0, 1, 2


def kinds_of(trials: Choices) -> np.ndarray:
    """(Q,) int8 kind of each trial."""
    of_three = np.where(trials.sign < 0, MOST_CENTRAL, ODD_ONE_OUT)
    return np.where(trials.n_shown == 2, NEARER, of_three).astype(np.int8)


def padded(d: int) -> int:
    """Length of a padded row of d weights."""
    return -(-d // LANES) * LANES


@dataclass(frozen=True, eq=False)
class TrialBatch:
    """Trials to evaluate together, ordered by their first object.

    Shapes: rows int32 (Q, 3), kind int8 (Q,), weight float32 (Q,), bounds (parts + 1,).
    """

    rows: np.ndarray
    kind: np.ndarray
    weight: np.ndarray
    bounds: np.ndarray

    @classmethod
    def of(cls, trials: Choices, which: np.ndarray | None = None) -> TrialBatch:
        """Some trials, by their positions; by default those with a weight."""
        trials = trials.take(trials.weight > 0 if which is None else which)
        rows = trials.triples
        order = np.lexsort((rows[:, 1], rows[:, 0]))
        parts = min(max(len(rows) // _PART, 1), _PARTS)
        return cls(
            np.ascontiguousarray(rows[order], np.uint32), kinds_of(trials)[order],
            trials.weight[order].astype(np.float32),
            np.linspace(0, len(rows), parts + 1).astype(np.int64),
        )

    def evaluate(self, x: np.ndarray, gradients: np.ndarray) -> float:
        """Loss at x float32 (n, padded d): minus the log-probability of the trials.

        gradients float32 (>= parts, n, padded d): Overwritten; the sum is in ``gradients[0]``.
        """
        def part(k: int) -> float:
            begin, end = self.bounds[k], self.bounds[k + 1]
            return _evaluate(
                self.rows[begin:end], self.kind[begin:end], self.weight[begin:end], x,
                gradients[k],
            )

        losses = side_by_side(part, range(self.n_parts))
        for k in range(1, self.n_parts):
            gradients[0] += gradients[k]
        return math.fsum(losses)

    @property
    def total(self) -> float:
        """Sum of the weights of the trials."""
        return float(self.weight.sum(dtype=float))

    @property
    def n_parts(self) -> int:
        return len(self.bounds) - 1


@compiled
def _evaluate(rows, kind, weight, x, gradient):
    gradient[:] = np.float32(0.0)
    d = x.shape[1]
    total = 0.0
    for t in range(len(rows)):
        a, b, c = x[rows[t, 0]], x[rows[t, 1]], x[rows[t, 2]]
        ab = ac = bc = np.float32(0.0)
        for k in range(d):
            ab += a[k] * b[k]
            ac += a[k] * c[k]
            bc += b[k] * c[k]
        sign = np.float32(-1.0 if kind[t] == MOST_CENTRAL else 1.0)
        more_ac, more_bc = sign * (ac - ab), sign * (bc - ab)
        if kind[t] == NEARER:
            more_bc = np.float32(-1e4)
        most = max(np.float32(0.0), more_ac, more_bc)
        by_ac, by_bc = math.exp(more_ac - most), math.exp(more_bc - most)
        whole = math.exp(-most) + by_ac + by_bc
        total += weight[t] * (most + math.log(whole))
        share = sign * weight[t] / whole
        on_ac, on_bc = share * by_ac, share * by_bc
        on_ab = -(on_ac + on_bc)
        ga, gb, gc = gradient[rows[t, 0]], gradient[rows[t, 1]], gradient[rows[t, 2]]
        for k in range(d):
            ga[k] += on_ab * b[k] + on_ac * c[k]
            gb[k] += on_ab * a[k] + on_bc * c[k]
            gc[k] += on_ac * a[k] + on_bc * b[k]
    return total


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
