"""Whether observers share one difference scale, so that their answers may be pooled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import logit, xlogy
from scipy.stats import chi2, rankdata
from sklearn.base import clone

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of, single_blas_thread
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.people.floor import floor_of
from tripletscope.core.people.groups import By, Most, counted, largest
from tripletscope.core.scales.binomial import (
    LEAST_ODDS,
    LINKS,
    MOST_ODDS,
    MOST_STEPS,
    Design,
    Link,
    fit_many,
)
from tripletscope.core.scales.mlds import MLDS, standardised
from tripletscope.core.scales.scale_samples import batches, simulated_counts
from tripletscope.core.scales.scale_trials import ScaleTrials

#: Level of the tests.
_LEVEL = 0.05
#: Of that of preferences, which is by the chi-squared distribution.
_SURELY = 0.01
#: Differences of deviances that are those of when fits end, and no evidence.
_DUST = 0.01
#: Simulations in one piece of work.
_TOGETHER = 10
#: Keeps the product of common scale and sensitivities apart; changes no probability.
_TINY = 1e-6
#: Range of the logarithms of sensitivities: beyond, an observer guesses, or never errs.
_FARTHEST = 6.0
#: Longest step of these logarithms and of log odds.
_LONGEST = 2.0
#: Log odds of a rate whose likelihood is steep enough to start from.
_BACK = logit(0.005)
#: A fit ends when a step gains at most this share of the log-likelihood.
_SETTLED = 1e-9


@dataclass(frozen=True)
class ScaleComparison:
    """Three models of several observers: one scale, one scale with noise of each, own scales.

    Attributes
    ----------
    names : ndarray of str, shape (k,)
    n_answers : ndarray of int, shape (k,)
        Answers that compare intervals of the stimulus.
    levels : ndarray, shape (m,)
        Physical values, ascending.
    own : ndarray, shape (k, m)
        Scale of each observer by the own answers alone, from 0 to 1, as of `MLDS`.
    errors : ndarray, shape (k, m)
        Standard errors of `own`, by the delta method.
    finite : ndarray of bool, shape (k,)
        False where an observer's answers separate, so that no finite scale is the most likely one.
    noise : ndarray, shape (k,)
        σ of `own`.
    common : ndarray, shape (m,)
        The scale that all share if only their noise differs, from 0 to 1.
    common_noise : ndarray, shape (k,)
        σ of each observer about `common`.
    deviances : ndarray, shape (3,)
        Of the three models, the most restricted first.
    n_parameters : ndarray of int, shape (3,)
    gains : ndarray, shape (k,)
        What the own scale of each observer takes from the deviance under the common one.
    simulated_gains : ndarray, shape (b, k)
        Likewise of answers simulated by the common scale with the noise of each.
    simulated_noise : ndarray, shape (b,)
        What noise of each takes from the deviance of answers that are simulated by one scale and
        one noise.
    preference : ndarray, shape (k,)
        For the second interval, about the common scale and in units of the noise; NaN where the
        order of the intervals is not recorded.
    preference_gain : float
        What preferences take from the deviance of the common scale with the noise of each.
    null_deviance : float
        Of guesses, or of preferences alone.
    """

    names: np.ndarray
    n_answers: np.ndarray
    levels: np.ndarray
    own: np.ndarray
    errors: np.ndarray
    finite: np.ndarray
    noise: np.ndarray
    common: np.ndarray
    common_noise: np.ndarray
    deviances: np.ndarray
    n_parameters: np.ndarray
    gains: np.ndarray
    simulated_gains: np.ndarray
    simulated_noise: np.ndarray
    preference: np.ndarray
    preference_gain: float
    null_deviance: float

    @property
    def shape(self) -> tuple[float, int, float]:
        """Likelihood ratio of own scales against the common one, its degrees of freedom, and p."""
        return self._ratio(1, self.simulated_gains.sum(axis=1))

    @property
    def is_comparable(self) -> bool:
        """Whether observers were asked enough of the same to have different shapes."""
        return bool(self.n_parameters[2] > self.n_parameters[1])

    @property
    def rises(self) -> bool:
        """Whether the common scale ends above its beginning: else answers are turned round."""
        return bool((self.common_noise > 0).all())

    @property
    def is_chance(self) -> bool:
        """Whether the common scale, with the noise of each, may be guessing, at 5 %."""
        more = self.n_parameters[1] - np.isfinite(self.preference).sum()
        return bool(chi2.sf(self.null_deviance - self.deviances[1], more) >= _LEVEL)

    @property
    def prefers(self) -> bool:
        """Whether some observer prefers the first or the second interval, at 1 %."""
        number = int(np.isfinite(self.preference).sum())
        return number > 0 and bool(chi2.sf(self.preference_gain, number) < _SURELY)

    @property
    def shapes_differ(self) -> bool:
        """Whether own scales are significantly better than the common one, at 5 %."""
        return self.is_comparable and self.shape[2] < _LEVEL

    @property
    def sensitivity(self) -> tuple[float, int, float]:
        """Likelihood ratio of noise of each against one for all, its degrees of freedom, and p."""
        return self._ratio(0, self.simulated_noise)

    def _ratio(self, smaller: int, simulated: np.ndarray) -> tuple[float, int, float]:
        ratio = float(self.deviances[smaller] - self.deviances[smaller + 1])
        more = int(self.n_parameters[smaller + 1] - self.n_parameters[smaller])
        return ratio, more, float(np.mean(np.append(simulated, ratio) >= ratio - _DUST))

    @property
    def table(self) -> pd.DataFrame:
        """One row per observer: ``usual`` is the median of `simulated_gains`, ``p`` corrected.

        The correction is for all observers, by the largest of their ranks in each simulation.
        """
        gains = np.vstack([self.gains, self.simulated_gains])
        gains[gains < _DUST] = 0.0
        ranks = rankdata(gains, method="max", axis=0) / len(gains)
        most = ranks.max(axis=1)
        return pd.DataFrame({
            "name": self.names, "answers": self.n_answers, "noise": self.noise,
            "common noise": self.common_noise, "preference": self.preference, "gain": self.gains,
            "usual": np.median(self.simulated_gains, axis=0),
            "p": [float(np.mean(most >= rank)) for rank in ranks[0]],
        })


@dataclass(frozen=True)
class _Observers:
    """Comparisons of k observers.

    rows (q, m - 1): Of the design without the lowest level. whose int (q,): The observer of each.
    second (q, k) or (q, 0): Design of the observers' preferences for the second interval, if known.
    totals (q,): Number of answers to each.
    rated: Whether each observer lapses, at a rate of their own.

    Estimates are the scale, logarithms of the observers' sensitivities, preferences, and log odds
    of the rates; those of one scale for all are without the sensitivities.
    """

    rows: np.ndarray
    whose: np.ndarray
    second: np.ndarray
    totals: np.ndarray
    number: int
    link: Link
    rated: bool

    @property
    def n_rates(self) -> int:
        return self.number if self.rated else 0

    @cached_property
    def unscaled(self) -> np.ndarray:
        """(q, m - 1 + k) rows with those of preferences."""
        return np.hstack([self.rows, self.second])

    @cached_property
    def mine(self) -> list[np.ndarray]:
        """Positions of the comparisons of every observer."""
        return [np.flatnonzero(self.whose == k) for k in range(self.number)]

    @cached_property
    def n_parameters(self) -> np.ndarray:
        """(3,) of one scale, of one scale with the sensitivities of each, and of own scales."""
        one = np.linalg.matrix_rank(self.unscaled) + self.n_rates
        own = sum(np.linalg.matrix_rank(self.unscaled[of]) for of in self.mine) + self.n_rates
        return np.array([one, one + self.number - 1, own])

    def alike(self, wins: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Estimates of one scale for all, and the deviance (k,) of each, from wins (q,)."""
        design = Design(self.unscaled, self.whose, self.n_rates)
        values = fit_many(design, wins[None], self.totals, self.link, start=start).values[0]
        return values, self._deviances(design, values, wins)

    def scaled(self, wins: np.ndarray, start: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Likewise of one scale with the sensitivities of each."""
        p, k = self.rows.shape[1], self.number
        fixed = p + k + self.second.shape[1]
        ridge = np.repeat([_TINY, 0.0], [fixed, self.n_rates])
        values, best, reached, deviances = start, start, -np.inf, np.full(k, np.inf)
        for _ in range(MOST_STEPS):
            tangent, at = self._tangent(values)
            likely = self._deviances(tangent, at, wins)
            worth = -0.5 * (likely.sum() + values**2 @ ridge)
            gain = worth - reached
            if gain >= 0:
                best, reached, deviances = values, worth, likely
            if abs(gain) <= _SETTLED * (abs(worth) + 0.1):
                break
            if gain < 0:  # a step that is too long is halved
                values = 0.5 * (values + best)
                continue
            score, information = tangent.slopes(at[None], self.link, wins[None], self.totals[None])
            step = np.linalg.solve(
                information[0] + np.diag(ridge + 1e-12), score[0] - ridge * values
            )
            values = values + np.append(step[:p], np.clip(step[p:], -_LONGEST, _LONGEST))
            values[p:fixed] = np.clip(values[p:fixed], -_FARTHEST, _FARTHEST)
            values[fixed:] = np.clip(values[fixed:], LEAST_ODDS, MOST_ODDS)
        return best, deviances

    def own(self, wins: np.ndarray, common: np.ndarray) -> np.ndarray:
        """(k,) deviance of each observer under a scale of their own, from estimates of `scaled`."""
        p, k = self.rows.shape[1], self.number
        deviances = np.empty(k)
        for number, of in enumerate(self.mine):
            alone = _Observers(
                self.rows[of], np.zeros(len(of), dtype=int), self.second[of, number : number + 1],
                self.totals[of], 1, self.link, self.rated,
            )
            others = common[p + k :].reshape(-1, k)[:, number]  # a preference, a rate, or none
            start = np.append(common[:p] * np.exp(common[p + number]), others)
            deviances[number] = alone.alike(wins[of], start)[1][0]
        return deviances

    @property
    def starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Where fits of both kinds of estimates begin."""
        alike = np.zeros(self.unscaled.shape[1] + self.n_rates)
        alike[self.unscaled.shape[1] :] = _BACK
        return alike, self.with_sensitivities(alike)

    def with_sensitivities(self, alike: np.ndarray) -> np.ndarray:
        """Estimates of one scale for all as those of `scaled`."""
        return np.insert(alike, self.rows.shape[1], np.zeros(self.number))

    def preferences(self, values: np.ndarray) -> np.ndarray:
        """(k,) preferences of estimates of `scaled`, NaN where they are not known."""
        known = self.second.shape[1]
        at = self.rows.shape[1] + self.number
        return values[at : at + known] if known else np.full(self.number, np.nan)

    def guessed(self, wins: np.ndarray) -> float:
        """Deviance of guesses that are as often the second interval as each observer's answers."""
        sign = self.second.sum(axis=1) if self.second.shape[1] else np.zeros(len(wins))
        second = np.where(sign < 0, self.totals - wins, wins)
        of_second = np.bincount(self.whose, second, self.number)
        of = np.bincount(self.whose, self.totals, self.number)
        if not sign.any():
            of_second = of / 2
        return float(-2.0 * np.sum(
            xlogy(of_second, of_second / of) + xlogy(of - of_second, 1.0 - of_second / of)
        ))

    def lifted(self, values: np.ndarray) -> np.ndarray:
        """Estimates as a start: rates too near to 0 to recover are raised."""
        start = values.copy()
        rates = start[len(start) - self.n_rates :]
        np.maximum(rates, _BACK, out=rates)
        return start

    def parts(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scale (m - 1,) and sensitivities (k,) of estimates of `scaled`."""
        p = self.rows.shape[1]
        return values[:p], np.exp(values[p : p + self.number])

    def drawn(self, values: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        """(size, q) wins that are simulated by estimates of `scaled`."""
        tangent, at = self._tangent(values)
        chance = tangent.probabilities(at, self.link)
        return simulated_counts(chance, self.totals, rng, size)[0]

    def _tangent(self, values: np.ndarray) -> tuple[Design, np.ndarray]:
        """The model that is linear about estimates of `scaled`, and its values that agree there."""
        p, k = self.rows.shape[1], self.number
        rows = np.exp(values[p : p + k])[self.whose, None] * self.rows
        linear = rows @ values[:p]
        by_sensitivity = linear[:, None] * (self.whose[:, None] == np.arange(k))
        at = np.concatenate([values[:p], np.zeros(k), values[p + k :]])
        design = np.hstack([rows, by_sensitivity, self.second])
        return _Tangent(design, self.whose, self.n_rates), at

    def _deviances(self, design: Design, values: np.ndarray, wins: np.ndarray) -> np.ndarray:
        each = design.log_likelihoods(values, self.link, wins, self.totals)
        return -2.0 * np.bincount(self.whose, each, self.number)


class _Tangent(Design):
    """A design for one step: products of its columns would serve once."""

    _products = None


@dataclass(frozen=True)
class _Fitted:
    """Three models of the same answers: estimates of the first two, and deviances (3, k)."""

    alike: np.ndarray
    scaled: np.ndarray
    deviances: np.ndarray

    @classmethod
    def of(
        cls, observers: _Observers, wins: np.ndarray, alike: np.ndarray, scaled: np.ndarray
    ) -> _Fitted:
        """Fitted to wins (q,), from starts."""
        alike, one = observers.alike(wins, observers.lifted(alike))
        scaled, common = observers.scaled(wins, observers.lifted(scaled))
        if common.sum() > one.sum():  # the richer model is no worse
            scaled, common = observers.scaled(wins, observers.with_sensitivities(alike))
        own = observers.own(wins, observers.lifted(scaled))
        return cls(alike, scaled, np.array([one, common, np.minimum(own, common)]))


@task("Comparing the scales of observers", "scale", columns=("participant", "side"))
def compare_scales(
    method: MLDS, triplets: Answers, *, by: By = "participant", most: Most = 12,
    simulations: Annotated[int, Number(
        20, 100_000, "Simulations", "More make the p values more precise."
    )] = 199,
    seed: Seed = 0, progress: Progress = silent,
) -> ScaleComparison:
    """Test whether observers share one difference scale; only then may they be pooled.

    Two likelihood ratios: own scales against a common one with the noise of each, and that against
    one noise for all. Both p values are by the parametric bootstrap, as observers with few or
    consistent answers have no chi-squared distribution. Lapses are estimated for each observer
    unless the method has none. Where ``side`` tells which interval came first, so is each
    observer's preference for the second: it would look like another shape.

    Parameters
    ----------
    method : MLDS
    triplets : Triplets or Quadruples

    Raises
    ------
    DataError
        If fewer than two values of `by` have answers enough for a scale, or one of them is of
        several participants.
    Stopped
        If `progress` asks to stop before the first simulations.

    References
    ----------
    Davison, A. C., & Hinkley, D. V. (1997). Bootstrap methods and their application. Cambridge
    University Press. Chapter 4: tests by simulation from the smaller model.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> levels = np.linspace(0, 1, 7)[:, None]
    >>> answers = ts.simulate(levels, 800, noise="positions", level=0.1)
    >>> answers = answers.with_columns({"participant": np.arange(800) % 2})
    >>> compared = ts.run("compare_scales", ts.MLDS(), answers, {"simulations": 39})
    >>> ratio, degrees, p = compared.result().shape
    >>> degrees, p > 0.05
    (5, True)
    """
    kept = counted(as_answers(triplets))
    members = largest(kept, by, most)
    floor = floor_of(method, kept, members, of_scale=True)
    groups = {name: of for (name, of), enough in zip(members.items(), floor.reached, strict=True)
              if enough}
    _refuse_unless_observers(kept, by, groups)
    kept = kept.take(np.concatenate(list(groups.values())))
    of_answer = np.repeat(np.arange(len(groups)), [len(of) for of in groups.values()])
    trials = method.trials(kept)
    whose = of_answer[trials.answer]
    observers, wins = _counts(trials, whose, len(groups), method)
    with single_blas_thread():
        fitted = _Fitted.of(observers, wins, *observers.starts)
        indifferent = replace(observers, second=observers.second[:, :0])
        without = _Fitted.of(indifferent, wins, *indifferent.starts).deviances[1].sum()
    pieces = [(observers, fitted, *batch) for batch in batches(simulations, _TOGETHER, seed)]
    drawn = results_of(_simulated, pieces, progress, least=1)
    gains, sensitivity = map(np.concatenate, zip(*drawn, strict=True))
    method = clone(method).set_params(order=trials.ordered)
    alone = [clone(method).fit(kept.take(of_answer == k)) for k in range(len(groups))]
    common, grown = observers.parts(fitted.scaled)
    return ScaleComparison(
        np.array(list(groups)), np.bincount(whose, minlength=len(groups)), trials.levels,
        np.array([one.scale_ for one in alone]), np.array([one.scale_errors_ for one in alone]),
        np.array([one.finite_ for one in alone]), np.array([one.sigma_ for one in alone]),
        standardised(np.append(0.0, common)), 1.0 / (grown * common[-1]),
        fitted.deviances.sum(axis=1), observers.n_parameters,
        fitted.deviances[1] - fitted.deviances[2], gains, sensitivity,
        observers.preferences(fitted.scaled), float(without - fitted.deviances[1].sum()),
        observers.guessed(wins),
    )


def _refuse_unless_observers(answers: Answers, by: str, groups: dict[str, np.ndarray]) -> None:
    if len(groups) < 2:
        raise DataError(
            f"fewer than two values of {by!r} have answers enough for a scale", file=answers.name,
            remedy="Collect more answers of each observer.",
        )
    for name, of in groups.items():
        if (number := n_participants(answers.take(of))) > 1:
            raise DataError(
                f"{name!r} of {by!r} is of {number} participants, whose scales may differ",
                file=answers.name, remedy="Choose the column of participants.",
            )


def _counts(
    trials: ScaleTrials, whose: np.ndarray, number: int, method: MLDS
) -> tuple[_Observers, np.ndarray]:
    """Comparisons of every observer, and (q,) how many were answered as in their rows."""
    rows, which, sign = trials.comparisons()
    kinds, first, which = np.unique(
        (which * number + whose) * 2 + (trials.ordered & (sign > 0)), return_index=True,
        return_inverse=True,
    )
    mine = whose[first]
    second = np.where(mine[:, None] == np.arange(number), sign[first, None], 0.0)
    wins = np.bincount(which, trials.weight * (trials.response == (sign > 0)), len(kinds))
    return _Observers(
        rows[kinds // 2 // number][:, 1:].astype(float), mine,
        second if trials.ordered else second[:, :0], np.bincount(which, trials.weight, len(kinds)),
        number, LINKS[method.link], method.lapses != "none",
    ), wins


def _simulated(
    observers: _Observers, fitted: _Fitted, size: int, seed: np.random.SeedSequence,
    halt: CancelToken,
) -> tuple[np.ndarray, np.ndarray]:
    """What own scales (size, k), and own noise (size,), gain where the smaller model holds."""
    rng = np.random.default_rng(seed)
    starts = fitted.alike, fitted.scaled
    shared, one = (
        np.array([_Fitted.of(observers, wins, *starts).deviances
                  for wins in observers.drawn(values, rng, size)])
        for values in (fitted.scaled, observers.with_sensitivities(fitted.alike))
    )
    return shared[:, 1] - shared[:, 2], (one[:, 0] - one[:, 1]).sum(axis=1)
