"""Binomial regression of many sets of responses to the same trials at once, by Fisher scoring.

Libraries fit one model at a time, with much overhead, and without lapses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq, linprog
from scipy.sparse import csr_array
from scipy.special import expit, logit, ndtr
from scipy.stats import chi2

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.units import participants_of
from tripletscope.core.scales.scale_trials import ScaleTrials

#: A fit that needs more steps than this has no finite optimum.
MOST_STEPS = 200
#: Ridge that keeps the equations of separating resamples solvable; changes no value by 1e-5.
_TINY = 1e-6
#: Most products of the columns to keep for all models: the quicker way, but those of
#: hundreds of levels would not fit into memory.
_MOST_PRODUCTS = 10_000_000
#: Range of the rates' log odds; below the first a rate is 0 for all purposes.
LEAST_ODDS, MOST_ODDS = -14.0, 6.0
#: Longest step of the log odds: near 0 the likelihood is flat.
_LONGEST = 2.0
#: Sharing of lapse rates.
LAPSES = {"none": "None", "one": "One rate for all", "each": "One per participant"}
#: First log odds of rates to try: of several optima, the highest counts.
_BEGIN = (logit(0.02), logit(0.2))
#: A rate below this is none.
_NO_RATE = 1e-4
#: Log odds of a rate whose likelihood is steep enough to start from.
_BACK = logit(0.005)
#: Coverage of a rate's interval, and its highest end.
_LEVEL, _HIGHEST = 0.95, 0.99
#: Precision of its fits.
_SETTLED = 1e-6


class Prior(NamedTuple):
    """A normal prior on coefficients."""

    mean: np.ndarray
    precision: np.ndarray


@dataclass(frozen=True)
class Link:
    """A symmetric link of the decision noise: distribution function below zero, and density.

    Linear predictors beyond `farthest` count as there, within the range of floating-point numbers.
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
    """Decision variables of each kind of trial.

    rows (q, p): Weights of the coefficients.
    observer (q,): Number of the observer.
    n_rates: Number of lapse rates, one per observer, or 0. Their log odds follow the coefficients.
    """

    rows: np.ndarray
    observer: np.ndarray | None = None
    n_rates: int = 0

    @property
    def n_coefficients(self) -> int:
        return self.rows.shape[1]

    def rates(self, values: np.ndarray) -> np.ndarray | float:
        """(..., q) lapse rate in every kind of trial, from values (..., p + n_rates)."""
        if not self.n_rates:
            return 0.0
        return expit(values[..., self.n_coefficients :])[..., self.observer]

    def linear(self, values: np.ndarray) -> np.ndarray:
        """(..., q) decision variable in every kind of trial."""
        return values[..., : self.n_coefficients] @ self.rows.T

    def probabilities(self, values: np.ndarray, link: Link) -> np.ndarray:
        """(..., q) probability of success."""
        linear = self.linear(values)
        small = _unlikely(link, np.abs(linear), self.rates(values))
        return np.where(linear > 0, 1.0 - small, small)

    def log_likelihoods(
        self, values: np.ndarray, link: Link, successes: np.ndarray, totals: np.ndarray
    ) -> np.ndarray:
        """(..., q) log-likelihood of single trials, in their order."""
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
        """(b, p, p) information of the coefficients, from weights (b, q) of the kinds of trials."""
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
    """Probability of the less likely response, at a linear predictor of this size."""
    return lapse / 2.0 + (1.0 - lapse) * link.tail(-size)


class Fits(NamedTuple):
    """Most likely models of b sets of responses.

    Values (b, s) are large but finite where responses separate; log_posterior (b,) is the
    log-likelihood plus the log prior; n_steps is at most `MOST_STEPS`.
    """

    values: np.ndarray
    log_posterior: np.ndarray
    n_steps: int


