"""Difference scaling of observers who lapse, or prefer the first or the second interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import binom, chi2

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.units import participants_of
from tripletscope.core.scale.binomial import Link, Prior, log_likelihoods
from tripletscope.core.scale.trials import ScaleTrials

#: How rates of lapses may be shared.
LAPSES = {"none": "None", "one": "One rate for all", "each": "A rate for each participant"}
#: Log odds of rates that are tried at first: of several optima, the highest counts.
_BEGIN = (logit(0.02), logit(0.2))
#: Log odds between which rates are looked for; below the first a rate is 0 for all purposes.
_LEAST, _MOST = -14.0, 6.0
_NO_RATE = 1e-4
#: From these log odds a rate finds back to where the likelihood is steep.
_BACK = logit(0.005)
#: Log odds change by no more at a time: near 0 the likelihood is flat.
_LONGEST = 2.0
_MOST_STEPS = 200
_TINY = 1e-6
#: Of the interval of a rate, and the highest rate that it may hold.
_LEVEL, _HIGHEST = 0.95, 0.99
#: Its ends need no more digits.
_SETTLED = 1e-6


@dataclass(frozen=True)
class ObserverComparisons:
    """What observers compared, and how often, each time with the same chance of an answer.

    rows (q, p): Of the design without the lowest level; then, if asked for, a column for each
        observer's preference: 1 where the second interval minus the first is as in the row, -1
        otherwise.
    observer (q,): Whose lapses count, from 0; all 0 where one rate is shared.
    names str (k,): Of these observers; one empty name where a rate is shared.
    n_rates: How many rates of lapses are estimated: k, or none.
    which (t,): The row of every trial.
    sign (t,): 1 where the trial is that row, -1 where it is its reverse.
    successes, totals (q,): Weights of the answers as in the row, and of all.
    """

    rows: np.ndarray
    observer: np.ndarray
    names: np.ndarray
    n_rates: int
    which: np.ndarray
    sign: np.ndarray
    successes: np.ndarray
    totals: np.ndarray

    def rates(self, values: np.ndarray) -> np.ndarray:
        """(..., q) rate of lapses at every row, from values (..., p + n_rates)."""
        if not self.n_rates:
            return np.zeros((*values.shape[:-1], len(self.rows)))
        return expit(values[..., self.rows.shape[1]:])[..., self.observer]

    def linear(self, values: np.ndarray) -> np.ndarray:
        """(..., q) value of the decision variable at every row."""
        return values[..., : self.rows.shape[1]] @ self.rows.T


def compared(
    trials: ScaleTrials, answers: Judgements, lapses: str, order: bool
) -> ObserverComparisons:
    """The comparisons of every observer.

    answers: That they were read from.
    lapses: one of {"none", "one", "each"}.
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
        design, observer, names, 0 if lapses == "none" else len(names), which, sign,
        np.bincount(which, wins, len(kinds)), np.bincount(which, trials.weight, len(kinds)),
    )


def _observers(answers: Judgements) -> tuple[np.ndarray, np.ndarray]:
    """(t,) whose lapses count, and the names; trials of nobody known share a rate."""
    who, number = participants_of(answers)
    if not number:
        return np.zeros(len(answers), dtype=np.int64), np.array([""])
    names = answers.answers["participant"].astype("str").to_numpy()
    first = np.array([np.flatnonzero(who == k)[0] for k in range(number)])
    named = names[first].astype(str)
    if (who < 0).any():
        return np.where(who < 0, number, who), np.append(named, "")
    return who, named


def most_likely(
    data: ObserverComparisons, successes: np.ndarray, totals: np.ndarray, link: Link,
    start: np.ndarray, *, prior: Prior | None = None, fixed: np.ndarray | None = None,
    settled: float = 1e-10,
) -> tuple[np.ndarray, np.ndarray]:
    """Values that make many sets of responses to the same comparisons the most likely.

    Fisher scoring, as `tripletscope.core.scale.binomial.fit_many`, of the chance g / 2 + (1 - g)
    F(eta), over the scale and the log odds of the rates g together.

    Shapes: successes (b, q), totals (q,) or (b, q), start (p + n_rates,) or (b, p + n_rates).
    prior: On the scale values.
    fixed bool (p + n_rates,): What stays as it is at the start.
    settled: A fit is done when a step gains no more than this share of the log-likelihood.
    Returns: values (b, p + n_rates); worth (b,): Log-likelihood, with the logarithm of the prior.
    """
    size = data.rows.shape[1] + data.n_rates
    values = np.broadcast_to(start, (len(successes), size)).astype(float)
    totals = np.broadcast_to(totals, successes.shape)
    free = np.ones(size, dtype=bool) if fixed is None else ~fixed
    mean, ridge = np.zeros(size), _TINY * np.eye(size)
    ridge[data.rows.shape[1]:] = 0.0
    if prior is not None:
        m = len(prior.mean)
        mean[:m], ridge[:m, :m] = prior.mean, prior.precision
    best, value = values.copy(), np.full(len(values), -np.inf)
    active = np.arange(len(values))
    for _ in range(_MOST_STEPS):
        at = values[active]
        worth = log_likelihoods(
            link, data.linear(at), successes[active], totals[active], data.rates(at)
        ).sum(axis=1)
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
            score, information = _slopes(data, at[moving], successes[of], totals[of], link)
            score -= (at[moving] - mean) @ ridge
            step = np.zeros_like(score)
            inner = np.ix_(np.arange(len(of)), free, free)
            solvable = (information + ridge)[inner] + 1e-12 * np.eye(int(free.sum()))
            step[:, free] = np.linalg.solve(solvable, score[:, free, None])[..., 0]
            odds = step[:, data.rows.shape[1]:]
            np.clip(odds, -_LONGEST, _LONGEST, out=odds)
            after = at[moving] + step
            odds = after[:, data.rows.shape[1]:]
            np.clip(odds, _LEAST, _MOST, out=odds)
            values[of] = after
        active = active[~done]
        if not len(active):
            break
    return best, value


