"""Accuracy of choices among several, beside chance and their own ceiling.

Chance and agreement differ from those of comparisons, so that these numbers are never averaged
with the triplet error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import as_answers
from tripletscope.core.data.triplets import Answers, Triplets
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.inference.held_out.ceiling import noise_ceiling
from tripletscope.core.inference.held_out.choice_ceiling import (
    ChoiceCeiling,
    choice_ceiling,
    numbered,
    people_of,
    questions_and_options,
)
from tripletscope.core.inference.held_out.score import ErrorEstimate, share_right
from tripletscope.core.inference.held_out.share import Share
from tripletscope.core.inference.held_out.units import known_people, participants_of, unit_fields
from tripletscope.core.prompts.replies import with_observer


@dataclass(frozen=True)
class ChoiceKind:
    """What was chosen among what.

    name: one of {"odd one out", "most central", "some", "ranking"}.
    shown, chosen: Pairs, or options beside an anchor, in the first step, and chosen ones,
        unordered.
    steps: 1 but for rankings.
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


@short_repr
@dataclass(frozen=True)
class ChoiceAccuracy:
    """How often one kind of choice was predicted as a whole.

    Attributes
    ----------
    kind : ChoiceKind
    chance : float
        Accuracy of guessing.
    accuracy : Share or None
        On held-out answers, with its 95 % interval; None where nothing was predicted.
    n_trials : int
        Trials of this kind.
    ceiling : ChoiceCeiling
    unit : {"answers", "participants"}
        What the intervals take as independent.
    n_units : int or None
        How many.
    is_of_the_learned : bool
        Whether other answers of these participants were learned from: unknown people are predicted
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
    def is_chance(self) -> bool:
        """Whether the interval of the accuracy contains that of guessing."""
        return self.accuracy is not None and self.accuracy.low <= self.chance <= self.accuracy.high


def choice_accuracies(
    given: Answers, estimate: ErrorEstimate | None = None, *, unit: str = "auto"
) -> list[ChoiceAccuracy]:
    """Accuracy of every kind of choice among more than two, with chance and ceiling.

    Parameters
    ----------
    given : Triplets or Quadruples
    estimate : ErrorEstimate, optional
        Of these answers, such as from `cross_validate`; without it, only chance and ceilings.
    unit : str
        See `tripletscope.core.inference.held_out.units.IntervalUnit`.

    Returns
    -------
    list of ChoiceAccuracy
        The most frequent kind first; empty where all answers are choices between two.

    Notes
    -----
    Intervals over participants after cross-validation are about another sample of as many people,
    whose other answers are learned from. With 12 people who differ by half of the map's size and 80
    odd-one-out trials each, they contained that accuracy in 96 % of 90 data sets, but the accuracy
    for new people, 2 points lower, in 78 % of 40.

    Examples
    --------
    >>> import tripletscope as ts
    >>> answers = ts.read("sample_data/odd_one_out/answers.csv")
    >>> found = ts.dimensions.choice_accuracies(answers, ts.cross_validate(ts.STE(), answers))
    >>> [(str(one.kind), round(one.chance, 3)) for one in found]
    [('odd one out of 3', 0.333)]
    >>> found[0].accuracy.low > found[0].chance
    True
    """
    given = as_answers(given)
    accuracies = []
    for kind, chance, stages in kinds_of(given.choices, least=3):
        accuracy, people, learned = None, None, False
        answer = stages.answer[given.weight[stages.answer] > 0]
        if estimate is not None and estimate.missed is not None:
            answer = answer[np.isfinite(estimate.missed[answer])]
            if len(answer):
                part = given.take(answer)
                people = people_of(part, unit)
                accuracy = share_right(
                    people, estimate.missed[answer], part.weight, given.groups[answer]
                )
                learned = people is not None and _are_learned_from(given, estimate)
        if not len(answer):
            continue
        # Stages are first steps, which are not the whole of a ranking.
        ceiling = choice_ceiling(given, stages, unit=unit) if kind.steps == 1 else ChoiceCeiling()
        accuracies.append(
            ChoiceAccuracy(
                kind, chance, accuracy, len(answer), ceiling, is_of_the_learned=learned,
                **unit_fields(people),
            )
        )
    return sorted(accuracies, key=lambda one: -one.n_trials)


def kinds_of(choices: Choices, *, least: int) -> Iterator[tuple[ChoiceKind, float, Choices]]:
    """Kind, chance and first stages of every kind of choice among `least` or more."""
    if least > 2 and choices.are_triplets:
        return
    # Several comparisons of two in one trial are no ranking.
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
    # Rankings with groups of other sizes have another chance.
    guessed = np.round(chance[trial[first]], 12)
    columns = (shown, chosen, sign, stages, anchored, guessed)
    of = numbered(columns)
    places = np.unique(of, return_index=True)[1]
    for number, place in enumerate(places):
        m, r, s, k, from_anchor, guess = (column[place] for column in columns)
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


def _are_learned_from(data: Answers, estimate: ErrorEstimate) -> bool:
    """Whether participants who were predicted also gave answers that were learned from."""
    if len(estimate.fold_errors):
        return True
    who = participants_of(data)[0]
    tested = np.isfinite(estimate.wrong)
    return bool(np.isin(who[tested & (who >= 0)], who[~tested]).any())


def observer_agreement(
    people: Triplets, model: Triplets, *, unit: str = "auto"
) -> list[ChoiceAccuracy]:
    """How often people answer as another observer does, beside chance and their own ceiling.

    Parameters
    ----------
    people, model : Triplets
        About the same objects. Only questions that both answered count.
    unit : str
        See `tripletscope.core.inference.held_out.units.IntervalUnit`.

    Returns
    -------
    list of ChoiceAccuracy
        One for each kind of question. Where the observer answered a question in several ways, the
        accuracy is their share. The ceiling's lower bound is how well people predict each other: an
        observer above it agrees with people as much as they do among themselves.

    Raises
    ------
    DataError
        If no question was answered by both.

    Examples
    --------
    >>> import tripletscope as ts
    >>> people = ts.Triplets.from_array([[0, 1, 2], [0, 1, 2], [1, 2, 0]])
    >>> model = ts.Triplets.from_array([[0, 1, 2], [1, 0, 2]])
    >>> round(ts.people.observer_agreement(people, model)[0].accuracy.value, 3)
    0.667
    """
    joint = with_observer(people, model)
    accuracies = []
    for kind, chance, stages in kinds_of(joint.choices, least=2):
        if kind.steps > 1:
            continue  # steps of a ranking are no questions for both
        question, option = questions_and_options(joint.n_objects, stages)
        is_model = stages.answer >= len(people)
        counts = stages.weight * is_model
        total = np.bincount(question, counts)
        same = np.bincount(option, counts)
        counts = ~is_model & (total[question] > 0) & (joint.weight[stages.answer] > 0)
        if counts.any():
            missed = 1.0 - same[option[counts]] / total[question[counts]]
            both = stages.take(np.flatnonzero(counts))
            accuracies.append(_agreement(people, kind, chance, both, missed, unit))
    if not accuracies:
        raise DataError(
            "no question was answered by people and by the other observer", file=model.name,
            remedy="Ask the questions that people were asked, about the same objects.",
        )
    return accuracies


def _agreement(
    people: Triplets, kind: ChoiceKind, chance: float, stages: Choices, missed: np.ndarray,
    unit: str,
) -> ChoiceAccuracy:
    part = people.take(stages.answer)
    participants = known_people(part, unit)
    groups = np.unique(questions_and_options(people.n_objects, stages)[0], return_inverse=True)[1]
    if kind.shown == 2:
        two = noise_ceiling(part, unit=unit)
        ceiling = ChoiceCeiling(
            two.lower, two.upper, two.limit, two.agreement, two.questions, among=two.among
        )
    else:
        ceiling = choice_ceiling(people, stages, unit=unit)
    return ChoiceAccuracy(
        kind, chance, share_right(participants, missed, part.weight, groups), len(missed), ceiling,
        **unit_fields(participants),
    )