def fit_many(
    design: Design, successes: np.ndarray, totals: np.ndarray, link: Link, *,
    start: np.ndarray | float = 0.0, prior: Prior | None = None, fixed: np.ndarray | None = None,
    settled: float = 1e-10,
) -> Fits:
    """The most likely models, or, with a prior on the first coefficients, the most probable ones.

    The chance of success is g / 2 + (1 - g) F(eta), over coefficients and log odds of the rates g.

    Shapes: successes (b, q), totals (q,) or (b, q), start (s,) or (b, s), s = p + n_rates.
    fixed bool (s,): Values that stay at the start.
    settled: A fit ends when a step gains at most this share of the log-likelihood.
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
    active, n_steps = np.arange(len(values)), 0
    while len(active) and n_steps < MOST_STEPS:
        n_steps += 1
        at = values[active]
        likelihoods = design.log_likelihoods(at, link, successes[active], totals[active])
        log_posterior = likelihoods.sum(axis=1)
        log_posterior -= 0.5 * np.einsum("bi,ij,bj->b", at - mean, ridge, at - mean)
        gain = log_posterior - value[active]
        better = gain >= 0
        # A step that is too long is halved, and the next one starts from there.
        values[active[~better]] = 0.5 * (at + best[active])[~better]
        best[active[better]], value[active[better]] = at[better], log_posterior[better]
        done = np.abs(gain) <= settled * (np.abs(log_posterior) + 0.1)
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
    return Fits(best, value, n_steps)


def has_finite_optimum(design: np.ndarray, successes: np.ndarray, totals: np.ndarray) -> bool:
    """Whether a single set of coefficients is the most likely one.

    It is not if some direction contradicts no answer: along it, the likelihood grows without end
    (separation, also quasi-complete), or is constant (too few answers).

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


@dataclass(frozen=True, kw_only=True)
class ObserverComparisons(Design):
    """Observers' comparisons, and their counts.

    rows (q, p): Of the design without the lowest level; then optionally a column per observer for
        the preference: 1 if the second interval minus the first is as in the row, else -1.
    names str (k,): Of the observers; one empty name for a shared rate.
    which, sign (t,): The row of every trial, and -1 if the trial is its reverse, else 1.
    successes, totals (q,): Weights of the answers as in the row, and of all.
    """

    names: np.ndarray
    which: np.ndarray
    sign: np.ndarray
    successes: np.ndarray
    totals: np.ndarray


