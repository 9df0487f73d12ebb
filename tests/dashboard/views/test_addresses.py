"""Addresses: they name the session, the data set and the tab that are seen."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from tests.dashboard.views.harness import APP, crowd, on_tab, start, words
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
    app.switch_page(f"../pages/{page}.py")
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
        monkeypatch.setattr(state, "_is_active", lambda script, there=is_there: there)
        app = start("data", "s")
        assert (app.session_state[_KEY].id == "s") is not is_there
        assert app.session_state[_KEY].dataset.id == two[1]
        shown.sheet.shown_in = "another tab"


def test_addresses_of_earlier_versions_lead_to_the_new_places(two):
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["session"] = "s"
    app.run()
    app._page_hash = calc_hash("uncertainty")
    app.run()
    assert not app.exception
    assert app.segmented_control(key="embedding.view").value == "positions"
