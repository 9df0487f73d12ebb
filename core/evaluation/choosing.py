"""Choices among more than two: how often they are predicted, beside chance and their own ceiling.

The odd one out of three is guessed in one of three trials, and two people who know the same map
agree in another share of trials than of comparisons. So these numbers stand beside the triplet
error, and are never averaged with it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.quadruples import Quadruples, as_answers
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.ceiling import VAGUE
from tripletscope.core.evaluation.dirichlet import expected_best, highest_best
from tripletscope.core.evaluation.score import ErrorEstimate, mean_over
from tripletscope.core.evaluation.share import Share, left_out
from tripletscope.core.evaluation.units import (
    KnownPeople,
    known_people,
    n_participants,
    over_units,
    participants_of,
    said,
)

#: Step at which the slope of the best accuracy by agreement is taken.
_STEP = 1e-4


@dataclass(frozen=True)
class ChoiceCeiling:
    """The accuracy that noise allows in choices among several, from questions asked repeatedly.

    Attributes
    ----------
    lower : Share or None
        Share of choices that the others' most frequent choice predicts; ties count their share.
        None where no question was answered twice.
    upper : Share or None
        Expected accuracy of who knows the probability of every option, E[max p].
    limit : float
        No distribution of these probabilities with the same agreement has a higher one.
    agreement : float
        Chance that two choices in a repeated question agree.
    questions : int
        Repeated questions.
    among : {"people", "self"}
        Whether choices are compared with those of other participants, or with one's own.
    """

    lower: Share | None = None
    upper: Share | None = None
    limit: float = np.nan
    agreement: float = np.nan
    questions: int = 0
    among: str = "people"

    @property
    def is_precise(self) -> bool:
        """Whether the upper bound is known well enough to hold an observer against it."""
        return self.upper is not None and self.upper.high - self.upper.low < VAGUE


@dataclass(frozen=True)
class ChoiceKind:
    """What was chosen among what.

    Attributes
    ----------
    name : {"odd one out", "most central", "some", "ranking"}
    shown : int
        Pairs, or options beside an anchor, in the first step.
    chosen : int
        How many were chosen in it, in no order.
    steps : int
        1 but for rankings.
    """

    name: str
    shown: int = 3
    chosen: int = 1
    steps: int = 1

    def __str__(self) -> str:
        if self.name == "some":
            return f"{self.chosen} of {self.shown}"
        if self.name == "ranking":
            return f"ranking of {self.shown} in {self.steps} steps"
        return f"{self.name} of {self.shown}"


@dataclass(frozen=True)
class ChoiceAccuracy:
    """How often one kind of choice was predicted as a whole.

    Attributes
    ----------
    kind : ChoiceKind
    chance : float
        Share that guessing gets right.
    accuracy : Share or None
        On held-out answers, with its 95 % interval; None where nothing was predicted.
    n_trials : int
        Trials of this kind.
    ceiling : ChoiceCeiling
    unit : {"answers", "participants"}
    n_units : int or None
        What the intervals take as independent, and how many.
    is_of_the_learned : bool
        Whether other answers of these participants were learned from: new people are predicted
        worse where people differ.
    """

    kind: ChoiceKind
    chance: float
    accuracy: Share | None
    n_trials: int
    ceiling: ChoiceCeiling
    unit: str = "answers"
    n_units: int | None = None
    is_of_the_learned: bool = False

    @property
    def sentence(self) -> str:
        """All of it in words, with whom the interval is about.

        Silent on: new people (tests/core/evaluation/test_choosing.py::test_who_is_spoken_of).
        """
        chance = f"chance {self.chance:.1%}"
        lines = []
        if self.accuracy is not None:
            lines.append(
                f"As choices: {self.accuracy.value:.1%} of {self.n_trials:,} held-out trials "
                f"({self.kind}) are predicted, 95% interval {self.accuracy.low:.1%} to "
                f"{self.accuracy.high:.1%}{over_units(self.unit, self.n_units)}; {chance}."
            )
            if self.is_of_the_learned:
                lines.append(
                    "That is about people whose other answers are learned from; new people are "
                    "predicted worse where people differ."
                )
        else:
            lines.append(f"{self.n_trials:,} trials are choices ({self.kind}); {chance}.")
        lower, upper = self.ceiling.lower, self.ceiling.upper
        if lower is None or upper is None:
            lines.append(
                "The noise ceiling of rankings is not estimated." if self.kind.steps > 1
                else "No such trial was repeated, so that their noise ceiling is unknown."
            )
        else:
            lines.append(
                f"The noise ceiling of these choices, from {self.ceiling.questions:,} repeated "
                f"trials, lies between {lower} and {upper}."
            )
        return " ".join(lines)


def choice_accuracies(
    given: Triplets | Quadruples, estimate: ErrorEstimate | None = None, *, unit: str = "auto"
) -> list[ChoiceAccuracy]:
    """Accuracy of every kind of choice among more than two, with chance and ceiling.

    Parameters
    ----------
    given : Triplets or Quadruples
    estimate : ErrorEstimate, optional
        Of these answers, such as `cross_validate` gives; without it only chance and ceilings are
        told.
    unit : str
        See `tripletscope.core.evaluation.units.IntervalUnit`.

    Returns
    -------
    list of ChoiceAccuracy
        The most frequent kind first; empty where all answers are choices between two.

    Notes
    -----
    Over participants, an interval after cross-validation is about another sample of people whose
    other answers are learned from. With 12 people who differ by half of the size of the map and 80
    trials each, it held that in 96 % of 90 data sets; that for new people in 78 % of 40.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> found = ts.choice_accuracies(answers, ts.cross_validate(ts.STE(), answers))
    >>> [(str(one.kind), round(one.chance, 3)) for one in found]
    [('odd one out of 3', 0.333)]
    >>> found[0].accuracy.low > found[0].chance
    True
    """
    given = as_answers(given)
    found = []
    for kind, chance, stages in kinds_of(given.choices, least=3):
        accuracy, people, learned = None, None, False
        answer = stages.answer[given.weight[stages.answer] > 0]
        if estimate is not None and estimate.missed is not None:
            answer = answer[np.isfinite(estimate.missed[answer])]
            if len(answer):
                part = given.take(answer)
                people = _people_of(part, unit)
                error, low, high = mean_over(
                    people, estimate.missed[answer], part.weight, given.groups[answer]
                )
                accuracy = Share(1 - error, 1 - high, 1 - low, len(answer))
                learned = people is not None and _are_learned_from(given, estimate)
        if not len(answer):
            continue
        # Stages are the first steps: those of a ranking are not all that was predicted.
        ceiling = choice_ceiling(given, stages, unit=unit) if kind.steps == 1 else ChoiceCeiling()
        found.append(
            ChoiceAccuracy(
                kind, chance, accuracy, len(answer), ceiling, is_of_the_learned=learned,
                **said(people),
            )
        )
    return sorted(found, key=lambda one: -one.n_trials)


def choice_table(found: list[ChoiceAccuracy]) -> pd.DataFrame:
    """One row for each kind of choice: accuracy, chance and both bounds of the ceiling."""
    rows = []
    for one in found:
        row = {"choice": str(one.kind), "trials": one.n_trials, "chance": one.chance}
        shares = {
            "accuracy": one.accuracy, "ceiling, lower bound": one.ceiling.lower,
            "ceiling, upper bound": one.ceiling.upper,
        }
        for name, share in shares.items():
            known = share is not None
            row |= {
                name: share.value if known else np.nan,
                f"{name}, from": share.low if known else np.nan,
                f"{name}, to": share.high if known else np.nan,
            }
        rows.append(row)
    return pd.DataFrame(rows)


def kinds_of(choices: Choices, *, least: int) -> Iterator[tuple[ChoiceKind, float, Choices]]:
    """Kind, chance and first stages of every kind of choice among so many or more."""
    if least > 2 and choices.are_triplets:
        return
    # Several comparisons of two in one trial are no ranking, but asked on one screen.
    ranked = np.bincount(choices.trial, choices.n_shown > 2)[choices.trial] > 0
    single = np.arange(len(choices)) + int(choices.trial.max(initial=-1)) + 1
    trial = np.unique(np.where(ranked, choices.trial, single), return_inverse=True)[1]
    first = np.unique(trial, return_index=True)[1]
    n_stages = np.bincount(trial)
    chance = np.exp(np.bincount(trial, np.log(choices.chance)))
    first = first[choices.n_shown[first] >= least]
    shown, chosen, sign = choices.n_shown[first], choices.n_chosen[first], choices.sign[first]
    stages = n_stages[trial[first]]
    anchored = _anchored(choices.take(first))
    # Rankings whose groups are of other sizes have another chance.
    guessed = np.round(chance[trial[first]], 12)
    told = (shown, chosen, sign, stages, anchored, guessed)
    of = _numbered(told)
    places = np.unique(of, return_index=True)[1]
    for number, place in enumerate(places):
        m, r, s, k, from_anchor, guess = (column[place] for column in told)
        if from_anchor:
            name = "ranking" if k > 1 else "some"
        else:
            name = "odd one out" if s > 0 else "most central"
        yield (
            ChoiceKind(name, int(m), int(r), int(k)), float(guess),
            choices.take(first[of == number]),
        )


def _anchored(stages: Choices) -> np.ndarray:
    """(S,) bool: all pairs of a stage begin with the same object."""
    first = stages.pairs[:, 0]
    same = first == first[stages.bounds[:-1]][stages.stage]
    return np.bincount(stages.stage[~same], minlength=len(stages)) == 0


def _are_learned_from(given: Triplets | Quadruples, estimate: ErrorEstimate) -> bool:
    """Whether participants who were predicted also gave answers that were learned from."""
    who, tested = participants_of(given)[0], np.isfinite(estimate.wrong)
    again = np.isin(who[tested & (who >= 0)], who[~tested]).any()
    return bool(again or len(estimate.fold_errors))


def _people_of(part: Triplets | Quadruples, unit: str) -> KnownPeople | None:
    """Who gave these answers; None where fewer than two did, though participants are asked for."""
    few = unit == "participants" and n_participants(part) < 2
    return None if few else known_people(part, unit)


# The ceiling ---------------------------------------------------------------------------------


def choice_ceiling(
    given: Triplets | Quadruples, stages: Choices, *, unit: str = "auto"
) -> ChoiceCeiling:
    """Bounds of the accuracy that noise in choices among several allows.

    Parameters
    ----------
    given : Triplets or Quadruples
    stages : Choices
        Of `given`: all among equally many, of which equally many were chosen.
    unit : str
        See `tripletscope.core.evaluation.units.IntervalUnit`.

    Notes
    -----
    A participant's repeats of a question count once, the first, where others answered it; where
    no two people share a question, each one's repeats are compared. For the upper bound the
    probabilities of the options of a question are taken as drawn from a symmetric Dirichlet
    distribution; two choices agree with probability E[sum p²], of which pairs of choices are an
    unbiased estimate. Odd-one-out answers drawn by softmax from the 42 dimensions that VICE found
    in the choices about THINGS (Muttenthaler et al., 2022) are not Dirichlet: there it is within
    a point of the true value. Intervals are by the jackknife over participants, or questions.

    References
    ----------
    Hebart, M. N., et al. (2020). Revealing the multidimensional mental representations of natural
    objects underlying human similarity judgements. Nature Human Behaviour, 4, 1173-1185: the
    ceiling as the consistency of choices in repeated trials.
    """
    asked = _asked(given, stages)
    counts = asked.per_option
    repeated = np.bincount(asked.question, minlength=asked.n_questions) > 1
    if not repeated.any():
        return ChoiceCeiling()
    kept = np.flatnonzero(repeated[asked.question])
    hits = _by_plurality(asked, counts)[kept]
    part = given.take(asked.answer[kept])
    people = _people_of(part, unit)
    groups = np.unique(asked.question[kept], return_inverse=True)[1]
    error, low, high = mean_over(people, 1 - hits, part.weight, groups)
    n_units = None if people is None else people.number
    lower = Share(1 - error, 1 - high, 1 - low, len(kept), n_units)
    units = groups if people is None else people.part
    n_options = math.comb(int(stages.n_shown[0]), int(stages.n_chosen[0]))
    agreement, without = _agreement(asked, counts, kept, units, whole=people is None)
    value = expected_best(agreement, n_options)
    slope = (expected_best(agreement + _STEP, n_options) - value) / _STEP
    low, high = left_out(value, value + slope * (without - agreement), len(kept), n_units)
    return ChoiceCeiling(
        lower,
        Share(
            max(value, lower.value), max(low, lower.low), max(high, lower.high), len(kept), n_units
        ),
        highest_best(agreement, n_options), agreement, int(repeated.sum()), asked.among,
    )


@dataclass(frozen=True)
class _Options:
    """Choices by question: `option` numbers the pairs of question and what was chosen."""

    answer: np.ndarray
    question: np.ndarray
    option: np.ndarray
    among: str

    @property
    def n_questions(self) -> int:
        return int(self.question.max(initial=-1)) + 1

    @property
    def per_option(self) -> np.ndarray:
        return np.bincount(self.option)


def questions_and_options(n_objects: int, stages: Choices) -> tuple[np.ndarray, np.ndarray]:
    """(S,) number of the question of each stage, and (S,) of the question and what was chosen.

    Parameters
    ----------
    n_objects : int
    stages : Choices
        All among equally many, of which equally many were chosen.
    """
    m, r = int(stages.n_shown[0]), int(stages.n_chosen[0])
    pairs = np.sort(stages.pairs, axis=1).astype(np.int64)
    codes = (pairs[:, 0] * n_objects + pairs[:, 1]).reshape(-1, m)
    question = _numbered(np.sort(codes, axis=1).T)
    return question, _numbered([question, *np.sort(codes[:, :r], axis=1).T])


def _asked(given: Triplets | Quadruples, stages: Choices) -> _Options:
    """Which question each choice answers, and what was chosen; one choice of a person each."""
    stages = stages.take(np.flatnonzero(given.weight[stages.answer] > 0))
    answer = stages.answer
    question, option = questions_and_options(given.n_objects, stages)
    who, n_people = participants_of(given)
    who = who[answer]
    named = who >= 0
    own = question * (n_people + 1) + who
    first = np.ones(len(own), dtype=bool)
    first[named] = False
    places = np.flatnonzero(named)
    first[places[np.unique(own[named], return_index=True)[1]]] = True
    shared = np.bincount(question[first], minlength=int(question.max()) + 1) > 1
    if shared.any() or first.all():
        number = np.unique(option[first], return_inverse=True)[1]
        return _Options(answer[first], question[first], number, "people")
    mine = np.unique(own, return_inverse=True)[1]
    return _Options(answer, mine, _numbered([mine, option]), "self")


def _numbered(columns: Iterable[np.ndarray]) -> np.ndarray:
    """(S,) number of each row of some columns, each (S,), among the different ones."""
    first, *rest = (pd.factorize(column)[0] for column in columns)
    for column in rest:
        first = pd.factorize(first * (int(column.max(initial=0)) + 1) + column)[0]
    return first


def _by_plurality(asked: _Options, counts: np.ndarray) -> np.ndarray:
    """(A,) how rightly the most frequent choice of the others predicts each; NaN without others."""
    question_of = np.zeros(len(counts), dtype=np.int64)
    question_of[asked.option] = asked.question
    most = np.zeros(asked.n_questions, dtype=np.int64)
    np.maximum.at(most, question_of, counts)
    at_most = np.bincount(question_of, counts == most[question_of])
    below = np.where(counts == most[question_of], 0, counts)
    second = np.zeros_like(most)
    np.maximum.at(second, question_of, below)
    at_second = np.bincount(question_of, (counts > 0) & (counts == second[question_of]))
    own, of = counts[asked.option], asked.question
    leads = (own == most[of]) & (at_most[of] == 1)
    others = own - 1
    hit = np.where(others > second[of], 1.0, 1.0 / (1.0 + at_second[of]))
    alone = np.bincount(of)[of] == 1
    return np.where(alone, np.nan, np.where(leads, hit, 0.0))


def _agreement(
    asked: _Options, counts: np.ndarray, kept: np.ndarray, units: np.ndarray, whole: bool
) -> tuple[float, np.ndarray]:
    """How often two choices agree, questions by their number of choices, and without each unit.

    Parameters
    ----------
    kept : ndarray of int
        Choices in repeated questions.
    units : ndarray of int
        Of these.
    whole : bool
        Whether a unit is a question, all of which goes.
    """
    question, option = asked.question[kept], asked.option[kept]
    total = np.bincount(question, minlength=asked.n_questions).astype(float)
    same = np.bincount(question, counts[option] - 1.0, asked.n_questions)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(total > 1, same / (total - 1), 0.0)  # times the question's choices
        # Without one choice: those that agree with it lose it, too.
        mine = counts[option] - 1.0
        left = total[question] - 1.0
        fewer = np.where(left > 1, (same[question] - 2 * mine) / (left - 1), 0.0)
    agree, n = share.sum(), total[total > 1].sum()
    n_units = int(units.max()) + 1
    if whole or asked.among == "self":
        # A unit takes whole questions along.
        size = total[question]
        lost = np.bincount(units, share[question] / size, n_units)
        gone = np.bincount(units, minlength=n_units)
    else:
        lost = np.bincount(units, share[question] - fewer, n_units)
        gone = np.bincount(units, np.where(left > 1, 1.0, 2.0), n_units)
    rest = n - gone
    without = np.divide(agree - lost, rest, out=np.full(n_units, agree / n), where=rest > 0)
    return float(agree / n), without
