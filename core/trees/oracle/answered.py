"""People's answers: a collection, or a person who answers now."""

from __future__ import annotations

from typing import Any

import numpy as np

from tripletscope.core.data.triplets import Triplets, as_triplets
from tripletscope.core.trees.oracle.asking import Oracle


class Unanswered(Exception):
    """Questions (m, 3), independent rows (x, p, q), each as often as answers are missing."""

    def __init__(self, questions: np.ndarray) -> None:
        super().__init__(f"{len(questions)} questions wait for an answer")
        self.questions = questions


class AnswersOracle(Oracle):
    """People's answers: an uploaded collection, or a person who answers now.

    A question without an answer goes to another oracle, or, without one, stops the computation by
    `Unanswered`. To go on, add the missing answers and compute again with the same seed: only the
    answers, a `Triplets`, need be kept::

        oracle = AnswersOracle(n)
        while True:
            try:
                tree = ComparisonTree(metric=oracle).fit(range(n))
                break
            except Unanswered as waiting:
                oracle.add(answers_to(waiting.questions))

    triplets (T, 3): The answers, or the number of objects if there are none yet.
    otherwise: The oracle for questions without an answer.
    times: Answers that a question needs; the weighted majority counts, and ties need one more.
    """

    def __init__(
        self, triplets: Any, otherwise: Oracle | None = None, *, times: int = 1,
        listed: bool = False,
    ) -> None:
        if isinstance(triplets, int | np.integer):
            triplets = Triplets.from_array(np.zeros((0, 3), dtype=int), int(triplets))
        triplets = as_triplets(triplets)
        super().__init__(triplets.n_objects, listed=listed)
        self.otherwise, self.times = otherwise, times
        self.n_answered = 0
        self._rows = np.zeros((0, 3), dtype=np.int64)
        self._weight = np.zeros(0)
        self._enter(triplets.rows, triplets.weight)

    @property
    def rows(self) -> np.ndarray:
        """(T, 3) all answers: anchor, near, far."""
        return self._rows

    @property
    def answered_share(self) -> float:
        """Share of the questions asked so far that people have answered."""
        return self.n_answered / self.n_questions if self.n_questions else np.nan

    def add(self, rows: Any) -> None:
        """Take further answers, rows (anchor, near, far)."""
        answers = Triplets.from_array(rows, self.n_objects)
        self._enter(answers.rows, answers.weight)

    def is_answered(self, questions: np.ndarray) -> np.ndarray:
        """(m,) whether each question has a majority of enough answers."""
        votes, counts = self._votes(np.asarray(questions))
        return (votes != 0) & (counts >= self.times)

    def remarks(self, questions: np.ndarray) -> dict[str, np.ndarray]:
        """``answered``: whether people answered; and the other oracle's remarks."""
        further = self.otherwise.remarks(questions) if self.otherwise else {}
        return {"answered": self.is_answered(questions), **further}

    def _enter(self, rows: np.ndarray, weight: np.ndarray) -> None:
        self._rows = np.concatenate([self._rows, rows])
        self._weight = np.concatenate([self._weight, weight])
        codes, sign = self._code(self._rows)
        self._codes, which = np.unique(codes, return_inverse=True)
        net = np.bincount(which, sign * self._weight, len(self._codes))
        # Sums of fractional weights would hardly ever be equal.
        self._net = np.round(net, 9)
        self._n_answers = np.bincount(which, self._weight > 0, len(self._codes))

    def _code(self, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A number for every comparison, and 1 if its first object is the lower one, else -1."""
        x, p, q = np.asarray(questions, dtype=np.int64).T
        n = self.n_objects
        return (x * n + np.minimum(p, q)) * n + np.maximum(p, q), np.where(p < q, 1, -1)

    def _votes(self, questions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        codes, sign = self._code(questions)
        if not len(self._codes):
            return np.zeros(len(codes)), np.zeros(len(codes))
        place = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        is_there = self._codes[place] == codes
        return np.where(is_there, sign * self._net[place], 0.0), is_there * self._n_answers[place]

    def _answer(self, questions: np.ndarray) -> np.ndarray:
        votes, counts = self._votes(questions)
        answered = (votes != 0) & (counts >= self.times)
        first = votes > 0
        if not answered.all():
            missing = questions[~answered]
            if self.otherwise is None:
                # A question may be asked by several dialogues at once; people need it once.
                place = np.sort(np.unique(self._code(missing)[0], return_index=True)[1])
                again = np.maximum(self.times - counts[~answered][place], 1).astype(int)
                raise Unanswered(np.repeat(missing[place], again, axis=0))
            first[~answered] = self.otherwise.ask(missing)
        self.n_answered += int(answered.sum())
        return first
