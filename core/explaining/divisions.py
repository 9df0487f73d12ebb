"""Which choices a model learns from and which it predicts: by objects, and by trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.score import n_groups, question_folds

#: Objects of a fold, choices of a training part and choices that are predicted: fewer say nothing.
FEWEST_OBJECTS, FEWEST_CHOICES = 4, 50
#: So many predicted choices are aimed at by repeated divisions of the objects, at most so often.
_ENOUGH, _MOST_REPEATS = 1000, 5


@dataclass(frozen=True, eq=False)
class Division:
    """What is learned from and what is predicted.

    objects bool (n,): That may be learned from.
    held_out bool (n,): Objects of predicted choices.
    fold (T,) or None: Of every answer, where trials are divided: then `number` is held out.
    """

    objects: np.ndarray
    held_out: np.ndarray
    fold: np.ndarray | None = None
    number: int = 0

    def learned(self, sets: Choices) -> np.ndarray:
        """(S,) bool: choices that are learned from."""
        if self.fold is not None:
            return self.fold[sets.answer] != self.number
        return sets.among(self.objects)

    def predicted(self, sets: Choices) -> np.ndarray:
        """(S,) bool: choices that are predicted."""
        if self.fold is not None:
            return self.fold[sets.answer] == self.number
        return sets.among(self.held_out)


def by_trials(
    answers: Judgements, known: np.ndarray, folds: int, rng: np.random.Generator
) -> list[Division]:
    """Questions and trials in folds, each predicted from the others; as many as there can be."""
    folds = max(min(folds, n_groups(answers)), 2)
    fold = question_folds(answers, folds, rng)
    return [Division(known, known, fold, number) for number in range(folds)]


def by_objects(known: np.ndarray, folds: int, rng: np.random.Generator) -> list[Division]:
    """Objects in folds: choices among those of a fold, from choices among all others."""
    fold = np.full(len(known), -1)
    order = rng.permutation(np.flatnonzero(known))
    fold[order] = np.arange(len(order)) % folds
    return [Division(known & (fold != k), fold == k) for k in range(folds)]


def repeats_for(n_choices: int, folds: int) -> int:
    """How often objects are divided anew, so that enough choices are predicted.

    Of three objects all are in one fold with a probability of about 1 / folds².
    """
    return int(np.clip(np.ceil(_ENOUGH * folds**2 / max(n_choices, 1)), 1, _MOST_REPEATS))


def too_few(sets: Choices, known: np.ndarray, divisions: list[Division], folds: int) -> str:
    """Why objects cannot be held out, in a sentence; empty where they can."""
    n = int(known.sum())
    if n < FEWEST_OBJECTS * folds:
        return (
            f"Objects were not held out: {n} objects with features are fewer than "
            f"{FEWEST_OBJECTS} for each of {folds} folds."
        )
    learned = min(int(part.learned(sets).sum()) for part in divisions)
    predicted = int(np.logical_or.reduce([part.predicted(sets) for part in divisions]).sum())
    if min(learned, predicted) < FEWEST_CHOICES:
        return (
            f"Objects were not held out: {predicted:,} choices are among the objects of one fold, "
            f"and {learned:,} among those of the others; {FEWEST_CHOICES} of each are needed."
        )
    return ""
