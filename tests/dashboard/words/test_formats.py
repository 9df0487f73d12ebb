"""Numbers, counts and times as pages have them."""

import pytest

from tripletscope.dashboard.words.formats import count, duration, interval, number, plain


@pytest.mark.parametrize(("value", "text"), [
    (0, "0"), (0.0123456, "0.0123"), (0.001, "0.001"), (1234.5, "1,230"), (999_999, "1,000,000"),
    (1e6, "1.00e+06"), (1e-7, "1.00e-07"), (0.000999, "9.99e-04"),
    (-0.5, "-0.5"),
])
def test_numbers_have_an_exponent_only_where_they_cannot_be_read(value, text):
    assert number(value) == text


@pytest.mark.parametrize(("seconds", "text"), [
    (0.25, "250 ms"), (1, "1.0 s"), (9.94, "9.9 s"), (10, "10 s"), (89, "89 s"), (90, "2 min"),
    (600, "10 min"), (5399, "90 min"), (5400, "1.5 h"), (36_000, "10.0 h"),
])
def test_times_have_the_unit_that_reads_best(seconds, text):
    assert duration(seconds) == text


def test_estimates_have_their_interval():
    assert interval(0.1373, 0.1291, 0.1459) == "0.137 [0.129, 0.146]"


def test_one_is_singular():
    assert [count(n, "answer") for n in (0, 1)] == ["0 answers", "1 answer"]
    assert count(17_611, "answer") == "17,611 answers"
    assert [count(n, "person", "people") for n in (1, 2)] == ["1 person", "2 people"]


def test_markdown_is_escaped_in_one_line():
    assert plain("5% of *a*\nb") == r"5 % of \*a\* b"
