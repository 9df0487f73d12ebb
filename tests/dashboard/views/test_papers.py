"""The page Papers, which needs no data set, in Streamlit's own test harness."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.dashboard.views.harness import figure, settled, start, words
from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.views import elements
from tripletscope.dashboard.views import page as page_module
from tripletscope.dashboard.views.papers import card as card_module
from tripletscope.dashboard.views.papers import overview as overview_module
from tripletscope.dashboard.views.papers.kept import keep_outcome, kept_outcome
from tripletscope.dashboard.views.papers.overview import (
    BADGES,
    NAMES,
    other_places,
    overview,
    places_in,
)
from tripletscope.reproductions.item import HOLDS, Observation
from tripletscope.reproductions.outcome import rebuild, shipped, verdicts
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.verdict import WORDS, verdict

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
    badges = re.findall(r"badge\[:\S+: ([\w ]+): (\d+)\]", words(app))
    counted = {word: int(number) for word, number in badges}
    assert list(counted) == [word.capitalize() for word in WORDS]
    assert sum(counted.values()) == len(items()) == len(overview())
    tallies = overview()["verdict"].value_counts()
    assert counted == {word.capitalize(): tallies.get(word, 0) for word in WORDS}
    assert list(BADGES) == list(WORDS)
    # What a reader looks for is not to be scrolled to.
    assert list(overview())[:5] == [
        "document", "item", "verdict", "claim", "data in place of the paper's",
    ]


@pytest.mark.parametrize(("key", "clicked"), [
    ("thesis-figure-4.4", lambda row: {"rows": [row]}),
    ("kernels-figure-5", lambda row: {"cells": [(row, "claim")]}),
])
def test_a_row_opens_its_card(services, monkeypatch, key, clicked):
    current = start("papers").session_state[_KEY]
    state = {"papers.all": {"selection": {"rows": [], "cells": []}}}
    for module in (overview_module, page_module, elements):
        monkeypatch.setattr(module, "widgets", lambda: state)
    overview_module._open_chosen(current)
    assert list(state) == ["papers.all"]
    (row,) = np.flatnonzero(overview()["claim"] == items()[key].claim)
    document = items()[key].document
    state["papers.all"]["selection"].update(clicked(int(row)))
    overview_module._open_chosen(current)
    assert state["papers.view"] == document
    assert state[f"papers.{document}"] == current.drafts[f"papers.{document}"] == key


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_begins_with_its_first_item(services, document):
    first = next(item for item in items().values() if item.document == document)
    app = card(first.key)
    assert first.claim in said(app)
    assert verdicts()[first.key].why in said(app)
    assert first.rule in said(app)
    options = app.selectbox(key=f"papers.{document}").options
    assert len(options) == sum(bool(places_in(item, document)) for item in items().values())
    assert all(any(option.endswith(word) for word in WORDS) for option in options)


@pytest.mark.parametrize(
    "document", sorted({item.document for item in items().values() if item.also})
)
def test_what_stands_in_two_places_names_both(services, document):
    item = next(one for one in items().values() if one.also and one.document == document)
    shown = said(card(item.key))
    assert f"{DOCUMENTS[item.document]}, {item.label}" in shown
    assert other_places(item) in shown


def test_the_word_of_a_card_stands_with_its_meaning_and_the_data(services, monkeypatch):
    item = next(item for item in items().values() if item.stand_in)
    found = verdict(item, [Observation(HOLDS, "1", "So it is.")] * 5)
    told = replace(
        item, rule="Holds if it is so.", not_judged="The colours, which are a matter of taste.",
    )
    monkeypatch.setattr(card_module, "verdicts", lambda: {**verdicts(), item.key: found})
    monkeypatch.setattr(card_module, "items", lambda: {**items(), item.key: told})
    app = card(item.key)
    (line,) = [m for m in app.markdown if "Demonstrated" in m.value]
    assert item.stand_in in line.value.replace("\\", "")
    assert line.help == WORDS["demonstrated"]
    for words_said in ("held at 5 of 5 seeds", told.rule, told.not_judged, "So it is."):
        assert words_said in said(app)


def test_what_was_not_run_says_so(services, monkeypatch):
    """No outcome is shipped, as with data that nobody may hand on."""
    nothing = {**verdicts(), MIXTURE: verdict(items()[MIXTURE], [])}
    monkeypatch.setattr(card_module, "verdicts", lambda: nothing)
    monkeypatch.setattr(card_module, "shipped", lambda key: None)
    app = card(MIXTURE)
    assert "It was not run for this version." in said(app)
    assert "The rule" not in said(app)
    assert not app.button(key=f"papers.rebuild.{MIXTURE}.True").disabled


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
    assert f"At seed 0, which this run used, the claim {kept.observations[0].shows}." in said(app)
    assert len(figure(app, f"papers.figure.{MIXTURE}")["data"][0]["x"]) > 0
    shown.set_value("As shipped").run()
    assert "which this run used" not in said(app)
    assert shipped(MIXTURE).observations[0].ours in said(app)


@pytest.mark.parametrize("content", [
    "{}", "[]", "no JSON",
    # As it was before verdicts were over seeds.
    json.dumps({"item": MIXTURE, "quick": True, "seed": 0, "version": "1", "seconds": 1.0,
                "created": "2025-01-01T00:00:00+00:00", "rows": "x,y\n0,1\n"}),
    json.dumps({"item": MIXTURE, "quick": True, "seeds": [], "version": "1", "seconds": 1.0,
                "code": "", "created": "2025-01-01T00:00:00+00:00", "rows": "x,y\n0,1\n"}),
])
def test_what_cannot_be_read_is_no_error_and_is_rebuilt(services, content):
    folder = services.workspace.folder
    keep_outcome(folder, rebuild(MIXTURE, quick=True))
    (folder / "papers" / f"{MIXTURE}.quick.json").write_text(content)
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


def test_documents_are_named_in_a_word():
    assert list(NAMES) == list(DOCUMENTS)
