"""The page Papers, which needs no data set, in Streamlit's own test harness."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.views.harness import figure, settled, start, words
from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.keeping.rebuilt import keep_outcome, kept_outcome
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.views.papers.overview import assessment_of, overview
from tripletscope.reproductions.item import VERDICTS
from tripletscope.reproductions.outcome import rebuild, shipped
from tripletscope.reproductions.registry import items

MIXTURE = "uncertainty-figure-8"


def card(key: str, **drafts) -> AppTest:
    """The page with the card of an item."""
    document = items()[key].document
    session = Session("test-session", {"drafts": {
        "papers.view": document, f"papers.{document}": key, **drafts,
    }})
    session.save()
    return start("papers", session.id)


def said(app: AppTest) -> str:
    return words(app).replace("\\", "")


def test_the_overview_counts_what_its_table_lists(services):
    app = start("papers")
    counted = {metric.label: int(metric.value) for metric in app.metric}
    assert list(counted) == [verdict.capitalize() for verdict in VERDICTS]
    assert sum(counted.values()) == len(items()) == len(overview())
    tallies = overview()["verdict"].value_counts()
    assert counted == {v.capitalize(): tallies.get(v, 0) for v in VERDICTS}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_begins_with_its_first_item(services, document):
    first = next(item for item in items().values() if item.document == document)
    app = card(first.key)
    assert first.claim in said(app)
    assert assessment_of(first).why in said(app)
    options = app.selectbox(key=f"papers.{document}").options
    assert len(options) == sum(item.document == document for item in items().values())
    assert all(any(option.endswith(verdict) for verdict in VERDICTS) for option in options)


def test_an_item_is_rebuilt_here_and_shown_beside_what_is_shipped(services):
    app = card(MIXTURE)
    assert "Rebuilt here" not in str(app.selectbox)
    app.button(key=f"papers.rebuild.{MIXTURE}.True").click().run()
    app = settled(app, services)
    kept = kept_outcome(services.workspace.folder, MIXTURE, True)
    assert kept.quick
    shown = next(box for box in app.selectbox if box.label == "Shown")
    assert shown.value == "Rebuilt here in short"
    assert shown.options == ["Rebuilt here in short", "As shipped"]
    assert len(figure(app, f"papers.figure.{MIXTURE}")["data"][0]["x"]) > 0
    shown.set_value("As shipped").run()
    assert shipped(MIXTURE).assessment.ours in said(app)


def test_what_cannot_be_read_is_no_error_and_is_rebuilt(services):
    folder = services.workspace.folder
    keep_outcome(folder, rebuild(MIXTURE, quick=True))
    (folder / "papers" / f"{MIXTURE}.quick.json").write_text("{}")
    assert kept_outcome(folder, MIXTURE, True) is None
    assert items()[MIXTURE].claim in said(card(MIXTURE))


def test_data_that_are_not_here_are_named_with_the_way_to_them(services, monkeypatch):
    monkeypatch.delenv("TRIPLETSCOPE_DATA", raising=False)
    needy = next(item for item in items().values() if "mnist" in item.needs)
    app = card(needy.key)
    assert app.button(key=f"papers.rebuild.{needy.key}.False").disabled
    assert not app.button(key=f"papers.rebuild.{needy.key}.True").disabled
    assert "MNIST's 10,000 test images" in said(app)
    assert "--data" in said(app)


def test_a_reader_goes_on_with_the_same_data_and_method(services):
    item = next(
        item for item in items().values()
        if item.opens and item.opens.page == "embedding" and item.key == "thesis-figure-4.6"
    )
    app = card(item.key)
    app.button(key=f"papers.open.{item.key}").click().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert info.origin == f"paper:{item.key}"
    session = app.session_state[_KEY]
    assert session.dataset.id == info.id
    assert session.drafts["embedding.method"] == item.opens.method.name
    (fit,) = settled(app, services) and services.workspace.runs(info.id, "fit")
    run = services.workspace.run(info.id, fit.key)
    assert run.fresh().get_params() == item.opens.method.get_params()
    # The second time the same data set is opened.
    again = card(item.key)
    again.button(key=f"papers.open.{item.key}").click().run()
    assert len(services.workspace.datasets()) == 1


def test_forests_go_on_with_features_where_a_map_would_be(services):
    key = "forests-table-1"
    app = card(key)
    app.button(key=f"papers.open.{key}").click().run()
    assert not app.exception
    (info,) = services.workspace.datasets()
    assert len(info.extra["features"]) == 13
    assert "the features" in said(start("trees", app.session_state[_KEY].id)).lower()
