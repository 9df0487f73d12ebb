"""The most probable of several options whose probabilities are drawn from a distribution."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import simpson
from scipy.optimize import brentq
from scipy.special import gammaincc

#: Points at which an expected maximum is integrated.
_NODES = 4001


def expected_best(agreement: float, n_options: int) -> float:
    """E[max p] of a symmetric Dirichlet distribution in which two choices agree so often.

    Parameters
    ----------
    agreement : float
        E[sum p²].
    n_options : int

    Notes
    -----
    E[sum p²] = (a + 1) / (k a + 1) gives the concentration a. Gamma variables divided by their sum
    are independent of it, so that E[max p] is the expected maximum of k of them over k a.
    """
    k = n_options
    if agreement >= 1:
        return 1.0
    if agreement <= 1 / k + 1e-9:
        return 1 / k
    a = (1 - agreement) / (k * agreement - 1)
    # By logarithms: variables of a small concentration are spread over many decades.
    u = np.linspace(math.log(k * a) - 40.0, math.log(_far(a, k)), _NODES)
    outside = gammaincc(a, np.exp(u))
    with np.errstate(divide="ignore"):
        above = -np.expm1(k * np.log1p(-outside))
    return float(min(simpson(above * np.exp(u), x=u) / (k * a), 1.0))


def _far(a: float, k: int) -> float:
    """Where a gamma variable of shape `a` is exceeded with negligible probability."""
    return brentq(lambda x: k * gammaincc(a, x) - 1e-13, a, a + 60 + 40 * math.sqrt(a))


def highest_best(agreement: float, n_options: int) -> float:
    """The largest E[max p] that any distribution with this agreement can have."""
    k = n_options
    return (1 + math.sqrt((k - 1) * max(k * agreement - 1, 0.0))) / k

