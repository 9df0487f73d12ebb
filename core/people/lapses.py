"""Lapse rates: how many of a person's answers are like guesses, estimated with the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pandas as pd
from scipy.special import expit, logit, logsumexp
from sklearn.base import clone

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.columns import codes_of, independent_share, sides_of
from tripletscope.core.data.places import run_starts
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.declared import Number, Switch
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.engine.task import task
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.embedding.tste import TSTE
from tripletscope.core.models.optimise.loss import map_losses
from tripletscope.core.people.rates import CrowdAnswers, Population, Rates

#: Tails of a 95 % interval, and the level of all statements about single people together.
_TAIL, _LEVEL = 0.025, 0.05
#: People with a lower rate never stand out.
LOW = 0.1
#: Iterations of the map in each step.
_ITERATIONS = 25
#: Rounds in which grids close in on narrow posteriors at first.
_CLOSING_IN = 3
#: Degrees of freedom of the t-STE that STE must be likelier than, by a log ratio of 20 to 1.
_HEAVIER, _CLEARLY = 10.0, 3.0
#: Precisions (factors of squared distances) and rates of single people; standard deviations of the
#: log precision between people, and medians and spreads of the log odds of their rates.
_PRECISIONS = np.exp(np.arange(-2.5, 1.51, 0.25))
_RATES = np.concatenate([[0.002, 0.01, 0.02, 0.05], np.arange(0.1, 0.96, 0.05)])
_DIFFER = (0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.9)
_USUAL, _SPREADS = (-4.0, -3.0, -2.0, -1.0), (0.5, 1.0, 2.0)
#: Least probability of a ranking, whose logarithm stays finite.
_LEAST = 1e-300
#: The same of one choice.
_LEAST_OF_ONE = 1e-12


@dataclass(frozen=True)
class LapseFit:
    """A map, and each person's rate of answers like guesses.

    Attributes
    ----------
    embedding : ndarray, shape (n, d)
        Fitted to every answer with its `weight`.
    participants : ndarray of str, shape (P,)
    n_answers : ndarray of int, shape (P,)
        Choices of each: an odd one out is one, and so is a ranking.
    lapse, low, high : ndarray, shape (P,)
        Rate of answers like guesses: mean of its posterior, and its 95 % interval.
    at_least : ndarray, shape (P,)
        A lower bound that holds for all people at once, at 95 % (Bonferroni).
    first, first_low, first_high : ndarray, shape (P,)
        Proportion of the first side (left) among the guesses, likewise; NaN where the answers name
        no two sides.
    person_weight : ndarray, shape (P,)
        One answer's information about the map, relative to a non-guesser's. It is below the
        proportion of other answers than guesses, because these are unknown.
    weight : ndarray, shape (T,)
        Probability that each answer is no guess; 1 for answers without a participant.
    usual : float
        Rate of the median person.
    spread : float
        Standard deviation of the log odds of the rate over people.
    log_likelihood : ndarray, shape (k,)
        After every iteration: marginal over rates, with the priors on map and rates. It never
        falls.
    without : float
        The same without lapses, for the map without lapses.
    converged : bool
    heavier : float or None
        The last `log_likelihood` of t-STE with 10 degrees of freedom: errors in clear cases
        without guesses. None if the method is not STE, or has not converged.
    imprecise : ndarray, shape (P,), or None
        Probability that a person guesses no more often than usual, or in less than 10 %, where
        people differ in precision, too, as much as makes all answers likeliest. None if the fit
        has not converged.
    """

    embedding: np.ndarray
    participants: np.ndarray
    n_answers: np.ndarray
    lapse: np.ndarray
    low: np.ndarray
    high: np.ndarray
    at_least: np.ndarray
    first: np.ndarray
    first_low: np.ndarray
    first_high: np.ndarray
    person_weight: np.ndarray
    weight: np.ndarray
    usual: float
    spread: float
    log_likelihood: np.ndarray
    without: float
    converged: bool
    heavier: float | None = None
    imprecise: np.ndarray | None = None

    @property
    def rates_are_trustworthy(self) -> bool:
        """Whether the answers confirm the response function that rates rest on.

        If errors in clear cases are as likely without guesses, rates show the response function,
        not the people. STE's likelihood must be 20 times that of heavier tails.
        """
        if self.heavier is None:
            return False
        return bool(self.log_likelihood[-1] - self.heavier > _CLEARLY)

    @property
    def stand_out(self) -> np.ndarray:
        """(P,) bool: more guesses than usual, and than 10 %, correcting for the number of people.

        Not of people who may rather be less precise (`imprecise`), at 5 %. Nobody stands out unless
        rates are `told`, and `converged`.
        """
        if self.imprecise is None:
            return np.zeros(len(self.participants), dtype=bool)
        far = self.at_least > max(LOW, self.usual)
        return far & self.rates_are_trustworthy & (self.imprecise < _LEVEL)

    @property
    def table(self) -> pd.DataFrame:
        """One row per participant, to be shown only if rates are `told`."""
        return pd.DataFrame({
            "participant": self.participants, "answers": self.n_answers, "lapse": self.lapse,
            "lapse_low": self.low, "lapse_high": self.high, "first": self.first,
            "first_low": self.first_low, "first_high": self.first_high,
            "weight": self.person_weight, "stands_out": self.stand_out,
        })


@task("Estimating lapses with the map", "embedding", columns=("participant", "side"))
def with_lapses(
    method: OrdinalEmbedding, triplets: Answers, *,
    sides: Annotated[bool, Switch(
        "Side preference",
        "Lets people prefer a side when they guess, if the file records sides."
    )] = True,
    steps: Annotated[
        int, Number(1, 10_000, "Max. EM steps", advanced=True)
    ] = 200,
    progress: Progress = silent,
) -> LapseFit:
    """A map, with the rate of every person's answers that are like guesses.

    A person guesses in a proportion g of all trials: the probability of an answer is (1 - g) times
    that of the method plus g times that of guessing, one half, or one in m of m options. Log odds
    of g are normal over people, with estimated mean and spread (empirical Bayes), so rates from
    few answers shrink towards the usual one. EM alternates between each answer's probability of
    being a guess and the weighted map.

    Parameters
    ----------
    method : OrdinalEmbedding
        One with a likelihood: STE, t-STE or CKL.
    triplets : Triplets or Quadruples
        With participants; else all count as one person.

    Returns
    -------
    LapseFit
        Not converged, if stopped.

    Raises
    ------
    DataError
        If there is no answer to learn from.
    Stopped
        If `progress` asks to stop before there is a map.
    ValueError
        If the method has no likelihood.

    Notes
    -----
    Comparisons of a person's ratings together count as one for each rated pair.

    Only the dependence of errors on distances distinguishes guesses from unclear cases, and that
    depends on the method: STE attributes errors in clear cases to guesses, t-STE and CKL expect
    them. Read rates only if the answers confirm the response function of STE:
    `LapseFit.rates_are_trustworthy`.

    References
    ----------
    Wichmann, F. A., & Hill, N. J. (2001). The psychometric function: I. Fitting, sampling, and
    goodness of fit. Perception & Psychophysics, 63, 1293-1313: rates of lapses.
    Dawid, A. P., & Skene, A. M. (1979). Maximum likelihood estimation of observer error-rates
    using the EM algorithm. Applied Statistics, 28, 20-28.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/crowd/answers.csv")
    >>> found = ts.people.with_lapses(ts.STE(), answers)
    >>> found.rates_are_trustworthy  # they see the objects in two ways, and err for one another
    False
    """
    if not method.is_likelihood:
        raise ValueError(
            f"{method.title} does not say how probable an answer is; lapses need STE, t-STE or CKL."
        )
    answers = as_answers(triplets)
    if answers.held_together.any():
        answers = answers.reweighted(answers.weight * independent_share(answers))
    people = _People(answers, sides)
    state, path, without, converged = _estimated(method, people, steps, part(progress, 0.0, 0.6))
    heavier = None
    if isinstance(method, STE) and converged:
        other = TSTE(alpha=_HEAVIER, **method.get_params())
        _, reached, _, done = _estimated(other, people, steps, part(progress, 0.6, 0.9))
        heavier = float(reached[-1]) if done else None
    imprecise = None
    if converged:
        imprecise = _imprecise(method, people, state, part(progress, 0.9, 1.0))
    return _lapse_fit(people, state, np.array(path), without, heavier, imprecise)


def _estimated(
    method: OrdinalEmbedding, people: _People, steps: int, progress: Progress
) -> tuple[_State, list[float], float, bool]:
    """Map and rates, the objective after each step, that without lapses, and convergence."""
    begun = clone(method).fit(people.answers, progress=part(progress, 0.0, 0.4))
    if begun.stopped_:
        raise Stopped
    state = _begin(method, people, begun.embedding_)
    without = people.log_likelihood(state.chance) - state.penalty
    path = [state.value]
    for step in range(steps):
        after = _improved(method, people, state)
        gain = after.value - state.value
        state = after
        path.append(state.value)
        if gain < 1e-6 * abs(state.value):
            return state, path, without, True
        if progress(0.4 + 0.6 * step / (step + 15.0), snapshot=state.positions):
            break
    return state, path, without, False


class _People:
    """Answers in the order of people, and back."""

    def __init__(self, answers: Answers, sides: bool) -> None:
        self.answers = answers
        choices = answers.choices
        who, names = codes_of(answers, "participant")
        who = who[choices.answer]
        weight = answers.weight[choices.answer]
        by_person = np.flatnonzero((who >= 0) & (weight > 0))
        order = by_person[np.argsort(who[by_person], kind="stable")]
        self.names = np.array(names, dtype=str)
        self.order, self.choices = order, choices.take(order)
        # Stages of a ranking share their answer: all are guesses, or none is.
        self._begin = run_starts(self.choices.answer)
        self._n_stages = np.diff(self._begin, append=len(order))
        self.n_answers = np.bincount(who[order][self._begin], minlength=len(names))
        rest = np.flatnonzero((who < 0) & (weight > 0))
        self.others, self.others_weight = choices.take(rest), weight[rest]
        side, names_of_sides = sides_of(answers)
        first = np.full(len(choices), -1, dtype=np.int8)
        if sides and len(names_of_sides) == 2 and "side" in answers.answers:
            side_of = side[choices.answer]
            plain = (choices.n_shown == 2) & (side_of >= 0)
            first[plain] = side_of[plain] == 0
        first = np.where(self._n_stages == 1, first[order][self._begin], -1).astype(np.int8)
        self.knows_sides = bool((first >= 0).any())
        self.crowd = CrowdAnswers(
            np.concatenate([[0], np.cumsum(self.n_answers)]), first,
            self._jointly(self.choices.chance), weight[order][self._begin],
        )
        self._choice_of = _choice_of(answers, choices)

    def chance(self, method: OrdinalEmbedding, positions: np.ndarray) -> np.ndarray:
        """(R,) probability of each person's answers: of all stages of a ranking."""
        return self._jointly(_chances(method, positions, self.choices))

    def _jointly(self, chance: np.ndarray) -> np.ndarray:
        """(R,) product over the stages of each answer."""
        return np.maximum(np.multiply.reduceat(chance, self._begin), _LEAST)

    def rest(self, method: OrdinalEmbedding, positions: np.ndarray) -> float:
        """Log-likelihood of the answers without a participant."""
        if not len(self.others):
            return 0.0
        chance = _chances(method, positions, self.others)
        return float(self.others_weight @ np.log(chance))

    def log_likelihood(self, chance: np.ndarray) -> float:
        """Log-likelihood without guesses."""
        return float(self.crowd.weight @ np.log(chance))

    def weights(self, guessed: np.ndarray) -> np.ndarray:
        """(T,) probability that each answer of the data is no guess."""
        n_choices, choice = self._choice_of
        each = np.ones(n_choices)
        each[self.order] = np.repeat(np.maximum(1.0 - guessed, 0.0), self._n_stages)
        return each[choice]

    def person_weight(self, lapse: np.ndarray, chance: np.ndarray) -> np.ndarray:
        """(P,) weights that make the map as precise as weights of people can (Wedderburn, 1974).

        The reduced dependence of an answer on the map, over its increased variance.
        """
        whose = np.repeat(np.arange(len(lapse)), self.n_answers)
        answers = (1.0 - lapse[whose]) * chance + lapse[whose] * self.crowd.guess
        expected, result = (
            np.bincount(whose, self.crowd.weight * p * (1.0 - p), len(lapse))
            for p in (chance, answers)
        )
        return np.where(result > 0, (1.0 - lapse) * expected / np.maximum(result, 1e-300), 1.0)

    def weighted(self, weight: np.ndarray) -> Answers:
        """The answers with their weights times these, (T,)."""
        return self.answers.reweighted(self.answers.weight * weight)


