"""Where an object belongs in a map that is already there."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.optimise.answers import PreparedAnswers
from tripletscope.core.optimise.loss import Loss, Objective
from tripletscope.core.optimise.minimise import minimise

#: Fitted objects whose surroundings are tried.
_TRIALS = 48


def place(
    given: Triplets | Quadruples,
    embedding: np.ndarray,
    placed: np.ndarray,
    loss: Loss,
    *,
    prior: float,
    n_starts: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Positions of all objects when those of `embedding` stay where they are.

    Every other object is first placed by itself, by its answers that name no further one, from
    the best of several places; then all are moved together.

    Parameters
    ----------
    given : Triplets or Quadruples
        Of n objects, the first of which are those of `embedding`.
    embedding : ndarray, shape (m, d)
    placed : ndarray of bool, shape (m,)
        Which of these have a place; answers that mention the rest tell nothing.
    loss : Loss
    prior : float
    n_starts : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (n, d)
    """
    n_known, n_components = embedding.shape
    positions = np.zeros((n_components, given.n_objects))
    positions[:, :n_known] = embedding.T
    known = np.zeros(given.n_objects, dtype=bool)
    known[:n_known] = placed
    useful = (known[given.rows] | (given.rows >= n_known)).all(axis=1)
    newest = given.rows.max(axis=1)
    useful &= (newest >= n_known) & (given.weight > 0)
    alone = useful & (known[given.rows] | (given.rows == newest[:, None])).all(axis=1)

    def objective(which: np.ndarray, moved: slice) -> _Placing:
        answers = PreparedAnswers(given.take(which))
        return _Placing(Objective(answers, loss, n_components, prior), positions, moved)

    there = embedding[placed]
    spread = there.std(axis=0)
    for new in range(n_known, given.n_objects):
        mine = np.flatnonzero(alone & (newest == new))
        if not len(mine):
            continue
        trials = there[rng.permutation(len(there))[:_TRIALS]]
        # Beside an object, not on it; but in no dimension that the map does not use.
        trials = trials + 0.1 * spread * rng.standard_normal(trials.shape)
        by_itself = objective(mine, slice(new, new + 1))
        starts = sorted(trials, key=lambda x: by_itself(x)[0])[:n_starts]
        found = min((minimise(by_itself, x) for x in starts), key=lambda optimum: optimum.loss)
        positions[:, new] = found.x
    if useful.any():
        moved = slice(n_known, given.n_objects)
        together = objective(np.flatnonzero(useful), moved)
        positions[:, moved] = minimise(together, positions[:, moved].ravel()).x.reshape(
            n_components, -1
        )
    return positions.T.copy()


class _Placing:
    """An objective as a function of some of the objects' positions, flattened (d, m)."""

    def __init__(self, objective: Objective, positions: np.ndarray, moved: slice) -> None:
        self._objective, self._positions, self._moved = objective, positions.copy(), moved

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        free = self._positions[:, self._moved]
        free[:] = x.reshape(free.shape)
        loss, gradient = self._objective(self._positions.ravel())
        return loss, gradient.reshape(self._positions.shape)[:, self._moved].ravel()
