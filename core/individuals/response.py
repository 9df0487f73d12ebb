"""How surely people answer where a map is clear, found beside how often they guess.

A method's own response function may rise too slowly or too fast for the people: what it lacks would
be taken for guesses, or guesses for it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.special import ndtri

from tripletscope.core.data.choices import Choices
from tripletscope.core.individuals.rates import Answered, Population, Rates
from tripletscope.core.individuals.stages import chosen_probabilities

#: Standard normal log slopes of people, equally likely: five fifths of the distribution.
_PEOPLE = ndtri((np.arange(5) + 0.5) / 5)
#: Standard deviations of the logarithms of slope and power before any answer was seen, and the
#: median and the same of the spread of slopes over people.
_SLOPES, _POWERS, _SPREAD, _SPREADS = 2.0, 0.5, 0.3, 1.0
#: Where each is looked for first, beside where a method's own function is right.
_BEGIN = np.array([[0.0, 0.0, -1.0], [0.4, 0.0, -1.0], [0.0, -0.4, -1.0], [0.0, 0.0, -0.3]])
_MOST_TRIES = 60
#: Rounds in which rates and their distribution are found for a response function.
_ROUNDS, _LAST_ROUNDS = 3, 20


@dataclass(frozen=True)
class Response:
    """Log odds of a choice are slope * (those of the method) ** power.

    Attributes
    ----------
    slope, power : float
        Both are 1 where the method's response function holds.
    spread : float
        Standard deviation of the log slope over people.
    """

    slope: float = 1.0
    power: float = 1.0
    spread: float = _SPREAD

    def chances(self, similar: np.ndarray, choices: Choices) -> np.ndarray:
        """(K, S) probability of every choice, from log odds (E,), for people of K slopes."""
        size = -self.slope * np.abs(similar) ** self.power
        return np.array([
            chosen_probabilities(size * np.exp(self.spread * one), choices) for one in _PEOPLE
        ])

    def log_prior(self) -> float:
        """Up to a constant."""
        return float(
            -0.5 * (np.log(self.slope) / _SLOPES) ** 2 - 0.5 * (np.log(self.power) / _POWERS) ** 2
            - 0.5 * (np.log(self.spread / _SPREAD) / _SPREADS) ** 2
        )


@dataclass(frozen=True)
class Found:
    """The likeliest response function, with rates and their distribution.

    Attributes
    ----------
    value : float
        Marginal log-likelihood of all answers, with the priors.
    """

    response: Response
    rates: Rates
    population: Population
    value: float


def beside_response(
    similar: np.ndarray, choices: Choices, answered: Answered, begin: np.ndarray,
) -> Found:
    """Rates of guessing, with the response function that makes the answers the likeliest.

    Parameters
    ----------
    similar : ndarray, shape (E,)
        Log odds by maps that have not seen the choice; see `stages.similarities`.
    choices : Choices
        Of people, those of each together.
    answered : Answered
        The same, a ranking being one answer.
    begin : ndarray of int, shape (R,)
        The first stage of every answer.
    """
    best = Found(Response(), Rates.begin(answered).with_usual_sides(), Population(), -np.inf)

    def found(response: Response, start: Found, rounds: int) -> Found:
        chances = np.multiply.reduceat(response.chances(similar, choices), begin, axis=1)
        chances = np.maximum(chances, 1e-300)
        population, rates = start.population, start.rates.given(answered, chances, start.population)
        for _ in range(rounds):
            population = rates.population(population)
            rates = rates.closer().given(answered, chances, population)
        value = rates.log_likelihood + population.log_prior() + response.log_prior()
        return Found(response, rates, population, value)

    def lost(x: np.ndarray) -> float:
        nonlocal best
        slope, power, spread = np.exp(np.clip(x, -4.0, 3.0))
        one = found(Response(slope, power, spread), best, _ROUNDS)
        best = max(best, one, key=lambda each: each.value)
        return -one.value

    minimize(
        lost, _BEGIN[0], method="Nelder-Mead", options={
            "initial_simplex": _BEGIN, "xatol": 0.03, "fatol": 0.05, "maxfev": _MOST_TRIES,
        },
    )
    start = Found(best.response, Rates.begin(answered), best.population, best.value)
    return found(best.response, start, _LAST_ROUNDS)
