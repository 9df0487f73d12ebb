"""Rates of guessing of many people, given the probabilities of their answers: empirical Bayes."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, logsumexp

from tripletscope.core.models.optimise.elementary import exact

#: Probabilities that are multiplied before one logarithm.
_TOGETHER = 16
#: Range of the log odds of a rate, and of the first side among guesses.
_LAPSES, _SIDES = (-9.0, 6.0), (-5.0, 5.0)
#: Points on which posteriors are evaluated.
_GRID, _SIDE_GRID = 41, 15
#: Half-width of a grid, in standard deviations of its posterior.
_REACH = 6.0
#: Prior log odds of the usual rate, their spread over people, and number of people it is worth.
_USUAL, _SPREAD, _KNOWN_FROM = -3.0, 1.5, 1.0
_SIDE_SPREAD = 1.0
#: Log odds of the usual rate, and factors of the spread, about the likeliest ones.
_USUALS, _SPREADS = np.arange(-3.0, 2.1, 0.5), 3.0 ** np.linspace(-1.0, 1.0, 9)


@exact
def log_likelihoods(bounds, chance, first, guess, weight, lapse, share, result):
    """Log-probability of each person's answers, by lapse rates (P, G) and shares of a side (P, H).

    bounds (P + 1,): Where the answers of each person begin.
    chance (S,): Probability of every answer, given the map.
    first int8 (S,), guess (S,): See `CrowdAnswers`.
    result (P, G, H): Set.
    """
    n_lapses, n_shares = lapse.shape[1], share.shape[1]
    product = 0.0
    for p in range(len(bounds) - 1):
        for g in range(n_lapses):
            for h in range(n_shares):
                rate, side = lapse[p, g], share[p, h]
                total, product = 0.0, 1.0
                for t in range(bounds[p], bounds[p + 1]):
                    guessed = guess[t]
                    if first[t] == 1:
                        guessed = side
                    elif first[t] == 0:
                        guessed = 1.0 - side
                    one = (1.0 - rate) * chance[t] + rate * guessed
                    if weight[t] != 1.0:
                        total += weight[t] * math.log(one)
                        continue
                    product *= one
                    if (t - bounds[p]) % _TOGETHER == _TOGETHER - 1:
                        total += math.log(product)
                        product = 1.0
                result[p, g, h] = total + math.log(product)


@exact
def guessed(bounds, chance, first, guess, lapse, share, posterior, result):
    """Probability (S,) that every answer is a guess, by posteriors (P, G, H)."""
    n_lapses, n_shares = lapse.shape[1], share.shape[1]
    for p in range(len(bounds) - 1):
        for t in range(bounds[p], bounds[p + 1]):
            total = 0.0
            for g in range(n_lapses):
                rate = lapse[p, g]
                by_map = (1.0 - rate) * chance[t]
                for h in range(n_shares):
                    one = guess[t]
                    if first[t] == 1:
                        one = share[p, h]
                    elif first[t] == 0:
                        one = 1.0 - share[p, h]
                    total += posterior[p, g, h] * rate * one / (by_map + rate * one)
            result[t] = total


@dataclass(frozen=True)
class Population:
    """Distribution of rates over people: log odds of a lapse, and of the first side."""

    usual: float = _USUAL
    spread: float = _SPREAD
    side_spread: float = _SIDE_SPREAD

    def log_density(self, lapses: np.ndarray, sides: np.ndarray) -> np.ndarray:
        """(P, G, H) of the two log odds, (P, G) and (P, H)."""
        one = _log_normal(lapses - self.usual, self.spread)
        other = _log_normal(sides, self.side_spread)
        return one[:, :, None] + other[:, None, :]

    def log_prior(self) -> float:
        """Log prior of the distribution itself, up to a constant."""
        seen = _KNOWN_FROM * ((self.usual - _USUAL) ** 2 + 2.0 * _SPREAD**2)
        result = -seen / (2.0 * self.spread**2) - 1.5 * _KNOWN_FROM * 2.0 * np.log(self.spread)
        sides = 2.0 * _KNOWN_FROM * _SIDE_SPREAD**2 / (2.0 * self.side_spread**2)
        return float(result - sides - 2.0 * _KNOWN_FROM * np.log(self.side_spread))


def _log_normal(x: np.ndarray, spread: float) -> np.ndarray:
    return -0.5 * (x / spread) ** 2 - np.log(spread) - 0.5 * np.log(2.0 * np.pi)


@dataclass(frozen=True)
class CrowdAnswers:
    """Answers of people, grouped by person.

    first int8 (S,): 1 if the first of two sides was chosen, 0 the second, -1 if that is unknown.
    guess (S,): Probability of the answer under guessing, without a side.
    """

    bounds: np.ndarray
    first: np.ndarray
    guess: np.ndarray
    weight: np.ndarray

    @property
    def n_people(self) -> int:
        return len(self.bounds) - 1


@dataclass(frozen=True)
class Rates:
    """Posteriors (P, G, H) of all people, on grids of log odds.

    lapses (P, G): Of the rate of lapses.
    sides (P, H): Of the first side among guesses; one column of 0 without sides.
    log_likelihood: Marginal, of all answers.
    """

    lapses: np.ndarray
    sides: np.ndarray
    posterior: np.ndarray
    log_likelihood: float

    @classmethod
    def begin(cls, crowd: CrowdAnswers) -> Rates:
        """Flat posteriors on the widest grids."""
        n = crowd.n_people
        lapses = np.tile(np.linspace(*_LAPSES, _GRID), (n, 1))
        sides = np.zeros((n, 1))
        if (crowd.first >= 0).any():
            sides = np.tile(np.linspace(*_SIDES, _SIDE_GRID), (n, 1))
        even = np.full((n, lapses.shape[1], sides.shape[1]), 1.0)
        return cls(lapses, sides, even / even[0].sum(), -np.inf)

    def conditional(self, crowd: CrowdAnswers, chance: np.ndarray, population: Population) -> Rates:
        """Posteriors from the probabilities (S,) of the answers, on the same grids."""
        result = np.empty(self.posterior.shape)
        log_likelihoods(
            crowd.bounds, chance, crowd.first, crowd.guess, crowd.weight,
            expit(self.lapses), expit(self.sides), result,
        )
        result += population.log_density(self.lapses, self.sides)
        result += np.log(_steps(self.lapses))[:, None, None]
        if self.sides.shape[1] > 1:
            result += np.log(_steps(self.sides))[:, None, None]
        else:  # removes the constant density of a side at even odds
            result -= _log_normal(np.zeros(1), population.side_spread)
        each = logsumexp(result, axis=(1, 2))
        return replace(
            self, posterior=np.exp(result - each[:, None, None]), log_likelihood=float(each.sum())
        )

    def closer(self) -> Rates:
        """The same with grids that are no wider than the posteriors need."""
        lapses = _around(self.lapses, self.posterior.sum(axis=2), _LAPSES)
        sides = self.sides
        if sides.shape[1] > 1:
            sides = _around(sides, self.posterior.sum(axis=1), _SIDES)
        return replace(self, lapses=lapses, sides=sides)

    def guessed(self, crowd: CrowdAnswers, chance: np.ndarray) -> np.ndarray:
        """(S,) probability that every answer is a guess."""
        result = np.empty(len(chance))
        guessed(
            crowd.bounds, chance, crowd.first, crowd.guess, expit(self.lapses),
            expit(self.sides), self.posterior, result,
        )
        return result

    def population(self) -> Population:
        """The most probable distribution over people, given these posteriors."""
        n, weight = len(self.lapses), self.posterior.sum(axis=2)
        mean = np.sum(weight * self.lapses, axis=1)
        square = np.sum(weight * self.lapses**2, axis=1)
        usual = (mean.sum() + _KNOWN_FROM * _USUAL) / (n + _KNOWN_FROM)
        off = np.sum(square - 2.0 * usual * mean + usual**2)
        prior = _KNOWN_FROM * ((usual - _USUAL) ** 2 + 2.0 * _SPREAD**2)
        spread = np.sqrt((off + prior) / (n + 3.0 * _KNOWN_FROM))
        side_spread = _SIDE_SPREAD
        if self.sides.shape[1] > 1:
            odds = np.sum(self.posterior.sum(axis=1) * self.sides**2)
            prior = 2.0 * _KNOWN_FROM * _SIDE_SPREAD**2
            side_spread = float(np.sqrt((odds + prior) / (n + 2.0 * _KNOWN_FROM)))
        return Population(float(usual), float(spread), side_spread)

    def averaged(self, population: Population) -> Rates:
        """The same averaged over plausible populations.

        The likeliest population of people who never guess has hardly any spread, which would make
        intervals too short.
        """
        lapses, weight = self.lapses, self.posterior.sum(axis=2)
        before = _log_normal(lapses - population.usual, population.spread)
        others = [
            replace(population, usual=float(usual), spread=float(spread))
            for usual in population.usual + _USUALS for spread in population.spread * _SPREADS
        ]

        def ratio(other: Population) -> np.ndarray:
            """(P, G) densities over those of the likeliest population."""
            return np.exp(_log_normal(lapses - other.usual, other.spread) - before)

        each = [np.sum(weight * ratio(other), axis=1) for other in others]
        worth = np.array([
            other.log_prior() + np.log(total).sum()
            for other, total in zip(others, each, strict=True)
        ])
        share = np.exp(worth - logsumexp(worth))
        mixed = np.zeros_like(weight)
        for part, other, total in zip(share, others, each, strict=True):
            if part > 1e-6:
                mixed += part * ratio(other) / total[:, None]
        mixed /= np.sum(weight * mixed, axis=1, keepdims=True)
        return replace(self, posterior=self.posterior * mixed[:, :, None])

    def rate(self) -> np.ndarray:
        """(P,) mean rate of lapses."""
        return np.sum(self.posterior.sum(axis=2) * expit(self.lapses), axis=1)

    def rate_at(self, quantile: float) -> np.ndarray:
        """(P,) quantile of the rate of lapses."""
        return expit(_quantile(self.lapses, self.posterior.sum(axis=2), quantile))

    def first_side(self) -> np.ndarray:
        """(P,) mean share of the first side among guesses."""
        return np.sum(self.posterior.sum(axis=1) * expit(self.sides), axis=1)

    def first_side_at(self, quantile: float) -> np.ndarray:
        """(P,) quantile of the share of the first side among guesses."""
        return expit(_quantile(self.sides, self.posterior.sum(axis=1), quantile))


def _steps(grid: np.ndarray) -> np.ndarray:
    """(P,) distance of neighbouring points."""
    return (grid[:, -1] - grid[:, 0]) / (grid.shape[1] - 1)


def _around(grid: np.ndarray, weight: np.ndarray, limits: tuple[float, float]) -> np.ndarray:
    """Grids of as many points about the posteriors, within limits."""
    mean = np.sum(weight * grid, axis=1)
    spread = np.sqrt(np.maximum(np.sum(weight * grid**2, axis=1) - mean**2, 0.0))
    # A posterior between two points looks narrower than it is.
    reach = _REACH * np.maximum(spread, 0.6 * _steps(grid))
    low, high = np.maximum(mean - reach, limits[0]), np.minimum(mean + reach, limits[1])
    return low[:, None] + (high - low)[:, None] * np.linspace(0.0, 1.0, grid.shape[1])


def _quantile(grid: np.ndarray, weight: np.ndarray, quantile: float) -> np.ndarray:
    """(P,) quantile of distributions on grids, uniform within each cell."""
    below = np.cumsum(weight, axis=1)
    n = grid.shape[1]
    at = np.minimum(np.sum(below < quantile, axis=1), n - 1)
    row = np.arange(len(grid))
    before = np.where(at > 0, below[row, np.maximum(at - 1, 0)], 0.0)
    part = (quantile - before) / np.maximum(weight[row, at], 1e-300)
    step = _steps(grid)
    return np.clip(grid[row, at] + (np.clip(part, 0.0, 1.0) - 0.5) * step, grid[:, 0], grid[:, -1])
