"""The accuracy that noise in choices among more than two allows."""

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
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.ceiling import Ceiling
from tripletscope.core.inference.held_out.score import share_right
from tripletscope.core.inference.held_out.share import Share, left_out
from tripletscope.core.inference.held_out.units import (
    SamplingUnits,
    known_people,
    n_participants,
    participants_of,
)

#: Points of the integral of an expected maximum.
_NODES = 4001
#: Step for the slope of the best accuracy by agreement.
_STEP = 1e-4


@short_repr
@dataclass(frozen=True)
class ChoiceCeiling(Ceiling):
    """The accuracy that noise allows in choices among several, from repeated questions.

    lower: Share of choices that the others' most frequent choice predicts; ties count their share.
    upper: Best accuracy without knowing who answers, with the probability of every option known,
        E[max p].
    """

    lower: Share | None = None
    upper: Share | None = None


def people_of(part: Answers, unit: str) -> SamplingUnits | None:
    """Participants as units; None, rather than an error, where fewer than two gave the answers."""
    few = unit == "participants" and n_participants(part) < 2
    return None if few else known_people(part, unit)


def choice_ceiling(data: Answers, stages: Choices, *, unit: str = "auto") -> ChoiceCeiling:
    """Bounds of the accuracy that noise in choices among several allows.

    stages: Of `data`: all among equally many, of which equally many were chosen.

    A participant's repeats of a question count once, the first, where others answered it; where no
    two people share a question, each one's repeats are compared. For the upper bound, the
    probabilities of a question's options have a symmetric Dirichlet distribution; two choices agree
    with probability E[sum p²], which pairs of choices estimate without bias. Simulated odd-one-out
    answers from the 42 dimensions of VICE for THINGS (Muttenthaler et al., 2022) are not Dirichlet:
    there the bound is within a point of the truth. Intervals are by the jackknife over
    participants and the questions that they share, or over questions.

    References
    ----------
    Hebart, M. N., et al. (2020). Revealing the multidimensional mental representations of natural
    objects underlying human similarity judgements. Nature Human Behaviour, 4, 1173-1185: the
    ceiling as the consistency of choices in repeated trials.
    """
    options = _options(data, stages)
    counts = np.bincount(options.option)
    repeated = np.bincount(options.question, minlength=options.n_questions) > 1
    if not repeated.any():
        return ChoiceCeiling()
    kept = np.flatnonzero(repeated[options.question])
    hits = _by_plurality(options, counts)[kept]
    part = data.take(options.answer[kept])
    people = people_of(part, unit)
    groups = np.unique(options.question[kept], return_inverse=True)[1]
    lower = share_right(people, 1 - hits, part.weight, groups)
    units = groups if people is None else people.part
    n_options = math.comb(int(stages.n_shown[0]), int(stages.n_chosen[0]))
    agreement, without = _agreement(options, counts, kept, units, whole=people is None)
    value = expected_best(agreement, n_options)
    slope = (expected_best(agreement + _STEP, n_options) - value) / _STEP
    parts = [without]
    if people is not None and options.among == "people":
        parts += [
            _agreement(options, counts, kept, each, whole=whole)[1]
            for each, whole in ((groups, True), (np.arange(len(kept)), False))
        ]
    best, *shared = (value + slope * (part - agreement) for part in parts)
    low, high = left_out(value, best, len(kept), lower.n_units, *shared)
    return ChoiceCeiling(
        lower,
        replace(
            lower, value=max(value, lower.value), low=max(low, lower.low),
            high=max(high, lower.high),
        ),
        _highest(agreement, n_options), agreement, int(repeated.sum()), among=options.among,
    )


@dataclass(frozen=True)
class _Options:
    """Choices by question; `option` numbers pairs of question and choice."""

    answer: np.ndarray
    question: np.ndarray
    option: np.ndarray
    among: str

    @property
    def n_questions(self) -> int:
        return int(self.question.max(initial=-1)) + 1


