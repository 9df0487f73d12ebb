"""Simulated odd-one-out choices of an observer with known dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.declared import with_random_state
from tripletscope.core.models.dimensions.sparse import similarities_of
from tripletscope.core.models.simulation.simulate import random_questions


@with_random_state
def simulate_choices(
    embedding: np.ndarray, n_trials: int, *, seed: int = 0, temperature: float = 1.0,
    objects: pd.DataFrame | Sequence[str] | None = None, participants: int = 0,
) -> Triplets:
    """Odd-one-out trials of an observer with known dimensions.

    Each shows three different objects, drawn at random. The most similar pair, by the dot product
    of weights, belongs together with a probability by softmax.

    Parameters
    ----------
    embedding : ndarray, shape (n, d)
        Weights, at least three objects.
    n_trials : int
    seed : int
    temperature : float
        Divides similarities: 0 for no noise.
    objects : DataFrame or sequence of str, optional
        The table of objects, or their names; by default they are numbered.
    participants : int
        Number of people to divide the trials among, at random; 0 for none.

    Returns
    -------
    Triplets
        Two answers of each trial, (a, b, odd) and (b, a, odd), with its number as ``trial``.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> truth = np.repeat(np.eye(3), 10, axis=0) * 2
    >>> answers = ts.dimensions.simulate_choices(truth, 500, seed=1)
    >>> answers.n_trials, answers.n_objects
    (500, 30)
    """
    x = np.ascontiguousarray(embedding, dtype=float)
    if x.ndim != 2 or len(x) < 3 or not np.isfinite(x).all():
        raise ValueError("The embedding must be finite numbers, (n, d), of three objects or more.")
    if temperature < 0 or n_trials < 0:
        raise ValueError("Temperature and number of trials must not be negative.")
    rng = np.random.default_rng(seed)
    shown = random_questions(len(x), n_trials, rng).astype(np.int32)
    # With Gumbel noise, the maximum is a draw by softmax.
    noise = temperature * rng.gumbel(size=(n_trials, 3))
    # Of equal similarities, the later object is odd.
    odd = 2 - np.argmax((similarities_of(x, shown) + noise)[:, ::-1], axis=1)
    _last(shown, odd)
    rows = np.repeat(shown, 2, axis=0)
    rows[1::2, :2] = rows[1::2, 1::-1]
    answers = pd.DataFrame({"trial": np.repeat(np.arange(n_trials), 2)})
    if participants:
        who = rng.integers(participants, size=n_trials)
        answers["participant"] = np.repeat(np.array([f"P{k + 1}" for k in range(participants)])[
            who], 2)
    if objects is None:
        objects = numbered_objects(len(x))
    elif not isinstance(objects, pd.DataFrame):
        objects = pd.DataFrame({"id": pd.Series(list(objects), dtype="str")})
    if len(objects) != len(x):
        raise ValueError(f"There are {len(objects)} objects, but {len(x)} rows of weights.")
    return Triplets(rows, objects, answers, "simulated")


def _last(shown: np.ndarray, odd: np.ndarray) -> None:
    """Move the odd object of each row to its end, in place."""
    each = np.arange(len(shown))
    shown[each, odd], shown[:, 2] = shown[:, 2].copy(), shown[each, odd]
