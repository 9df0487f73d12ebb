"""How sure a difference scale is, and whether its model describes the answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from scipy.special import ndtr, stdtrit
from sklearn.base import clone

from tripletscope.core.computing.parallel import Halt, in_parallel
from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.evaluation.units import ENOUGH, SamplingUnits, Unit, sampling_units
from tripletscope.core.method import Choice, Number
from tripletscope.core.scale.binomial import (
    LINKS,
    Link,
    Prior,
    fit_many,
    log_likelihoods,
    probabilities,
)
from tripletscope.core.scale.mlds import MLDS, standardised
from tripletscope.core.scale.trials import ScaleTrials, answers_of
from tripletscope.core.task import task

#: Resamples fitted together: their arrays stay in the processor's cache.
_TOGETHER = 100

#: Responses simulated together at most, one for every answer.
_RESPONSES = 1_000_000
#: Ranks of residuals whose envelope is found at once.
_RANKS = 4_096

#: Successes and totals (b, q) of b resamples.
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
Seed = Annotated[int, Number(0, 2**31 - 1, "Seed", advanced=True)]


@dataclass(frozen=True)
class ScaleSamples:
    """Difference scales that the answers could as well have given.

    Attributes
    ----------
    levels : ndarray, shape (m,)
    unconstrained : ndarray, shape (b, m)
        In units of the noise.
    estimate : ndarray, shape (m,)
        The scale of all answers, likewise.
    unit : {"answers", "participants", "both"}
    n_units : int or None
        What was resampled, and how many.
    """

    levels: np.ndarray
    unconstrained: np.ndarray
    estimate: np.ndarray
    unit: str = "answers"
    n_units: int | None = None

    @property
    def scales(self) -> np.ndarray:
        """(b, m) scales from 0 to 1."""
        return standardised(self.unconstrained)

    @property
    def sigmas(self) -> np.ndarray:
        """(b,) noise in units of the scales from 0 to 1."""
        return 1.0 / self.unconstrained[:, -1]

    def interval(
        self, coverage: float = 0.95, *, unconstrained: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """Ends (m,) of the percentile interval of every level.

        Of P participants, percentiles further out, so that of a mean over them it would be
        Student's interval. Of fewer than eight there are too few different resamples for such
        percentiles, and it is Student's interval by the standard deviation over the resamples.

        References
        ----------
        Hesterberg, T. C. (2015). What teachers should know about the bootstrap. The American
        Statistician, 69, 371-386: the expanded percentile interval.
        """
        drawn = self.unconstrained if unconstrained else self.scales
        tail = 0.5 - coverage / 2
        if self.unit == "participants" and self.n_units is not None and self.n_units < ENOUGH:
            centre = self.estimate if unconstrained else standardised(self.estimate)
            reach = stdtrit(self.n_units - 1, 1.0 - tail)
            reach = reach * self.standard_errors(unconstrained=unconstrained)
            return centre - reach, centre + reach
        if self.unit != "answers" and self.n_units is not None:
            people = self.n_units
            tail = ndtr(stdtrit(people - 1, tail) * np.sqrt(people / (people - 1)))
        low, high = np.nanquantile(drawn, [tail, 1.0 - tail], axis=0)
        return low, high

    def standard_errors(self, *, unconstrained: bool = False) -> np.ndarray:
        """(m,) standard deviation of every level; of P participants, times the root of P / (P - 1).

        Of two stages it is large enough as it is.
        """
        drawn = self.unconstrained if unconstrained else self.scales
        spread = np.nanstd(drawn, axis=0, ddof=1)
        if self.unit == "participants" and self.n_units is not None:
            spread = spread * np.sqrt(self.n_units / (self.n_units - 1))
        return spread

    def is_monotone(self, coverage: float = 0.95) -> bool:
        """Whether a curve that never falls fits into the simultaneous band; see `may_rise`."""
        low, high = self.interval(coverage ** (1.0 / len(self.levels)), unconstrained=True)
        return may_rise(low, high)


def may_rise(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a curve that never falls fits between two ends (m,), which may be NaN.

    False means that the scale falls somewhere by more than its uncertainty; True is no proof that
    it does not. The band must be a simultaneous one: of many levels, some always lie outside of
    their own interval.
    """
    return not np.any(np.fmax.accumulate(low) > high)


