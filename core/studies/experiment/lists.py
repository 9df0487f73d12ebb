"""The questions of one person: practice, balanced questions, repeats and checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS, CHECKS
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.studies.experiment.drawing import (
    QuestionPool,
    at_random,
    balanced,
    drawn,
    of_landmarks,
)
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.items import WHEN
from tripletscope.core.studies.experiment.question import ASKINGS, KINDS, Question

#: Source of a question in place of an adaptive one that is not ready.
STAND_IN = "stand-in"


@short_repr
@dataclass(frozen=True)
class PersonList:
    """The questions of one person, in order.

    Attributes
    ----------
    questions : list of Question or None
        None where an adaptive question is filled in later, with the key of its place (`key_of`).
    """

    questions: list[Question | None]

    def __len__(self) -> int:
        return len(self.questions)


def key_of(place: int) -> str:
    """The key of the question at a place of a list, which does not reveal its kind."""
    return f"q{place + 1}"


def person_list(
    experiment: Experiment, person: int, rng: np.random.Generator | None = None
) -> PersonList:
    """The questions of one person, which follow from the experiment and the person's number.

    After the questionnaire, practice comes first. Balanced questions are in balance over people:
    every object is in every place equally often, give or take one. Repeats are of questions of the
    first half, in the second half and at least a quarter of the list later, with options in other
    places (two options in half of the cases); in adaptive experiments, of random questions only.
    Catch and gold questions are spread evenly, with equal numbers for all people, because more of
    them are failed more often. Other questions differ as long as there are enough.

    Parameters
    ----------
    experiment : Experiment
    person : int
        A running number from 0.
    rng : numpy.random.Generator, optional
        By default of the experiment's seed and the person.

    Returns
    -------
    PersonList

    Raises
    ------
    DataError
        If a question or a gold question of the experiment is invalid, or there is none to ask.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, person_list
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork", "pan"))
    >>> experiment = Experiment(title="Dishes", objects=objects, n_questions=8, n_practice=1)
    >>> asked = person_list(experiment, 0).questions
    >>> asked[0].kind, len(asked)
    ('practice', 10)
    """
    rng = rng if rng is not None else np.random.default_rng((experiment.seed, person))
    questions = _questions(experiment, person, rng)
    n = len(questions)
    kinds = {question.kind for question in questions if question is not None}
    if "repeat" not in kinds:
        questions = with_repeats(
            questions, [k for k, one in enumerate(questions) if one and one.kind == "question"],
            _whole(experiment.repeated * n, person), _repeat, rng,
        )
    checks: list[Question] = []
    if "catch" not in kinds and ASKINGS[experiment.task].has_catch:
        n_catch = _n_checks(experiment.catch, n)
        checks += [catch_question(experiment, rng) for _ in range(n_catch)]
    if "gold" not in kinds and experiment.gold:
        checks += _gold(experiment, _n_checks(experiment.gold_share, n), person, rng)
    questions = spread(questions, [checks[k] for k in rng.permutation(len(checks))], rng)
    if "practice" not in kinds:
        questions = _practice(experiment, rng) + questions
    before, after = (
        [Question.of_item(item, when) for item in getattr(experiment, when)] for when in WHEN
    )
    return PersonList([
        None if question is None else replace(question, key=key_of(place))
        for place, question in enumerate([*before, *questions, *after])
    ])


def stand_in(experiment: Experiment, rng: np.random.Generator, key: str) -> Question:
    """A random question in place of an adaptive one that is not ready."""
    return replace(_question(experiment, drawn(_pool(experiment), rng), STAND_IN), key=key)


def check_questions(experiment: Experiment) -> None:
    """Raise a `DataError` if one of the experiment's own or gold questions is invalid."""
    for number, record in enumerate(experiment.questions, 1):
        own_question(experiment, record, f"question {number:,}")
    for number in range(len(experiment.gold)):
        _gold_question(experiment, number)


