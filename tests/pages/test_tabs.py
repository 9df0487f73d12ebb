"""Every tab of every page, however it was declared: with few and with many objects, with and
without a map, and with a job that waits, is stopped or fails.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
import streamlit as st

from tests.pages.harness import PAGES, crowd, session_on, start, words
from tripletscope.core import run as runs
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run, run
from tripletscope.core.similarity.kernels import K1
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import page as declared
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.page import tab, tabs_of
from tripletscope.dashboard.ui.task import show_task

WITH_TABS = [page for page in PAGES if page != "start"]


def each_tab(page: str, session: str):
    """The app on every tab of a page."""
    app = start(page, session)
    known = tabs_of(page)
    for name in known:
        if len(known) > 1:
            tabs = app.segmented_control(key=f"{page}.view")
            if known[name].title in tabs.options:
                if tabs.value != name:
                    tabs.set_value(name).run()
            else:  # of use for few data: an address leads there
                app.query_params["tab"] = name
                app.run()
        assert not app.exception, f"{page}, {name}: {app.exception[0].message}"
        yield name, app


@pytest.fixture
def held(services, holding):
    """No job begins."""
    with holding():
        yield
        services.jobs.shutdown()


@pytest.mark.parametrize("page", WITH_TABS)
def test_three_objects_are_no_error(services, held, page):
    session = session_on(services, crowd(3, 20))
    for _, app in each_tab(page, session):
        assert words(app)


@pytest.fixture(scope="module")
def many() -> tuple[Triplets, Run]:
    """Answers about two thousand objects with long names, and their map."""
    answers = crowd(2_000, 4_000, label="a thing with a <b>rather</b> long name | {} | [of](many)")
    return answers, run("fit", STE(n_init=1, max_iter=3), answers)


@pytest.mark.parametrize("page", WITH_TABS)
def test_many_objects_with_long_names_are_no_error(services, held, many, page):
    answers, fit = many
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, fit, "STE")
    for _, app in each_tab(page, session):
        assert words(app)


@pytest.mark.parametrize("page", WITH_TABS)
def test_a_job_is_seen_while_it_waits_and_when_it_has_failed_or_was_stopped(
    services, holding, page
):
    answers = crowd(12, 300)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    services.workspace.add_run(info, run("fit", STE(n_init=1), answers), "STE")
    current = Session(session, services.workspace.session(session))

    def job_in(slot: str, work) -> Job:
        of_none = ("simulate", "collect", "computing")
        is_of_data = page not in of_none or not slot.startswith(page)
        place = current.slot(slot) if is_of_data else slot
        return services.jobs.submit(Job(session, place, "A long job", [Step("Counting", work)]))

    def fails(_):
        raise DataError("There is no sheep left to count.")

    def stops(_):
        raise Stopped

    slot_of = {tab.name: tab.slot for tab in tabs_of(page).values()}
    slots = {slot for slot in slot_of.values() if slot is not None}
    with holding():
        waiting = {slot: job_in(slot, stops) for slot in slots}
        for name, app in each_tab(page, session):
            seen = [b.key for b in app.main.button if str(b.key).startswith("page.cancel.")]
            own = [] if slot_of[name] is None else [waiting[slot_of[name]]]
            assert seen == [f"page.cancel.{job.id}" for job in own], f"{page}, {name}"
            assert not own or "Nothing has been" not in words(app), f"{page}, {name}"
    for work, said in ((fails, "no sheep left"), (stops, "")):  # what was stopped is no error
        for slot in slots:
            assert job_in(slot, work).wait(300)
        for name, app in each_tab(page, session):
            found = [error for error in app.error if said in error.value]
            assert bool(found) == (work is fails and slot_of[name] is not None), f"{page}, {name}"
            if work is stops and slot_of[name] is not None:
                break


@pytest.mark.parametrize("page", WITH_TABS)
def test_a_press_on_what_is_disabled_by_now_is_none(services, held, page, monkeypatch):
    """Another tab may have got the result of what a browser still shows enabled."""
    answers = crowd(12, 300)
    session = session_on(services, answers)
    (info,) = services.workspace.datasets()
    for method in (DEFAULT_EMBEDDING(), K1()):
        services.workspace.add_run(info, run("fit", method, answers), method.title)
    button, disabled_now = st.button, set()

    def as_before(*given, disabled=False, **further):
        if disabled:
            disabled_now.add(further.get("key"))
        return button(*given, **further)

    for name in tabs_of(page):
        with monkeypatch.context() as earlier:
            earlier.setattr(st, "button", as_before)
            earlier.setitem(pressed.__kwdefaults__, "button", as_before)
            disabled_now.clear()
            app = start(page, session, name)
            before = [job.id for job in services.jobs.of(session)]
        for key in [key for key in disabled_now if key in {button.key for button in app.button}]:
            app.button(key=key).click()
        app.run()
        assert not app.exception, f"{page}, {name}, {disabled_now}"
        assert [job.id for job in services.jobs.of(session)] == before, f"{page}, {name}"


@pytest.fixture(scope="module")
def earlier() -> dict[str, Run]:
    """Results of an earlier version: they had fewer fields, other options, and other keys."""
    answers, fit = crowd(12, 300), STE(n_init=1)
    with pytest.MonkeyPatch.context() as before:
        before.setattr(runs, "RESULTS_SINCE", "0.2.0")
        found = {"STE": run("fit", fit, answers)}
        for task, method, options in (
            ("kernel_map", K1(), {}),
            ("predict_column", fit, {"column": "kind", "folds": 2}),
        ):
            whole = run(task, method, answers, options)
            found[task] = replace(whole, arrays=dict(list(whole.arrays.items())[1:]))
            with pytest.raises(TypeError):
                found[task].result()
    return found


@pytest.mark.parametrize("page", WITH_TABS)
def test_results_of_an_earlier_version_are_no_error(services, held, earlier, page):
    """Nobody deletes them."""
    session = session_on(services, crowd(12, 300))
    (info,) = services.workspace.datasets()
    for name, found in earlier.items():
        services.workspace.add_run(info, found, name)
    kept = [run.key for run in services.workspace.runs(info.id)]
    saved, fit = services.workspace.session(session), earlier["STE"]
    services.workspace.save_session(session, {**saved, "drafts": {
        f"embedding.shown@{info.id}": fit.key, f"uncertainty.map@{info.id}": fit.key,
        "compare.methods": ["gone"], "compare.others": ["kernel/gone"],
        "compare.cross_validate.folds": 1000,
    }})
    for _, app in each_tab(page, session):
        assert words(app)
    assert [run.key for run in services.workspace.runs(info.id)] == kept


def test_tabs_from_which_no_job_begins_have_no_slot():
    slots = {(page, tab.name): tab.slot for page in WITH_TABS for tab in tabs_of(page).values()}
    without = {place for place, slot in slots.items() if slot is None}
    assert without >= {("collect", "making"), ("simulate", "people"), ("data", "additions")}


def test_a_tab_is_declared_in_one_place():
    known = tabs_of("kernel")
    assert [tab.title for tab in known.values()][:2] == ["Similarities", "Map"]
    with pytest.raises(TypeError, match="two tabs"):
        @tab("kernel", "Another map", 9)
        def show_map(context):
            """Of the same name."""
    assert declared._TABS["kernel"]["map"].title == "Map"


def test_no_job_begins_where_nobody_would_see_it():
    with pytest.raises(TypeError, match="slot=None"):
        declared.Context(None, None, "", None, None).submit("A job", [])


def test_a_page_that_fails_leaves_what_is_open_in_the_sidebar(services, monkeypatch):
    def failing(context):
        raise RuntimeError("broken")

    app = start("people", session_on(services, crowd(5, 30)))
    known = tabs_of("people")
    first = next(iter(known))
    monkeypatch.setitem(known, first, replace(known[first], needs=None, show=failing))
    app.run()
    assert app.exception
    assert "Data set" in [title.value for title in app.sidebar.subheader]


def test_a_tab_of_a_task_that_nothing_presents_is_refused():
    """It would stay empty after its computation."""
    with pytest.raises(TypeError, match="presentation"):
        show_task(None, "response_model", about="", promise="")
