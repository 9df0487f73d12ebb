"""The analyses of one data set, or view, as a plan for another one."""

from __future__ import annotations

from tests.pages.harness import crowd, session_on, settled, start, words
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.pages.data.other_analyses import added_answers

FIRST, SECOND = crowd(12, 300), crowd(14, 500)


def two(services, opened=FIRST) -> tuple[str, object, object]:
    session = session_on(services, opened)
    (first,) = services.workspace.datasets()
    second = services.workspace.add_dataset(SECOND.renamed("Second"), origin="b.csv", report=[])
    return session, first, second


def plan_tab(session: str):
    return start("data", session, "plan")


def rows(app):
    (table,) = [d.value for d in app.dataframe]
    return table


def test_there_is_no_tab_where_nothing_can_be_repeated(services):
    _, first, second = two(services)
    when = tabs_of("data")["plan"].when
    assert not when(first)
    services.workspace.add_run(second, run("fit", STE(n_init=1), SECOND), "STE")
    assert when(first)
    assert not when(second)


def test_analyses_are_repeated_with_their_settings(services):
    session, first, second = two(services)
    add = services.workspace.add_run
    lacking = SECOND.with_objects(SECOND.objects.assign(shape=["a", "b"] * 7))
    add(second, run("predict_column", K1(), lacking, {"column": "shape", "folds": 2}), "k1")
    add(second, run("cross_validate", STE(n_init=1), SECOND, {"folds": 3, "repeats": 1}), "three")
    add(second, run("cross_validate", STE(n_components=3, n_init=1), SECOND), "STE")
    add(second, run("fit", STE(n_components=3, n_init=1), SECOND), "STE, three")
    add(second, run("fit", STE(n_components=1, n_init=1), SECOND), "looked at", unasked=True)
    app = plan_tab(session)
    (box,) = [one for one in app.selectbox if one.label == "Plan"]
    assert box.options == ["As in Second"]
    assert rows(app)["error there"].notna().sum() == 2
    assert "error here" not in rows(app)
    app.button(key="data.plan.run").click().run()
    app = settled(app, services)
    assert not app.exception
    assert "there is no column shape" in " ".join(one.value for one in app.warning)
    made = [one.record for one in services.workspace.runs(first.id) if not one.unasked]
    found = {(one["task"], one["parameters"]["n_components"], one["options"].get("folds"))
             for one in made}
    assert {("fit", 3, None), ("cross_validate", 3, 5), ("cross_validate", 2, 3)} <= found
    assert ("fit", 1, None) not in found
    plan = plans.followed(services.workspace.dataset(first.id))
    assert [one.task for one in plan.further] == ["cross_validate", "predict_column"]
    assert plan.dimensions == (3,)
    told = words(app).replace("\\", "")
    assert "300 answers instead of 500" in told
    assert "this plan is no preregistration" in told
    app.selectbox(key=f"data.plan.beside@{first.id}").set_value(f"{second.id} ").run()
    table = rows(app)
    assert table["error here"].notna().sum() == 2
    assert 0 < table["map moved"].dropna().iloc[0] < 1


def test_what_says_nothing_of_other_answers_is_named(services):
    session, _, second = two(services)
    some = SECOND.with_columns({"some": [True, False] * 250})
    quick = {"views": ["some"], "draws": 19, "folds": 2}
    services.workspace.add_run(second, run("robustness", STE(n_init=1), some, quick), "of views")
    app = plan_tab(session)
    assert "Not in the plan: Comparing views: of views, which" in words(app).replace("\\", "")


def test_analyses_of_another_view_are_repeated(services):
    session = session_on(services, FIRST)
    workspace, (info,) = services.workspace, services.workspace.datasets()
    workspace.add_run(info, run("fit", STE(n_init=1), FIRST), "STE")
    less = workspace.cleaning(info).excluding(Exclusion(participants=("person 3",)))
    info = workspace.update_dataset(info, less, view="three people")
    app = plan_tab(session)
    (box,) = [one for one in app.selectbox if one.label == "Plan"]
    assert box.options == [f"As in {info.name}, {ALL_ANSWERS}"]
    app.button(key="data.plan.otherwise").click().run()
    app = settled(app, services)
    fits = [one for one in workspace.runs(info.id, "fit") if not one.unasked]
    assert [one.state for one in fits] == [info.state]
    assert workspace.dataset(info.id).view == "three people"
    assert plans.followed(workspace.dataset(info.id)).title == f"As in the view “{ALL_ANSWERS}”"
    assert "Exclusion that was not planned: Manual selection" in words(app).replace("\\", "")


def test_no_plan_is_followed_any_more_if_one_asks_for_that(services):
    session, first, second = two(services)
    services.workspace.add_run(second, run("fit", STE(n_init=1), SECOND), "STE")
    app = plan_tab(session)
    assert not [one for one in app.button if one.key == "data.plan.leave"]
    app.button(key="data.plan.run").click().run()
    app = settled(app, services)
    app.button(key="data.plan.leave").click().run()
    assert not app.exception
    info = services.workspace.dataset(first.id)
    assert plans.followed(info) is None
    assert "As in another data set" in info.extra["former plans"][0]
    assert "Second" not in str(info.extra), "which archives of this one need not name"
    assert services.workspace.runs(first.id, "fit"), "results stay"


def opened_update(services, before, after):
    """The page of a newer file of the same name, with a view of the earlier one."""
    session, first, _ = two(services, before)
    workspace = services.workspace
    workspace.add_run(first, run("fit", STE(n_init=1), before), "STE")
    some = workspace.cleaning(first).excluding(Exclusion("few_answers", {"least": 10}, reason="r"))
    some = some.excluding(Exclusion(answers=(3,)))
    workspace.use_view(workspace.update_dataset(first, some, view="many"), ALL_ANSWERS)
    new = workspace.add_dataset(after, origin=first.origin, report=[])
    current = Session(session, workspace.session(session))
    current.open(new.id)
    current.save()
    return plan_tab(session), new


def test_an_update_of_a_file_says_what_was_added_and_takes_over_views(services):
    app, new = opened_update(services, FIRST.take(range(240)), FIRST)
    assert "60 answers added, all earlier ones are here; 4 participants, +0." in (
        words(app).replace("\\", "")
    )
    app.button(key="data.plan.views").click().run()
    assert not app.exception
    views = services.workspace.dataset(new.id).views
    assert [step["rule"] for step in views["many"]] == ["few_answers"]
    assert added_answers(FIRST.take([0, 1, 1]), FIRST.take([1, 2])) == (2, 1)


def test_another_study_in_a_file_of_that_name(services):
    app, _ = opened_update(services, FIRST.take(range(100)), FIRST.take(range(200, 300)))
    assert "Update of" not in words(app)
    assert not [one for one in app.button if one.key == "data.plan.views"]
