"""Which findings count as planned, and what is said of a plan and its deviations."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tripletscope as ts
from tests.core.studies.preregistration.test_analysis_plan import NOON, null, plan
from tests.pages.harness import crowd
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.method import make_method
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import Run, run
from tripletscope.core.studies.preregistration.deviations import Standing, standing
from tripletscope.dashboard.results.findings import FINDINGS, SubjectResults
from tripletscope.dashboard.results.preregistration import (
    deviations_said,
    plan_text,
    planned_table,
    standing_said,
    status_of,
    time_said,
)
from tripletscope.dashboard.results.presentation import ShownResults

ANSWERS = crowd(12, 300, people=5)
LATER, BEFORE = "2026-02-01T00:00:00+00:00", "2025-02-01T00:00:00+00:00"


def made(d: int, *tasks: str) -> list[Run]:
    return [run(task, STE(n_init=1, n_components=d), ANSWERS) for task in tasks]


@pytest.fixture(scope="module")
def errors() -> list[Run]:
    """Maps in 1 to 3 dimensions, with their errors."""
    return [one for d in (1, 2, 3) for one in made(d, "fit", "cross_validate")]


@pytest.fixture(scope="module")
def grouped() -> list[Run]:
    """The planned test of groups, and weights of each."""
    (step,) = [step for step in plan(questions={"groups": ()}).steps_in(2)
               if step.question == "groups"]
    weights = make_method(step.method)
    quick = {**step.options, "folds": 2, "most_groups": 1}
    return [run("compare_people", weights, ANSWERS, quick), run("fit", weights, ANSWERS)]


def planning(runs: list[Run], *, since: str = LATER, n_components: int | None = None,
             **values) -> Standing:
    """A plan in two dimensions, or as given, on data that came later."""
    values = {"dimensions": (2,), "questions": {}} | values
    return standing(plan(**values).freeze(NOON), runs, since=since, n_components=n_components)


def statuses(found: Standing, runs: list[Run], d: int = 2) -> dict[str, str]:
    shown = ShownResults(tuple(runs), ANSWERS, "Things")
    results = SubjectResults(ANSWERS, STE(n_init=1, n_components=d), shown, lambda: None)
    told = {name: status_of(found, topic, results) for name, topic in FINDINGS.items()
            if topic.applies(results)}
    return {name: status for name, status in told.items() if status}


def test_a_comparison_of_dimensions_is_planned_only_if_the_plan_makes_it(errors):
    found = planning(errors)
    assert statuses(found, errors) == {
        "error": "planned", "map": "planned", "dimensions": "exploratory", "methods": "exploratory",
    }
    compared = planning(errors, dimensions=(1, 2, 3), n_components=2)
    assert statuses(compared, errors)["dimensions"] == "planned"
    fewer = planning(errors, dimensions=(1, 2), n_components=2)
    assert statuses(fewer, errors)["dimensions"] == "exploratory"


def test_what_the_rule_has_not_chosen_is_not_decided_yet(errors):
    found = planning(errors, dimensions=(1, 2, 3))
    told = statuses(found, errors, 3)
    assert {told[name] for name in ("error", "map", "dimensions")} == {"not decided yet"}
    chosen = planning(errors, dimensions=(1, 2, 3), n_components=2)
    assert statuses(chosen, errors, 3)["map"] == "exploratory"
    assert statuses(chosen, errors, 2)["map"] == "planned"
    assert statuses(planning(errors, dimensions=(1, 2)), errors, 3)["map"] == "exploratory"


def test_all_that_a_finding_tells_of_is_planned_or_it_is_not(errors):
    fit = errors[2]
    other = replace(fit, task="bootstrap", key="bootstrap", options={"replicates": 20})
    assert statuses(planning([fit]), [fit])["map"] == "planned"
    assert statuses(planning([fit, other]), [fit, other])["map"] == "exploratory"
    stopped = replace(fit, complete=False)
    assert statuses(planning([stopped]), [stopped])["map"] == "planned, stopped early"


def test_findings_of_a_late_plan_or_of_other_exclusions_say_so(errors):
    late = planning(errors, since=BEFORE)
    assert statuses(late, errors)["map"] == "in a plan made after the data"
    otherwise = planning(errors, exclusions=[ts.Exclusion("few_answers")])
    assert statuses(otherwise, errors)["map"] == "planned, with other exclusions"


def test_weights_of_each_are_not_what_the_question_of_groups_plans(grouped):
    test, weights = grouped
    planned = plan(dimensions=(2,), questions={"groups": ()})
    (step,) = [step for step in planned.steps_in(2) if step.question == "groups"]
    as_planned = replace(test, options=step.options)
    found = standing(planned.freeze(NOON), [as_planned, weights], since=LATER)
    said = statuses(found, [as_planned, weights])["people"]
    assert said == "groups: planned; weights: exploratory"
    found = standing(planned.freeze(NOON), grouped, since=LATER)
    assert statuses(found, grouped)["people"] == "exploratory"
    assert "people" not in statuses(found, [weights]), "nothing was computed for the question"


def test_what_is_not_computed_yet_is_no_deviation_and_is_said(errors):
    found = planning(errors[2:3])
    assert deviations_said(found) == ([], [])
    said = " ".join(standing_said(found))
    assert said.startswith("The plan is “Cups”. It was frozen on 2026-01-01 12:00 UTC")
    assert "as the plan’s file states" in said
    assert said.endswith("Planned and not computed: 2 results.")
    assert planned_table(found)["result"].tolist() == ["computed"] + ["not computed"] * 2


def test_deviations_of_other_data_are_said():
    found = standing(plan().freeze(NOON), [], since=LATER, n_objects=20, n_participants=0)
    assert deviations_said(found)[0] == [
        "20 objects instead of 12.", "The data do not name participants; 20 were planned.",
    ]


def test_the_plan_says_which_questions_may_have_no_answer_and_what_differs():
    assert not {"skip", "limit"} & {*plan_text(plan()).split()}
    asked = plan(skip=True, time_limit=1)
    assert "A button “Cannot say” is offered" in plan_text(asked)
    assert "Each question ends after 1 s;" in plan_text(asked)
    design = [asked.task, asked.source]
    for one, care, said in (
        (asked, [False, None], ["“Cannot say” was planned, and not offered.",
                                "Time for each question: no limit. Planned: 1 s."]),
        (plan(), [True, 5], ["“Cannot say” was offered, which was not planned.",
                             "Time for each question: 5 s. Planned: no limit."]),
    ):
        found = standing(one.freeze(NOON), [], since=LATER, design=[*design, *care])
        assert deviations_said(found)[0] == said


def test_an_exclusion_that_cannot_be_made_says_why():
    found = planning([], exclusions=[ts.Exclusion("fast_answers")])
    (said,) = deviations_said(found, ts.Cleaning(null(0)))[0]
    assert said.startswith("Planned exclusion that was not made: ")
    assert "no response time" in said
    (shorter,) = deviations_said(found)[0]
    assert said.startswith(shorter)


def test_a_planned_question_that_is_tested_otherwise_is_planned_differently(grouped):
    found = planning(grouped[:1], questions={"groups": ()})
    (said,) = deviations_said(found)[1]
    assert said.endswith(", planned differently.")


@pytest.mark.parametrize(("left_out", "said"), [
    (1, "1 exploratory result is not told here."), (2, "2 exploratory results are not told here."),
])
def test_exploratory_results_that_are_left_out_are_counted(errors, left_out, said):
    runs = [errors[0], errors[4]][:left_out]
    found = standing(plan(dimensions=(2,)).freeze(NOON), runs, since=LATER, told=set())
    assert deviations_said(found)[1] == [said]


def test_a_plan_that_nobody_froze_has_no_time():
    with pytest.raises(DataError, match="not frozen"):
        time_said("")
    assert "Frozen" not in plan_text(plan())
    frozen = plan().freeze(NOON)
    assert "1.0 *b*" in plan_text(replace(frozen, version="1.0 *b*")), "no markup of a version"
    said = standing_said(standing(frozen, []))
    assert not any("data" in text for text in said), "nobody knows when there were data"
