"""The accuracy that noise in answers allows, from repeated questions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.integrate import simpson
from scipy.optimize import brentq
from scipy.special import gammaincc

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.evaluation.score import CHANCE, share_right
from tripletscope.core.inference.evaluation.share import Share, left_out
from tripletscope.core.inference.evaluation.units import (
    SamplingUnits,
    known_people,
    n_participants,
    participants_of,
    unit_fields,
)

#: Widest interval of a bound that says something of a method.
VAGUE = 0.1
#: Largest distance to the upper bound that leaves nothing to gain.
_REACHED = 0.02
#: Points of the integral of an expected maximum.
_NODES = 4001
#: Step for the slope of the best accuracy by agreement.
_STEP = 1e-4


@short_repr
@dataclass(frozen=True)
class Ceiling:
    """The accuracy that noise in the answers allows, between two bounds.

    Bounds are of answers to repeated questions, and None without any; 95 % intervals are over eight
    or more participants, else over answers.

    lower: Share of answers that the most frequent of the other answers predicts; ties count their
        share. Few other answers make an uncertain majority, which a map can beat.
    upper: Best possible accuracy, with the probability of every response known, E[max p].
    limit: Highest such accuracy of any distribution with the same agreement.
    agreement: Chance that two answers to a repeated question agree.
    questions: Repeated questions.
    among {"people", "self"}: Whether answers are compared with those of other participants, or,
        where no two participants share a question, with the participant's own.
    unit, n_units: As of `ErrorEstimate`.
    """

    lower: Share | None = None
    upper: Share | None = None
    limit: float = np.nan
    agreement: float = np.nan
    questions: int = 0
    among: str = "people"
    unit: str = "answers"
    n_units: int | None = None

    @property
    def is_precise(self) -> bool:
        """Whether both bounds are precise enough to compare a method with them."""
        return all(
            bound is not None and bound.high - bound.low < VAGUE
            for bound in (self.lower, self.upper)
        )

    def is_reached(self, error: float, low: float) -> bool:
        """Whether a held-out error, with the low end of its interval, leaves nothing to gain.

        It must exceed that of the upper bound by at most two points, and the intervals must
        overlap.
        """
        if self.upper is None or not self.is_precise:
            return False
        return error - (1 - self.upper.value) <= _REACHED and low <= 1 - self.upper.low

    def leaves_nothing(self, error: float, low: float, high: float) -> bool:
        """Whether more answers would hardly lower a held-out error, given with its interval."""
        return high < CHANCE and self.is_reached(error, low)


def people_of(part: Judgements, unit: str) -> SamplingUnits | None:
    """Participants as units; None, rather than an error, where fewer than two gave the answers."""
    few = unit == "participants" and n_participants(part) < 2
    return None if few else known_people(part, unit)


def noise_ceiling(data: Judgements, *, unit: str = "auto") -> Ceiling:
    """Bounds of the accuracy that noise in the answers (T, 3) or (T, 4) allows.

    See `choice_ceiling`: each answer is a choice between two.
    """
    data = as_answers(data)
    answer = np.flatnonzero(data.weight > 0)
    question = data.questions.astype(np.int64)[answer]
    option = 2 * question + data.verdicts[answer]
    return _ceiling(data, _options(data, answer, question, option, data.groups[answer]), 2, unit)


def choice_ceiling(data: Judgements, stages: Choices, *, unit: str = "auto") -> Ceiling:
    """Bounds of the accuracy that noise in choices among several allows.

    stages: Of `data`: all among equally many, of which equally many were chosen.

    A participant's repeats of a question count once, the first, where others answered it; where no
    two people share a question, each one's repeats are compared. An answer of nobody of weight w
    counts as w answers of different people. For the upper bound, the probabilities of a question's
    options have a symmetric Dirichlet distribution; two choices agree with probability E[sum p²],
    which pairs of choices estimate without bias. Intervals are by the jackknife over participants,
    or answers that are held out together.

    In simulations with two to ten answers to each of 300 questions between two the bias is within
    two points where responses follow distances, with up to 20 % lapses; up to -4 points where all
    questions are equally hard; +7 points where half of them are guesses and the others certain.
    Odd-one-out answers from the 42 dimensions of VICE for THINGS (Muttenthaler et al., 2022) are
    not Dirichlet: there the bound is within a point of the truth.

    References
    ----------
    Nili, H., et al. (2014). A toolbox for representational similarity analysis. PLoS
    Computational Biology, 10, e1003553: a lower and an upper bound of the noise ceiling.

    Hebart, M. N., et al. (2020). Revealing the multidimensional mental representations of natural
    objects underlying human similarity judgements. Nature Human Behaviour, 4, 1173-1185: the
    ceiling as the consistency of choices in repeated trials.
    """
    stages = stages.take(np.flatnonzero(data.weight[stages.answer] > 0))
    question, option = questions_and_options(data.n_objects, stages)
    n_options = math.comb(int(stages.n_shown[0]), int(stages.n_chosen[0]))
    options = _options(data, stages.answer, question, option, question)
    return _ceiling(data, options, n_options, unit)


def _ceiling(data: Judgements, options: _Options, n_options: int, unit: str) -> Ceiling:
    counts = np.round(np.bincount(options.option, options.weight), 9)
    total = np.round(np.bincount(options.question, options.weight), 9)
    kept = np.flatnonzero(total[options.question] > 1)
    if not len(kept):
        return Ceiling()
    hits = _by_plurality(options, counts)[kept]
    people = people_of(data.take(options.answer[kept]), unit)
    groups = np.unique(options.group[kept], return_inverse=True)[1]
    lower = share_right(people, 1 - hits, options.weight[kept], groups)
    units = groups if people is None else people.part
    agreement, without = _agreement(options, counts, total, kept, units)
    value = expected_best(agreement, n_options)
    slope = (expected_best(agreement + _STEP, n_options) - value) / _STEP
    low, high = left_out(
        value, value + slope * (without - agreement), len(kept), lower.n_units
    )
    upper = replace(
        lower, value=max(value, lower.value), low=max(low, lower.low), high=max(high, lower.high)
    )
    return Ceiling(
        lower, upper, _highest(agreement, n_options), agreement, int((total > 1).sum()),
        options.among, **unit_fields(people),
    )


@dataclass(frozen=True)
class _Options:
    """Choices by question; `option` numbers pairs of question and choice.

    weight (A,): So many answers each is.
    group (A,): Answers of one group are held out together.
    """

    answer: np.ndarray
    question: np.ndarray
    option: np.ndarray
    weight: np.ndarray
    group: np.ndarray
    among: str


def questions_and_options(n_objects: int, stages: Choices) -> tuple[np.ndarray, np.ndarray]:
    """(S,) number of the question of each stage, and (S,) of question and choice.

    stages: All among equally many, of which equally many were chosen.
    """
    m, r = int(stages.n_shown[0]), int(stages.n_chosen[0])
    pairs = np.sort(stages.pairs, axis=1).astype(np.int64)
    codes = (pairs[:, 0] * n_objects + pairs[:, 1]).reshape(-1, m)
    question = numbered(np.sort(codes, axis=1).T)
    return question, numbered([question, *np.sort(codes[:, :r], axis=1).T])


def _options(
    data: Judgements, answer: np.ndarray, question: np.ndarray, option: np.ndarray,
    group: np.ndarray,
) -> _Options:
    """Choices (A,) with one of a person each, or, where no question is shared, each one's own."""
    who, n_people = participants_of(data)
    who, weight = who[answer], data.weight[answer]
    named = who >= 0
    pair = question * (n_people + 1) + who
    first = ~named
    places = np.flatnonzero(named)
    first[places[np.unique(pair[named], return_index=True)[1]]] = True
    once = np.where(named, np.minimum(weight, 1.0), weight)[first]
    mine = np.unique(pair, return_inverse=True)[1]
    if (np.bincount(question[first], once) > 1).any() or not (np.bincount(mine, weight) > 1).any():
        numbers = (numbered([column[first]]) for column in (question, option))
        return _Options(answer[first], *numbers, once, group[first], "people")
    return _Options(answer, mine, numbered([mine, option]), weight, group, "self")


