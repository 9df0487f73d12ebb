"""Positions of further objects in a fitted map."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tripletscope.core.data.triplets import Answers
from tripletscope.core.models.optimise.layout import AnswerLayout
from tripletscope.core.models.optimise.loss import Loss, Objective
from tripletscope.core.models.optimise.minimise import minimise

#: Fitted objects whose surroundings are tried.
_TRIALS = 48


def place(
    data: Answers, embedding: np.ndarray, placed: np.ndarray, loss: Loss, *, prior: float,
    n_starts: int, rng: np.random.Generator,
) -> np.ndarray:
    """Positions (n, d) of all objects; the first m stay where `embedding` (m, d) has them.

    Each other one is first placed by itself, then all are moved together. Answers that mention an
    object without a place (`placed`, bool (m,)) do not count.
    """
    n_fitted, n_components = embedding.shape
    positions = np.zeros((n_components, data.n_objects))
    positions[:, :n_fitted] = embedding.T
    has_place = np.zeros(data.n_objects, dtype=bool)
    has_place[:n_fitted] = placed
    answers = AnswerLayout.of(data, loss.similarity is not None)
    useful, newest, alone = _about_new(answers, has_place, n_fitted)

    def objective(which: np.ndarray, moved: slice) -> Callable:
        """The loss of some answers, as a function of some objects' positions, flattened (d, m)."""
        some = answers.reweighted(np.where(which, answers.weight, 0.0))
        total, there = Objective(some, loss, n_components, prior), positions.copy()

        def of_moved(x: np.ndarray) -> tuple[float, np.ndarray]:
            there[:, moved] = x.reshape(n_components, -1)
            value, gradient = total(there.ravel())
            return value, gradient.reshape(there.shape)[:, moved].ravel()

        return of_moved

    neighbours = embedding[placed]
    spread = neighbours.std(axis=0)
    for new in range(n_fitted, data.n_objects):
        mine = alone & (newest == new)
        if not mine.any():
            continue
        trials = neighbours[rng.permutation(len(neighbours))[:_TRIALS]]
        # Beside an object, not on it, within the dimensions that the map uses.
        trials = trials + 0.1 * spread * rng.standard_normal(trials.shape)
        by_itself = objective(mine, slice(new, new + 1))
        starts = sorted(trials, key=lambda x: by_itself(x)[0])[:n_starts]
        best = min((minimise(by_itself, x) for x in starts), key=lambda optimum: optimum.loss)
        positions[:, new] = best.x
    if useful.any():
        moved = slice(n_fitted, data.n_objects)
        together = objective(useful, moved)
        positions[:, moved] = minimise(together, positions[:, moved].ravel()).x.reshape(
            n_components, -1
        )
    return positions.T.copy()


def _about_new(
    answers: AnswerLayout, has_place: np.ndarray, n_fitted: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Which answers tell where further objects are, their last object, and which name no other."""
    useful, newest, alone = [], [], []
    for part in answers.parts:
        last = part.roles.max(axis=0)
        right = (has_place[part.roles] | (part.roles >= n_fitted)).all(axis=0)
        useful.append(right & (last >= n_fitted) & (part.weight > 0))
        newest.append(last)
        alone.append(useful[-1] & (has_place[part.roles] | (part.roles == last)).all(axis=0))
    return np.concatenate(useful), np.concatenate(newest), np.concatenate(alone)