def questions_and_options(n_objects: int, stages: Choices) -> tuple[np.ndarray, np.ndarray]:
    """(S,) number of the question of each stage, and (S,) of question and choice.

    stages: All among equally many, of which equally many were chosen.
    """
    m, r = int(stages.n_shown[0]), int(stages.n_chosen[0])
    pairs = np.sort(stages.pairs, axis=1).astype(np.int64)
    codes = (pairs[:, 0] * n_objects + pairs[:, 1]).reshape(-1, m)
    question = numbered(np.sort(codes, axis=1).T)
    return question, numbered([question, *np.sort(codes[:, :r], axis=1).T])


def _options(data: Answers, stages: Choices) -> _Options:
    """Question and option of each choice, one choice of a person each."""
    stages = stages.take(np.flatnonzero(data.weight[stages.answer] > 0))
    answer = stages.answer
    question, option = questions_and_options(data.n_objects, stages)
    who, n_people = participants_of(data)
    who = who[answer]
    named = who >= 0
    pair = question * (n_people + 1) + who
    first = np.ones(len(pair), dtype=bool)
    first[named] = False
    places = np.flatnonzero(named)
    first[places[np.unique(pair[named], return_index=True)[1]]] = True
    shared = np.bincount(question[first], minlength=int(question.max()) + 1) > 1
    if shared.any() or first.all():
        number = np.unique(option[first], return_inverse=True)[1]
        return _Options(answer[first], question[first], number, "people")
    mine = np.unique(pair, return_inverse=True)[1]
    return _Options(answer, mine, numbered([mine, option]), "self")


def numbered(columns: Iterable[np.ndarray]) -> np.ndarray:
    """(S,) number of each row of some columns (S,) among the different rows."""
    first, *rest = (pd.factorize(column)[0] for column in columns)
    for column in rest:
        first = pd.factorize(first * (int(column.max(initial=0)) + 1) + column)[0]
    return first


def _by_plurality(options: _Options, counts: np.ndarray) -> np.ndarray:
    """(A,) accuracy of the others' most frequent choice for each; NaN without others."""
    question_of = np.zeros(len(counts), dtype=np.int64)
    question_of[options.option] = options.question
    most = np.zeros(options.n_questions, dtype=np.int64)
    np.maximum.at(most, question_of, counts)
    at_most = np.bincount(question_of, counts == most[question_of])
    below = np.where(counts == most[question_of], 0, counts)
    second = np.zeros_like(most)
    np.maximum.at(second, question_of, below)
    at_second = np.bincount(question_of, (counts > 0) & (counts == second[question_of]))
    count, of = counts[options.option], options.question
    leads = (count == most[of]) & (at_most[of] == 1)
    others = count - 1
    hit = np.where(others > second[of], 1.0, 1.0 / (1.0 + at_second[of]))
    alone = np.bincount(of)[of] == 1
    return np.where(alone, np.nan, np.where(leads, hit, 0.0))


def _agreement(
    options: _Options, counts: np.ndarray, kept: np.ndarray, units: np.ndarray, whole: bool
) -> tuple[float, np.ndarray]:
    """How often two choices agree, questions by their number of choices, and without each unit.

    kept, units: Choices in repeated questions, and their units.
    whole: Whether a unit is a question.
    """
    question, option = options.question[kept], options.option[kept]
    total = np.bincount(question, minlength=options.n_questions).astype(float)
    same = np.bincount(question, counts[option] - 1.0, options.n_questions)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 1, same / (total - 1), 0.0)  # times the question's choices
        # Without one choice, the choices that agree with it lose a partner, too.
        mine = counts[option] - 1.0
        left = total[question] - 1.0
        fewer = np.where(left > 1, (same[question] - 2 * mine) / (left - 1), 0.0)
    agree, n = share.sum(), total[total > 1].sum()
    n_units = int(units.max()) + 1
    if whole or options.among == "self":
        # A unit removes whole questions.
        size = total[question]
        loss = np.bincount(units, share[question] / size, n_units)
        gone = np.bincount(units, minlength=n_units)
    else:
        loss = np.bincount(units, share[question] - fewer, n_units)
        gone = np.bincount(units, np.where(left > 1, 1.0, 2.0), n_units)
    rest = n - gone
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