def own_question(experiment: Experiment, record: Mapping[str, Any], called: str) -> Question:
    """A question by the experimenter."""
    try:
        question = Question.from_record({
            "key": "", "task": experiment.task, "n_chosen": experiment.n_chosen, "correct": (),
            **{name: value for name, value in record.items() if name != "list"},
            "n_levels": experiment.levels,
        })
    except (KeyError, TypeError) as error:
        raise DataError(f"this is no question: {error}", file=called) from None
    ids = {stimulus.id for stimulus in experiment.objects}
    strange = [one for one in question.shown if one not in ids]
    if strange:
        raise DataError(
            f"{strange[0]!r} is no object of the experiment", file=called,
            remedy="Name objects by their ids.",
        )
    if question.task != experiment.task or len(question.shown) != experiment.n_shown:
        raise DataError(
            f"it shows {len(question.shown)} objects for the task {question.task!r}, and the "
            f"experiment {experiment.n_shown} for {experiment.task!r}", file=called,
            remedy="Write questions of the experiment's own task.",
        )
    if question.n_chosen != experiment.n_chosen or question.kind not in KINDS:
        raise DataError(
            f"it is of the kind {question.kind!r} and its answer names {question.n_chosen} of the "
            "options", file=called, remedy=f"An answer names {experiment.n_chosen}; kinds are "
            f"{', '.join(KINDS)}.",
        )
    if question.kind in ABOUT_OBJECTS and _compares_the_same(question):
        raise DataError(
            "it compares an object with itself", file=called,
            remedy="Correct it, or give it the kind catch and its right answer.",
        )
    if question.kind in CHECKS and not question.correct:
        raise DataError(
            "its right answer is missing", file=called, remedy="Say which option is right.",
        )
    if question.correct:
        _check_right_answer(question, called)
    return question


def _compares_the_same(question: Question) -> bool:
    asking = ASKINGS[question.task]
    if asking.size == 1:
        return len({*question.shown}) < len(question.shown)
    first, second = map(set, asking.options(question.shown))
    return len(first) < 2 or len(second) < 2 or first == second


def _check_right_answer(question: Question, called: str) -> None:
    whole = question
    if ASKINGS[question.task].in_order and len(question.correct) < question.n_chosen:
        whole = replace(question, n_chosen=len(question.correct))  # its first ones
    try:
        whole.checked(question.correct)
    except DataError as error:
        raise DataError(
            f"its right answer cannot be: {error.problem}", file=called,
            remedy="Name options by their places, from 0.",
        ) from None


# Questions -----------------------------------------------------------------------------------


def _pool(experiment: Experiment) -> QuestionPool:
    return QuestionPool(
        experiment.task, len(experiment.objects), experiment.n_shown, experiment.seed
    )


def _question(experiment: Experiment, row: Sequence[int], source: str, **more: Any) -> Question:
    asking = ASKINGS[experiment.task]
    if asking.step < asking.size:  # in the order of the experiment, from either end
        row = sorted(row, reverse=row[0] > row[-1])
    return Question(
        "", experiment.task, tuple(experiment.objects[i].id for i in row), experiment.n_chosen,
        source=source, n_levels=experiment.levels, **more,
    )


def _questions(
    experiment: Experiment, person: int, rng: np.random.Generator
) -> list[Question | None]:
    """The questions without repeats and checks."""
    n, source, pool = experiment.n_questions, experiment.source, _pool(experiment)
    if source == "list":
        return _listed(experiment, person, rng)
    if experiment.is_adaptive:
        questions: list[Question | None] = [None] * n
        n_random = _whole(experiment.random_share * n, person)
        places = rng.permutation(n)[:n_random].tolist()
        for place, row in zip(places, at_random(pool, n_random, rng), strict=True):
            questions[place] = _question(experiment, row, "random")
        return questions
    if source == "landmark":
        try:
            rows = of_landmarks(pool, experiment.n_landmarks, n, person, rng)
        except ValueError as error:
            raise DataError(
                str(error), file=experiment.title, remedy="Choose more landmarks, or fewer options."
            ) from None
    elif source == "random":
        rows = at_random(pool, n, rng)
    else:
        rows = balanced(pool, n, person, rng)
    return [_question(experiment, row, source) for row in rows]


def _listed(experiment: Experiment, person: int, rng: np.random.Generator) -> list[Question | None]:
    """The person's numbered list as it stands; without numbers, the next part in random order."""
    records = experiment.questions
    if not records:
        raise DataError(
            "there is no list of questions", file=experiment.title,
            remedy="Give one, or choose another source of questions.",
        )
    numbers = list(dict.fromkeys(record.get("list", 0) for record in records))
    if any("list" in record for record in records):
        mine = numbers[person % len(numbers)]
        chosen = [k for k, record in enumerate(records) if record.get("list", 0) == mine]
    else:
        n = min(experiment.n_questions, len(records))
        start = person * n
        chosen = [(start + k) % len(records) for k in rng.permutation(n).tolist()]
    return [
        replace(own_question(experiment, records[k], f"question {k + 1:,}"), source="list")
        for k in chosen
    ]


# Repeats and checks --------------------------------------------------------------------------


def _whole(share: float, person: int) -> int:
    """A whole number for each person, with a mean of `share` over people."""
    return int((person + 1) * share + 1e-9) - int(person * share + 1e-9)


def _n_checks(share: float, n_questions: int) -> int:
    """Number of catch or gold questions: at least one, unless the share is 0."""
    return max(round(share * n_questions), int(share > 0))


