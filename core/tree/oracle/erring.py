"""Those who can err: a simulated observer, and asking again against errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletscope.core.simulation.simulate import answer
from tripletscope.core.tree.oracle.asking import Oracle


class Observer(Oracle):
    """A simulated observer of objects at known positions.

    See `tripletscope.core.simulation.simulate.answer`.

    Shapes: positions (n, d).
    noise, level: See `tripletscope.core.simulation.simulate.answer`. Asked again, the observer may
        answer differently.
    """

    def __init__(
        self, positions: Any, *, noise: str = "none", level: float = 0.0,
        seed: int | Sequence[int] = 0, listed: bool = False,
    ) -> None:
        self._positions = np.asarray(positions, dtype=float)
        super().__init__(len(self._positions), listed=listed)
        self._noise, self._level = noise, level
        self._rng = np.random.default_rng(seed)

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        rows = answer(self._positions, questions, self._rng, noise=self._noise, level=self._level)
        return rows[:, 1] == questions[:, 1]


class Repeated(Oracle):
    """Asks another oracle every question several times and takes the majority.

    oracle: It counts every time.
    times: Odd.
    """

    def __init__(self, oracle: Oracle, times: int) -> None:
        if times < 1 or times % 2 == 0:
            raise ValueError(f"times is {times!r}; it must be an odd number from 1.")
        super().__init__(oracle.n_objects)
        self._oracle, self._times = oracle, times
        self.tally = oracle.tally

    def ask(self, questions: np.ndarray) -> np.ndarray:
        votes = self._oracle.ask(np.repeat(questions, self._times, axis=0))
        return votes.reshape(-1, self._times).sum(axis=1) * 2 > self._times

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        return self._oracle.remarks(questions)
