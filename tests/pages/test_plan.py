"""A plan is frozen, followed in one click, and what differs from it is listed by itself."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

import tripletscope as ts
from tests.pages.harness import crowd, session_on, settled, start, unfold, words
from tripletscope.core.engine.method import make_method
from tripletscope.core.models.embedding import SOE, STE
from tripletscope.core.run import run
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.results.planning import answers_to_collect
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.dashboard.ui.opened_map import choose_method, map_method
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.pages.data.planned import _note_before

ANSWERS = crowd(12, 400, people=5)


def planned(**values) -> ts.experiment.AnalysisPlan:
    return ts.experiment.AnalysisPlan(**{
        "title": "Things", "n_objects": 12, "n_participants": 5, "n_answers": 400,
        "method": STE(n_init=1), "dimensions": (1, 2), "questions": {"clusters": []},
        "exclusions": [Exclusion("few_answers", {"least": 10})], **values,
    })


def tables(app) -> list:
    return [table.value for table in app.table if {"result", "as planned"} & {*table.value}]


def analysed(services, session):
    app = start("data", session, "plan")
    app.button(key="data.plan.run").click().run()
    return settled(app, services)


def test_a_plan_is_frozen_once_however_often_it_is_asked_for(services):
    app = start("simulate", tab="plan")
    assert "SAMPLE SIZE" not in words(app)
    assert "Any other analysis is reported as exploratory" in words(app)
    other = start("simulate", tab="plan")
    app.button(key="simulate.analysis.freeze").click().run()
    (first,) = plans.kept_plans(services.workspace)
    assert first.plan.frozen
    assert first.plan.sha256 in words(app)
    other.button(key="simulate.analysis.freeze").click().run()
    assert not other.exception
    assert plans.kept_plans(services.workspace) == [first]


def test_other_settings_make_another_plan_and_the_first_stays(services):
    app = start("simulate", tab="plan")
    app.button(key="simulate.analysis.freeze").click().run()
    (first,) = plans.kept_plans(services.workspace)
    app.selectbox[0].set_value("").run()
    assert app.button(key="simulate.analysis.freeze").disabled
    app.multiselect(key="simulate.analysis.rules").set_value(["few_answers"]).run()
    app.button(key="simulate.analysis.freeze").click().run()
    both = [one.plan for one in plans.kept_plans(services.workspace)]
    assert len({plan.sha256 for plan in both}) == 2
    assert first.plan in both


def test_the_number_of_answers_is_that_of_the_simulation(services):
    options = {"n_objects": 8, "most": 80, "points": 2, "repeats": 3}
    found = run("plan", STE(), None, options)
    services.workspace.add_run(None, found, "a simulation")
    needed = answers_to_collect(found.result(), {})
    Session("of-a-simulation", {"drafts": {"simulate.shown": [found.key]}}).save()
    app = start("simulate", "of-a-simulation", "plan")
    values = {one.label: one.value for one in app.number_input}
    assert (values["Objects"], values["Answers"]) == (8, needed)


def test_what_a_question_needs_is_said_before_the_plan_is_frozen(services):
    app = start("simulate", tab="plan")
    app.multiselect(key="simulate.analysis.questions").set_value(["conditions"]).run()
    assert app.button(key="simulate.analysis.freeze").disabled
    assert "names 0 columns of conditions" in words(app)


def test_there_is_no_tab_where_there_is_no_plan(services):
    session_on(services, ANSWERS)
    (info,) = services.workspace.datasets()
    when = tabs_of("data")["plan"].when
    assert not when(info)
    plans.keep_plan(services.workspace, planned())
    assert when(info)


def test_one_click_analyses_as_planned_and_deviations_list_themselves(services):
    plan = plans.keep_plan(services.workspace, planned())
    session = session_on(services, ANSWERS)
    app = analysed(services, session)
    (info,) = services.workspace.datasets()
    assert info.view == "As planned"
    assert plans.followed(info) == plan
    (table,) = tables(app)
    assert table["result"].tolist()[:3] == ["computed"] * 3
    assert table["result"].tolist()[3] in ("criterion met", "criterion not met")
    assert "No deviation is seen" in words(app)
    assert "The data came later" in words(app)
    assert app.button(key="data.plan.run").disabled
    assert "silhouette" in words(unfold(app, "Are there clusters of objects?")).lower()
    # Two deviations: another exclusion, and another map with a question that was not planned.
    workspace = services.workspace
    info = workspace.use_view(info, ALL_ANSWERS)
    out = Exclusion(participants=(str(ANSWERS.answers["participant"].iloc[0]),))
    info = workspace.update_dataset(info, workspace.cleaning(info).excluding(out), view="Others")
    left = workspace.triplets(info)
    workspace.add_run(info, run("fit", SOE(n_init=1), left), "SOE")
    weights = ts.people.WeightedEuclidean(n_init=1)
    people = run("compare_people", weights, left, {"most_groups": 1, "folds": 2})
    workspace.add_run(info, people, "people")
    app = start("data", session, "plan")
    told = words(app).replace("\\", "")
    assert "Planned exclusion that was not made: Too few trials" in told
    assert "Are there groups of participants" in told
    assert not app.button(key="data.plan.run").disabled
    assert "Computed with these exclusions, which are others: 0." in told
    assert "Planned and not computed" not in told, "in the view as planned all are"
    assert "4 of 4 planned analyses computed" in words(start("data", session, "findings"))
    (table,) = tables(app)
    assert table["as planned"].tolist()[:3] == ["computed"] * 3
    assert set(table["with these exclusions"]) == {"not computed"}
    app.button(key="data.plan.otherwise").click().run()
    (table,) = tables(settled(app, services))
    assert table["with these exclusions"].tolist()[:3] == ["computed"] * 3
    assert services.workspace.datasets()[0].view == "Others"
    app = analysed(services, session)
    assert {*services.workspace.datasets()[0].views} == {ALL_ANSWERS, "As planned", "Others"}


def test_view_and_map_of_before_come_back(services):
    plans.keep_plan(services.workspace, planned(dimensions=[2], questions={}))
    session, workspace = session_on(services, ANSWERS), services.workspace
    choose_method(workspace.datasets()[0], SOE(n_init=1))
    app = start("data", session, "plan")
    assert "All pages change to the view with the planned exclusions" in words(app)
    assert not [one for one in app.button if one.key == "data.plan.back"]
    app.button(key="data.plan.run").click().run()
    app = settled(app, services)
    (info,) = workspace.datasets()
    assert (info.view, map_method(info).name) == ("As planned", "ste")
    app.button(key="data.plan.back").click().run()
    assert not app.exception
    (info,) = workspace.datasets()
    assert (info.view, map_method(info).name) == (ALL_ANSWERS, "soe")
    assert not [one for one in app.button if one.key == "data.plan.back"]
    workspace.use_view(info, "As planned")
    assert workspace.runs(info.id, "bootstrap"), "what was computed as planned stays"


def test_a_view_that_is_renamed_meanwhile_is_found_again(services):
    session, workspace = session_on(services, ANSWERS), services.workspace
    (info,) = workspace.datasets()
    out = Exclusion(participants=(str(ANSWERS.answers["participant"].iloc[0]),))
    cleaning = workspace.cleaning(info).excluding(out)
    workspace.update_dataset(info, cleaning, view="Mine")
    plans.keep_plan(workspace, planned(dimensions=[2], questions={}))
    app = start("data", session, "plan")
    assert "“Mine” and its results stay" in words(app)
    app.button(key="data.plan.run").click().run()
    app = settled(app, services)
    workspace.rename_view(info.id, "Mine", "Others")
    app.run()
    assert app.button(key="data.plan.back").label == "Back to “Others”"
    app.button(key="data.plan.back").click().run()
    assert not app.exception
    assert workspace.datasets()[0].view == "Others"


def test_a_second_press_does_not_take_the_planned_map_for_that_of_before(services):
    session_on(services, ANSWERS)
    (info,), drafts = services.workspace.datasets(), {}
    plan = planned(dimensions=[2], questions={}, exclusions=[])
    for method in (SOE(n_init=1), SOE(n_init=2)):
        choose_method(info, method)
        (info,) = services.workspace.datasets()
        _note_before(SimpleNamespace(info=info, session=SimpleNamespace(drafts=drafts)), plan)
    ((state, method, _),) = drafts.values()
    assert (state, method["parameters"]["n_init"]) == ("", 1)
    other = planned(dimensions=[3], questions={}, exclusions=[])
    _note_before(SimpleNamespace(info=info, session=SimpleNamespace(drafts=drafts)), other)
    assert next(iter(drafts.values()))[1]["parameters"]["n_init"] == 2


def test_a_map_that_is_chosen_while_a_plan_is_computed_stays(services, holding):
    plans.keep_plan(services.workspace, planned(dimensions=[2], questions={}, exclusions=[]))
    session, workspace = session_on(services, ANSWERS), services.workspace
    with holding():
        app = start("data", session, "plan")
        app.button(key="data.plan.run").click().run()
        choose_method(workspace.datasets()[0], SOE(n_init=1))
    settled(app, services)
    assert map_method(workspace.datasets()[0]).name == "soe"


def test_a_plan_without_its_column_says_so_and_computes_the_rest(services):
    plans.keep_plan(services.workspace, planned(
        dimensions=[2], questions={"conditions": ["light"]},
        exclusions=[Exclusion("fast_participants")],
    ))
    app = analysed(services, session_on(services, ANSWERS))
    said = " ".join(warning.value for warning in app.warning)
    assert "there is no column light" in said
    assert "the answers have no response time" in said
    (table,) = tables(app)
    assert table["result"].tolist() == ["computed"] * 3 + ["not computed"]
    told = words(app).replace("\\", "")
    assert "Planned exclusion that was not made" in told
    assert "have no response time" in told.partition("Planned exclusion")[2]


def test_features_and_directions_are_of_the_planned_columns(services):
    plans.keep_plan(services.workspace, planned(
        dimensions=[2], questions={"directions": ["size"], "features": ["size"]}, exclusions=[],
    ))
    app = analysed(services, session_on(services, ANSWERS))
    (table,) = tables(app)
    assert set(table["result"][3:]) <= {"criterion met", "criterion not met"}
    assert "No deviation" in words(app)


def test_findings_tell_planned_from_exploratory(services):
    plans.keep_plan(services.workspace, planned())
    session = session_on(services, ANSWERS)
    analysed(services, session)
    app = settled(start("data", session, "findings"), services)
    told = words(app).replace("\\", "")
    assert "Plan “Things”: 4 of 4 planned analyses computed" in told
    app.button(key="findings.compute").click().run()
    app = settled(app, services)
    badges = {text.split("**")[1]: "planned]" in text
              for text in (one.value for one in app.markdown) if "gray-badge" in text}
    assert badges["Clusters"]
    assert {*badges.values()} == {True, False}


def test_a_plan_that_was_changed_is_refused_in_words(services):
    plan = plans.keep_plan(services.workspace, planned())
    (path,) = (services.workspace.folder / "plans").glob("*.json")
    path.write_text(plan.to_json().replace("Things", "Thongs"))
    app = start("simulate", tab="plan")
    (said,) = [warning.value for warning in app.warning]
    assert "was changed" in said
    assert path.name in said.replace("\\", "")


@pytest.mark.parametrize("record", [{}, {"format": 99}, {"format": 1, "title": 3}])
def test_a_plan_that_cannot_be_read_leaves_the_data_set_as_it_is(services, record):
    session = session_on(services, ANSWERS)
    (info,) = services.workspace.datasets()
    services.workspace.note(info.id, "plan", record)
    for tab in ("findings", "plan"):
        app = start("data", session, tab)
    assert [error.value for error in app.error]


def test_what_was_stopped_early_can_be_computed_as_planned(services):
    plan = plans.keep_plan(services.workspace, planned(dimensions=[2], exclusions=[]))
    session = session_on(services, ANSWERS)
    (info,) = services.workspace.datasets()
    plans.follow(services.workspace, info, plan)
    for step in plan.steps_in(2):
        found = run(step.task, make_method(step.method), ANSWERS, step.options)
        found = replace(found, complete=step.task != "bootstrap")
        services.workspace.add_run(info, found, step.task)
    app = start("data", session, "plan")
    (table,) = tables(app)
    assert table["result"].tolist()[:3] == ["computed", "computed", "not computed"]
    assert not app.button(key="data.plan.run").disabled


def test_a_plan_made_after_the_data_says_so_beside_findings(services):
    session = session_on(services, ANSWERS)
    (info,) = services.workspace.datasets()
    plan = plans.keep_plan(services.workspace, planned(dimensions=[2], exclusions=[]))
    plans.follow(services.workspace, info, plan)
    for task in ("fit", "cross_validate"):
        services.workspace.add_run(info, run(task, STE(n_init=1), ANSWERS), task)
    app = start("data", session, "findings")
    told = words(app).replace("\\", "")
    assert "1 deviation, " in told
    assert "It was made after the data." in told
    badges = [one.value for one in app.markdown if "gray-badge" in one.value]
    assert any("in a plan made after the data]" in text for text in badges)
    assert not any("[planned" in text for text in badges)