def numbered(columns: Iterable[np.ndarray]) -> np.ndarray:
    """(S,) number of each row of some columns (S,) among the different rows."""
    first, *rest = (pd.factorize(column)[0] for column in columns)
    for column in rest:
        first = pd.factorize(first * (int(column.max(initial=0)) + 1) + column)[0]
    return first


def _by_plurality(options: _Options, counts: np.ndarray) -> np.ndarray:
    """(A,) accuracy of the others' most frequent choice for each."""
    question_of = np.zeros(len(counts), dtype=np.int64)
    question_of[options.option] = options.question
    n_questions = int(options.question.max(initial=-1)) + 1
    most = np.zeros(n_questions)
    np.maximum.at(most, question_of, counts)
    at_most = np.bincount(question_of, counts == most[question_of])
    below = np.where(counts == most[question_of], 0.0, counts)
    second = np.zeros_like(most)
    np.maximum.at(second, question_of, below)
    at_second = np.bincount(question_of, (counts > 0) & (counts == second[question_of]))
    count, of = counts[options.option], options.question
    leads = (count == most[of]) & (at_most[of] == 1)
    others = np.round(count - np.minimum(options.weight, 1.0), 9)
    tied = np.where(others == second[of], 1.0 / (1.0 + at_second[of]), 0.0)
    return np.where(leads, np.where(others > second[of], 1.0, tied), 0.0)


