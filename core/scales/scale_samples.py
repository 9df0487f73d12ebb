"""Uncertainty of difference scales."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy.special import ndtr, stdtrit
from sklearn.base import clone

from tripletscope.core.engine.declared import Choice, Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import ENOUGH, SamplingUnits, Unit, sampling_units
from tripletscope.core.scales.binomial import LINKS, Fits, ObserverComparisons, beginning, fit_many
from tripletscope.core.scales.mlds import MLDS, standardised
from tripletscope.core.scales.scale_trials import ScaleTrials, answers_of

#: Resamples fitted together: their arrays stay in the processor's cache.
TOGETHER = 100

#: Successes and totals (b, q) of b resamples.
Draw = Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
#: Models fitted to a draw.
Fit = Callable[[np.ndarray, np.ndarray], Fits]


@dataclass(frozen=True)
class ScaleSamples:
    """Resampled difference scales.

    Attributes
    ----------
    levels : ndarray, shape (m,)
    unconstrained : ndarray, shape (b, m)
        In units of the noise.
    estimate : ndarray, shape (m,)
        The scale of all answers, likewise.
    unit : {"answers", "participants", "both"}
        Resampling unit.
    n_units : int or None
        Number of units.
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

        For P participants, percentiles are expanded as Student's interval of their mean requires.
        Fewer than eight have too few different resamples: for them, Student's interval by the
        standard deviation over the resamples.

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
        """(m,) standard deviation of every level.

        For P participants, times the root of P / (P - 1); two stages of resampling need no
        correction.
        """
        drawn = self.unconstrained if unconstrained else self.scales
        spread = np.nanstd(drawn, axis=0, ddof=1)
        if self.unit == "participants" and self.n_units is not None:
            spread = spread * np.sqrt(self.n_units / (self.n_units - 1))
        return spread

    def is_monotone(self, coverage: float = 0.95) -> bool:
        """Whether a curve that never falls fits into the simultaneous band; see `may_rise`.

        Of 120 guessing observers, it did not for 2 % with 400 answers, and for 9 % with 100.
        """
        low, high = self.interval(coverage ** (1.0 / len(self.levels)), unconstrained=True)
        return may_rise(low, high)


def may_rise(low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a curve that never falls fits between two ends (m,), which may be NaN.

    True does not prove that the scale rises. The band must be simultaneous: of many levels, some
    always lie outside their pointwise interval.
    """
    return not np.any(np.fmax.accumulate(low) > high)


@task("Resampling the scale", "scale", columns=("participant",))
def bootstrap_scale(
    method: MLDS, triplets: Any, *,
    resamples: Annotated[int, Number(
        20, 1_000_000, "Bootstrap replicates", "More make the intervals themselves more precise."
    )] = 10_000,
    scheme: Annotated[str, Choice(
        {"model": "Parametric (fitted model)", "answers": "Non-parametric (answers)"}, "Resampling",
        "Parametric: new answers to the same questions, simulated by the fitted model, as R's "
        "MLDS does. Non-parametric: answers resampled with replacement, which does not rely on "
        "the model, but omits some questions. Participants are always resampled, because the "
        "model is that of one observer."
    )] = "model",
    unit: Unit = "auto", seed: Seed = 0, progress: Progress = silent,
) -> ScaleSamples:
    """Scales of resampled participants or answers.

    Parameters
    ----------
    method : MLDS
    triplets : see `MLDS.fit`

    Returns
    -------
    ScaleSamples
        If stopped, of the finished resamples.

    Raises
    ------
    DataError
        If participants are the unit, and fewer than two are known.
    Stopped
        If `progress` asks to stop before the first resample.

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
    data, link = fitted._comparisons(trials, triplets), LINKS[fitted.link]
    units = sampling_units(answers_of(triplets).take(trials.answer), unit)
    if units.unit != "answers":
        draw = partial(_units_drawn, units, trials, data)
    elif scheme == "model":
        draw = partial(simulated_counts, data.probabilities(fitted._estimated, link), data.totals)
    else:
        draw = partial(_answers_drawn, data.successes, data.totals)
    fit = partial(
        fit_many, data, link=link, start=beginning(data, fitted._estimated),
        prior=fitted._prior(trials),
    )
    pieces = [(draw, fit, *batch) for batch in batches(resamples, TOGETHER, seed)]
    parts = list(results_of(_resampled, pieces, progress, least=1))
    drawn = np.pad(np.concatenate(parts)[:, : len(fitted.levels_) - 1], ((0, 0), (1, 0)))
    return ScaleSamples(fitted.levels_, drawn, fitted.unconstrained_, units.unit, units.number)


def batches(number: int, together: int, seed: int) -> list[tuple[int, np.random.SeedSequence]]:
    """Sizes and seeds of so many draws, `together` per batch."""
    sizes = [min(together, number - start) for start in range(0, number, together)]
    return list(zip(sizes, np.random.SeedSequence(seed).spawn(len(sizes)), strict=True))


def _resampled(
    draw: Draw, fit: Fit, size: int, seed: np.random.SeedSequence, halt: CancelToken
) -> np.ndarray:
    """(size, s) values fitted to a draw."""
    return fit(*draw(np.random.default_rng(seed), size)).values


def _answers_drawn(
    successes: np.ndarray, totals: np.ndarray, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) successes and totals of answers drawn with replacement."""
    both = np.concatenate([successes, totals - successes])
    drawn = rng.multinomial(round(both.sum()), both / both.sum(), size=size).astype(float)
    wins, losses = np.split(drawn, 2, axis=1)
    return wins, wins + losses


def simulated_counts(
    chance: np.ndarray, totals: np.ndarray, rng: np.random.Generator, size: int
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) simulated successes of answers to the same questions, and (q,) totals."""
    whole = np.floor(totals).astype(int)
    wins = rng.binomial(whole, chance, size=(size, len(chance))).astype(float)
    if (rest := totals - whole).any():  # weights need not be whole
        wins += rest * (rng.random(wins.shape) < chance)
    return wins, totals


def _units_drawn(
    units: SamplingUnits, trials: ScaleTrials, data: ObserverComparisons,
    rng: np.random.Generator, size: int,
) -> tuple[np.ndarray, np.ndarray]:
    """(size, q) successes and totals of resampled participants."""
    won = trials.response == (data.sign > 0)
    counts = np.empty((2, size, len(data.totals)))
    for wins, totals in counts.transpose(1, 0, 2):
        weight = units.drawn(rng) * trials.weight
        wins[:] = np.bincount(data.which, weight * won, len(wins))
        totals[:] = np.bincount(data.which, weight, len(wins))
    return counts[0], counts[1]
