"""Oracles, dialogues held at the same time, and simulated observers."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd

from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.models.simulation.simulate import answer
from tripletscope.core.trees.nearer import Measure

Dialogue = Generator[np.ndarray, np.ndarray, Any]


class Tally:
    """Counts of an oracle's questions, shared by its copies."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self.n_questions = self.n_calls = 0
        self.questions: list[np.ndarray] = []
        self.answers: list[np.ndarray] = []


class Oracle:
    """Answers questions about n objects, and counts them.

    listed: Whether to keep all questions and answers for `listing`.
    """

    def __init__(self, n_objects: int, *, listed: bool = False) -> None:
        self.n_objects = n_objects
        self.listed = listed
        self.tally = Tally()

    def __sklearn_clone__(self) -> Self:
        # An estimator's clones ask the same person.
        return self

    def __repr__(self) -> str:
        return f"<{type(self).__name__} about {self.n_objects:,} objects>"

    @property
    def n_questions(self) -> int:
        """Questions that were answered."""
        return self.tally.n_questions

    @property
    def n_calls(self) -> int:
        """Batches of questions; compiled loops over measured objects make none."""
        return self.tally.n_calls

    def ask(self, questions: np.ndarray) -> np.ndarray:
        """(m,) bool: where p is at least as near to x as q, of rows (x, p, q), shape (m, 3)."""
        if not len(questions):
            return np.zeros(0, dtype=bool)
        answers = self._answer(questions)
        self.count(len(questions), calls=1)
        if self.listed:
            self.tally.questions.append(questions + self._offset())
            self.tally.answers.append(answers)
        return answers

    def count(self, n_questions: int, *, calls: int = 0) -> None:
        """Count questions that were answered."""
        self.tally.n_questions += n_questions
        self.tally.n_calls += calls

    def listing(self) -> pd.DataFrame:
        """All questions and their answers: ``call``, ``anchor``, ``near``, ``far``."""
        questions = np.concatenate([np.zeros((0, 3), dtype=int), *self.tally.questions])
        first = np.concatenate([np.zeros(0, dtype=bool), *self.tally.answers])
        table = pd.DataFrame(answered_rows(questions, first), columns=["anchor", "near", "far"])
        sizes = [len(answers) for answers in self.tally.answers]
        table.insert(0, "call", np.repeat(np.arange(len(sizes)), sizes))
        return table

    def measure(self) -> Measure | None:
        """The measure for compiled loops; None if only `ask` can answer."""
        return None

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """Further columns for a table of questions."""
        return {}

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def _offset(self) -> np.ndarray:
        return np.zeros(3, dtype=int)


def answered_rows(questions: np.ndarray, first: np.ndarray) -> np.ndarray:
    """(m, 3) rows (anchor, near, far) of questions and their answers."""
    rows = questions.copy()
    rows[~first, 1:] = rows[~first, :0:-1]
    return rows


def converse(
    oracle: Oracle, dialogues: Sequence[Dialogue], progress: Progress = silent
) -> list[Any]:
    """Results of dialogues held at the same time; each call of the oracle serves all of them."""
    results: list[Any] = [None] * len(dialogues)
    waiting: dict[int, np.ndarray] = {}

    def go_on(number: int, answers: np.ndarray | None) -> None:
        try:
            waiting[number] = dialogues[number].send(answers)
        except StopIteration as end:
            waiting.pop(number, None)
            results[number] = end.value

    for number in range(len(dialogues)):
        go_on(number, None)
    while waiting:
        answers = oracle.ask(np.concatenate(list(waiting.values())))
        for number, questions in list(waiting.items()):
            go_on(number, answers[: len(questions)])
            answers = answers[len(questions) :]
        if progress(1 - len(waiting) / len(dialogues)) and waiting:
            raise Stopped
    return results


class Observer(Oracle):
    """A simulated observer of objects at positions (n, d), who may answer differently each time.

    noise, level: See `tripletscope.core.models.simulation.simulate.answer`.
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
    """Asks another oracle every question an odd number of times, and takes the majority.

    The other oracle counts every time.
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
