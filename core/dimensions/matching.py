"""Which dimensions of two fits are the same."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment


class Matched(NamedTuple):
    """Pairs of dimensions.

    place (d,): Of each dimension the one that is the same, -1 for none.
    correlation (d,): With that one, over objects; NaN for none.
    """

    place: np.ndarray
    correlation: np.ndarray


def match_dimensions(one: np.ndarray, other: np.ndarray) -> Matched:
    """Pair the dimensions of two fits, each with one at most, so that correlations add up to most.

    Shapes: other (n, e).
    one (n, d): Weights of the same objects.
    Returns: One for each dimension of `one`.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        a, b = ((x - x.mean(axis=0)) / x.std(axis=0) for x in (one, other))
    r = np.nan_to_num(a.T @ b / max(len(one), 1))  # of a constant column: unlike any other
    place = np.full(one.shape[1], -1)
    correlation = np.full(one.shape[1], np.nan)
    rows, columns = linear_sum_assignment(-r)
    place[rows], correlation[rows] = columns, r[rows, columns]
    return Matched(place, correlation)
