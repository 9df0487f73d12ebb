"""The search: everything by the words that people use."""

from __future__ import annotations

import tomllib

import pytest

from tests.dashboard.views.harness import crowd, session_on, start
from tests.paths import ROOT
from tripletscope.dashboard.state import _KEY
from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import tabs_of
from tripletscope.dashboard.views.search import every_hit

ENTRIES = tomllib.loads((ROOT / "dashboard/views/places.toml").read_text())["place"]


def test_every_word_leads_to_a_place_that_there_is():
    for entry in ENTRIES:
        if "help" in entry:
            assert (ROOT / "docs" / f"{entry['help']}.md").exists(), entry
        else:
            assert entry["page"] in PLACES, entry
            assert not entry.get("tab") or entry["tab"] in tabs_of(entry["page"]), entry


@pytest.mark.parametrize(("word", "place"), [
    ("MDS", "embedding"), ("INDSCAL", "people"), ("stress", "embedding"), ("reliability", "data"),
    ("RSA", "features"), ("conjoint", "scale"), ("bad participants", "data"), ("cite", "report"),
    ("error bars", "embedding"), ("coordinates", "embedding"), ("rename", "data"), ("undo", "data"),
    ("power analysis", "simulate"), ("dendrogram", "clusters"), ("prolific", "collect"),
])
def test_words_of_the_field_are_known(word, place):
    first = next(e for e in ENTRIES if word.lower() in e["words"].lower())
    assert first.get("page") == place


def test_objects_methods_and_data_sets_are_found(services):
    session = session_on(services, crowd(12, 60, label="thing {}"))
    app = start("more", session)
    hits = {hit.label.split(" →")[0]: hit for hit in every_hit(app.session_state[_KEY])}
    assert hits["thing 7"].object == "thing 7"
    assert hits["12 things"].dataset == services.workspace.datasets()[0].id
    (soe,) = (hit for label, hit in hits.items() if label.startswith("SOE, a method"))
    assert (soe.page, soe.method) == ("embedding", ("embedding", "soe"))


def test_what_is_missing_is_said(services):
    nothing = [hit.label for hit in every_hit(start().session_state[_KEY])]
    assert any("once a data set is open" in label for label in nothing)
    session = session_on(services, crowd(12, 60))
    hits = [hit.label for hit in every_hit(start("more", session).session_state[_KEY])]
    assert not any("once a data set is open" in label for label in hits)
    assert any("needs trials in which one of three" in label for label in hits)
    assert len(hits) == len(set(hits)), "each can be chosen"
