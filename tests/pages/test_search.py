"""The search: everything by the words that people use."""

from __future__ import annotations

import tomllib

import numpy as np
import pytest

from tests.pages.harness import crowd, session_on, start, words
from tests.paths import ROOT
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard.state import _KEY, Session
from tripletscope.dashboard.ui.page import tabs_of
from tripletscope.dashboard.ui.page_table import PAGES
from tripletscope.dashboard.ui.search import every_hit, in_any_order

ENTRIES = tomllib.loads((ROOT / "dashboard/ui/places.toml").read_text())["place"]


def test_every_word_leads_to_a_place_that_there_is():
    for entry in ENTRIES:
        if "help" in entry:
            assert (ROOT / "docs" / f"{entry['help']}.md").exists(), entry
        else:
            assert entry["page"] in PAGES, entry
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


@pytest.mark.parametrize(("text", "place"), [
    ("exclude participants", "data"), ("participants excluding", "data"),
    ("download figure", "figures"), ("figures downloaded", "figures"), ("save figure", "figures"),
    ("screen for careless people", "data"), ("dimensions how many", "compare"),
])
def test_words_may_be_in_any_order_and_form(text, place):
    """What follows no label letter by letter found nothing."""
    labels = {f"{entry['words']} → {k}": entry for k, entry in enumerate(ENTRIES)}
    found = [labels[label] for label in in_any_order(labels, text)]
    assert place in [entry.get("page") or entry.get("help") for entry in found[:3]]


@pytest.mark.parametrize("text", ["0042", "42", "img", "树", "gram", "01b"])
def test_parts_of_names_are_found(text):
    """Stimuli are called img_0042, and some languages have no spaces."""
    labels = ["img_0042.png → a", "dendrogram → b", "apple_01b → c", "苹果树 → d", "pear → e"]
    found = in_any_order(labels, text)
    assert found == [label for label in labels if text in label]


def test_beginnings_of_words_come_first():
    assert in_any_order(["dendrogram → a", "gram → b"], "gram") == ["gram → b", "dendrogram → a"]


def test_nonsense_finds_nothing():
    assert in_any_order(["Trees → Trees", "Map → Embedding"], "qqqq") == []
    assert in_any_order(["Trees → Trees"], " .*[") == []


def test_what_was_found_can_be_chosen(services):
    app = start("more", session_on(services, crowd(12, 60)))
    app.session_state[_KEY].look(True)
    app.run()
    app.text_input[0].set_value("participants exclude").run()
    assert not app.exception
    hits = [button for button in app.button if str(button.key).startswith("search.hit.")]
    assert hits[0].label.startswith("Data, Exclusions")


def test_pages_and_search_agree_on_what_takes_pairs(services):
    """The search said "needs triplets" of what takes comparisons of pairs."""
    pairs = Quadruples([[0, 1, 2, 3], [2, 3, 0, 1], [1, 2, 0, 3]] * 5, 4)
    answers = Triplets(np.zeros((0, 3)), pairs.objects, name="Pairs")
    info = services.workspace.add_dataset(
        answers, origin="a.csv", report=[], pairs=pairs
    )
    assert info.has_only_pairs
    session = Session("test-session")
    session.open(info.id)
    session.save()
    hits = {hit.page: hit.label for hit in every_hit(session) if not hit.help}
    for page, place in PAGES.items():
        if page in ("start", "more"):
            continue
        app = start(page, session.id)
        refused = "this page needs triplets" in words(app)
        assert refused == ("(needs triplets)" in hits[page]) == (
            place.needs_data and not place.with_pairs), page
