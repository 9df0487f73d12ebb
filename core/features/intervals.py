"""Intervals of held-out predictions over objects and, at once, people or questions and trials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.places import different
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.inference.held_out.share import wilson
from tripletscope.core.inference.held_out.units import SamplingUnits, known_people, unit_fields


@dataclass(frozen=True, eq=False)
class Units:
    """Independent units beside the objects: people, or question and trial (T,) of each answer."""

    people: SamplingUnits | None
    groups: np.ndarray

    @classmethod
    def of(cls, answers: Answers, unit: str) -> Units:
        """Units of the answers; see `tripletscope.core.inference.held_out.units.LearnedUnit`."""
        # Comparisons of ratings share pairs, and with these their objects.
        groups = answers.questions if answers.is_one_rating else answers.groups
        return cls(known_people(answers, unit), groups)

    @property
    def said(self) -> dict[str, str | int]:
        """Unit and number, as results name them."""
        return unit_fields(self.people)

    def estimate(self, value: Any, low: Any, high: Any) -> Estimate:
        """Means and intervals of these units."""
        if self.people is None:
            return Estimate(value, low, high)
        return Estimate(value, low, high, "participants", self.people.number)

    def about(self, sets: Choices) -> Crossed:
        """Means over some choices, with their variance over objects and people."""
        part = self.groups if self.people is None else self.people.part
        units, unit = np.unique(part[sets.answer], return_inverse=True)
        number = len(units) if self.people is None else int(np.sum(units < self.people.number))
        choice, item = objects_in(sets)
        items, item = np.unique(item, return_inverse=True)
        return Crossed(sets.weight / sets.weight.sum(), unit, choice, item, number, len(items))


def crossed_variance(objects: np.ndarray, answers: np.ndarray, both: np.ndarray) -> np.ndarray:
    """Variance over objects and answers, from those of resampling either, and both at once.

    Drawing both at once counts the noise of answers twice (Schütt et al. 2023).
    """
    at_least = np.maximum(objects, answers)
    return np.clip(2 * (objects + answers) - both, at_least, np.maximum(both, at_least))


def effective_number(weights: np.ndarray) -> np.ndarray:
    """Effective number of objects with these weights (n, ...): 1 where one has them all."""
    total, squares = weights.sum(axis=0), (weights**2).sum(axis=0)
    return total**2 / np.where(squares > 0, squares, 1.0)


def objects_in(choices: Choices) -> tuple[np.ndarray, np.ndarray]:
    """Choice and object of each participation of an object in a choice, once in each."""
    n = choices.n_objects
    return np.divmod(different(choices.stage[:, None] * n + choices.pairs), max(n, 1))


@dataclass(frozen=True, eq=False)
class Crossed:
    """Choices that are dependent because they share objects, or a person or trial.

    The variance of a mean is ``v_objects + v_people - v_both``, sums over pairs of choices that
    share an object, a person, and both, each at least 0 and the whole at least the larger of the
    first two. The quantile is Student's at the smaller number of objects and people. Pairs of
    choices that share two objects count twice, which makes intervals rather too long.

    References
    ----------
    Cameron, A. C., Gelbach, J. B., & Miller, D. L. (2011). Robust inference with multiway
    clustering. Journal of Business & Economic Statistics, 29, 238-249. Aronow, P. M., Samii, C.,
    & Assenova, V. A. (2015). Cluster-robust variance estimation for dyadic data. Political
    Analysis, 23, 564-577.
    """

    weight: np.ndarray
    unit: np.ndarray
    choice: np.ndarray
    item: np.ndarray
    n_units: int
    n_items: int

    @property
    def degrees(self) -> int:
        """Degrees of freedom of the quantile; 0 where there is no interval."""
        return min(self.n_units, self.n_items) - 1

    def share(self, right: np.ndarray) -> tuple[float, float, float]:
        """Mean of values from 0 to 1, with Wilson's interval at the effective number of choices."""
        mean, variance = self._moments(right)
        if self.degrees < 1:
            return mean, 0.0, 1.0
        # The variance of equal choices is rounding.
        differ = variance > 0 and np.ptp(right) > 0
        effective = mean * (1 - mean) / variance if differ else self.degrees + 1
        return mean, *wilson(mean, min(effective, len(right)), degrees=self.degrees)

    def mean(self, values: np.ndarray) -> tuple[float, float, float]:
        """Mean with its 95 % t interval."""
        mean, variance = self._moments(values)
        if self.degrees < 1:
            return mean, -np.inf, np.inf
        reach = float(stdtrit(self.degrees, 0.975) * np.sqrt(variance))
        return mean, mean - reach, mean + reach

    def p_above(self, values: np.ndarray, at: float) -> float:
        """One-sided p value that a share is above a number.

        If all are right nothing varies, and p is that of `share`, whose interval has a width.
        """
        mean, variance = self._moments(values)
        if self.degrees < 1 or mean <= at:
            return 1.0
        if np.ptp(values) == 0:
            error = np.sqrt(at * (1 - at) / min(self.degrees + 1, len(values)))
            return float(stdtr(self.degrees, (at - mean) / error)) if error else 0.0
        return float(stdtr(self.degrees, (at - mean) / np.sqrt(variance))) if variance else 0.0

    def _moments(self, values: np.ndarray) -> tuple[float, float]:
        mean = float(self.weight @ values)
        moved = self.weight * (values - mean)
        of_items = np.bincount(self.item, moved[self.choice])
        of_units = np.bincount(self.unit, moved)
        both = self.unit[self.choice] * self.n_items + self.item
        of_both = np.bincount(np.unique(both, return_inverse=True)[1], moved[self.choice])
        objects, people = (
            float(one @ one) * number / max(number - 1, 1)
            for one, number in ((of_items, self.n_items), (of_units, self.n_units))
        )
        return mean, max(objects + people - float(of_both @ of_both), objects, people)