def compared(
    trials: ScaleTrials, answers: Answers, lapses: str = "none", order: bool = False
) -> ObserverComparisons:
    """The comparisons of every observer, with lapses "none", "one" or "each".

    order: Whether the first or the second interval may be preferred.
    """
    if order and not trials.ordered:
        raise DataError(
            "the answers do not say which interval came first", file=answers.name,
            remedy="Leave out the preference for the first or second interval, or read a table "
            "with columns resp and S1 to S4.",
        )
    rows, which, sign = trials.comparisons()
    who, names = np.zeros(len(trials), dtype=np.int64), np.array([""])
    if lapses == "each":
        who, names = _observers(answers.take(trials.answer))
    number = which * len(names) + who
    if order:
        number = 2 * number + (sign > 0)
    kinds, first, which = np.unique(number, return_index=True, return_inverse=True)
    design = rows[(kinds // 2 if order else kinds) // len(names)][:, 1:].astype(float)
    observer = who[first]
    if order:
        preference = np.zeros((len(kinds), len(names)))
        preference[np.arange(len(kinds)), observer] = sign[first]
        design = np.hstack([design, preference])
    wins = trials.weight * (trials.response == (sign > 0))
    return ObserverComparisons(
        rows=design, observer=observer, n_rates=0 if lapses == "none" else len(names), names=names,
        which=which, sign=sign, successes=np.bincount(which, wins, len(kinds)),
        totals=np.bincount(which, trials.weight, len(kinds)),
    )


def _observers(answers: Answers) -> tuple[np.ndarray, np.ndarray]:
    """(t,) observer of every trial, and their names; trials without a participant share one."""
    who, number = participants_of(answers)
    if not number:
        return np.zeros(len(answers), dtype=np.int64), np.array([""])
    names = answers.answers["participant"].astype("str").to_numpy()
    first = np.array([np.flatnonzero(who == k)[0] for k in range(number)])
    named = names[first].astype(str)
    if (who < 0).any():
        return np.where(who < 0, number, who), np.append(named, "")
    return who, named


def beginning(data: ObserverComparisons, values: np.ndarray) -> np.ndarray:
    """Fitted values as a start: rates too near to 0 to recover are raised."""
    start = values.copy()
    start[data.n_coefficients :] = np.maximum(start[data.n_coefficients :], _BACK)
    return start


@dataclass(frozen=True)
class Lapsing:
    """The most likely scale with rates of lapses.

    values (p + n_rates,), covariance (p, p): The latter without the rates.
    log_posterior, n_steps: See `Fits`.
    identified: Whether each standard error is below the range of the scale.
    """

    values: np.ndarray
    covariance: np.ndarray
    log_posterior: float
    n_steps: int
    identified: bool


def fit_lapses(
    data: ObserverComparisons, link: Link, start: np.ndarray, prior: Prior | None = None,
    settled: float = 1e-10,
) -> Lapsing:
    """The most likely scale, with the rates of lapses in the comparisons.

    start (m - 1,): A scale without lapses.
    """
    p = data.n_coefficients
    begin = np.zeros((len(_BEGIN) if data.n_rates else 1, p + data.n_rates))
    begin[:, : len(start)] = start
    for row, odds in zip(begin, _BEGIN, strict=False):
        row[p:] = odds
    fits = fit_many(
        data, np.repeat(data.successes[None], len(begin), axis=0), data.totals, link, start=begin,
        prior=prior, settled=settled,
    )
    best = fits.values[np.argmax(fits.log_posterior)]
    _, information = data.slopes(best[None], link, data.successes[None], data.totals)
    if prior is not None:
        m = len(prior.mean)
        information[0, :m, :m] += prior.precision
    # A rate at 0 is as good as certain: its odds are not, but nothing depends on them.
    counts = np.append(np.ones(p, dtype=bool), expit(best[p:]) > _NO_RATE)
    covariance = np.linalg.pinv(information[0][np.ix_(counts, counts)])[:p, :p]
    highest = best[len(start) - 1]
    identified = bool(np.sqrt(np.diag(covariance)[: len(start)].max()) < abs(highest))
    return Lapsing(best, covariance, float(fits.log_posterior.max()), fits.n_steps, identified)


def rate_intervals(
    data: ObserverComparisons, fitted: Lapsing, link: Link, prior: Prior | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ends (k,) of the 95 % profile-likelihood intervals of the rates."""
    p = data.n_coefficients
    ends = np.empty((2, data.n_rates))
    for k in range(data.n_rates):
        fixed = np.arange(p + data.n_rates) == p + k

        def lacking(root: float, k: int = k, fixed: np.ndarray = fixed) -> float:
            """Deviance beyond the interval's limit, the other values free."""
            begin = fitted.values.copy()
            begin[p + k] = np.clip(logit(max(root**2, 1e-9)), LEAST_ODDS, MOST_ODDS)
            log_posterior = fit_many(
                data, data.successes[None], data.totals, link, start=begin, prior=prior,
                fixed=fixed, settled=_SETTLED,
            ).log_posterior[0]
            return 2.0 * (fitted.log_posterior - log_posterior) - chi2.ppf(_LEVEL, 1)

        best = np.sqrt(expit(fitted.values[p + k]))
        for end, outmost in enumerate((0.0, np.sqrt(_HIGHEST))):
            if best == outmost or lacking(outmost) <= 0:
                ends[end, k] = outmost**2
            else:
                ends[end, k] = brentq(lacking, best, outmost, xtol=4e-3) ** 2
    return ends[0], ends[1]


def p_of_lapse(ratio: float) -> float:
    """Significance of a rate that raises twice the log-likelihood by `ratio`.

    In half of all data without lapses, the estimate is 0.

    References
    ----------
    Self, S. G., & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
    Association, 82, 605-610: case 5.
    """
    return 0.5 * float(chi2.sf(ratio, 1)) if ratio > 0 else 1.0
