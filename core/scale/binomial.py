"""Binomial regression of many sets of responses to the same trials at once, by Fisher scoring.

For resampling: statsmodels fits one model at a time, and spends most of it on other things.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array
from scipy.special import expit, ndtr

#: A fit that needs more steps than this has no finite optimum.
_MOST_STEPS = 200
#: Keeps the equations solvable where a resample separates; changes no value by 1e-5.
_TINY = 1e-6
#: Up to so many numbers, products of the columns are kept for all models: the quicker way, but for
#: hundreds of levels they would not fit into memory.
_MOST_PRODUCTS = 10_000_000
#: Log odds between which rates are looked for; below the first a rate is 0 for all purposes.
LEAST_ODDS, MOST_ODDS = -14.0, 6.0
#: They change by no more at a time: near 0 the likelihood is flat.
_LONGEST = 2.0


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


@dataclass(frozen=True)
class Design:
    """What decides on each kind of trial.

    rows (q, p): What it adds up of the coefficients.
    observer (q,): Whose lapses count in it, from 0.
    n_rates: How many rates of lapses are estimated, one for each observer; or none. Their log odds
        follow the coefficients among the values of a model.
    """

    rows: np.ndarray
    observer: np.ndarray | None = None
    n_rates: int = 0

    @property
    def n_coefficients(self) -> int:
        return self.rows.shape[1]

    def rates(self, values: np.ndarray) -> np.ndarray | float:
        """(..., q) rate of lapses in every kind of trial, from values (..., p + n_rates)."""
        if not self.n_rates:
            return 0.0
        return expit(values[..., self.n_coefficients :])[..., self.observer]

    def linear(self, values: np.ndarray) -> np.ndarray:
        """(..., q) value of the decision variable in every kind of trial."""
        return values[..., : self.n_coefficients] @ self.rows.T

    def probabilities(self, values: np.ndarray, link: Link) -> np.ndarray:
        """(..., q) of success."""
        linear = self.linear(values)
        small = _unlikely(link, np.abs(linear), self.rates(values))
        return np.where(linear > 0, 1.0 - small, small)

    def log_likelihoods(
        self, values: np.ndarray, link: Link, successes: np.ndarray, totals: np.ndarray
    ) -> np.ndarray:
        """(..., q) of so many successes in so many single trials, each in its order."""
        linear = self.linear(values)
        small = _unlikely(link, np.minimum(np.abs(linear), link.farthest), self.rates(values))
        likely = np.where(linear > 0, successes, totals - successes)
        return likely * np.log1p(-small) + (totals - likely) * np.log(small)

    def slopes(
        self, values: np.ndarray, link: Link, successes: np.ndarray, totals: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Score (b, s) and information (b, s, s) of the log-likelihood, s = p + n_rates."""
        linear = np.clip(self.linear(values), -link.farthest, link.farthest)
        rates = self.rates(values)
        tail = link.tail(-np.abs(linear))
        small = rates / 2.0 + (1.0 - rates) * tail
        unlikely = np.where(linear > 0, totals - successes, successes)
        off = np.where(linear > 0, 1.0, -1.0) * (small * totals - unlikely)
        spread = small * (1.0 - small)
        density = (1.0 - rates) * link.density(linear)
        if not self.n_rates:
            ratio = density / spread
            return (off * ratio) @ self.rows, self._information(totals * density * ratio)
        is_own = self.observer[:, None] == np.arange(self.n_rates)
        by_rate = np.where(linear > 0, -1.0, 1.0) * (0.5 - tail) * rates * (1.0 - rates)
        slopes = np.concatenate(
            [density[:, :, None] * self.rows, by_rate[:, :, None] * is_own], axis=2
        )
        weighted = slopes * (totals / spread)[:, :, None]
        return ((off / spread)[:, None] @ slopes)[:, 0], weighted.transpose(0, 2, 1) @ slopes

    def _information(self, weights: np.ndarray) -> np.ndarray:
        """(b, p, p) of coefficients, from weights (b, q) of the kinds of trials."""
        if self._products is None:
            return np.array([(self.rows.T * each) @ self.rows for each in weights])
        return (weights @ self._products).reshape(-1, self.n_coefficients, self.n_coefficients)

    @cached_property
    def _products(self) -> np.ndarray | None:
        """(q, p²) products of the columns."""
        if self.rows.size * self.n_coefficients > _MOST_PRODUCTS:
            return None
        return (self.rows[:, :, None] * self.rows[:, None, :]).reshape(len(self.rows), -1)


def _unlikely(link: Link, size: np.ndarray, lapse: np.ndarray | float) -> np.ndarray:
    """Of the less probable response, at a linear predictor of this size."""
    return lapse / 2.0 + (1.0 - lapse) * link.tail(-size)


def fit_many(
    design: Design, successes: np.ndarray, totals: np.ndarray, link: Link, *,
    start: np.ndarray | float = 0.0, prior: Prior | None = None, fixed: np.ndarray | None = None,
    settled: float = 1e-10,
) -> tuple[np.ndarray, np.ndarray]:
    """Values of the most likely models, or, with a prior, of the most probable ones.

    Of the chance g / 2 + (1 - g) F(eta), over coefficients and log odds of the rates g together.

    Shapes: successes (b, q), totals (q,) or (b, q), start (s,) or (b, s), s = p + n_rates.
    prior: On the first of the coefficients.
    fixed bool (s,): What stays as it is at the start.
    settled: A fit is done when a step gains no more than this share of the log-likelihood.
    Returns: values (b, s), where responses separate large but finite; worth (b,): Log-likelihood,
        with the logarithm of the prior.
    """
    p = design.n_coefficients
    size = p + design.n_rates
    values = np.broadcast_to(start, (len(successes), size)).astype(float)
    totals = np.broadcast_to(totals, successes.shape)
    free = np.ones(size, dtype=bool) if fixed is None else ~fixed
    mean, ridge = np.zeros(size), _TINY * np.eye(size)
    ridge[p:] = 0.0
    if prior is not None:
        m = len(prior.mean)
        mean[:m], ridge[:m, :m] = prior.mean, prior.precision
    best, value = values.copy(), np.full(len(values), -np.inf)
    active = np.arange(len(values))
    for _ in range(_MOST_STEPS):
        at = values[active]
        worth = design.log_likelihoods(at, link, successes[active], totals[active]).sum(axis=1)
        worth -= 0.5 * np.einsum("bi,ij,bj->b", at - mean, ridge, at - mean)
        gain = worth - value[active]
        better = gain >= 0
        # A step too long is halved until it is none, then taken anew from there.
        values[active[~better]] = 0.5 * (at + best[active])[~better]
        best[active[better]], value[active[better]] = at[better], worth[better]
        done = np.abs(gain) <= settled * (np.abs(worth) + 0.1)
        moving = better & ~done
        if moving.any():
            of = active[moving]
            score, information = design.slopes(at[moving], link, successes[of], totals[of])
            score -= (at[moving] - mean) @ ridge
            step = np.zeros_like(score)
            inner = np.ix_(np.arange(len(of)), free, free)
            solvable = (information + ridge)[inner] + 1e-12 * np.eye(int(free.sum()))
            step[:, free] = np.linalg.solve(solvable, score[:, free, None])[..., 0]
            step[:, p:] = np.clip(step[:, p:], -_LONGEST, _LONGEST)
            after = at[moving] + step
            after[:, p:] = np.clip(after[:, p:], LEAST_ODDS, MOST_ODDS)
            values[of] = after
        active = active[~done]
        if not len(active):
            break
    return best, value


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