def beginning(data: ObserverComparisons, values: np.ndarray) -> np.ndarray:
    """Fitted values to begin with: no rate is so near to 0 that none would come back from it."""
    start = values.copy()
    start[data.rows.shape[1]:] = np.maximum(start[data.rows.shape[1]:], _BACK)
    return start


def _slopes(
    data: ObserverComparisons, at: np.ndarray, wins: np.ndarray, totals: np.ndarray, link: Link
) -> tuple[np.ndarray, np.ndarray]:
    """Score (b, s) and information (b, s, s) of the log-likelihood."""
    linear = np.clip(data.linear(at), -link.farthest, link.farthest)
    rates = data.rates(at)
    tail = link.tail(-np.abs(linear))
    small = rates / 2.0 + (1.0 - rates) * tail
    unlikely = np.where(linear > 0, totals - wins, wins)
    off = np.where(linear > 0, 1.0, -1.0) * (small * totals - unlikely)
    spread = small * (1.0 - small)
    slopes = ((1.0 - rates) * link.density(linear))[:, :, None] * data.rows
    if data.n_rates:
        is_own = data.observer[:, None] == np.arange(data.n_rates)
        by_rate = np.where(linear > 0, -1.0, 1.0) * (0.5 - tail) * rates * (1.0 - rates)
        slopes = np.concatenate([slopes, by_rate[:, :, None] * is_own], axis=2)
    weighted = slopes * (totals / spread)[:, :, None]
    score = ((off / spread)[:, None] @ slopes)[:, 0]
    return score, weighted.transpose(0, 2, 1) @ slopes


@dataclass(frozen=True)
class Lapsing:
    """The most likely scale with rates of lapses.

    Shapes: values (p + n_rates,).
    covariance (p, p): Of all but the rates.
    worth: The same with the logarithm of the prior.
    identified: Whether each value is known to within the range of the scale.
    """

    values: np.ndarray
    covariance: np.ndarray
    log_likelihood: float
    worth: float
    identified: bool


def fit_lapses(
    data: ObserverComparisons, link: Link, start: np.ndarray, prior: Prior | None = None
) -> Lapsing:
    """The most likely scale with rates of lapses.

    start (m - 1,): A scale without lapses.
    """
    p = data.rows.shape[1]
    begin = np.zeros((len(_BEGIN) if data.n_rates else 1, p + data.n_rates))
    begin[:, : len(start)] = start
    for row, odds in zip(begin, _BEGIN, strict=False):
        row[p:] = odds
    fits, worth = most_likely(
        data, np.repeat(data.successes[None], len(begin), axis=0), data.totals, link, begin,
        prior=prior,
    )
    best = fits[np.argmax(worth)]
    _, information = _slopes(data, best[None], data.successes[None], data.totals, link)
    if prior is not None:
        m = len(prior.mean)
        information[0, :m, :m] += prior.precision
    # A rate at 0 is as good as known: its odds are not, but nothing depends on them.
    counts = np.append(np.ones(p, dtype=bool), expit(best[p:]) > _NO_RATE)
    covariance = np.linalg.pinv(information[0][np.ix_(counts, counts)])[:p, :p]
    each = log_likelihoods(link, data.linear(best), data.successes, data.totals, data.rates(best))
    highest = best[len(start) - 1]
    identified = bool(np.sqrt(np.diag(covariance)[: len(start)].max()) < abs(highest))
    return Lapsing(best, covariance, float(each.sum()), float(worth.max()), identified)


def rate_intervals(
    data: ObserverComparisons, fitted: Lapsing, link: Link, prior: Prior | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ends (k,) of the 95 % intervals of the rates, by the profile of the likelihood."""
    p = data.rows.shape[1]
    ends = np.empty((2, data.n_rates))
    for k in range(data.n_rates):
        fixed = np.arange(p + data.n_rates) == p + k


        def lacking(root: float, k: int = k, fixed: np.ndarray = fixed) -> float:
            """Deviance beyond what it may rise to within the interval, the other values free."""
            begin = fitted.values.copy()
            begin[p + k] = np.clip(logit(max(root**2, 1e-9)), _LEAST, _MOST)
            worth = most_likely(
                data, data.successes[None], data.totals, link, begin, prior=prior, fixed=fixed,
                settled=_SETTLED,
            )[1][0]
            return 2.0 * (fitted.worth - worth) - chi2.ppf(_LEVEL, 1)

        best = np.sqrt(expit(fitted.values[p + k]))
        for end, outmost in enumerate((0.0, np.sqrt(_HIGHEST))):
            if best == outmost or lacking(outmost) <= 0:
                ends[end, k] = outmost**2
            else:
                ends[end, k] = brentq(lacking, best, outmost, xtol=4e-3) ** 2
    return ends[0], ends[1]


def p_of_lapses(ratio: float, n_rates: int) -> float:
    """Probability that so many rates raise twice the log-likelihood by as much where all are 0.

    Half of the rates come out at 0 then: a mixture of chi-squared distributions.

    References
    ----------
    Self, S. G., & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
    Association, 82, 605-610: case 9.
    """
    if ratio <= 0:
        return 1.0
    numbers = np.arange(1, n_rates + 1)
    return float(binom.pmf(numbers, n_rates, 0.5) @ chi2.sf(ratio, numbers))
