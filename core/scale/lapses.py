"""Difference scaling of observers who lapse, or prefer the first or the second interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit
from scipy.stats import chi2

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.evaluation.units import participants_of
from tripletscope.core.scale.binomial import (
    LEAST_ODDS,
    MOST_ODDS,
    Design,
    Link,
    Prior,
    fit_many,
)
from tripletscope.core.scale.trials import ScaleTrials

#: How rates of lapses may be shared.
LAPSES = {"none": "None", "one": "One rate for all", "each": "A rate for each participant"}
#: Log odds of rates that are tried at first: of several optima, the highest counts.
_BEGIN = (logit(0.02), logit(0.2))
#: A rate below this is none.
_NO_RATE = 1e-4
#: From these log odds a rate finds back to where the likelihood is steep.
_BACK = logit(0.005)
#: Of the interval of a rate, and the highest rate that it may hold.
_LEVEL, _HIGHEST = 0.95, 0.99
#: Its ends need no more digits.
_SETTLED = 1e-6


@dataclass(frozen=True, kw_only=True)
class ObserverComparisons(Design):
    """What observers compared, and how often, each time with the same chance of an answer.

    rows (q, p): Of the design without the lowest level; then, if asked for, a column for each
        observer's preference: 1 where the second interval minus the first is as in the row, -1
        otherwise.
    names str (k,): Of the observers; one empty name where a rate is shared.
    which (t,): The row of every trial.
    sign (t,): 1 where the trial is that row, -1 where it is its reverse.
    successes, totals (q,): Weights of the answers as in the row, and of all.
    """

    names: np.ndarray
    which: np.ndarray
    sign: np.ndarray
    successes: np.ndarray
    totals: np.ndarray


def compared(
    trials: ScaleTrials, answers: Judgements, lapses: str = "none", order: bool = False
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
        rows=design, observer=observer, n_rates=0 if lapses == "none" else len(names), names=names,
        which=which, sign=sign, successes=np.bincount(which, wins, len(kinds)),
        totals=np.bincount(which, trials.weight, len(kinds)),
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


def beginning(data: ObserverComparisons, values: np.ndarray) -> np.ndarray:
    """Fitted values to begin with: no rate is so near to 0 that none would come back from it."""
    start = values.copy()
    start[data.n_coefficients :] = np.maximum(start[data.n_coefficients :], _BACK)
    return start


@dataclass(frozen=True)
class Lapsing:
    """The most likely scale with rates of lapses.

    Shapes: values (p + n_rates,).
    covariance (p, p): Of all but the rates.
    worth: Log-likelihood, with the logarithm of the prior.
    identified: Whether each value is known to within the range of the scale.
    """

    values: np.ndarray
    covariance: np.ndarray
    worth: float
    identified: bool


def fit_lapses(
    data: ObserverComparisons, link: Link, start: np.ndarray, prior: Prior | None = None
) -> Lapsing:
    """The most likely scale with rates of lapses, if any are asked for.

    start (m - 1,): A scale without lapses.
    """
    p = data.n_coefficients
    begin = np.zeros((len(_BEGIN) if data.n_rates else 1, p + data.n_rates))
    begin[:, : len(start)] = start
    for row, odds in zip(begin, _BEGIN, strict=False):
        row[p:] = odds
    fits, worth = fit_many(
        data, np.repeat(data.successes[None], len(begin), axis=0), data.totals, link, start=begin,
        prior=prior,
    )
    best = fits[np.argmax(worth)]
    _, information = data.slopes(best[None], link, data.successes[None], data.totals)
    if prior is not None:
        m = len(prior.mean)
        information[0, :m, :m] += prior.precision
    # A rate at 0 is as good as known: its odds are not, but nothing depends on them.
    counts = np.append(np.ones(p, dtype=bool), expit(best[p:]) > _NO_RATE)
    covariance = np.linalg.pinv(information[0][np.ix_(counts, counts)])[:p, :p]
    highest = best[len(start) - 1]
    identified = bool(np.sqrt(np.diag(covariance)[: len(start)].max()) < abs(highest))
    return Lapsing(best, covariance, float(worth.max()), identified)


def rate_intervals(
    data: ObserverComparisons, fitted: Lapsing, link: Link, prior: Prior | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Ends (k,) of the 95 % intervals of the rates, by the profile of the likelihood."""
    p = data.n_coefficients
    ends = np.empty((2, data.n_rates))
    for k in range(data.n_rates):
        fixed = np.arange(p + data.n_rates) == p + k

        def lacking(root: float, k: int = k, fixed: np.ndarray = fixed) -> float:
            """Deviance beyond what it may rise to within the interval, the other values free."""
            begin = fitted.values.copy()
            begin[p + k] = np.clip(logit(max(root**2, 1e-9)), LEAST_ODDS, MOST_ODDS)
            worth = fit_many(
                data, data.successes[None], data.totals, link, start=begin, prior=prior,
                fixed=fixed, settled=_SETTLED,
            )[1][0]
            return 2.0 * (fitted.worth - worth) - chi2.ppf(_LEVEL, 1)

        best = np.sqrt(expit(fitted.values[p + k]))
        for end, outmost in enumerate((0.0, np.sqrt(_HIGHEST))):
            if best == outmost or lacking(outmost) <= 0:
                ends[end, k] = outmost**2
            else:
                ends[end, k] = brentq(lacking, best, outmost, xtol=4e-3) ** 2
    return ends[0], ends[1]


def p_of_lapse(ratio: float) -> float:
    """Probability that a rate raises twice the log-likelihood by as much where it is 0.

    In half of all data it comes out at 0 then.

    References
    ----------
    Self, S. G., & Liang, K.-Y. (1987). Asymptotic properties of maximum likelihood estimators and
    likelihood ratio tests under nonstandard conditions. Journal of the American Statistical
    Association, 82, 605-610: case 5.
    """
    return 0.5 * float(chi2.sf(ratio, 1)) if ratio > 0 else 1.0