def _agreement(
    options: _Options, counts: np.ndarray, total: np.ndarray, kept: np.ndarray, units: np.ndarray
) -> tuple[float, np.ndarray]:
    """How often two choices agree, questions by their number of choices, and without each unit.

    kept, units: Choices in repeated questions, and their units.
    """
    question, mine = options.question[kept], counts[options.option[kept]]
    weight = options.weight[kept]
    same = np.bincount(question, weight * np.maximum(mine - 1.0, 0.0), len(total))
    share = np.divide(same, total - 1, out=np.zeros(len(total)), where=total > 1)
    agree, n = share.sum(), total[total > 1].sum()
    n_units = int(units.max()) + 1
    first = units[np.unique(question, return_index=True)[1]]
    if (first[np.unique(question, return_inverse=True)[1]] == units).all():
        # A unit removes whole questions.
        loss, gone = weight * (share / total)[question], weight
    else:
        # Without a choice, the choices that agree with it lose a partner, too.
        left = total[question] - weight
        fewer = same[question] - weight * (2 * mine - weight - 1)
        fewer = np.divide(fewer, left - 1, out=np.zeros(len(left)), where=left > 1)
        loss, gone = share[question] - fewer, np.where(left > 1, weight, total[question])
    rest = n - np.bincount(units, gone, n_units)
    loss = np.bincount(units, loss, n_units)
    without = np.divide(agree - loss, rest, out=np.full(n_units, agree / n), where=rest > 0)
    return float(agree / n), without


def expected_best(agreement: float, n_options: int) -> float:
    """E[max p] of a symmetric Dirichlet distribution with E[sum p²] = `agreement`.

    E[sum p²] = (a + 1) / (k a + 1) gives the concentration a. Gamma variables divided by their sum
    are independent of it, so that E[max p] is the expected maximum of k of them over k a.
    """
    k = n_options
    if agreement >= 1:
        return 1.0
    if agreement <= 1 / k + 1e-9:
        return 1 / k
    a = (1 - agreement) / (k * agreement - 1)
    # By logarithms: variables of a small concentration span many decades.
    far = brentq(lambda x: k * gammaincc(a, x) - 1e-13, a, a + 60 + 40 * math.sqrt(a))
    u = np.linspace(math.log(k * a) - 40.0, math.log(far), _NODES)
    outside = gammaincc(a, np.exp(u))
    with np.errstate(divide="ignore"):
        above = -np.expm1(k * np.log1p(-outside))
    return float(min(simpson(above * np.exp(u), x=u) / (k * a), 1.0))


def _highest(agreement: float, n_options: int) -> float:
    """The largest E[max p] that any distribution with this agreement can have."""
    k = n_options
    return (1 + math.sqrt((k - 1) * max(k * agreement - 1, 0.0))) / k
