"""The analyses of one data set, repeated on another."""

from __future__ import annotations

from tests.pages.harness import crowd, session_on, settled, start, words
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import K1
from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import ALL_ANSWERS
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.pages.data.repeating import added_answers

FIRST, SECOND = crowd(12, 300), crowd(14, 500)


def two(services, opened=FIRST) -> tuple[str, object, object]:
    session = session_on(services, opened)
    (first,) = services.workspace.datasets()
    second = services.workspace.add_dataset(SECOND.renamed("Second"), origin="b.csv", report=[])
    return session, first, second


def test_there_is_no_tab_where_nothing_can_be_repeated(services):
    _, first, second = two(services)
    when = tabs_of("data")["repeating"].when
    assert not when(first)
    services.workspace.add_run(second, run("fit", STE(n_init=1), SECOND), "STE")
    assert when(first)
    assert not when(second)


def test_analyses_are_repeated_with_their_settings(services):
    session, first, second = two(services)
    fold = {"folds": 3, "repeats": 1}
    add = services.workspace.add_run
    add(second, run("fit", STE(n_components=3, n_init=1), SECOND), "STE, three")
    add(second, run("cross_validate", STE(n_init=1), SECOND, fold), "STE")
    lacking = SECOND.with_objects(SECOND.objects.assign(shape=["a", "b"] * 7))
    add(second, run("predict_column", K1(), lacking, {"column": "shape", "folds": 2}), "k1")
    add(second, run("fit", STE(n_components=1, n_init=1), SECOND), "looked at", unasked=True)
    app = start("data", session, "repeating")
    assert "Compute 2 results" in {button.label for button in app.button}
    (table,) = [d.value for d in app.dataframe]
    assert table["here"].tolist() == [
        "not computed yet", "not computed yet", "there is no column shape"
    ]
    assert table["error there"].notna().sum() == 1
    app.button(key="data.repeat.run").click().run()
    app = settled(app, services)
    assert not app.exception
    (table,) = [d.value for d in app.dataframe]
    assert table["here"].tolist() == ["computed", "computed", "there is no column shape"]
    assert table["error here"].notna().sum() == 1
    made = {one.task: one for one in services.workspace.runs(first.id) if not one.unasked}
    assert made["fit"].record["parameters"]["n_components"] == 3
    assert made["cross_validate"].record["options"]["folds"] == 3
    assert app.button(key="data.repeat.run").disabled


def test_a_press_after_another_tab_has_got_the_results_is_none(services):
    session, first, second = two(services)
    services.workspace.add_run(second, run("fit", STE(n_init=1), SECOND), "STE")
    app = start("data", session, "repeating")
    button = app.button(key="data.repeat.run")
    assert not button.disabled
    services.workspace.add_run(first, run("fit", STE(n_init=1), FIRST), "STE")
    button.click().run()
    assert not app.exception
    assert app.button(key="data.repeat.run").disabled
    assert not services.jobs.of(session), "there is nothing to compute"


def test_what_fails_is_told_and_the_others_are_computed(services):
    session, first, second = two(services, crowd(12, 300, people=1))
    add = services.workspace.add_run
    people = {"folds": 2, "repeats": 1, "unit": "participants"}
    add(second, run("cross_validate", STE(n_init=1), SECOND, people), "of people")
    add(second, run("fit", STE(n_init=1), SECOND), "STE")
    app = start("data", session, "repeating")
    app.button(key="data.repeat.run").click().run()
    app = settled(app, services)
    assert "of people" in app.warning[0].value
    assert [one.task for one in services.workspace.runs(first.id) if not one.unasked] == ["fit"]
    (table,) = [d.value for d in app.dataframe]
    assert table["here"].tolist() == ["not computed yet", "computed"]


def test_analyses_of_another_view_are_repeated(services):
    session = session_on(services, FIRST)
    workspace, (info,) = services.workspace, services.workspace.datasets()
    workspace.add_run(info, run("fit", STE(n_init=1), FIRST), "STE")
    less = workspace.cleaning(info).excluding(Exclusion(participants=("person 3",)))
    info = workspace.update_dataset(info, less, view="three people")
    app = start("data", session, "repeating")
    (source,) = [box for box in app.main.selectbox if box.label == "Analyses of"]
    assert source.options == ["View “All answers”"]
    app.button(key="data.repeat.run").click().run()
    app = settled(app, services)
    (made,) = [one for one in workspace.runs(info.id) if not one.unasked]
    assert (made.task, made.state) == ("fit", info.state)
    (table,) = [d.value for d in app.dataframe]
    assert 0 < table["map moved"][0] < 1


def test_an_update_of_a_file_says_what_was_added_and_takes_over_views(services):
    session, first, _ = two(services, FIRST.take(range(240)))
    workspace = services.workspace
    workspace.add_run(first, run("fit", STE(n_init=1), FIRST.take(range(240))), "STE")
    some = workspace.cleaning(first).excluding(Exclusion("few_answers", {"least": 10}, reason="r"))
    some = some.excluding(Exclusion(answers=(3,)))
    workspace.use_view(workspace.update_dataset(first, some, view="many"), ALL_ANSWERS)
    new = workspace.add_dataset(FIRST, origin=first.origin, report=[])
    current = Session(session, workspace.session(session))
    current.open(new.id)
    current.save()
    app = start("data", session, "repeating")
    assert "60 answers added, all earlier ones are here; 4 participants, +0." in (
        words(app).replace("\\", "")
    )
    app.button(key="data.repeat.views").click().run()
    assert not app.exception
    assert [step["rule"] for step in workspace.dataset(new.id).views["many"]] == ["few_answers"]
    assert added_answers(FIRST.take([0, 1, 1]), FIRST.take([1, 2])) == (2, 1)


def test_another_study_in_a_file_of_that_name(services):
    session, first, _ = two(services, FIRST.take(range(100)))
    services.workspace.add_run(first, run("fit", STE(n_init=1), FIRST.take(range(100))), "STE")
    other = FIRST.take(range(200, 300))
    new = services.workspace.add_dataset(other, origin=first.origin, report=[])
    current = Session(session, services.workspace.session(session))
    current.open(new.id)
    current.save()
    app = start("data", session, "repeating")
    assert "Update of" not in words(app)
    assert not [one for one in app.button if one.key == "data.repeat.views"]
