"""Experiments to test with, and answers by lot."""

from __future__ import annotations

import numpy as np

from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.lists import PersonList, person_list, stand_in
from tripletscope.core.studies.experiment.question import ASKINGS, Question
from tripletscope.core.studies.experiment.results import AnswerRecord

#: Those whose answers are comparisons.
TASKS = tuple(name for name, asking in ASKINGS.items() if not asking.measured)
#: One of each, that is one to three answers each.
ALL = {"n_questions": 40, "repeated": 0.2, "catch": 0.1, "gold_share": 0.1, "n_practice": 2}


def experiment_of(n: int = 8, ids: list[str] | None = None, **values) -> Experiment:
    ids = ids or [f"o{k}" for k in range(n)]
    return Experiment(title="test", objects=tuple(Stimulus(i, "text", i) for i in ids), **values)


def gold_of(experiment: Experiment) -> dict:
    """A gold question of any task."""
    shown = [one.id for one in experiment.objects[: experiment.n_shown]]
    return {"shown": shown, "correct": list(range(experiment.n_chosen))}


def whole(n: int = 8, task: str = "triplet", **values) -> Experiment:
    """An experiment with everything in it."""
    plain = experiment_of(n, task=task)
    return experiment_of(n, task=task, gold=(gold_of(plain),), **(ALL | values))


def answered(
    experiment: Experiment, n_people: int = 3, seed: int = 0
) -> list[AnswerRecord]:
    """Answers by lot of so many people to all that they are asked."""
    rng = np.random.default_rng(seed)
    return [
        AnswerRecord.of(
            question, f"p{person}", place,
            rng.permutation(question.n_options)[: question.n_chosen].tolist(),
            rt_ms=float(rng.integers(300, 3000)), shown_ms=1000.0 * place,
            answered_at=f"2026-03-0{1 + person % 9}T10:{place // 60:02}:{place % 60:02}.250+00:00",
            input="mouse",
        )
        for person in range(n_people)
        for place, question in enumerate(filled(experiment, person_list(experiment, person), rng))
    ]


def filled(
    experiment: Experiment, asked: PersonList, rng: np.random.Generator
) -> list[Question]:
    return [
        question or stand_in(experiment, rng, f"q{place + 1}")
        for place, question in enumerate(asked.questions)
    ]
