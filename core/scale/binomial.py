"""Binomial regression of many sets of responses to the same trials at once, by Fisher scoring.

For resampling: statsmodels fits one model at a time, and spends most of it on other things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.special import expit, ndtr

#: A fit that needs more steps than this has no finite optimum.
_MOST_STEPS = 100
#: Keeps the equations solvable where a resample separates; changes no value by 1e-5.
_TINY = 1e-6
#: Up to so many numbers, products of the columns are kept for all models: the quicker way, but for
#: hundreds of levels they would not fit into memory.
_MOST_PRODUCTS = 10_000_000


class Prior(NamedTuple):
    """A normal prior on coefficients."""

    mean: np.ndarray
    precision: np.ndarray


@dataclass(frozen=True)
class Link:
    """A symmetric link: distribution function below zero, and density, of the decision noise.

    Beyond `farthest` the products of tails and densities leave the range of floating-point numbers;
    linear predictors count as if they were there.
    """

    title: str
    tail: Callable[[np.ndarray], np.ndarray]
    density: Callable[[np.ndarray], np.ndarray]
    farthest: float


def _logistic_density(x: np.ndarray) -> np.ndarray:
    small = expit(-np.abs(x))
    return small * (1.0 - small)


LINKS = {
    "probit": Link(
        "Probit (normal noise)", ndtr, lambda x: np.exp(-0.5 * x**2) / np.sqrt(2.0 * np.pi), 30.0
    ),
    "logit": Link("Logit (logistic noise)", expit, _logistic_density, 700.0),
    "cauchit": Link(
        "Cauchit (heavy tails)",
        # arctan2 keeps the digits that 1/2 + arctan(x)/pi loses far from zero
        lambda x: np.arctan2(1.0, -x) / np.pi, lambda x: 1.0 / (np.pi * (1.0 + x**2)),
        1e15,
    ),
}


def probabilities(
    link: Link, linear: np.ndarray, lapse: np.ndarray | float | None = None
) -> np.ndarray:
    """Of success, at values of the linear predictor; of who guesses at a rate of lapses, if any."""
    small = _unlikely(link, np.abs(linear), lapse)
    return np.where(linear > 0, 1.0 - small, small)


def log_likelihoods(
    link: Link, linear: np.ndarray, successes: np.ndarray, totals: np.ndarray,
    lapse: np.ndarray | float | None = None,
) -> np.ndarray:
    """(..., q) log-likelihood of so many successes in so many single trials, each in its order."""
    small = _unlikely(link, np.minimum(np.abs(linear), link.farthest), lapse)
    likely = np.where(linear > 0, successes, totals - successes)
    return likely * np.log1p(-small) + (totals - likely) * np.log(small)


def _unlikely(link: Link, size: np.ndarray, lapse: np.ndarray | float | None) -> np.ndarray:
    """Of the less probable response, at a linear predictor of this size."""
    small = link.tail(-size)
    return small if lapse is None else lapse / 2.0 + (1.0 - lapse) * small


def fit_many(
    design: np.ndarray, successes: np.ndarray, totals: np.ndarray, link: Link, *,
    start: np.ndarray | None = None, prior: Prior | None = None,
) -> np.ndarray:
    """Coefficients of the most likely models, or, with a prior, of the most probable ones.

    Shapes: design (q, p), successes (b, q), totals (q,) or (b, q), start (p,).
    Returns: (b, p): Where responses separate, coefficients are large but finite.
    """
    design = np.asarray(design, dtype=float)
    p = design.shape[1]
    information_of = _informing(design)
    mean, ridge = (0.0, _TINY * np.eye(p)) if prior is None else prior
    totals = np.broadcast_to(totals, successes.shape)

    values = np.zeros((len(successes), p))
    if start is not None:
        values[:] = start
    best, value = values.copy(), np.full(len(values), -np.inf)
    active = np.arange(len(values))
    for _ in range(_MOST_STEPS):
        at, wins, of = values[active], successes[active], totals[active]
        linear = at @ design.T
        worth = log_likelihoods(link, linear, wins, of).sum(axis=1)
        worth -= 0.5 * np.einsum("bi,ij,bj->b", at - mean, ridge, at - mean)
        gain = worth - value[active]
        better = gain >= 0
        # A step too long is halved until it is none, then taken anew from there.
        values[active[~better]] = 0.5 * (at + best[active])[~better]
        best[active[better]], value[active[better]] = at[better], worth[better]
        done = np.abs(gain) <= 1e-10 * (np.abs(worth) + 0.1)

        moving = better & ~done
        if moving.any():
            linear, wins, of = linear[moving], wins[moving], of[moving]
            clipped = np.clip(linear, -link.farthest, link.farthest)
            small = link.tail(-np.abs(clipped))
            density = link.density(clipped)
            unlikely = np.where(clipped > 0, of - wins, wins)
            off = np.where(clipped > 0, 1.0, -1.0) * (small * of - unlikely)
            ratio = density / (small * (1.0 - small))
            score = (off * ratio) @ design - (at[moving] - mean) @ ridge
            information = information_of(of * density * ratio) + ridge
            step = np.linalg.solve(information, score[..., None])[..., 0]
            values[active[moving]] = at[moving] + step
        active = active[~done]
        if not len(active):
            break
    return best


def _informing(design: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """A function from weights (b, q) of the trials to the models' information (b, p, p)."""
    q, p = design.shape
    if q * p * p > _MOST_PRODUCTS:
        return lambda weights: np.array([(design.T * each) @ design for each in weights])
    products = (design[:, :, None] * design[:, None, :]).reshape(q, p * p)
    return lambda weights: (weights @ products).reshape(-1, p, p)


def has_finite_optimum(design: np.ndarray, successes: np.ndarray, totals: np.ndarray) -> bool:
    """Whether a single set of coefficients is the most likely one.

    It is not if some direction contradicts no answer: the likelihood then grows along it without
    end (separation, also quasi-complete), or does not change (too few answers).

    Shapes: design (q, p), successes, totals (q,).

    References
    ----------
    Konis, K. (2007). Linear programming algorithms for detecting separated data in binary
    logistic regression models. DPhil thesis, University of Oxford. Section 4.3.
    """
    p = design.shape[1]
    design = design.astype(float)
    if np.linalg.matrix_rank(design.T @ design) < p:
        return False
    agreed = np.concatenate([design[successes > 0], -design[successes < totals]])
    optimum = linprog(
        -agreed.sum(axis=0), A_ub=csr_array(-agreed), b_ub=np.zeros(len(agreed)),
        bounds=[(-1, 1)] * p,
    )
    return bool(-optimum.fun < 1e-7 * len(agreed))
