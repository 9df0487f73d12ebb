"""One more observer beside people: how often their answers are what it says, too."""

from __future__ import annotations

import numpy as np

from tripletscope.core.data.choices import Choices
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.ceiling import noise_ceiling
from tripletscope.core.evaluation.choice_ceiling import (
    ChoiceCeiling,
    choice_ceiling,
    questions_and_options,
)
from tripletscope.core.evaluation.choosing import ChoiceAccuracy, ChoiceKind, kinds_of
from tripletscope.core.evaluation.score import mean_over
from tripletscope.core.evaluation.share import Share
from tripletscope.core.evaluation.units import known_people, over_units, said
from tripletscope.core.io.prompts import with_observer


def observer_agreement(
    people: Triplets, model: Triplets, *, unit: str = "auto"
) -> list[ChoiceAccuracy]:
    """How often people answer as another observer does, beside chance and their own ceiling.

    Parameters
    ----------
    people, model : Triplets
        About the same objects. Only questions that both answered count.
    unit : str
        See `tripletscope.core.evaluation.units.IntervalUnit`.

    Returns
    -------
    list of ChoiceAccuracy
        One for each kind of question. An observer that answered one question differently in
        different orders agrees with the share of these answers. The ceiling is that of people's
        answers to the same questions: its lower bound is how well people predict each other, and
        an observer above it agrees with people as much as they do among themselves.

    Raises
    ------
    DataError
        If no question was answered by both.

    Examples
    --------
    >>> import tripletscope as ts
    >>> people = ts.Triplets.from_array([[0, 1, 2], [0, 1, 2], [1, 2, 0]])
    >>> model = ts.Triplets.from_array([[0, 1, 2], [1, 0, 2]])
    >>> round(ts.observer_agreement(people, model)[0].accuracy.value, 3)
    0.667
    """
    joint = with_observer(people, model)
    accuracies = []
    for kind, chance, stages in kinds_of(joint.choices, least=2):
        if kind.steps > 1:
            continue  # steps of a ranking are no questions that both were asked
        question, option = questions_and_options(joint.n_objects, stages)
        is_model = stages.answer >= len(people)
        total = np.bincount(question[is_model], minlength=int(question.max()) + 1)
        same = np.bincount(option[is_model], minlength=int(option.max()) + 1)
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
    error, low, high = mean_over(participants, missed, part.weight, groups)
    if kind.shown == 2:
        two = noise_ceiling(part, unit=unit)
        ceiling = ChoiceCeiling(
            two.lower, two.upper, two.limit, two.agreement, two.questions, among=two.among
        )
    else:
        ceiling = choice_ceiling(people, stages, unit=unit)
    return ChoiceAccuracy(
        kind, chance, Share(1 - error, 1 - high, 1 - low, len(missed)), len(missed), ceiling,
        **said(participants),
    )


def agreement_sentence(found: ChoiceAccuracy, observer: str) -> str:
    """What `observer_agreement` tells of one kind of question, in words.

    Silent on: a model that agrees
    (tests/core/evaluation/test_observer.py::test_who_knows_the_likeliest_reaches_the_ceiling).
    """
    share, lower, upper = found.accuracy, found.ceiling.lower, found.ceiling.upper
    kind = "comparisons of two" if found.kind.shown == 2 else str(found.kind)
    lines = [
        f"People answer as {observer} does in {share.value:.1%} of {found.n_trials:,} trials "
        f"({kind}), 95% interval {share.low:.1%} to {share.high:.1%}"
        f"{over_units(found.unit, found.n_units)}; chance {found.chance:.1%}."
    ]
    if share.low <= found.chance <= share.high:
        lines.append("That cannot be told from guessing.")
    if lower is None or upper is None:
        lines.append(
            "None of these questions was answered twice by people, so that how much they agree "
            "among themselves is unknown."
        )
    else:
        again = f"the {found.ceiling.questions:,} questions that people answered repeatedly"
        lines.append(
            f"In {again}, they predict each other in {lower}, and who knows how probable each of "
            f"their answers is predicts {upper}."
            if found.ceiling.is_precise
            else f"How well people could be predicted at all cannot be told from {again}: they "
            "are too few."
        )
    return " ".join(lines)