def with_repeats(
    questions: list[Any], which: Sequence[int], n_repeats: int,
    repeat: Callable[[Any, np.random.Generator], Any], rng: np.random.Generator,
) -> list[Any]:
    """The list with `n_repeats` of its first half repeated, of those at the places `which`."""
    half = max(len(questions) // 2, 1)
    again: dict[int, list[Any]] = {}
    for k in rng.permutation([k for k in which if k < half])[:n_repeats].astype(int).tolist():
        # Before the question at this place, or at the very end.
        soonest = min(max(half, k + 1 + len(questions) // 4), len(questions))
        place = int(rng.integers(soonest, len(questions) + 1))
        again.setdefault(place, []).append(repeat(questions[k], rng))
    sequence: list[Any] = []
    for place in range(len(questions) + 1):
        sequence += again.get(place, [])
        sequence += questions[place : place + 1]
    return sequence


def _repeat(question: Question, rng: np.random.Generator) -> Question:
    """The same with options in other places, for two options in half of the cases."""
    n = _n_places(question)
    order = list(range(n))
    if n == 2:
        order = rng.permutation(n).tolist()
    while n > 2 and order == list(range(n)):
        order = rng.permutation(n).tolist()
    return replace(_in_order(question, order), kind="repeat")


def _in_order(question: Question, order: Sequence[int]) -> Question:
    """The question with option ``order[k]`` in place k."""
    asking = ASKINGS[question.task]
    of_options = asking.answer == "options"
    return replace(
        question, shown=tuple(asking.placed(question.shown, order)),
        correct=tuple(order.index(k) for k in question.correct) if of_options
        else question.correct,
    )


def _n_places(question: Question) -> int:
    """Number of places beside an anchor."""
    return len(ASKINGS[question.task].options(question.shown))


def catch_question(experiment: Experiment, rng: np.random.Generator) -> Question:
    """A question with the same answer from all attentive people.

    The anchor is among the options; two of three objects are the same; an object is paired with
    itself beside two different ones; both of a rated pair are the same. For a ranking, only the
    first is right.
    """
    asking, n = ASKINGS[experiment.task], len(experiment.objects)
    objects = rng.permutation(n).tolist() if n < 100 else rng.choice(
        n, experiment.n_shown, replace=False
    ).tolist()
    one, *others = objects
    if asking.size == 2:
        shown, correct = [one, one, *others[: experiment.n_shown - 2]], (1,)
    elif asking.is_anchored:
        shown, correct = [one, one, *others[: experiment.n_shown - 2]], (0,)
    elif experiment.n_shown == 2:
        shown, correct = [one, one], (experiment.levels,)
    else:
        shown = [one, one, others[0]]
        correct = (2,) if experiment.task == "odd_one_out" else (0, 1)
    question = _question(experiment, shown, "catch", kind="catch", correct=correct)
    return _in_order(question, rng.permutation(_n_places(question)).tolist())


def _gold_question(experiment: Experiment, number: int) -> Question:
    record = {**experiment.gold[number], "kind": "gold"}
    return own_question(experiment, record, f"gold question {number + 1:,}")


def _gold(
    experiment: Experiment, n_gold: int, person: int, rng: np.random.Generator, kind: str = "gold"
) -> list[Question]:
    """The next `n_gold` gold questions, with options in random places."""
    questions = []
    for k in range(person * n_gold, (person + 1) * n_gold):
        question = _gold_question(experiment, k % len(experiment.gold))
        questions.append(replace(
            _in_order(question, rng.permutation(question.n_options).tolist()),
            kind=kind, source=kind,
        ))
    return questions


def _practice(experiment: Experiment, rng: np.random.Generator) -> list[Question]:
    """Gold questions with feedback, unless they come later, too; else random or listed questions.

    Catch questions would teach matching.
    """
    n = experiment.n_practice
    if experiment.gold and not experiment.gold_share:
        return _gold(experiment, n, 0, rng, "practice")
    rows = [row for row in experiment.questions if row.get("kind", "question") == "question"]
    if experiment.source == "list" and rows:
        return [
            replace(
                own_question(experiment, rows[k], "practice"), kind="practice", source="practice",
                correct=(),
            )
            for k in np.resize(rng.permutation(len(rows)), n).tolist()
        ]
    return [
        _question(experiment, row, "practice", kind="practice")
        for row in at_random(_pool(experiment), n, rng)
    ]


def spread(questions: list[Any], checks: Sequence[Any], rng: np.random.Generator) -> list[Any]:
    """The list with checks at about even distances."""
    if not checks:
        return questions
    each = (len(questions) + 1) / len(checks)
    places = ((np.arange(len(checks)) + rng.random(len(checks))) * each).astype(int).tolist()
    sequence, begin = [], 0
    for place, check in zip(places, checks, strict=True):
        sequence += [*questions[begin:place], check]
        begin = place
    return sequence + questions[begin:]
