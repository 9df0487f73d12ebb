"""Analysis plans in the words of a preregistration, and what has become of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import checked
from tripletscope.core.engine.method import make_method
from tripletscope.core.run import TASKS, Run
from tripletscope.core.studies.experiment.experiment import SOURCES
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.preregistration.analysis_plan import MAP, AnalysisPlan, PlannedStep
from tripletscope.core.studies.preregistration.deviations import (
    Deviation,
    Standing,
    why_omitted,
)
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.core.studies.quality.exclusion import Cleaning
from tripletscope.core.studies.quality.rules import RULES
from tripletscope.dashboard.results.findings import SubjectResults, Topic
from tripletscope.dashboard.results.presentation import (
    PlannedMaps,
    ShownResults,
    Statement,
    presents,
)
from tripletscope.dashboard.words import unmarked, words
from tripletscope.dashboard.words.sentences import uncited

_NAMED = 3  # methods of further results
#: The planned question of findings, and its tasks that they tell of.
_TOLD_OF = {"map": (MAP, "fit", "bootstrap"), "clusters": ("clusters", "count_clusters"),
            "people": ("groups", "compare_people"),
            "conditions": ("conditions", "compare_conditions")}


def plan_said(plan: AnalysisPlan) -> dict[str, list[str]]:
    """Sentences of a plan by the headings of a preregistration."""
    said = {
        "title": [f"{unmarked(plan.title)}."],
        "design": [words(
            "plan design", participants=plan.n_participants, answers=plan.n_answers,
            objects=plan.n_objects, task=ASKINGS[plan.task].title,
            source=SOURCES[plan.source].lower(),
        ), words("plan amount"), *[words("plan skip")] * plan.skip, *(
            [] if plan.time_limit is None else [words("plan limit", seconds=plan.time_limit)]
        )],
        "exclusions": [
            words("plan exclusion", number=k, title=rule.title, help=RULES[rule.rule].help)
            for k, rule in enumerate(plan.exclusions, 1)
        ] or [words("plan no exclusions")],
        "analysis": [*_analysis_said(plan)],
        "questions": [
            f"{question_said(name, columns)} {_criterion(plan, name)}"
            for name, columns in plan.questions.items()
        ] or [words("plan no questions")],
        "rest": [words("plan explore")],
    }
    if len(plan.exclusions) > 1:
        said["exclusions"].append(words("plan exclusions order"))
    if len(plan.questions) > 1:
        said["questions"].append(words("plan several", number=len(plan.questions)))
    if plan.frozen:
        said["rest"].append(words("plan frozen", version=plan.version, sha256=plan.sha256,
                                  time=time_said(plan.frozen)))
    return said


def plan_text(plan: AnalysisPlan) -> str:
    """The plan as plain text, for a registry."""
    parts = ("\n".join([heading(name).upper(), *map(_unmarked, said)])
             for name, said in plan_said(plan).items())
    return "\n\n".join(parts) + "\n"


def heading(name: str) -> str:
    return words(f"plan heading {name}")


def question_said(name: str, columns: tuple[str, ...] = ()) -> str:
    """A question in words."""
    named = words.listing([unmarked(each) for each in columns]) or words("these columns")
    return words(f"planned {name.split()[0]}", columns=named)


def step_said(step: PlannedStep) -> str:
    """What a planned step computes."""
    if step.question in (MAP, *QUESTIONS):
        return words(f"test {step.task}")
    return f"{TASKS[step.task].words}: {words.method(step.made())}"


def time_said(moment: str) -> str:
    """An ISO 8601 time in UTC, to the minute; `DataError` where a plan was not frozen."""
    if not moment:
        raise DataError("the plan is not frozen", remedy="Freeze it, before there are data.")
    return f"{datetime.fromisoformat(moment).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def planned_maps(standing: Standing | None) -> PlannedMaps | None:
    """The map of a plan, in each number of dimensions as long as none is chosen."""
    if standing is None or standing.kept is None:
        return None
    of = standing.as_planned or standing
    steps = of.steps or [step for d in of.plan.dimensions for step in of.plan.steps_in(d)]
    return PlannedMaps(tuple(step.method for step in steps
                             if (step.question, step.task) == (MAP, "fit")), standing.kept)


def status_of(standing: Standing, topic: Topic, results: SubjectResults) -> str:
    """Whether a finding is planned or exploratory; empty where nothing was computed for it."""
    if topic.name == "dimensions":
        status = _status_of_choice(standing, results)
    elif topic.name == "error":  # that of the map, by whichever division of the answers
        status = _status_of_results(standing, MAP, [results.error])
    else:
        question, *tasks = _TOLD_OF.get(topic.name, ("",))
        status = _status_of_results(standing, question, [
            results.run(method, task) for method, task, _ in topic.pieces(results)
            if task in tasks or not question
        ])
    if status in ("", "is exploratory"):
        return status and words(status)
    if status == "is planned":
        status = ("is late" if standing.is_late else "is planned"
                  if standing.has_planned_exclusions else "is planned otherwise")
    # The finding on people also tells of weights of each, for which there is no question.
    return words("of groups", status=words(status)) if topic.name == "people" else words(status)


def _status_of_choice(standing: Standing, results: SubjectResults) -> str:
    """Of the comparison of numbers of dimensions: planned if the plan compares all of these."""
    usual, possible = checked(TASKS["cross_validate"].function, {}), standing.plan.dimensions
    errors = [
        run for run in results.of_method(results.method, "cross_validate", besides="n_components")
        if run.options == usual
    ]
    if not errors:
        return ""
    is_planned = len(possible) > 1 and all(
        run.parameters["n_components"] in possible and standing.is_planned(run) for run in errors
    )
    if not is_planned:
        return "is exploratory"
    return "is undecided" if standing.n_components is None else "is planned"


def _status_of_results(standing: Standing, question: str, made: Iterable[Run | None]) -> str:
    """Of the results that answer a question; empty if there are none."""
    runs = [run for run in made if run is not None]
    if not runs:
        return ""
    if all(standing.is_result_of(question, run) for run in runs):
        return "is planned" if all(run.complete for run in runs) else "is not whole"
    if question not in (MAP, *standing.plan.questions):
        return "is exploratory"
    is_open = standing.n_components is None and all(map(standing.is_planned, runs))
    return "is undecided" if is_open else "is exploratory"


def _analysis_said(plan: AnalysisPlan) -> Iterator[str]:
    options = {step.task: _options(step) for step in plan.steps if step.question == MAP}
    title = words.method(plan.method).replace(
        f", {words.count(plan.method.n_components, 'dimension')}", "", 1
    )
    yield words("plan map", method=title, folds=options["cross_validate"]["folds"],
                replicates=options["bootstrap"]["replicates"])
    if getattr(plan.method, "alpha", 0) is None:
        yield words("plan tails")
    if len(plan.dimensions) == 1:
        yield words("plan one dimension", d=plan.dimensions[0])
    else:
        yield words("plan dimensions", dimensions=words.listing([*map(str, plan.dimensions)]))
    if plan.further:
        yield words("plan further", which="; ".join(map(step_said, plan.further)))


def _criterion(plan: AnalysisPlan, name: str) -> str:
    step = next(step for step in plan.steps if step.question == name)
    method = make_method(step.filled(plan.dimensions[0]).method)
    return words(f"criterion {name}", method=method.title, **_options(step))


def _options(step: PlannedStep) -> dict[str, Any]:
    """All options of a step: a plan of before has none of those that came later."""
    return checked(TASKS[step.task].function, step.options)


def _unmarked(text: str) -> str:
    """A sentence without markup, with names as they were written."""
    text = uncited(text).replace("*", "")
    return text.replace("\N{ASTERISK OPERATOR}", "*").replace("\N{FULLWIDTH COMMERCIAL AT}", "@")


def deviation_said(deviation: Deviation, why: str = "") -> str:
    """A deviation as a sentence, with the reason where it is known."""
    made, planned, code, what = deviation.made, deviation.planned, deviation.code, deviation.what
    if code == "another map":
        made, planned = (words.method(one) for one in (made.fresh(), make_method(planned)))
    elif code in ("another test", "unplanned question"):
        made = words.method(made.fresh())
    elif code == "late":
        planned = time_said(planned)
    elif code == "further results":
        made = words.first([*dict.fromkeys(words.method(run.fresh()) for run in made)], _NAMED)
        what = TASKS[what].words
    elif code == "task":
        made, planned = (ASKINGS[one].title for one in (made, planned))
    elif code == "source":
        made, planned = (SOURCES[one] for one in (made, planned))
    elif code == "skip":
        code = f"skip {'offered' if made else 'not offered'}"
    elif code == "time_limit":
        made, planned = (words("no limit") if one is None else words("limit", seconds=one)
                         for one in (made, planned))
    elif code == "participants" and made == 0:
        code = "nobody named"
    said = words(
        f"deviation {code}", made=made, planned=planned, what=what,
        question=question_said(what) if what in QUESTIONS else "",
    )
    return f"{said} {unmarked(why)}" if why else said


def standing_said(standing: Standing) -> list[str]:
    """What a report says before the table of planned analyses."""
    plan = standing.plan
    said = [words("follows plan", title=plan.title, time=time_said(plan.frozen),
                  sha256=plan.sha256)]
    if standing.since:
        since = words(f"plan since {'first answer' if standing.is_collected else 'upload'}",
                      time=time_said(standing.since))
        said.append(words("plan after" if standing.is_late else "plan before", since=since))
    if len(plan.dimensions) > 1 and standing.n_components is not None:
        said.append(words("plan dimensions chosen", d=standing.n_components))
    of = standing.as_planned or standing
    if missing := len(of.done) - n_computed(of):
        said.append(words("plan results missing", number=missing))
    if of is not standing:
        said.append(words("plan otherwise", done=n_computed(standing)))
    return said


def n_computed(standing: Standing) -> int:
    """How many of the planned analyses are computed."""
    return sum(run is not None for run in standing.done.values())


def deviations_said(
    standing: Standing, cleaning: Cleaning | None = None
) -> tuple[list[str], list[str]]:
    """Deviations, and exploratory results; what is not computed yet is neither.

    cleaning: Of the answers, for the reasons of exclusions that cannot be made.
    """
    said: tuple[list[str], list[str]] = [], []
    why = why_omitted(standing, cleaning) if cleaning is not None else {}
    for one in standing.deviations:
        if one.code != "not computed":
            reason = why.get(one.what, "") if one.code == "exclusion omitted" else ""
            said[one.is_exploratory].append(deviation_said(one, reason))
    if standing.untold:
        said[1].append(words("plan untold", number=standing.untold))
    return said


def standing_text(standing: Standing) -> str:
    """A plan with what has become of it, as plain text."""
    deviations, exploratory = deviations_said(standing)
    table = planned_table(standing).itertuples(index=False)
    parts = [
        standing_said(standing), [f"{words('plan table caption')}:", *map("; ".join, table)],
        [words("plan deviations"), *deviations] if deviations else [words("plan as planned")],
        [words("plan exploratory"), *exploratory] if exploratory else [],
    ]
    said = ("\n".join(map(_unmarked, part)) for part in parts if part)
    return "\n\n".join([plan_text(standing.plan).rstrip(), *said]) + "\n"


def planned_table(standing: Standing) -> pd.DataFrame:
    """A row for each planned analysis; with other exclusions beside the planned ones."""
    columns = {"state": standing}
    if standing.as_planned is not None:
        columns = {"as planned": standing.as_planned, "state otherwise": standing}
    questions = standing.plan.questions
    return pd.DataFrame([{
        words("plan column question"): question_said(step.question, questions.get(
            step.question, ())),
        words("plan column test"): step_said(step),
        **{words(f"plan column {name}"): _state(one, step.question, step.task)
           for name, one in columns.items()},
    } for step in standing.plan.steps])


def _state(standing: Standing, question: str, task: str) -> str:
    if standing.done[question, task] is None:
        return words("plan not computed")
    if question not in QUESTIONS:
        return words("plan computed")
    return words("plan met" if standing.is_met(question) else "plan not met")


@presents(AnalysisPlan)
def plan_of(shown: ShownResults, plan: AnalysisPlan) -> Iterator[Statement]:
    """All sentences of a plan."""
    for said in plan_said(plan).values():
        yield from map(Statement, said)
