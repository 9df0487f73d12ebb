"""From the papers in Help to pages that go on with their answers and settings."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.harness import APP, settled, start, words
from tripletscope.core.engine.declared import parameters
from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.reproductions.continuations import CONTINUATIONS
from tripletscope.reproductions.data import is_here
from tripletscope.reproductions.registry import items


def gone_on(key: str) -> AppTest:
    """The page that the link of an item opens."""
    app = AppTest.from_file(APP, default_timeout=180)
    app.query_params["paper"] = key
    app.run()
    assert not app.exception
    return app


def can_be_opened(key: str) -> bool:
    return all(map(is_here, items()[key].needs))


#: The first item whose data are here for every tab, and for every method with which one begins.
ONE_EACH = {(there.page, there.tab, type(there.method)): key
            for key, there in reversed(CONTINUATIONS.items()) if can_be_opened(key)}


@pytest.mark.parametrize("key", ONE_EACH.values())
def test_the_tab_that_is_named_is_opened(services, holding, key):
    there = CONTINUATIONS[key]
    with holding():
        app = gone_on(key)
        assert app.segmented_control(key=f"{there.page}.view").value == there.tab
        (info,) = services.workspace.datasets()
        assert info.origin == f"paper:{key}"
        assert app.session_state[_KEY].dataset.id == info.id


@pytest.mark.parametrize("key", CONTINUATIONS)
def test_there_is_such_a_tab_and_data_for_it(key):
    if not can_be_opened(key):
        pytest.skip("its data are not here")
    there = CONTINUATIONS[key]
    assert there.tab in tabs_of(there.page)
    assert len(there.answers()) > 0
    if there.method is not None:
        assert set(there.method.get_params()) == {p.name for p in parameters(type(there.method))}


def test_every_document_has_something_to_go_on_with():
    assert {items()[key].document for key in CONTINUATIONS} == set(DOCUMENTS)


def test_a_map_begins_with_the_method_of_the_paper(services):
    key = "thesis-figure-4.6"
    app = gone_on(key)
    method = CONTINUATIONS[key].method
    assert app.session_state[_KEY].drafts["embedding.method"] == method.name
    (info,) = services.workspace.datasets()
    (fit,) = settled(app, services) and services.workspace.runs(info.id, "fit")
    assert services.workspace.run(info.id, fit.key).fresh().get_params() == method.get_params()
    # The second time the same data set is opened.
    gone_on(key)
    assert len(services.workspace.datasets()) == 1


def test_data_that_are_not_here_are_named_with_the_way_to_them(services, monkeypatch):
    monkeypatch.delenv("TRIPLETSCOPE_DATA", raising=False)
    key = "uncertainty-figure-12"
    app = gone_on(key)
    (error,) = app.error
    assert "MNIST's 10,000 test images" in error.value.replace("\\", "")
    assert "TRIPLETSCOPE_DATA" in error.value.replace("\\", "")
    assert not services.workspace.datasets()


def test_an_unknown_item_is_the_start_page(services):
    app = gone_on("thesis-figure-9.9")
    assert app.title[0].value.startswith("From similarity judgements")
    assert not services.workspace.datasets()


def test_forests_go_on_with_features_where_a_map_would_be(services):
    app = gone_on("forests-table-1")
    (info,) = services.workspace.datasets()
    assert len(info.extra["features"]) == 13
    assert "the features" in words(app).replace("\\", "").lower()


def test_a_warning_against_what_a_card_shows_says_how_both_are_true(services):
    """Similarities of single pairs are mostly chance, and yet groups are found."""
    session = gone_on("kernels-figure-5").session_state[_KEY].id
    app = settled(start("kernel", session), services)
    shown = words(app).replace("\\", "").lower()
    assert "mostly chance" in shown
    assert "follow a landmark design" in shown
    assert "groups of many objects" in shown
    assert "kernel.to_design" not in {button.key for button in app.button}
    assert "landmark design for k1" in words(app)
