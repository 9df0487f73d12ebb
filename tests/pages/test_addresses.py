"""Addresses: they name the session, the data set and the tab that are seen."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import APP, crowd, on_tab, start, words
from tripletscope.dashboard import state
from tripletscope.dashboard.state import _KEY, Session


@pytest.fixture
def two(services) -> list[str]:
    """Two data sets, the second of which is open in the session "s"."""
    ids = [
        services.workspace.add_dataset(crowd(n, 60), origin="", report=[]).id for n in (8, 9)
    ]
    session = Session("s")
    session.open(ids[1])
    session.save()
    return ids


def at(page: str, **address: str) -> AppTest:
    """The app at an address."""
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page(f"../pages/{page}/{page}.py")
    for name, value in address.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def named(app: AppTest, name: str) -> str:
    value = app.query_params.get(name, "")
    return value[0] if isinstance(value, list) else value


def test_an_address_names_what_is_seen_and_leads_there(two):
    app = on_tab(start("data", "s"), "data", "objects")
    assert (named(app, "data"), named(app, "tab")) == (two[1], "objects")
    again = at("data", data=two[1], tab="objects")
    assert again.segmented_control(key="data.view").value == "objects"
    assert again.session_state[_KEY].dataset.id == two[1]
    assert named(again, "session") != "s", "somebody else's session is their own"


def test_an_address_opens_its_data_set_whatever_the_session_had_open(two):
    app = at("data", session="s", data=two[0], tab="answers")
    assert app.session_state[_KEY].dataset.id == two[0]
    assert app.segmented_control(key="data.view").value == "answers"


def test_a_data_set_that_is_not_here_is_said(two):
    app = at("data", session="s", data="gone-abcdef")
    assert any("gone-abcdef" in warning.value.replace("\\", "") for warning in app.warning)
    assert "No data set is open" in words(app)
    app.session_state[_KEY].open(two[0])
    app.run()
    assert not app.warning


def test_tabs_that_an_address_does_not_have_are_the_first(two):
    app = at("data", session="s", data=two[1], tab="nonsense")
    first = app.segmented_control(key="data.view").value
    assert named(app, "tab") == first


def test_the_tab_of_one_data_set_is_not_that_of_the_next(two):
    app = on_tab(start("data", "s"), "data", "objects")
    app.session_state[_KEY].open(two[0])
    app.run()
    assert app.segmented_control(key="data.view").value != "objects"


def test_a_session_that_another_tab_shows_is_copied(services, two, monkeypatch):
    shown = Session("s")
    shown.sheet.shown_in = "another tab"
    for is_there in (True, False):
        monkeypatch.setattr(state, "is_shown", lambda script, there=is_there: there)
        app = start("data", "s")
        assert (app.session_state[_KEY].id == "s") is not is_there
        assert app.session_state[_KEY].dataset.id == two[1]
        shown.sheet.shown_in = "another tab"


def test_a_copy_is_kept_too(services, two, monkeypatch):
    """A reload of the copy had lost its upload: it was not saved until something changed."""
    shown = Session("s")
    shown.sheet.shown_in = "another tab"
    monkeypatch.setattr(state, "is_shown", lambda script: script == "another tab")
    app = start("data", "s")
    copy = app.session_state[_KEY].id
    assert copy != "s"
    assert services.workspace.session(copy)["dataset"] == two[1]


def test_two_tabs_that_came_to_one_session_part_again(services, two, monkeypatch):
    """As after a break in the network: another tab took the session over meanwhile."""
    app = start("data", "s")
    first = app.session_state[_KEY]
    first.sheet.shown_in = "another tab"
    monkeypatch.setattr(state, "is_shown", lambda script: script == "another tab")
    app.run()
    assert app.session_state[_KEY].id != "s"
    assert app.session_state[_KEY].dataset.id == two[1]


def test_the_session_of_another_browser_is_copied(services, two, monkeypatch):
    monkeypatch.setattr(state, "_browser", lambda: "mine")
    start("data", "s")
    assert services.workspace.session("s")["browser"] == "mine"
    assert start("data", "s").session_state[_KEY].id == "s"
    monkeypatch.setattr(state, "_browser", lambda: "yours")
    other = start("data", "s").session_state[_KEY]
    assert other.id != "s"
    assert other.dataset.id == two[1]


def test_the_tab_of_a_data_set_is_forgotten_after_a_reload_too(services, two):
    on_tab(start("data", "s"), "data", "objects")
    again = Session("s", services.workspace.session("s"))
    again.open(two[0])
    again.save()
    assert start("data", "s").segmented_control(key="data.view").value != "objects"


def test_a_tab_that_few_data_need_goes_when_it_is_left(two):
    app = at("embedding", session="s", data=two[1], tab="dissimilarities")
    assert "Dissimilarities" in app.segmented_control(key="embedding.view").options
    app.segmented_control(key="embedding.view").set_value("embedding").run()
    app.run()
    assert "Dissimilarities" not in app.segmented_control(key="embedding.view").options


def test_deleted_data_are_said_to_be_missing_and_others_stay_open(services, two):
    services.workspace.delete_dataset(two[0])
    app = at("data", session="s", data=two[0])
    assert app.warning
    assert start("data", "s").session_state[_KEY].dataset.id == two[1]
    services.workspace.delete_dataset(two[1])
    assert at("data", session="s", data=two[1]).warning, "also that which was open"


def test_equal_names_of_tabs_of_two_pages_are_two_addresses(two):
    app = at("clusters", session="s", data=two[1], tab="two_trees")
    current = app.session_state[_KEY]
    current.write_address("trees", "tree")
    app.query_params["tab"] = "tree"
    app.run()
    assert app.segmented_control(key="clusters.view").value == "tree"


def test_an_address_that_is_out_of_date_takes_no_click_back(services, two, monkeypatch):
    """A chart told its size with the address of before the click: the first tab came back."""
    now = [100.0]
    monkeypatch.setattr(state.time, "monotonic", lambda: now[0])
    current, address = Session("s"), {}
    monkeypatch.setattr(state.st, "query_params", SimpleNamespace(
        get=lambda name, other=None: address.get(name, other), to_dict=lambda: dict(address),
        from_dict=lambda new: address.update(new),
    ))
    current.write_address("trees", "tree")
    assert current.tab_asked_for("trees", "tree") == "tree"
    current.write_address("trees", "search")
    address["tab"] = "tree"  # as the browser still has it
    assert current.tab_asked_for("trees", "search") == "search"
    address["tab"] = "search"  # now it knows
    assert current.tab_asked_for("trees", "search") == "search"
    address["tab"] = "tree"  # Back
    assert current.tab_asked_for("trees", "search") == "tree"
    current.write_address("trees", "search")
    now[0] += 60.0
    address["tab"] = "tree"  # Back, where nothing told that the browser knew
    assert current.tab_asked_for("trees", "search") == "tree"
    current.write_address("data", "objects")
    current.write_address("data", "answers")
    current.write_address("report", "")
    address["tab"] = "answers"
    assert current.tab_asked_for("data", "objects") == "answers", "Back to another page"
