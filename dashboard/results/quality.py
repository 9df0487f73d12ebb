"""What is said of the data: their noise ceiling, and whether they are read the right way round."""

from __future__ import annotations

import numpy as np

from tripletscope.core.inference.evaluation.ceiling import Ceiling
from tripletscope.core.inference.evaluation.choosing import ChoiceAccuracy, ChoiceKind
from tripletscope.core.inference.evaluation.share import Share
from tripletscope.core.studies.quality.direction import DirectionTest
from tripletscope.dashboard.wording import Words


def ceiling_said(words: Words, ceiling: Ceiling) -> str:
    """Both bounds of the accuracy that noise allows."""
    if ceiling.lower is None or ceiling.upper is None:
        return words("no ceiling")
    return words(
        "ceiling" if ceiling.among == "people" else "ceiling of one",
        questions=words.count(ceiling.questions, "question"),
        lower=_bound(words, ceiling.lower), upper=_bound(words, ceiling.upper),
        over=words.over(ceiling.unit, ceiling.n_units),
    )


def kind_of(words: Words, kind: ChoiceKind) -> str:
    """What was chosen among what."""
    return words(f"choice {kind.name}", shown=kind.shown, chosen=kind.chosen, steps=kind.steps)


def of_choices(words: Words, choice: ChoiceAccuracy) -> str:
    """Chance and noise ceiling of choices among more than two."""
    ceiling = choice.ceiling
    known = {"kind": kind_of(words, choice.kind), "trials": words.whole(choice.n_trials),
             "chance": words.share(choice.chance)}
    if ceiling.lower is None or ceiling.upper is None:
        return words("choices without ceiling", **known)
    return words(
        "choices", lower=_bound(words, ceiling.lower), upper=_bound(words, ceiling.upper), **known,
    )


def _bound(words: Words, bound: Share) -> str:
    if not np.isfinite(bound.value):
        return words("bound unknown")
    return f"{words.share(bound.value)}, {words.interval(bound.low, bound.high)}"


def direction_said(words: Words, test: DirectionTest) -> str:
    """Whether a file is read the right way round, by what a map predicts under each reading."""
    best = test.best or test.next_best
    return words(
        f"direction {test.judgement}", title=test.readings[best].title, chosen=test.accuracy[0],
        other=test.accuracy[best], beyond=100 * test.over_popularity[0],
        there=100 * test.over_popularity[best],
    )