def _chances(method: OrdinalEmbedding, positions: np.ndarray, choices: Choices) -> np.ndarray:
    """(S,) probability of the choice in every stage under a map."""
    return np.maximum(np.exp(-map_losses(method._loss(), positions, choices)), _LEAST_OF_ONE)


def _choice_of(answers: Answers, choices: Choices) -> tuple[int, np.ndarray]:
    """Number of choices, and (T,) the choice of each answer."""
    result = np.full(len(answers), -1)
    if answers.trials is not None:
        n_trials = int(answers.trials.max(initial=-1)) + 1
        by_trial = np.full(n_trials, -1)
        by_trial[answers.trials[choices.answer]] = np.arange(len(choices))
        result = by_trial[answers.trials]
    result[choices.answer] = np.arange(len(choices))
    return len(choices), result


@dataclass(frozen=True)
class _State:
    """Map and rates of one step.

    chance (R,): Probability of every answer, given the map.
    penalty: By the prior on the map, less the log-likelihood of answers without a participant.
    """

    positions: np.ndarray
    chance: np.ndarray
    rates: Rates
    population: Population
    penalty: float

    @property
    def value(self) -> float:
        """The objective of the algorithm."""
        return self.rates.log_likelihood + self.population.log_prior() - self.penalty

    @property
    def usual(self) -> float:
        """Rate of the median person."""
        return float(expit(self.population.usual))


