"""How analyses differ from a plan: a list, which forbids nothing."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.short_repr import short_repr
from tripletscope.core.studies.preregistration.analysis_plan import (
    FURTHER,
    AnalysisPlan,
    PlannedStep,
)
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.core.studies.quality.exclusion import Cleaning, Exclusion


@short_repr
@dataclass(frozen=True)
class Deviation:
    """One difference between a plan and what was done.

    Attributes
    ----------
    code : str
        ``late``: the plan was frozen when there were data. ``objects``, ``answers``,
        ``participants``: other numbers; 0 participants are not named. ``task``, ``source``,
        ``skip`` and ``time_limit`` of the questions. ``exclusion added``, ``omitted``, ``changed``,
        ``order``. ``another map``. ``another test`` of a planned question, ``unplanned question``,
        ``further results`` of a task, and ``not computed``. Of a data set in the program also
        ``followed before``, ``looked before``, ``checks chosen`` and ``other exclusions``.
    what : str
        Rule, question or task that it is about.
    planned, made : str, int, dict of a method, Run, list of Run, or None
    """

    code: str
    what: str = ""
    planned: Any = None
    made: Any = None

    @property
    def is_exploratory(self) -> bool:
        """Whether it is a result that was not planned."""
        return self.code in ("another test", "unplanned question", "further results")


@short_repr
@dataclass(frozen=True)
class Standing:
    """What has become of a plan on data.

    Attributes
    ----------
    plan : AnalysisPlan
    since : str
        When the data were there (ISO 8601).
    is_collected : bool
        Whether that is the time of the first answer, and not of an upload.
    n_components : int or None
        The number that the plan's rule chooses; None as long as it is not known.
    done : dict of str to Run or None
        The planned results, by question and task; None if they are not computed.
    steps : list of PlannedStep
        The planned computations in that number of dimensions; none as long as it is not known.
    exploratory : list of Run
        Results that were not planned.
    deviations : list of Deviation
    untold : int
        Further exploratory results, which are not told of.
    as_planned : Standing or None
        The same with the planned exclusions, where others were made here and those elsewhere.
    kept : ndarray of bool, shape (t,), or None
        Answers that the planned exclusions keep; None where they were not made.
    """

    plan: AnalysisPlan
    since: str
    is_collected: bool
    n_components: int | None
    done: dict[tuple[str, str], Any]
    steps: list[PlannedStep]
    exploratory: list[Any]
    deviations: list[Deviation]
    untold: int = 0
    as_planned: Standing | None = None
    kept: np.ndarray | None = None

    @property
    def has_planned_exclusions(self) -> bool:
        """Whether exactly the planned exclusions were made."""
        return not any(one.code.startswith("exclusion") for one in self.deviations)

    @property
    def is_late(self) -> bool:
        """Whether the plan was frozen when there were data."""
        return is_late(self.plan, self.since)

    def is_planned(self, run: Any) -> bool:
        """Whether a result is planned; held-out errors by which dimensions are chosen are."""
        return all(run.key != other.key for other in self.exploratory)

    def is_result_of(self, question: str, run: Any) -> bool:
        """Whether a question, or a further analysis, planned it in the chosen dimensions."""
        places = (question,) if question in self.plan.questions else (question, FURTHER)
        return any(step.question.split()[0] in places and step.same_as(run) for step in self.steps)

    def is_met(self, question: str) -> bool | None:
        """Whether the planned result meets the criterion of a question; None without a result."""
        asked = QUESTIONS[question]
        run = self.done.get((question, asked.task))
        return None if run is None else bool(asked.is_met(run.result()))


def is_late(plan: AnalysisPlan, since: str) -> bool:
    """Whether a plan was frozen when there were data, or not at all."""
    if not plan.frozen or not since:
        return not plan.frozen
    return datetime.fromisoformat(plan.frozen) >= datetime.fromisoformat(since).astimezone()


def standing(
    plan: AnalysisPlan, runs: Sequence[Any], *, exclusions: Sequence[Exclusion] = (),
    n_components: int | None = None, alpha: float | None = None, n_answers: int | None = None,
    n_participants: int | None = None, n_objects: int | None = None,
    design: Sequence[Any] = (), objects: pd.DataFrame | None = None, since: str = "",
    is_collected: bool = False, opened: Any = None, told: Container[str] | None = None,
) -> Standing:
    """What has become of a plan.

    Parameters
    ----------
    plan : AnalysisPlan
    runs : sequence of Run
        Of the data.
    exclusions : sequence of Exclusion
        As they were made.
    n_components : int, optional
        As the plan's rule chooses; by default the fixed one.
    alpha : float, optional
        Tails that the answers have chosen, where the plan leaves them open.
    n_answers, n_participants, n_objects : int, optional
        As collected, before exclusions; 0 participants if the data name none. Not compared where
        they are unknown.
    design : sequence, optional
        Task, source, skipping and time limit of the questions, as far as they are known.
    objects : DataFrame, optional
        Their columns, by which planned features are known; by default by their names alone.
    since, is_collected
        See `Standing`.
    opened : Run, optional
        The map that is shown.
    told : container of str, optional
        Keys of the exploratory results that are told of, where others are counted; by default all
        are.

    Examples
    --------
    >>> import tripletscope as ts
    >>> plan = ts.experiment.AnalysisPlan(
    ...     title="Eggs", n_objects=14, n_participants=8, n_answers=800, dimensions=[2],
    ...     method=ts.STE())
    >>> answers = ts.read("sample_data/ekman_colors/answers.csv")
    >>> runs = [ts.run("fit", ts.STE(), answers), ts.run("fit", ts.STE(n_components=3), answers)]
    >>> found = ts.experiment.standing(plan, runs, n_answers=700)
    >>> [one.code for one in found.deviations]
    ['late', 'answers', 'not computed', 'not computed', 'further results']
    """
    if len(plan.dimensions) == 1:
        n_components = plan.dimensions[0]
    possible = {d: plan.steps_in(d, alpha) for d in plan.dimensions}
    if objects is not None:
        possible = {d: [step.about(objects) for step in each] for d, each in possible.items()}
    steps = possible.get(n_components, [])
    errors = [step for each in possible.values() for step in each if step.task == "cross_validate"]
    # As long as the number of dimensions is not known, each that is compared may be planned.
    known = [*errors, *(steps or (step for each in possible.values() for step in each))]
    done = {(step.question, step.task): None for step in plan.steps} | {
        (step.question, step.task):
        next((run for run in runs if run.complete and step.same_as(run)), None) for step in steps
    }
    every = [run for run in runs
             if run.task != "choose_tail" and not any(step.same_as(run) for step in known)]
    rest = [run for run in every if told is None or run.key in told]
    found: list[Deviation] = []
    if is_late(plan, since):
        found.append(Deviation("late", planned=plan.frozen, made=since))
    for code, planned, made in (("objects", plan.n_objects, n_objects),
                                ("answers", plan.n_answers, n_answers),
                                ("participants", plan.n_participants, n_participants)):
        if made is not None and made != planned:
            found.append(Deviation(code, planned=planned, made=made))
    found += [
        Deviation(code, planned=getattr(plan, code), made=made)
        for code, made in zip(("task", "source", "skip", "time_limit"), design, strict=False)
        if made != getattr(plan, code)
    ]
    found += _of_exclusions(plan.exclusions, exclusions)
    fit = next((step for step in steps if step.task == "fit"), None)
    if opened is not None and fit is not None and not fit.same_as(opened):
        found.append(Deviation("another map", planned=fit.method, made=opened))
    found += [Deviation("not computed", question, planned=task)
              for (question, task), run in done.items() if run is None]
    found += _unplanned(plan, rest)
    return Standing(plan, since, is_collected, n_components, done, steps, rest, found,
                    len(every) - len(rest))


def why_omitted(standing: Standing, cleaning: Cleaning) -> dict[str, str]:
    """Why planned exclusions that were not made cannot be made of these answers, by their rule."""
    omitted = {one.what for one in standing.deviations if one.code == "exclusion omitted"}
    found = {}
    for rule in standing.plan.exclusions:
        if rule.rule in omitted:
            try:
                cleaning.excluding(rule)
            except DataError as error:
                found[rule.rule] = str(error)
    return found


def _of_exclusions(planned: Sequence[Exclusion], made: Sequence[Exclusion]) -> list[Deviation]:
    """Each planned rule beside the first one of its name that was applied."""
    found, left, order = [], [*made], []
    for rule in planned:
        same = [one for one in left if one.rule == rule.rule]
        exact = next((one for one in same if one.parameters == rule.parameters), None)
        taken = exact or next(iter(same), None)
        if taken is None:
            found.append(Deviation("exclusion omitted", rule.rule, planned=rule.title))
            continue
        order.append([*map(id, made)].index(id(taken)))
        left.remove(taken)
        if exact is None:
            found.append(Deviation("exclusion changed", rule.rule, rule.title, taken.title))
    if order != sorted(order):
        found.append(Deviation("exclusion order"))
    return found + [Deviation("exclusion added", one.rule, made=one.title) for one in left]


def _unplanned(plan: AnalysisPlan, rest: Sequence[Any]) -> list[Deviation]:
    """Tests, each by itself, and other results by their task."""
    tests = {asked.task: name for name, asked in QUESTIONS.items()}
    found = [
        Deviation("another test" if tests[run.task] in plan.questions else "unplanned question",
                  tests[run.task], made=run)
        for run in rest if run.task in tests
    ]
    others: dict[str, list[Any]] = {}
    for run in rest:
        if run.task not in tests:
            others.setdefault(run.task, []).append(run)
    return found + [Deviation("further results", task, made=made)
                    for task, made in sorted(others.items())]
