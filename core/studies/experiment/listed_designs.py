"""Designs of questions that are listed in advance, for other programs or for an experiment.

Each is an `Experiment`, so that practice, repeats, checks and formats are the same for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.landmarks import (
    choose_landmarks,
    landmark_questions,
    n_landmark_questions,
)
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.choice_accuracy import kinds_of
from tripletscope.core.prompts.prompts import Questions
from tripletscope.core.studies.design.active import STRATEGIES, mixed
from tripletscope.core.studies.design.scenario import column_of_triads
from tripletscope.core.studies.experiment.drawing import (
    QuestionPool,
    balanced,
    in_balance,
    shuffled,
)
from tripletscope.core.studies.experiment.experiment import SOURCES, Experiment
from tripletscope.core.studies.experiment.lists import person_list, stand_in
from tripletscope.core.studies.experiment.question import ASKINGS, Question

KERNELS = {"k1": "Landmarks for kernel k1, complete", "k2": "Landmarks for kernel k2, complete"}
#: Designs that need no answers. Those of kernels are about an anchor and two objects.
DESIGNS = {
    "balanced": SOURCES["balanced"], "different": "Balanced, no question in two lists",
    "random": SOURCES["random"], "landmark": SOURCES["landmark"], **KERNELS,
}
#: Designs that continue from answers, by the strategies of `propose`.
FOLLOWING = {name: STRATEGIES[name] for name in ("uncertain", "gain", "repeat")}
#: Most questions in a list.
MOST = 100_000


def designed(
    experiment: Experiment, design: str, n_lists: int = 1, landmarks: np.ndarray | None = None
) -> Experiment:
    """The experiment with its questions chosen by a design of `DESIGNS`.

    Parameters
    ----------
    experiment : Experiment
        With objects, task and numbers of questions, repeats and checks.
    design : {"balanced", "different", "random", "landmark", "k1", "k2"}
        ``different`` is balanced without a question in two lists; ``k1`` and ``k2`` are complete
        landmark designs for these kernels.
    n_lists : int
        Lists for the questions of ``different``, ``k1`` and ``k2``.
    landmarks : ndarray of int, shape (l,), optional
        Their positions for ``k1`` and ``k2``; by default drawn at random.

    Returns
    -------
    Experiment
        For `person_list`, and `questions_for` other programs.

    Raises
    ------
    DataError
        If there are too few different questions, or too many to list.
    ValueError
        For another design.

    References
    ----------
    Kleindessner, M., & von Luxburg, U. (2017). Kernel functions based on triplet comparisons.
    NeurIPS. Section 2.3: landmark designs.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, designed
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork", "pan"))
    >>> dishes = Experiment(title="Dishes", objects=objects, n_questions=3)
    >>> parts = designed(dishes, "different", n_lists=4).questions
    >>> len(parts), sorted({part["list"] for part in parts})
    (12, [0, 1, 2, 3])
    """
    if design not in DESIGNS:
        raise ValueError(f"design is {design!r}; it must be one of {', '.join(DESIGNS)}.")
    if design in SOURCES:
        possible = n_possible(experiment)
        if experiment.n_questions > possible and not ASKINGS[experiment.task].is_table:
            raise DataError(
                f"{experiment.n_questions:,} questions in a list about {len(experiment.objects):,} "
                f"objects, which allow {possible:,} different ones", file=experiment.title,
                remedy=f"Choose at most {possible:,}; a share of repeats asks some again.",
            )
        return experiment.changed(source=design)
    rng = np.random.default_rng(experiment.seed)
    if design == "different":
        return listed(experiment, _different(experiment, n_lists, rng), n_lists)
    if experiment.task != "triplet":
        raise DataError("landmark designs of kernels are about an anchor and two objects",
                        file=experiment.title, remedy="Choose another task or design.")
    n = len(experiment.objects)
    if landmarks is None:
        landmarks = choose_landmarks(n, min(experiment.n_landmarks, n), rng)
    number = n_landmark_questions(n, len(landmarks), design)
    if number > MOST:
        raise DataError(f"the design has {number:,} questions, and at most {MOST:,} are listed",
                        file=experiment.title, remedy="Choose fewer landmarks.")
    return listed(experiment, mixed(landmark_questions(n, landmarks, design), rng), n_lists)


def n_possible(experiment: Experiment) -> int:
    """Number of different questions of an experiment, whatever the places of options."""
    return _pool(experiment).n_possible


def _pool(experiment: Experiment) -> QuestionPool:
    return QuestionPool(
        experiment.task, len(experiment.objects), experiment.n_shown, experiment.seed
    )


def asked_as(answers: Answers) -> dict[str, Any]:
    """Task, and numbers of options, of an experiment that asks like most of the answers."""
    if answers.rows.shape[1] == 4:
        return {"task": "pairs"}
    if column_of_triads(answers) is not None:
        return {"task": "triad"}
    kinds = [(len(stages), kind) for kind, _, stages in kinds_of(answers.choices, least=3)]
    number, kind = max(kinds, key=lambda one: one[0], default=(0, None))
    if 2 * number <= answers.n_trials:
        return {"task": "triplet"}
    if kind.name in ("ranking", "some"):
        ranked = kind.steps if kind.name == "ranking" else kind.chosen
        return {"task": "ranking", "n_options": kind.shown, "n_ranked": ranked}
    return {"task": "odd_one_out" if kind.name == "odd one out" else "triplet"}


def listed(experiment: Experiment, rows: np.ndarray, n_lists: int = 1) -> Experiment:
    """The experiment with rows (q, s) of objects' positions as questions, in `n_lists` lists."""
    ids = np.array([one.id for one in experiment.objects], dtype=object)
    questions = tuple(
        Question("", experiment.task, tuple(shown), experiment.n_chosen, source="list").described()
        | {"list": part}
        for part, some in enumerate(np.array_split(ids[rows], n_lists)) for shown in some.tolist()
    )
    return experiment.changed(source="list", questions=questions)