def _begin(method: OrdinalEmbedding, people: _People, positions: np.ndarray) -> _State:
    chance, population = people.chance(method, positions), Population()
    rates = Rates.begin(people.crowd).conditional(people.crowd, chance, population)
    for _ in range(_CLOSING_IN):
        rates = rates.closer().conditional(people.crowd, chance, population)
    return _State(positions, chance, rates, population, _penalty(method, people, positions))


def _penalty(method: OrdinalEmbedding, people: _People, positions: np.ndarray) -> float:
    return 0.5 * method.prior * float(np.sum(positions**2)) - people.rest(method, positions)


def _improved(method: OrdinalEmbedding, people: _People, state: _State) -> _State:
    """One step of EM: weights of the answers, then the map and the population."""
    weight = people.weights(state.rates.guessed(people.crowd, state.chance))
    fitted = clone(method).set_params(n_init=1, max_iter=min(_ITERATIONS, method.max_iter)).fit(
        people.weighted(weight), init_embedding=state.positions
    )
    positions = np.where(fitted.placed_[:, None], fitted.embedding_, 0.0)
    chance, population = people.chance(method, positions), state.rates.population()
    rates = state.rates.closer().conditional(people.crowd, chance, population)
    return _State(positions, chance, rates, population, _penalty(method, people, positions))