@task("Resampling the scale", "scale", columns=("participant",))
def bootstrap_scale(
    method: MLDS,
    triplets: Any,
    *,
    resamples: Annotated[
        int, Number(
            20, 1_000_000, "Bootstrap replicates",
            "More make the intervals themselves more precise."
        )
    ] = 10_000,
    scheme: Annotated[
        str,
        Choice(
            {"model": "Parametric (fitted model)", "answers": "Non-parametric (answers)"},
            "Resampling",
            "Parametric: new answers to the same questions, simulated by the fitted model, as R's "
            "MLDS does. Non-parametric: answers resampled with replacement, which does not rely on "
            "the model, but omits some questions. Participants are always resampled, because the "
            "model is that of one observer.",
        ),
    ] = "model",
    unit: Unit = "auto",
    seed: Seed = 0,
    progress: Progress = silent,
) -> ScaleSamples:
    """Scales of resampled participants or answers.

    Parameters
    ----------
    method : MLDS
    triplets : see `MLDS.fit`
    resamples, scheme, unit, seed
        See their declarations.
    progress : Progress

    Returns
    -------
    ScaleSamples
        Of the resamples that were done, if stopped.

    Raises
    ------
    DataError
        If participants are to be resampled and fewer than two are known.
    Stopped
        If `progress` asks to stop before any is done.

    Examples
    --------
    >>> import tripletscope as ts
    >>> levels = [[k / 9] for k in range(10)]
    >>> answers = ts.simulate(levels, 400, noise="lognormal", level=0.3)
    >>> samples = ts.bootstrap_scale(ts.MLDS(), answers, resamples=100)
    >>> samples.scales.shape
    (100, 10)
    """
    fitted = clone(method).fit(triplets)
    trials = fitted.trials(triplets)
    rows, successes, totals = trials.counted()
    units = sampling_units(answers_of(triplets).take(trials.answer), unit)
    link = LINKS[fitted.link]
    prior = fitted._prior(len(fitted.levels_))
    if units.unit != "answers":
        draw = partial(_units_drawn, units, trials)
    elif scheme == "model":
        chance = probabilities(link, rows @ fitted.unconstrained_)
        draw = partial(_simulated_counts, chance, totals)
    else:
        draw = partial(_answers_drawn, successes, totals)
    sizes = np.diff(np.arange(0, resamples + _TOGETHER, _TOGETHER).clip(
        max=resamples
    ))
    pieces = [
        (rows, draw, link, fitted.unconstrained_[1:], prior, int(size), child)
        for size, child in zip(
            sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True
        )
    ]
    found = []
    for values in in_parallel(_resampled, pieces, partial=True):
        found.append(values)
        if progress(len(found) / len(pieces)):
            break
    if not found:
        raise Stopped
    drawn = np.pad(np.concatenate(found), ((0, 0), (1, 0)))
    return ScaleSamples(
        fitted.levels_, drawn, fitted.unconstrained_, units.unit, units.number
    )


def _resampled(
    rows: np.ndarray,
    draw: Draw,
    link: Link,
    start: np.ndarray,
    prior: Prior | None,
    size: int,
    seed: np.random.SeedSequence,
    halt: Halt,
) -> np.ndarray:
    """(size, m - 1) values of all levels but the lowest."""
    wins, totals = draw(np.random.default_rng(seed), size)
    return fit_many(rows[:, 1:], wins, totals, link, start=start, prior=prior)


def _answers_drawn(
    successes: np.ndarray, totals: np.ndarray, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) successes and totals where every answer, right or wrong, is as likely drawn."""
    both = np.concatenate([successes, totals - successes])
    drawn = rng.multinomial(round(both.sum()), both / both.sum(), size=size).astype(float)
    wins, losses = np.split(drawn, 2, axis=1)
    return wins, wins + losses


def _simulated_counts(
    chance: np.ndarray, totals: np.ndarray, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) successes of answers to the same questions by the model, and (q,) totals."""
    whole = np.floor(totals).astype(int)
    wins = rng.binomial(whole, chance, size=(size, len(chance))).astype(float)
    if (rest := totals - whole).any():  # weights need not be whole
        wins += rest * (rng.random(wins.shape) < chance)
    return wins, totals


