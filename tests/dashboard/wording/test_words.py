"""Numbers and sentences as papers have them."""

import re
import string

import numpy as np
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import methods
from tripletscope.core.engine.registry import _places
from tripletscope.dashboard.wording import LANGUAGES, Words, words
from tripletscope.dashboard.wording.words import catalogue

EN, DE = Words("en"), Words("de")


def fields(template):
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def test_titles_of_tables_are_in_the_language_of_the_report():
    for file in (ROOT / "dashboard" / "results").glob("*.py"):
        assert not re.search(r"\bNumbers\(\s*f?\"[A-Z]", file.read_text()), file.name


def test_languages_say_the_same():
    assert set(LANGUAGES) == {"en", "de"}
    english, german = catalogue("en"), catalogue("de")
    assert english.form.keys() == german.form.keys()
    assert english.nouns.keys() == german.nouns.keys()
    assert english.texts.keys() == german.texts.keys()
    for key, template in english.texts.items():
        assert fields(template) == fields(german.texts[key]), key


@pytest.mark.parametrize(("value", "text"), [
    (0.1374, ".137"), (1.0, "1.000"), (-0.05, "-.050"), (0.9996, "1.000"), (float("nan"), "–"),
])
def test_shares_have_no_zero_before_the_point(value, text):
    assert EN.share(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (0.0123456, "0.0123"), (3.0, "3.00"), (1234.5, "1,234"), (1e-5, "1.00e-05"), (0, "0.00"),
])
def test_numbers(value, text):
    assert EN.number(value) == text


def test_counts():
    assert EN.count(1, "participant") == "1 participant"
    assert EN.count(17611, "answer") == "17,611 answers"
    assert DE.count(17611, "answer") == "17\N{NARROW NO-BREAK SPACE}611 Antworten"


def test_intervals_and_p():
    assert EN.interval(0.12, 0.15) == "95% CI [.120, .150]"
    assert EN.p(0.0004) == "*p* < .001"
    assert EN.p(0.034) == "*p* = .034"


def test_lists():
    assert EN.listing(["a"]) == "a"
    assert EN.listing(["a", "b"]) == "a and b"
    assert EN.listing(["a", "b", "c"]) == "a, b, and c"
    assert DE.listing(["a", "b", "c"]) == "a, b und c"


def test_methods():
    assert EN.method(ts.TSTE(n_components=3, seed=4)) == "t-STE, 3 dimensions, seed 4"
    assert DE.method(ts.KMeans(basis=ts.STE())) == (
        "k-means, auf der Grundlage von STE, 2 Dimensionen"
    )


def test_parameters_are_named_in_the_language_of_the_sentence():
    """German captions had "restarts 2"."""
    tree = ts.AgglomerativeClustering(linkage="complete")
    assert DE.method(ts.STE(n_init=2, init="random")).endswith(
        "2 Dimensionen, Neustarts 2, Startlage zufällig"
    )
    assert "Linkage complete" in DE.method(tree)
    assert EN.method(ts.STE(n_init=2)).endswith("2 dimensions, restarts 2")


def test_what_has_no_word_is_seen_to_have_none(monkeypatch):
    monkeypatch.setitem(vars(words), "catalogue", lambda language: catalogue(language)._replace(
        parameters={}
    ))
    assert DE.method(ts.STE(n_init=2)).endswith("2 Dimensionen, “restarts” 2")


def test_every_parameter_of_every_method_has_german_words():
    known = catalogue("de").parameters
    declared = [
        one.spec for kind in {place.kind for place in _places()} - {""}
        for method in methods(kind).values() for one in parameters(method)
    ]
    assert len(declared) > 100
    for spec in declared:
        assert spec.label.lower() in known
        assert set(getattr(spec, "options", ())) <= set(known)


@pytest.mark.parametrize(("unit", "number", "text"), [
    ("answers", None, " over answers"), ("participants", 12, " over 12 participants"),
    ("both", 12, " over 12 participants and their answers"),
])
def test_what_intervals_are_over(unit, number, text):
    assert EN.over(unit, number) == text


@pytest.mark.parametrize(("numbers", "text"), [
    ([9, 9], " over 9 participants"), ([9, 1_012], " over 9 to 1,012 participants"),
    ([0, None], " over answers"),
    ([0, 12], " over 12 participants, or over answers where fewer are known"),
])
def test_what_several_intervals_are_over(numbers, text):
    assert EN.over_each(numbers) == text


@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_that_nobody_has_rounded_are_rounded(language):
    """A caption said "Cut at height 4.491853917224025"."""
    words = Words(language)
    assert "4.49" in words("cut at", height=4.491853917224025)
    for key, text in catalogue(language).texts.items():
        fields = {name for _, name, how, _ in string.Formatter().parse(text) if name and not how}
        if fields and "{" not in re.sub(r"\{\w+\}", "", text):  # others want other things
            said = words(key, **dict.fromkeys(fields, np.float64(4.491853917224025)))
            assert not re.search(r"\d[.,]\d{4}", said), key