def _different(experiment: Experiment, n_lists: int, rng: np.random.Generator) -> np.ndarray:
    """(q, s) different questions for `n_lists` lists, in balance over each and over all."""
    n, each = len(experiment.objects), experiment.n_questions
    pool = _pool(experiment)
    total = each * n_lists
    if total > min(pool.n_possible, MOST):
        raise DataError(
            f"{n:,} objects allow {pool.n_possible:,} different questions, of which at most "
            f"{MOST:,} are listed, and these would be {total:,}", file=experiment.title,
            remedy="Choose fewer questions, fewer lists, or the design Balanced.",
        )
    rows = (in_balance if total <= pool.n_possible / 2 else balanced)(pool, total, 0, rng)
    parts = [shuffled(rows[k : k + each], rng) for k in range(0, total, each)]
    return np.array([row for part in parts for row in part])


def experiment_questions(
    experiment: Experiment, ids: Sequence[str], n_lists: int = 1
) -> list[Questions]:
    """The questions of lists about objects, for a model.

    Parameters
    ----------
    experiment : Experiment
        Checks and practice are left out; adaptive questions have stand-ins.
    ids : sequence of str
        Objects in the order of their positions.
    n_lists : int

    Returns
    -------
    list of Questions

    Raises
    ------
    DataError
        If an object of the experiment is not among them, or its answers are no comparisons.

    Examples
    --------
    >>> from tripletscope.experiment import Experiment, Stimulus, experiment_questions
    >>> objects = tuple(Stimulus(name, "text", name) for name in ("cup", "mug", "fork", "pan"))
    >>> experiment = Experiment(title="Dishes", objects=objects, n_questions=8, n_practice=1)
    >>> experiment_questions(experiment, ["pan", "fork", "mug", "cup"])[0].shown.shape
    (8, 3)
    """
    asking, place = ASKINGS[experiment.task], {name: k for k, name in enumerate(ids)}
    if asking.measured:
        raise DataError(
            f"answers to the task {experiment.task!r} are no comparisons", file=experiment.title,
            remedy="Choose an experiment whose answers choose among objects or pairs.",
        )
    strange = [one.id for one in experiment.objects if one.id not in place]
    if strange:
        raise DataError(f"{strange[0]!r} is no object of the data set", file=experiment.title,
                        remedy="Open the data set whose objects the questions are about.")
    rng, rows = np.random.default_rng(experiment.seed), []
    for person in range(n_lists):
        for one in person_list(experiment, person).questions:
            question = one or stand_in(experiment, rng, "")
            if question.kind in ABOUT_OBJECTS:
                shown = question.shown
                if asking.size == 2:  # pairs of a triad have an object in common
                    shown = [name for pair in asking.options(shown) for name in pair]
                rows.append([place[name] for name in shown])
    kind = "nearer" if asking.is_anchored else "pairs" if asking.size == 2 else "odd"
    n_chosen = experiment.n_chosen if experiment.task == "ranking" else 1
    return [Questions(kind, np.array(rows), n_chosen)]