def _units_drawn(
    units: SamplingUnits, trials: ScaleTrials, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) successes and totals of resampled participants."""
    rows, which, sign = trials.comparisons()
    won = trials.response == (sign > 0)
    found = np.empty((2, size, len(rows)))
    for wins, totals in found.transpose(1, 0, 2):
        weight = units.drawn(rng) * trials.weight
        wins[:] = np.bincount(which, weight * won, len(rows))
        totals[:] = np.bincount(which, weight, len(rows))
    return found[0], found[1]


@dataclass(frozen=True)
class ScaleDiagnostics:
    """Residuals of a difference scale beside those of answers by its own model.

    Attributes
    ----------
    residuals : ndarray, shape (t,)
        Deviance residuals of the answers, sorted.
    low, high : ndarray, shape (t,)
        Envelope that holds 95 % of the simulated residuals of each rank.
    runs : int
        Changes of sign of the residuals in the order of the fitted probabilities. These depend
        on which interval came first, where that was recorded.
    simulated_runs : ndarray of int, shape (b,)
    six_point : float or None
        Log-likelihood of the answers that belong to six-point conditions; None where there are
        none.
    simulated_six_point : ndarray, shape (b,)
        Empty where there are none.
    n_six_points : int
        Six-point conditions.
    """

    residuals: np.ndarray
    low: np.ndarray
    high: np.ndarray
    runs: int
    simulated_runs: np.ndarray
    six_point: float | None
    simulated_six_point: np.ndarray
    n_six_points: int

    @property
    def runs_p(self) -> float:
        """Probability, under the model, of as few runs: low where residuals hang together."""
        return float(np.mean(np.append(self.simulated_runs, self.runs) <= self.runs))

    @property
    def six_point_p(self) -> float | None:
        """Probability, under the model, of so low a six-point likelihood."""
        if self.six_point is None:
            return None
        return float(np.mean(np.append(self.simulated_six_point, self.six_point) <= self.six_point))

    @property
    def outside(self) -> float:
        """Share of the residuals outside of the envelope; about 5 % where the model holds."""
        return float(np.mean((self.residuals < self.low) | (self.residuals > self.high)))


@task("Simulating answers from the model", "scale")
def diagnose(
    method: MLDS,
    triplets: Any,
    *,
    simulations: Annotated[
        int, Number(20, 100_000, "Simulations", "More make the envelope and p values more precise.")
    ] = 1_000,
    seed: Seed = 0,
    progress: Progress = silent,
) -> ScaleDiagnostics:
    """Does the model describe the answers?

    Parameters
    ----------
    method : MLDS
    triplets : see `MLDS.fit`
        Every answer counts once, whatever its weight.
    simulations, seed : int
    progress : Progress

    Returns
    -------
    ScaleDiagnostics
        From the simulations that were done, if stopped.

    Raises
    ------
    Stopped
        If `progress` asks to stop before any is done.

    References
    ----------
    Knoblauch, K., & Maloney, L. T. (2008). MLDS: Maximum likelihood difference scaling in R.
    Journal of Statistical Software, 25(2). Section 4.3.
    Wood, S. N. (2006). Generalized additive models. Section 1.5.5: envelope and runs.
    Maloney, L. T., & Yang, J. N. (2003). Maximum likelihood difference scaling. Journal of
    Vision, 3, 573-585: the six-point condition.
    """
    fitted = clone(method).fit(triplets)
    trials = fitted.trials(triplets)
    link = LINKS[fitted.link]
    points = _six_points(trials) if trials.quadruples else np.zeros(len(trials))
    residuals, runs, six_point = _judged(
        trials.design, trials.response[None], fitted.unconstrained_[None], link, points
    )
    together = int(np.clip(_RESPONSES // len(trials), 1, _TOGETHER))
    sizes = np.diff(np.arange(0, simulations + together, together).clip(
        max=simulations
    ))
    comparisons = trials.comparisons()
    pieces = [
        (trials, comparisons, fitted, link, points, int(size), child)
        for size, child in zip(
            sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True
        )
    ]
    found, done = [], 0
    # Thousands of simulations of a hundred thousand answers would not fit into memory twice.
    simulated = np.empty((simulations, len(trials)), dtype=np.float32)
    for their_residuals, *judged in in_parallel(_simulated, pieces, partial=True):
        simulated[done : done + len(their_residuals)] = their_residuals
        done += len(their_residuals)
        found.append(judged)
        if progress(len(found) / len(pieces)):
            break
    if not found:
        raise Stopped
    simulated_runs, simulated_points = map(np.concatenate, zip(*found, strict=True))
    low, high = np.concatenate([
        np.quantile(block, [0.025, 0.975], axis=0).astype(float)
        for block in np.array_split(simulated[:done], -(-len(trials) // _RANKS), axis=1)
    ], axis=1)
    n_points = round(points.sum() / 3)
    return ScaleDiagnostics(
        residuals[0], low, high, int(runs[0]), simulated_runs,
        float(six_point[0]) if n_points else None,
        simulated_points if n_points else np.array([]), n_points,
    )


def _simulated(
    trials: ScaleTrials,
    comparisons: tuple[np.ndarray, np.ndarray, np.ndarray],
    fitted: MLDS,
    link: Link,
    points: np.ndarray,
    size: int,
    seed: np.random.SeedSequence,
    halt: Halt,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_judged` of answers by the model, each set with the scale that fits it."""
    chance = probabilities(link, trials.design @ fitted.unconstrained_)
    response = np.random.default_rng(seed).random((size, len(trials))) < chance
    # The fit needs to know no more than how often each comparison was answered which way.
    rows, which, sign = comparisons
    order = np.argsort(which, kind="stable")
    begins = np.searchsorted(which[order], np.arange(len(rows)))
    agrees = response[:, order] == (sign[order] > 0)
    values = fit_many(
        rows[:, 1:], np.add.reduceat(agrees, begins, axis=1, dtype=float), np.bincount(which), link,
        start=fitted.unconstrained_[1:], prior=fitted._prior(len(fitted.levels_)),
    )
    return _judged(trials.design, response, np.pad(values, ((0, 0), (1, 0))), link, points)


