"""Whether one thing is clearly above another: tests, corrected for their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtr
from scipy.stats import wilcoxon

from tripletscope.core.inference.held_out.paired import holm

Name = TypeVar("Name")
#: Level of all tests together.
LEVEL = 0.05


def p_above(mean: float, error: float, degrees: float) -> float:
    """One-sided p value of a mean above zero, by its standard error."""
    if not error > 0:
        return 0.0 if mean > 0 else 1.0
    return float(stdtr(degrees, -mean / error))


def p_paired(differences: ArrayLike) -> float:
    """One-sided p value of a mean above zero, of differences in the same cases or repetitions."""
    values = np.asarray(differences, float)
    return p_above(values.mean(), values.std(ddof=1) / np.sqrt(len(values)), len(values) - 1)


def p_by_ranks(more: ArrayLike, less: ArrayLike) -> float:
    """One-sided p value of pairs in which the one is above the other (Wilcoxon)."""
    return float(wilcoxon(more, less, alternative="greater").pvalue)


def clear(p_values: Mapping[Name, float]) -> set[Name]:
    """Names of what is significant at 5 % when p values are corrected for their number (Holm)."""
    return {name for name, p in holm(p_values).items() if p < LEVEL}
