"""Plans: what they hold, how they are frozen and read again, and what differs from them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.method import as_record, make_method
from tripletscope.core.studies.preregistration.analysis_plan import why_not_planned
from tripletscope.core.studies.preregistration.deviations import why_omitted
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.core.studies.quality.rules import RULES
from tripletscope.experiment import AnalysisPlan, standing

EVERYTHING = {"clusters": (), "groups": (), "conditions": ("light",),
              "directions": ("size", "age"), "features": ("size",)}
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def plan(**values) -> AnalysisPlan:
    return AnalysisPlan(**{
        "title": "Cups", "n_objects": 12, "n_participants": 20, "n_answers": 600,
        "method": ts.STE(n_init=1), "questions": {"clusters": ()}, **values,
    })


def null(seed: int, n: int = 12, people: int = 20, each: int = 60) -> Triplets:
    """Answers of people who are alike about a cloud of objects, and a column of chance."""
    rng = np.random.default_rng([seed, 1])
    data = ts.simulate(1.3 * rng.normal(size=(n, 2)), people * each, noise="logistic", seed=seed)
    who = np.arange(people).repeat(each)
    facts = pd.DataFrame({"participant": [f"p{k}" for k in who],
                          "light": np.where(rng.permutation(people)[who] % 2, "day", "night")})
    return Triplets(data.rows, data.objects.assign(size=rng.normal(size=n)), facts)


# The file ------------------------------------------------------------------------------------


def test_a_frozen_plan_is_read_again_as_it_was():
    made = plan(questions=EVERYTHING, method=ts.TSTE(alpha=2.0), dimensions=[2, 3], exclusions=[
        ts.Exclusion(name, {"column": "session"} if name == "other_values" else {}, reason="usual")
        for name in RULES
    ]).freeze()
    again = AnalysisPlan.from_json(made.to_json())
    assert again == made
    assert hash(again) == hash(made)
    assert (again.sha256, again.to_json()) == (made.sha256, made.to_json())
    assert AnalysisPlan.from_record(json.loads(made.to_json())) == made


def test_the_hash_is_of_everything_and_the_content_has_no_time():
    first, second = plan().freeze(NOON), plan().freeze()
    assert first.content == second.content
    assert first.sha256 != second.sha256
    assert first.freeze() is first, "a frozen plan stays"
    assert plan(dimensions=(2,)).content != first.content
    assert first.frozen == "2026-01-01T12:00:00.000+00:00"


def test_questions_stand_in_one_order_and_limits_are_complete():
    one = plan(questions={"groups": (), "clusters": ()})
    assert one.content == plan(questions={"clusters": (), "groups": ()}).content
    (rule,) = plan(exclusions=[ts.Exclusion("fast_answers")]).exclusions
    assert rule.parameters == {"least": 0.2}


@pytest.mark.parametrize(("values", "said"), [
    ({"title": ""}, "title"), ({"title": "two\nlines"}, "title"), ({"n_answers": 0}, "n_answers"),
    ({"n_answers": True}, "n_answers"), ({"task": "chess"}, "task"), ({"source": "me"}, "source"),
    ({"dimensions": ()}, "dimensions"), ({"dimensions": (3, 2)}, "dimensions"),
    ({"method": ts.K1()}, "method"), ({"questions": {"ghosts": ()}}, "ghosts"),
    ({"questions": {"clusters": ("size",)}}, "names 1 column of clusters; it takes none"),
    ({"questions": {"conditions": ("a", "b")}}, "it takes one"),
    ({"questions": {"features": ()}}, "it takes one or more"),
    ({"skip": 1}, "'skip' is not possible"), ({"time_limit": 0}, "from 1 to 3,600"),
    ({"task": "piles", "skip": True}, "'skip' is not possible"),
    ({"task": "piles", "time_limit": 9}, "'time_limit' is no number"),
    *(({"exclusions": [one]}, "participants cannot be named") for one in (
        ts.Exclusion(participants=("ann",)), ts.Exclusion("few_answers", participants=("ann",)),
        ts.Exclusion("few_answers", answers=(3,)), ts.Exclusion("other_values"),
        ts.Exclusion("other_values", {"column": "participant", "values": ["ann"]}),
    )),
    ({"exclusions": [ts.Exclusion("few_answers", reason={"a": 1})]}, "a reason that is no text"),
    *(({"frozen": text}, "'frozen' is no time") for text in (
        "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00", 3,
    )),
    *(({"version": text}, "'version' is no short text") for text in ("v" * 41, "1\n# 2", 3)),
])
def test_what_cannot_be_planned_is_refused(values, said):
    with pytest.raises(DataError, match=said):
        plan(**values)


def damaged(**entries) -> str:
    return json.dumps({**plan().freeze().to_record(), **entries}, indent=1)


@pytest.mark.parametrize(("text", "said"), [
    ("", "this is no plan"), ("[]", "no analysis plan"), ("{}", "no analysis plan"),
    ("[" * 100_000, "this is no plan"), (b"\xff\xfe", "this is no plan"),
    (damaged(frozen=""), "nobody froze"), (damaged(version=""), "'version' is no short"),
    (damaged(format=2), "newer version"), (damaged(title="Mugs"), "which was changed"),
    (damaged(frozen="soon"), "'frozen' is no time"), (damaged(sha256=3), "which was changed"),
    (damaged(extra=1), "'extra' is unknown"), (damaged(steps="none"), "'steps' is not of this"),
    (damaged(steps=[]), "'steps' is empty"), (damaged(steps=[[]]), "'steps' is not of this"),
    (damaged(questions=[]), "'questions' names no"), (damaged(dimensions=[0]), "dimensions"),
    (damaged(method={"kind": "embedding", "method": "dream", "parameters": {}}), "'dream'"),
    (damaged(method={"kind": {}, "method": [], "parameters": 1}), "'method' is not of this"),
    (damaged(exclusions=[{"rule": "mood"}]), "rule is 'mood'"),
    (damaged(n_answers=float("nan")), "this is no plan"), (damaged(task=[]), "this is no plan"),
])
def test_a_file_that_is_no_plan_is_refused_in_words(text, said):
    with pytest.raises(DataError, match=said) as refused:
        AnalysisPlan.from_json(text, "ours.json")
    assert refused.value.file == "ours.json"
    assert refused.value.remedy


def test_another_version_and_the_line_of_what_it_names_are_said():
    text = plan().freeze().to_json()
    steps = text[:text.index('"steps"')].count("\n") + 1
    with pytest.raises(DataError, match=r"no parameter 'verve'.* Version .* froze") as error:
        AnalysisPlan.from_json(text.replace('"most"', '"verve"'))
    assert error.value.row == steps


def test_a_plan_of_before_a_parameter_came_keeps_its_hash_and_what_it_plans():
    record = plan(dimensions=(2,)).freeze().to_record()
    for step in record["steps"]:
        step["options"].pop("seed", None)
        step["method"]["parameters"].pop("prior", None)
    values = {name: one for name, one in record.items() if name not in ("format", "sha256")}
    record["sha256"] = hashlib.sha256(json.dumps(
        values, sort_keys=True, separators=(",", ":"), ensure_ascii=False
    ).encode()).hexdigest()
    old = AnalysisPlan.from_record(record)
    assert AnalysisPlan.from_json(old.to_json()).sha256 == old.sha256 == record["sha256"]
    run = ts.run("fit", ts.STE(n_init=1), null(0))
    assert old.steps_in(2)[0].same_as(run)


def steps_of(**values) -> dict:
    return {(step.question, step.task): step for step in plan(**values).steps}


def test_analyses_of_other_answers_become_a_plan():
    """Map, dimensions, questions and exclusions, and what has no criterion with its settings."""
    answers, map_of = null(0, people=6, each=40), ts.STE(n_init=1)
    again = plan(questions={"conditions": ("light",), "directions": ("size",)})
    known = [step for step in again.steps_in(2) if step.question in QUESTIONS]
    runs = [
        ts.run("fit", map_of, answers), ts.run("fit", ts.SOE(n_init=1), answers),
        *(ts.run("cross_validate", ts.STE(n_init=1, n_components=d), answers) for d in (1, 2)),
        ts.run("cross_validate", map_of, answers, {"folds": 3}),
        *(ts.run(step.task, make_method(step.method), answers, step.options) for step in known),
        ts.run("directions", map_of, answers, {"columns": ["size"], "replicates": 20}),
    ]
    few = ts.Exclusion("few_answers", {"least": 10}, reason="mine")
    made = AnalysisPlan.of_results("Again", runs, answers, exclusions=[
        few, ts.Exclusion(participants=["p1"]),
    ])
    assert (made.n_objects, made.n_participants, made.n_answers) == (12, 6, 240)
    assert (made.method.name, made.dimensions) == ("ste", (2,)), "as they are, chosen no more"
    assert made.questions == {"conditions": ("light",), "directions": ("size",)}
    assert [(one.rule, one.reason) for one in made.exclusions] == [("few_answers", "")]
    assert [(one.task, one.method["method"]) for one in made.further] == [
        ("fit", "soe"), ("cross_validate", "ste"), ("cross_validate", "ste"), ("directions", "ste"),
    ]
    assert made.further[1].filled(2).method["parameters"]["n_components"] == 1
    frozen = made.freeze(NOON)
    assert AnalysisPlan.from_json(frozen.to_json()) == frozen
    found = standing(frozen, runs, exclusions=[few], n_components=2, n_answers=240, n_objects=12,
                     n_participants=6, since="2026-02-01T00:00:00+00:00")
    assert not found.exploratory
    assert {one.what for one in found.deviations} == {"map"}, "replicates were not computed"
    assert found.is_result_of("clusters", runs[1]), "a further analysis is planned, too"
    assert not found.is_result_of("conditions", runs[1]), "the test of a question is its own"


def test_what_says_nothing_of_other_answers_is_left_out():
    answers = null(0, people=6, each=40).with_columns({"some": [True, False] * 120})
    views = {"views": ["some"], "draws": 19, "folds": 2}
    codes = [why_not_planned(one) for one in (
        ts.run("fit", ts.STE(n_init=1), answers),
        ts.run("robustness", ts.STE(n_init=1), answers, views),
        ts.run("choose_tail", ts.TSTE(n_init=1), answers, {"folds": 3}),
    )]
    assert codes == ["", "views", "unknown"]


def test_further_analyses_are_numbered_and_a_file_of_before_has_its_defaults():
    with pytest.raises(DataError, match="numbered"):
        plan(further=[plan().steps[0]])
    record = plan().freeze(NOON).to_record()
    for name in ("further", "skip", "time_limit", "sha256"):
        del record[name]
    values = {name: value for name, value in record.items() if name != "format"}
    text = json.dumps(values, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    old = AnalysisPlan.from_record(
        record | {"sha256": hashlib.sha256(text.encode()).hexdigest()}
    )
    assert (old.further, old.skip, old.time_limit) == ((), False, None)
    assert old.content == plan().content


@pytest.mark.parametrize(("place", "values"), [
    (("map", "fit"), {"method": ts.CKL(n_init=1)}), (("map", "bootstrap"), {"method": ts.STE()}),
    (("clusters", "count_clusters"), {"method": ts.CKL(n_init=1)}),
    (("conditions", "compare_conditions"), {"questions": EVERYTHING | {"conditions": ("dark",)}}),
    (("directions", "directions"), {"questions": EVERYTHING | {"directions": ("age",)}}),
    (("features", "explain"), {"questions": EVERYTHING | {"features": ("age",)}}),
])
def test_steps_are_of_the_method_and_the_columns_that_the_plan_says(place, values):
    usual = {"questions": EVERYTHING}
    steps = steps_of(**usual) | {place: steps_of(**{**usual, **values})[place]}
    with pytest.raises(DataError, match="another method, or other columns"):
        plan(**usual, steps=[*steps.values()])


def test_no_step_fixes_the_dimensions_that_the_rule_chooses():
    first, *others = plan().steps
    with pytest.raises(DataError, match="another method"):
        plan(steps=[first.filled(3), *others])


# Steps ---------------------------------------------------------------------------------------


def test_each_question_is_a_step_that_can_be_computed_as_it_is_declared():
    made = plan(questions=EVERYTHING)
    tests = {step.question: step for step in made.steps_in(1) if step.question != "map"}
    assert set(tests) == set(QUESTIONS)
    least = {name: step.method["parameters"].get("n_components") for name, step in tests.items()}
    assert (least["conditions"], least["groups"], least["directions"]) == (2, 2, 1)
    assert make_method(tests["clusters"].method).basis["parameters"]["n_components"] == 1
    assert tests["directions"].options["columns"] == ["size", "age"]


def test_what_was_computed_is_known_by_its_settings():
    answers, made = null(0), plan(dimensions=(2,))
    fit = next(step for step in made.steps_in(2) if step.task == "fit")
    assert fit.same_as(ts.run("fit", ts.STE(n_init=1), answers))
    assert not fit.same_as(ts.run("fit", ts.STE(n_init=2), answers))
    assert not fit.same_as(ts.run("fit", ts.STE(n_init=1, n_components=1), answers))


def test_tails_that_a_plan_leaves_open_are_those_that_the_answers_choose():
    made = plan(method=ts.TSTE(n_init=1), dimensions=(2,))
    (fit, *_) = made.steps_in(2, 5.0)
    assert fit.method == as_record(ts.TSTE(n_init=1, alpha=5.0))
    given = plan(method=ts.TSTE(n_init=1, alpha=2.0))
    assert given.steps_in(2, 5.0)[0].method["parameters"]["alpha"] == 2.0


# Deviations ----------------------------------------------------------------------------------


def codes(made: AnalysisPlan, runs=(), **how) -> list[str]:
    found = standing(made.freeze(NOON), runs, since="2026-01-02T00:00:00+00:00", **how)
    return [one.code for one in found.deviations if one.code != "not computed"]


FAST, FEW = (ts.Exclusion(name) for name in ("fast_answers", "few_answers"))


@pytest.mark.parametrize(("made", "said"), [
    ((FAST, FEW), []), ((FEW, FAST), ["exclusion order"]), ((FAST,), ["exclusion omitted"]),
    ((FAST, FEW, ts.Exclusion(participants=("ann",))), ["exclusion added"]),
    ((FAST, ts.Exclusion("few_answers", {"least": 3})), ["exclusion changed"]),
    ((), ["exclusion omitted"] * 2), ((FAST, FEW, FAST), ["exclusion added"]),
])
def test_exclusions_are_held_against_those_that_were_planned(made, said):
    assert codes(plan(exclusions=(FAST, FEW)), exclusions=made) == said


def test_reasons_do_not_count_as_deviations():
    reasoned = ts.Exclusion("few_answers", reason="stated beforehand")
    assert codes(plan(exclusions=(FEW,)), exclusions=(reasoned,)) == []


def test_numbers_and_times_are_held_against_the_plan():
    assert codes(plan(), n_answers=600, n_participants=20) == []
    assert codes(plan(), n_answers=599, n_participants=21) == ["answers", "participants"]
    late = standing(plan().freeze(NOON), [], since="2026-01-01T11:59:59+00:00")
    assert late.is_late
    assert late.deviations[0].code == "late"
    assert standing(plan(), []).is_late, "a plan that nobody froze"


def test_a_plan_for_other_data_is_held_against_them():
    assert codes(plan(), n_objects=12) == []
    assert codes(plan(), n_objects=20) == ["objects"]
    asked = plan()
    assert codes(asked, design=[asked.task, asked.source]) == []
    assert codes(asked, design=["odd_one_out", "landmark"]) == ["task", "source"]
    for skip, limit, said in ((False, None, []), (True, 5, ["skip", "time_limit"])):
        design = [asked.task, asked.source, skip, limit]
        assert codes(asked, design=design) == said
        assert codes(plan(skip=skip, time_limit=limit), design=design) == []
    assert codes(plan(), n_participants=0) == ["participants"], "the data name nobody"


def test_what_was_stopped_early_is_not_the_planned_result():
    answers, made = null(0), plan(dimensions=(2,)).freeze(NOON)
    fit = ts.run("fit", ts.STE(n_init=1), answers)
    found = standing(made, [replace(fit, complete=False)])
    assert found.done["map", "fit"] is None
    assert found.exploratory == []
    both = standing(made, [replace(fit, complete=False, key="stopped"), fit])
    assert both.done["map", "fit"] is fit


def test_an_exploratory_result_that_is_not_told_of_is_counted():
    answers, made = null(0), plan(dimensions=(2,)).freeze(NOON)
    runs = [ts.run("fit", ts.STE(n_init=1, n_components=d), answers) for d in (1, 2, 3)]
    found = standing(made, runs, told={runs[0].key})
    assert found.exploratory == runs[:1]
    assert found.untold == 1
    assert standing(made, runs).untold == 0


def test_a_planned_exclusion_that_cannot_be_made_says_why():
    rules = (ts.Exclusion("fast_answers"), ts.Exclusion("few_answers", {"least": 3}))
    found = standing(plan(exclusions=rules).freeze(NOON), [])
    (why,) = why_omitted(found, ts.Cleaning(null(0))).items()
    assert why[0] == "fast_answers"
    assert "response time" in why[1]


def test_results_are_planned_or_exploratory():
    answers, made = null(0), plan(dimensions=(2,), questions={"groups": ()}).freeze(NOON)
    weights, quick = ts.people.WeightedEuclidean(), {"most_groups": 1, "folds": 2}
    planned = [ts.run(step.task, make_method(step.method), answers, {**step.options, **(
        {"replicates": 20} if step.task == "bootstrap" else {})})
        for step in made.steps_in(2) if step.question == "map"]
    other = ts.run("compare_people", weights, answers, quick)
    free = ts.run("fit", ts.SOE(n_init=1), answers)
    runs = [*planned, other, free]
    found = standing(made, runs, opened=free)
    assert [found.is_planned(run) for run in runs] == [True, True, False, False, False]
    assert {one.code for one in found.deviations if one.is_exploratory} == {
        "another test", "further results"
    }
    assert "another map" in {one.code for one in found.deviations}
    assert found.done["map", "fit"] is planned[0]
    assert found.is_met("groups") is None, "it was computed otherwise than planned"
    told = standing(made, runs, told={other.key})
    assert told.exploratory == [other]
    unasked = standing(plan(dimensions=(2,)).freeze(NOON), [other])
    assert "unplanned question" in {one.code for one in unasked.deviations}


def test_before_the_dimensions_are_chosen_each_that_is_compared_may_be_planned():
    answers, made = null(0), plan(dimensions=(1, 2))
    runs = [ts.run("fit", ts.STE(n_init=1, n_components=d), answers) for d in (1, 2, 3)]
    found = standing(made, runs)
    assert found.exploratory == runs[2:]
    assert found.n_components is None
    assert not any(found.done.values())
    chosen = standing(made, runs, n_components=2)
    assert chosen.exploratory == [runs[0], runs[2]]


def test_the_planned_rule_chooses_the_dimensions():
    answers, made = null(1), plan(dimensions=(1, 2, 3))
    errors = {d: ts.run(step.task, make_method(step.method), answers, step.options).result()
              for d, step in made.compared.items()}
    assert made.chosen(errors, answers) == 2
    assert plan(dimensions=(4,)).chosen({}, answers) == 4


# Nothing to find -----------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["clusters", "groups", "conditions", "directions"])
def test_criteria_are_not_met_where_there_is_nothing(question):
    """Rates: ``benchmarks/verdicts.py plans``."""
    columns = {"conditions": ["light"], "directions": ["size"]}.get(question, [])
    made = plan(dimensions=(2,), questions={question: columns})
    (test,) = [step for step in made.steps_in(2) if step.question == question]
    found = ts.run(test.task, make_method(test.method), null(0), test.options)
    assert not QUESTIONS[question].is_met(found.result())


def test_random_features_do_not_meet_their_criterion():
    answers = null(3)
    size = answers.objects[["size"]].to_numpy(dtype=float)
    space = ts.features.FeatureModel.of([ts.features.FeatureSpace(name="size", values=size)])
    (test,) = [step for step in plan(questions={"features": ["size"]}).steps_in(2)
               if step.question == "features"]
    found = ts.run("explain", space, answers, test.options)
    assert test.same_as(found)
    assert not QUESTIONS["features"].is_met(found.result())


def test_a_table_with_the_name_of_a_planned_column_is_not_that_column():
    answers = null(3)
    made = plan(dimensions=(2,), questions={"features": ["size"]}).freeze(NOON)
    (test,) = [step for step in made.steps_in(2) if step.question == "features"]
    other = ts.features.FeatureSpace(name="size", values=np.random.default_rng(0).random((12, 2)))
    runs = [ts.run("explain", ts.features.FeatureModel.of([other]), answers, test.options)]
    found = standing(made, runs, objects=answers.objects)
    assert found.done["features", "explain"] is None
    assert found.exploratory == runs
    runs.append(ts.run("explain", test.method_about(answers), answers, test.options))
    found = standing(made, runs, objects=answers.objects)
    assert found.done["features", "explain"] is runs[1]
    assert found.is_result_of("features", runs[1])
    assert not found.is_result_of("features", runs[0])
    gone = standing(made, runs, objects=answers.objects.drop(columns="size"))
    assert gone.exploratory == runs


def test_features_of_a_column_that_is_none_of_numbers_are_refused_in_words():
    answers = null(0)
    (test,) = [step for step in plan(questions={"features": ["size"]}).steps_in(2)
               if step.question == "features"]
    for objects, said in ((answers.objects.drop(columns="size"), "no column size"),
                          (answers.objects.assign(size="large"), "more than numbers")):
        with pytest.raises(DataError, match=said):
            test.method_about(Triplets(answers.rows, objects))
