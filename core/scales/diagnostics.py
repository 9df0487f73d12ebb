"""Goodness of fit of difference scaling."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone

from tripletscope.core.engine.declared import Number, Seed
from tripletscope.core.engine.parallel import CancelToken, results_of
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.engine.task import task
from tripletscope.core.scales.binomial import (
    LINKS,
    Design,
    Link,
    ObserverComparisons,
    Prior,
    beginning,
    fit_many,
    p_of_lapse,
)
from tripletscope.core.scales.mlds import MLDS
from tripletscope.core.scales.scale_samples import TOGETHER, batches
from tripletscope.core.scales.scale_trials import ScaleTrials

#: Most responses to simulate together, one for every answer.
_RESPONSES = 1_000_000
#: Ranks of residuals in one step of the envelope.
_RANKS = 4_096


@dataclass(frozen=True)
class ScaleDiagnostics:
    """Residuals of a difference scale beside those of answers simulated by its model.

    Attributes
    ----------
    residuals : ndarray, shape (t,)
        Deviance residuals of the answers, sorted.
    low, high : ndarray, shape (t,)
        Envelope of 95 % of the simulated residuals of each rank.
    runs : int
        Changes of sign of the residuals in the order of the fitted probabilities, which depend on
        the order of the intervals if it was recorded.
    simulated_runs : ndarray of int, shape (b,)
    six_point : float or None
        Log-likelihood of the answers in six-point conditions; None without any.
    simulated_six_point : ndarray, shape (b,) or (0,)
        Empty without six-point conditions.
    n_six_points : int
        Number of six-point conditions.
    lapse : float or None
        Most likely shared rate of lapses; None if the method has rates already.
    lapse_p : float or None
        p value of the test for lapses.
    lapse_aic : float or None
        AIC with lapses less AIC without.
    """

    residuals: np.ndarray
    low: np.ndarray
    high: np.ndarray
    runs: int
    simulated_runs: np.ndarray
    six_point: float | None
    simulated_six_point: np.ndarray
    n_six_points: int
    lapse: float | None = None
    lapse_p: float | None = None
    lapse_aic: float | None = None

    @property
    def advises_lapses(self) -> bool:
        """Whether the test for lapses is significant at 5 %."""
        return self.lapse_p is not None and self.lapse_p < 0.05

    @property
    def runs_p(self) -> float:
        """Probability, under the model, of as few runs; low for dependent residuals."""
        return float(np.mean(np.append(self.simulated_runs, self.runs) <= self.runs))

    @property
    def six_point_p(self) -> float | None:
        """Probability, under the model, of so low a six-point likelihood."""
        if self.six_point is None:
            return None
        return float(np.mean(np.append(self.simulated_six_point, self.six_point) <= self.six_point))

    @property
    def outside(self) -> float:
        """Share of residuals outside the envelope; about 5 % if the model holds."""
        return float(np.mean((self.residuals < self.low) | (self.residuals > self.high)))


@task("Simulating answers from the model", "scale")
def diagnose(
    method: MLDS, triplets: Any, *,
    simulations: Annotated[
        int, Number(20, 100_000, "Simulations", "More make the envelope and p values more precise.")
    ] = 1_000,
    seed: Seed = 0, progress: Progress = silent,
) -> ScaleDiagnostics:
    """Test whether the model describes the answers; each counts once, whatever its weight.

    A stop keeps the finished simulations.

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
    model = _Model(
        fitted._comparisons(trials, triplets), fitted._estimated, LINKS[fitted.link],
        fitted._prior(trials),
    )
    points = _six_points(trials) if trials.quadruples else np.zeros(len(trials))
    residuals, runs, six_point = _judged(model, trials.response[None], model.values[None], points)
    together = int(np.clip(_RESPONSES // len(trials), 1, TOGETHER))
    pieces = [(model, points, *batch) for batch in batches(simulations, together, seed)]
    judgements, done = [], 0
    # Thousands of simulations of a hundred thousand answers would not fit into memory twice.
    simulated = np.empty((simulations, len(trials)), dtype=np.float32)
    for their_residuals, *judged in results_of(_simulated, pieces, progress, least=1):
        simulated[done : done + len(their_residuals)] = their_residuals
        done += len(their_residuals)
        judgements.append(judged)
    simulated_runs, simulated_points = map(np.concatenate, zip(*judgements, strict=True))
    low, high = np.concatenate([
        np.quantile(block, [0.025, 0.975], axis=0).astype(float)
        for block in np.array_split(simulated[:done], -(-len(trials) // _RANKS), axis=1)
    ], axis=1)
    n_points = round(points.sum() / 3)
    return ScaleDiagnostics(
        residuals[0], low, high, int(runs[0]), simulated_runs,
        float(six_point[0]) if n_points else None,
        simulated_points if n_points else np.array([]), n_points,
        *_evidence_of_lapses(fitted, triplets),
    )


def _evidence_of_lapses(
    fitted: MLDS, triplets: Any
) -> tuple[float, float, float] | tuple[None, None, None]:
    """A shared rate, its p value, and the change of AIC."""
    if fitted.lapses != "none":
        return None, None, None
    richer = clone(fitted).set_params(lapses="one").fit(triplets)
    ratio = 2.0 * (richer.log_likelihood_ - fitted.log_likelihood_)
    return (float(richer.lapse_[0]), p_of_lapse(ratio), float(richer.aic_ - fitted.aic_))


@dataclass(frozen=True)
class _Model:
    """The model of simulations: fitted values (s,) of comparisons."""

    data: ObserverComparisons
    values: np.ndarray
    link: Link
    prior: Prior | None

    @property
    def by_trial(self) -> Design:
        """The design of single trials: their rows, or the reverse."""
        data = self.data
        rows = data.rows[data.which] * data.sign[:, None]
        return Design(rows, data.observer[data.which], data.n_rates)


def _simulated(
    model: _Model, points: np.ndarray, size: int, seed: np.random.SeedSequence, halt: CancelToken
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`_judged` of simulated answers, each set with the values fitted to it."""
    data = model.data
    chance = model.by_trial.probabilities(model.values, model.link)
    response = np.random.default_rng(seed).random((size, len(chance))) < chance
    # The fit needs only the counts of each comparison.
    order = np.argsort(data.which, kind="stable")
    begins = np.searchsorted(data.which[order], np.arange(len(data.rows)))
    agrees = response[:, order] == (data.sign[order] > 0)
    wins = np.add.reduceat(agrees, begins, axis=1, dtype=float)
    start = beginning(data, model.values)
    totals = np.bincount(data.which)
    fits = fit_many(data, wins, totals, model.link, start=start, prior=model.prior)
    return _judged(model, response, fits.values, points)


def _judged(
    model: _Model, response: np.ndarray, values: np.ndarray, points: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(b, t) sorted residuals, (b,) runs and (b,) six-point log-likelihoods."""
    design = model.by_trial
    each = design.log_likelihoods(values, model.link, response.astype(float), 1.0)
    residuals = np.where(response, 1.0, -1.0) * np.sqrt(-2.0 * each)
    order = np.argsort(design.linear(values), axis=1, kind="stable")
    above = np.take_along_axis(response, order, axis=1)
    runs = np.sum(above[:, 1:] != above[:, :-1], axis=1)
    return np.sort(residuals, axis=1), runs, each @ points


def _six_points(trials: ScaleTrials) -> np.ndarray:
    """(t,) number of six-point conditions of each trial; repeats share them.

    Six levels a < b < c < d < e < f make one of the trials on ab and de, bc and ef, ac and df: de
    larger than ab and ef larger than bc imply df larger than ac.
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