def _imprecise(
    method: OrdinalEmbedding, people: _People, state: _State, progress: Progress
) -> np.ndarray | None:
    """(P,) probability of a usual rate, where people differ in precision, too: see `LapseFit`.

    None if stopped.
    """
    number, crowd = len(people.names), people.crowd
    whose = np.repeat(np.arange(number), people.n_answers)
    likely = np.empty((len(_PRECISIONS), len(_RATES), number))
    for step, precision in enumerate(_PRECISIONS):
        if progress(step / len(_PRECISIONS)):
            return None
        chance = people.chance(method, state.positions * np.sqrt(precision))
        for place, rate in enumerate(_RATES):
            logs = np.log((1.0 - rate) * chance + rate * crowd.guess)
            likely[step, place] = np.bincount(whose, crowd.weight * logs, number)
    width = np.gradient(_RATES) / (_RATES * (1.0 - _RATES))
    of_rates = [
        np.log(width) - 0.5 * ((logit(_RATES) - middle) / spread) ** 2
        for middle in _USUAL for spread in _SPREADS
    ]
    of_precisions = [-0.5 * (np.log(_PRECISIONS) / differ) ** 2 for differ in _DIFFER]
    joint = max(
        (likely + _shared(one)[:, None, None] + _shared(other)[:, None]
         for one in of_precisions for other in of_rates),
        key=lambda given: logsumexp(given, axis=(0, 1)).sum(),
    )
    is_usual = max(LOW, state.usual) + 1e-9 >= _RATES
    return np.exp(logsumexp(joint[:, is_usual], axis=(0, 1)) - logsumexp(joint, axis=(0, 1)))


def _shared(logs: np.ndarray) -> np.ndarray:
    """Logarithms of shares that add up to 1."""
    return logs - logsumexp(logs)


def _lapse_fit(
    people: _People, state: _State, path: np.ndarray, without: float, heavier: float | None,
    imprecise: np.ndarray | None,
) -> LapseFit:
    rates = state.rates.averaged(state.population)
    sides = [np.full(len(people.names), np.nan)] * 3
    if people.knows_sides:
        sides = [rates.first_side(), rates.first_side_at(_TAIL), rates.first_side_at(1.0 - _TAIL)]
    return LapseFit(
        state.positions, people.names, people.n_answers, rates.rate(), rates.rate_at(_TAIL),
        rates.rate_at(1.0 - _TAIL), rates.rate_at(_LEVEL / max(len(people.names), 1)), *sides,
        people.person_weight(rates.rate(), state.chance),
        people.weights(rates.guessed(people.crowd, state.chance)),
        state.usual, state.population.spread, path, without, imprecise is not None, heavier,
        imprecise,
    )
