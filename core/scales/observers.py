"""Difference scales of many observers at once, each shrunk towards their mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from tripletscope.core.scales.binomial import Design, Link, Prior, fit_many, has_finite_optimum
from tripletscope.core.scales.mlds import standardised

#: Fewest observers to estimate their differences from.
FEWEST = 4
#: Prior medians and standard deviation of the logarithms of the spreads and of the reach: with few
#: answers, uncertain spreads make bands wider and not narrower.
_USUAL, _SURE = np.log([0.5, 0.5, 0.5]), 0.7
_ROUNDS, _MOST_TRIES, _DRAWS = 2, 60, 2_000
#: Least mean step, in units of the noise, for scales without range.
_LEAST = 0.05


@dataclass(frozen=True)
class ObserverScales:
    """Scales of P observers in units of the noise, without the lowest level.

    Shapes: values (P, m - 1), covariance (P, m - 1, m - 1), mean (m - 1,) over observers.
    held bool (P,): Whether only the prior makes the observer's scale finite.
    """

    values: np.ndarray
    covariance: np.ndarray
    mean: np.ndarray
    held: np.ndarray

    def band(self, coverage: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scales from 0 to 1 of all levels, and both ends of their bands, (P, m) each."""
        rng = np.random.default_rng(seed)
        normal = rng.standard_normal((_DRAWS, len(self.mean)))
        # The spreads are estimates from few observers: Student's distribution.
        degrees = len(self.values) - 1
        normal *= np.sqrt(degrees / rng.chisquare(degrees, (_DRAWS, 1)))
        root = np.linalg.cholesky(self.covariance)
        drawn = self.values[:, None] + np.einsum("pij,rj->pri", root, normal)
        scales = standardised(np.pad(drawn, ((0, 0), (0, 0), (1, 0))))
        tail = 0.5 - coverage / 2
        low, high = np.nanquantile(scales, [tail, 1.0 - tail], axis=1)
        return standardised(np.pad(self.values, ((0, 0), (1, 0)))), low, high


def scales_of_observers(
    rows: np.ndarray, successes: np.ndarray, totals: np.ndarray, link: Link
) -> ObserverScales:
    """Scales of observers who are normally distributed about a mean: empirical Bayes.

    An observer deviates from the mean by the size of the whole scale (consistency), and by steps
    between levels, correlated for nearby steps. The spreads maximise the marginal likelihood of all
    answers, by Laplace's approximation; posteriors include the uncertainty of the mean.

    Shapes: successes, totals (P, q).
    rows (q, m - 1): `ScaleTrials.comparisons` without the lowest level.

    References
    ----------
    Morris, C. N. (1983). Parametric empirical Bayes inference: theory and applications. Journal of
    the American Statistical Association, 78, 47-55.
    """
    n = rows.shape[1]
    design = Design(rows)
    (mean,) = fit_many(
        design, successes.sum(axis=0)[None], totals.sum(axis=0), link,
        prior=Prior(np.zeros(n), 1e-3 * np.eye(n)),
    ).values
    spreads = _USUAL

    def posterior(logs: np.ndarray) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
        """Log marginal likelihood; values, information of the answers, and prior covariance."""
        prior = _spread(mean, *np.exp(logs))
        precision = np.linalg.inv(prior)
        values, worths, _ = fit_many(
            design, successes, totals, link, start=mean, prior=Prior(mean, precision)
        )
        _, information = design.slopes(values, link, successes, totals)
        worth = worths.sum()
        worth -= 0.5 * np.linalg.slogdet(np.eye(n) + information @ prior)[1].sum()
        worth -= 0.5 * np.sum((logs - _USUAL) ** 2) / _SURE**2
        return float(worth), values, information, prior

    for _ in range(_ROUNDS):
        spreads = minimize(
            lambda logs: -posterior(np.clip(logs, -4.0, 1.5))[0], spreads, method="Nelder-Mead",
            options={"maxfev": _MOST_TRIES, "xatol": 0.05, "fatol": 0.05},
        ).x.clip(-4.0, 1.5)
        mean = posterior(spreads)[1].mean(axis=0)
    _, values, information, prior = posterior(spreads)
    # (I⁻¹ + T)⁻¹ is each observer's information about the mean; the inverse sum is its covariance.
    mean_information = information @ np.linalg.inv(np.eye(n) + prior @ information)
    mean_covariance = np.linalg.inv(mean_information.sum(axis=0))
    covariance = np.linalg.inv(information + np.linalg.inv(prior))
    drawn = covariance @ np.linalg.inv(prior)
    covariance = covariance + drawn @ mean_covariance @ drawn.transpose(0, 2, 1)
    held = np.array([
        not has_finite_optimum(rows[of > 0], wins[of > 0], of[of > 0])
        for wins, of in zip(successes, totals, strict=True)
    ])
    return ObserverScales(values, 0.5 * (covariance + covariance.transpose(0, 2, 1)), mean, held)


def _spread(mean: np.ndarray, consistency: float, shape: float, reach: float) -> np.ndarray:
    """(m - 1, m - 1) covariance of observers' scales.

    consistency, shape: Standard deviations of the scale's size, and of steps, as parts of the mean.
    reach: Part of all levels at which deviations of two steps correlate by 1 / e.
    """
    n = len(mean)
    step = shape * max(abs(mean[-1]) / n, _LEAST)
    below, place = np.tril(np.ones((n, n))), np.arange(n) / n
    alike = np.exp(-np.abs(place[:, None] - place) / reach)
    return consistency**2 * np.outer(mean, mean) + step**2 * below @ alike @ below.T