def _judged(
    design: np.ndarray,
    response: np.ndarray,
    unconstrained: np.ndarray,
    link: Link,
    points: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(b, t) sorted residuals, (b,) runs and (b,) six-point log-likelihoods."""
    linear = unconstrained @ design.T
    each = log_likelihoods(link, linear, response.astype(float), np.ones(response.shape))
    residuals = np.where(response, 1.0, -1.0) * np.sqrt(-2.0 * each)
    order = np.argsort(linear, axis=1, kind="stable")
    above = np.take_along_axis(response, order, axis=1)
    runs = np.sum(above[:, 1:] != above[:, :-1], axis=1)
    return np.sort(residuals, axis=1), runs, each @ points


def _six_points(trials: ScaleTrials) -> np.ndarray:
    """(t,) in how many six-point conditions each trial stands.

    Six levels a < b < c < d < e < f make one of the trials on the intervals ab and de, bc and ef,
    ac and df: who finds de larger than ab and ef larger than bc should find df larger than ac.
    Where a trial was repeated, its answers share its conditions.
    """
    rows, which, _ = trials.comparisons()
    number = {
        tuple(np.flatnonzero(row)): index
        for index, row in enumerate(rows)
        if np.array_equal(row[row != 0], [1, -1, -1, 1])
    }
    counts = np.zeros(len(rows))
    for a, b, c, d, e, f in combinations(range(len(trials.levels)), 6):
        parts = [number.get(four) for four in ((a, b, d, e), (b, c, e, f), (a, c, d, f))]
        if None not in parts:
            counts[parts] += 1
    return (counts / np.bincount(which, minlength=len(rows)))[which]
