"""GNMDS by the descent of a published program, which may stay where it began: an exhibit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.models.embedding.gnmds import GNMDS
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Objective

#: Standard deviation of the coordinates at the start.
_START = 1e-4
#: The step grows by the one factor when the loss has fallen, and shrinks by the other when not.
_LONGER, _SHORTER = 1.01, 0.5
#: By less than this the loss has not fallen.
_FALL = 1e-7
#: So many steps without a fall, one after the other, end the descent, but not among the first.
_PATIENCE, _FIRST_STEPS, _MOST_STEPS = 5, 50, 1000


class DescentEnd(NamedTuple):
    """Where a descent ended.

    Shapes: embedding (n, d).
    loss: Per answer; at a map without extent it is 1.
    """

    embedding: np.ndarray
    loss: float
    n_steps: int


def published_descent(triplets: Triplets, n_components: int, seed: int) -> DescentEnd:
    """GNMDS over positions by plain gradient descent from almost a point, without a penalty.

    Its steps are as long as the mean number of answers per object allows. An object in far more
    answers than others, as landmarks are, overshoots; the loss rises, and steps are halved until
    they are too short for the other objects to get away from the start in a thousand of them.

    References
    ----------
    van der Maaten, L., & Weinberger, K. (2012). Stochastic triplet embedding. IEEE International
    Workshop on Machine Learning for Signal Processing; the programs published with it.
    """
    n, n_answers = triplets.n_objects, len(triplets)
    loss_of = GNMDS(rounded=False)._loss()
    objective = Objective(AnswerLayout.of(triplets), loss_of, n_components)
    x = _START * np.random.default_rng(seed).standard_normal(n_components * n)
    best, best_loss, last = x, np.inf, np.inf
    length, without_fall, n_steps = 1.0, 0, 0
    with single_blas_thread():
        while n_steps < _MOST_STEPS and (without_fall < _PATIENCE or n_steps < _FIRST_STEPS):
            loss, gradient = objective(x)
            if loss < best_loss:
                best, best_loss = x, loss
            x = x - length * n / n_answers * gradient
            fallen = last > loss + _FALL
            without_fall = 0 if fallen else without_fall + 1
            length *= _LONGER if fallen else _SHORTER
            last, n_steps = loss, n_steps + 1
    return DescentEnd(best.reshape(n_components, n).T, best_loss / n_answers, n_steps)
