"""Which of two methods predicts better: errors in the same folds, on the same answers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

import numpy as np
from scipy.special import stdtr, stdtrit

from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.score import (
    ErrorEstimate,
    corrected_spread,
    spread_over_people,
)
from tripletscope.core.inference.held_out.units import SamplingUnits, known_people, unit_fields

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class PairedDifference:
    """By how much one held-out error is above another.

    difference: Above zero where the second is better.
    low, high: 95 % interval.
    spread, degrees: Standard error of the difference, and its degrees of freedom.
    p: Of no difference, two-sided.
    unit, n_units: As of `ErrorEstimate`.
    """

    difference: float
    low: float
    high: float
    spread: float
    degrees: float
    p: float
    unit: str = "answers"
    n_units: int | None = None

    @property
    def p_above(self) -> float:
        """One-sided p value of a difference above zero."""
        if self.spread == 0:
            return 0.0 if self.difference > 0 else 1.0
        return float(stdtr(self.degrees, -self.difference / self.spread))

    def p_within(self, margin: float) -> float:
        """One-sided p value of the second being better, or worse by less than a margin."""
        return replace(self, difference=self.difference + margin).p_above


def paired_difference(
    first: ErrorEstimate, second: ErrorEstimate, triplets: Answers, ratio: float
) -> PairedDifference:
    """Difference of two errors, held out in the same folds, by a paired t test.

    ratio: Held-out answers to training answers in every fold.

    With intervals over participants, the variance is that of their differences and of training, as
    in `spread_over_people`. Otherwise it is that between folds (`corrected_spread`), or, of answers
    that were held out once, between questions.
    """
    triplets = as_answers(triplets)
    predicted = np.isfinite(first.wrong)
    if not (
        len(first.fold_errors) == len(second.fold_errors) and len(predicted) == len(triplets)
        and np.array_equal(predicted, np.isfinite(second.wrong))
    ):
        raise ValueError("Errors can be paired only if the same answers were held out in both.")
    folds = np.asarray(first.fold_errors) - np.asarray(second.fold_errors)
    held_out = triplets.take(predicted)
    differences = first.wrong[predicted].astype(float) - second.wrong[predicted]
    mean = float(folds.mean() if len(folds) else np.average(differences, weights=held_out.weight))
    people = None
    if first.unit == "participants":
        people = known_people(held_out, "participants")
    if people is None and len(folds):
        spread = float(corrected_spread(folds, ratio))
        degrees = float(len(folds) - 1)
    else:
        groups = np.unique(held_out.groups, return_inverse=True)[1]
        parts = people or SamplingUnits("answers", int(groups.max()) + 1, groups)
        spread, degrees = spread_over_people(
            folds, ratio, parts.influence(differences, held_out.weight), parts.number,
            parts.shared(differences, held_out.weight),
        )
    reach = spread * float(stdtrit(degrees, 0.975)) if spread else 0.0
    p = 2 * float(stdtr(degrees, -abs(mean) / spread)) if spread else float(mean == 0)
    return PairedDifference(
        mean, max(mean - reach, -1.0), min(mean + reach, 1.0), spread, degrees, p,
        **unit_fields(people),
    )


def holm(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """P values corrected for their number (Holm 1979)."""
    order = sorted(p_values, key=p_values.__getitem__)
    corrected, highest = {}, 0.0
    for rank, name in enumerate(order):
        highest = max(highest, min((len(order) - rank) * p_values[name], 1.0))
        corrected[name] = highest
    return {name: corrected[name] for name in p_values}


def behind_best(
    estimates: Mapping[Name, ErrorEstimate], triplets: Answers, ratio: float, *,
    any_pair: bool = False,
) -> tuple[Name, dict[Name, PairedDifference]]:
    """The method with the lowest error, and by how much every other one is behind.

    The p values are corrected for their number (Holm 1979).

    any_pair: Correct for all pairs, because the lowest is chosen by the same errors: corrected for
        the others alone, the lowest of eight equal errors beat another one in 14 % of simulations.
    """
    best = min(estimates, key=lambda name: estimates[name].error)
    order = [best, *(name for name in estimates if name != best)]
    pairs = {
        (one, other): paired_difference(estimates[other], estimates[one], triplets, ratio)
        for one, other in combinations(order, 2) if any_pair or one == best
    }
    p_values = holm({pair: difference.p for pair, difference in pairs.items()})
    return best, {
        other: replace(pairs[best, other], p=p_values[best, other]) for other in order[1:]
    }


def ahead_of(
    own: ErrorEstimate, others: Mapping[Name, ErrorEstimate], triplets: Answers, ratio: float
) -> dict[Name, PairedDifference]:
    """By how much others predict better than one method, with Holm's p values for their number.

    Each against this one, not against the best of them: that is chosen by these errors.
    """
    pairs = {name: paired_difference(own, other, triplets, ratio) for name, other in others.items()}
    p_values = holm({name: pair.p for name, pair in pairs.items()})
    return {name: replace(pair, p=p_values[name]) for name, pair in pairs.items()}


def mean_with_half_width(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of independent values (r, ...), and the reach of its 95 % t interval."""
    spread = values.std(axis=0, ddof=1) / np.sqrt(len(values))
    return values.mean(axis=0), stdtrit(len(values) - 1, 0.975) * spread
