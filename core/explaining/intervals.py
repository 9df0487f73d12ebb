"""Intervals of held-out predictions over people, or over questions and trials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.score import mean_over
from tripletscope.core.evaluation.units import KnownPeople, known_people, said


@dataclass(frozen=True, eq=False)
class Units:
    """What is taken as independent: who gave each answer, or its question and trial.

    Attributes
    ----------
    people : KnownPeople or None
    groups : ndarray of int, shape (T,)
    """

    people: KnownPeople | None
    groups: np.ndarray

    @classmethod
    def of(cls, answers: Triplets | Quadruples, unit: str) -> Units:
        """Those of the answers; see `tripletscope.core.evaluation.units.LearnedUnit`."""
        return cls(known_people(answers, unit), answers.groups)

    @property
    def said(self) -> dict[str, str | int]:
        """Unit and number, as results name them."""
        return said(self.people)

    def take(self, answer: np.ndarray) -> Units:
        """Those of some answers, by their positions."""
        groups = np.unique(self.groups[answer], return_inverse=True)[1]
        if self.people is None:
            return Units(None, groups)
        kept, part = np.unique(self.people.part[answer], return_inverse=True)
        number = int(np.sum(kept < self.people.number))
        return Units(KnownPeople(part, number) if number > 1 else None, groups)

    def share(self, right: np.ndarray, weight: np.ndarray) -> tuple[float, float, float]:
        """Mean of what is 0 to 1, with Wilson's interval; see `mean_over`."""
        return mean_over(self.people, right, weight, self.groups)

    def mean(self, values: np.ndarray, weight: np.ndarray) -> tuple[float, float, float]:
        """Mean of anything, with its 95 % t interval by the variance between units."""
        weight = weight / weight.sum()
        mean = float(weight @ values)
        part = self.groups if self.people is None else self.people.part
        number = int(part.max()) + 1 if self.people is None else self.people.number
        if number < 2:
            return mean, -np.inf, np.inf
        moved = np.bincount(part, weight * (values - mean))
        spread = np.sqrt(number / (number - 1) * float(moved @ moved))
        reach = float(stdtrit(number - 1, 0.975) * spread)
        return mean, mean - reach, mean + reach
