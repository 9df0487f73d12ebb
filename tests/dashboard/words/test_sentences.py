"""Numbers and sentences as papers have them."""

import re
import string

import numpy as np
import pytest

import tripletscope as ts
from tests.paths import ROOT
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.sentences import catalogue


def test_titles_of_tables_are_in_the_catalogue():
    for file in (ROOT / "dashboard" / "results").glob("*.py"):
        assert not re.search(r"\bNumbers\(\s*f?\"[A-Z]", file.read_text()), file.name


@pytest.mark.parametrize(("value", "text"), [
    (0.1374, ".137"), (1.0, "1.000"), (-0.05, "-.050"), (0.9996, "1.000"), (float("nan"), "–"),
    (-0.0, ".000"), (-0.0004, ".000"),
])
def test_shares_have_no_zero_before_the_point(value, text):
    assert words.share(value) == text


@pytest.mark.parametrize(("value", "text"), [
    (0.0123456, "0.0123"), (3.0, "3.00"), (1234.5, "1,234"), (1e-5, "1.00e-05"), (0, "0.00"),
])
def test_numbers(value, text):
    assert words.number(value) == text


def test_counts():
    assert words.count(1, "participant") == "1 participant"
    assert words.count(17611, "answer") == "17,611 answers"


def test_intervals_and_p():
    assert words.interval(0.12, 0.15) == "95% CI [.120, .150]"
    assert words.p(0.0004) == "*p* < .001"
    assert words.p(0.034) == "*p* = .034"


def test_changes_have_a_sign():
    assert words.change(0.1) == "+10.5%"
    assert words.change(-0.1) == "\N{MINUS SIGN}9.5%"
    assert words.change(-1e-9) == "+0.0%"


def test_lists():
    assert words.listing(["a"]) == "a"
    assert words.listing(["a", "b"]) == "a and b"
    assert words.listing(["a", "b", "c"]) == "a, b, and c"


def test_methods():
    assert words.method(ts.TSTE(n_components=3, seed=4)) == "t-STE, 3 dimensions, seed 4"
    assert words.method(ts.KMeans(basis=ts.STE())) == "k-means, on STE, 2 dimensions"
    assert words.method(ts.STE(n_init=2, init="random")).endswith(
        "2 dimensions, restarts 2, initialisation random"
    )
    assert words.method(ts.STE(init="order")).endswith("initialisation object order")


@pytest.mark.parametrize(("unit", "number", "text"), [
    ("answers", None, " over answers"), ("participants", 12, " over 12 participants"),
    ("both", 12, " over 12 participants and their answers"),
])
def test_what_intervals_are_over(unit, number, text):
    assert words.over(unit, number) == text


@pytest.mark.parametrize(("numbers", "text"), [
    ([9, 9], " over 9 participants"), ([9, 1_012], " over 9 to 1,012 participants"),
    ([0, None], " over answers"),
    ([0, 12], " over 12 participants, or over answers where fewer are known"),
])
def test_what_several_intervals_are_over(numbers, text):
    assert words.over_each(numbers) == text


def test_numbers_that_nobody_has_rounded_are_rounded():
    """A caption said "Cut at height 4.491853917224025"."""
    assert "4.49" in words("cut at", height=4.491853917224025)
    for key, text in catalogue().texts.items():
        fields = {name for _, name, how, _ in string.Formatter().parse(text) if name and not how}
        if fields and "{" not in re.sub(r"\{\w+\}", "", text):  # others want other things
            said = words(key, **dict.fromkeys(fields, np.float64(4.491853917224025)))
            assert not re.search(r"\d[.,]\d{4}", said), key
