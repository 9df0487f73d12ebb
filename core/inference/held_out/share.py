"""Shares of cases, with intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtri, stdtrit


def wilson(
    share: Any, n: Any, level: float = 0.95, *, degrees: float | None = None
) -> tuple[Any, Any]:
    """Wilson's (1927) score interval for a share in n trials; elementwise for arrays.

    Student's with the `degrees` of freedom of an estimated n.
    """
    quantile = 0.5 + level / 2
    z2 = (ndtri(quantile) if degrees is None else stdtrit(degrees, quantile)) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    reach = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    low, high = np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)
    return (float(low), float(high)) if np.ndim(low) == 0 else (low, high)


def jackknifed(without: np.ndarray) -> float:
    """Variance of a share by those without each unit, (u,)."""
    n = len(without)
    return (n - 1) / n * float(((without - without.mean()) ** 2).sum()) if n > 1 else 0.0


def left_out(
    share: float, without: np.ndarray, most: float, people: int | None,
    questions: np.ndarray | None = None, cells: np.ndarray | None = None,
) -> tuple[float, float]:
    """Wilson's interval at the effective number of cases, by the jackknife over units.

    without (u,): The share without each unit.
    most: Largest effective number of cases.
    people: Known participants among the units, for Student's quantile.
    questions, cells: The share without each question that participants share, and without what
        one of them answered to one. Both participants and questions are samples; what single
        answers add is then counted twice (Cameron et al., 2011).
    """
    n, variance = len(without), jackknifed(without)
    if questions is not None and cells is not None:
        of_questions = jackknifed(questions)
        both = variance + of_questions - jackknifed(cells)
        variance = max(both, variance, of_questions)
    effective = share * (1 - share) / variance if variance > 0 else float(n)
    degrees = people - 1 if people and people > 1 else None
    return wilson(share, max(min(effective, most), 1.0), degrees=degrees)


@dataclass(frozen=True)
class Share:
    """A share of `n` with its 95 % interval; all are NaN where n is 0.

    n_units: Participants whom the interval is over; None for answers.
    """

    value: float
    low: float
    high: float
    n: int
    n_units: int | None = None

    @classmethod
    def of(cls, count: float, n: float) -> Share:
        """Wilson's (1927) interval for independent trials."""
        if not n:
            return cls(np.nan, np.nan, np.nan, 0)
        return cls(count / n, *wilson(count / n, n), int(n))

    @classmethod
    def over_people(cls, count: np.ndarray, n: np.ndarray) -> Share:
        """The cases of participants (P,), with an interval over those who have any."""
        count, n = count[n > 0], n[n > 0]
        total, cases = float(count.sum()), float(n.sum())
        if len(n) < 2:
            return cls.of(total, cases)
        without = (total - count) / (cases - n)
        return cls(
            total / cases, *left_out(total / cases, without, cases, len(n)), round(cases), len(n),
        )

    def __str__(self) -> str:
        if not self.n:
            return "unknown"
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}]"
