"""Ticks of logarithmic axes and of counts."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.dashboard.figures.axes import log_axis, whole_axis


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([15, 900], ["20", "50", "100", "200", "500", "1,000"]),
        ([100, 1_000_000], ["100", "1,000", "10,000", "100,000", "1e6"]),
        ([0.02, 0.3], ["0.02", "0.05", "0.1", "0.2"]),
        ([480, 560], ["450", "500", "550", "600", "650"]),
        ([1.55, 1.65], ["1.5", "1.55", "1.6", "1.65", "1.7", "1.75"]),
        ([1.6, 1.6], ["1.6"]),
    ],
)
def test_numbers_are_whole_and_few(values, written):
    axis = log_axis(values)
    assert axis["type"] == "log"
    assert axis["ticktext"] == written
    assert [float(text.replace(",", "")) for text in written] == pytest.approx(axis["tickvals"])


@pytest.mark.parametrize("high", [1.01, 1.5, 3, 9, 40, 700, 1e5, 1e12])
def test_every_axis_has_two_to_eight_numbers(high):
    for low in (1e-7, 0.3, 1.0, 7.7, 123_456.0):
        axis = log_axis(np.array([low, low * high]), [np.nan, 0.0])
        assert 2 <= len(axis["tickvals"]) <= 8
        assert len(set(axis["ticktext"])) == len(axis["ticktext"])
        assert min(axis["tickvals"]) >= low / 1.3
        # Values that are close together had one number between them.
        assert sum(low / high <= tick <= low * high**2 for tick in axis["tickvals"]) >= 2


def test_nothing_positive_has_no_ticks():
    assert log_axis([np.nan, 0.0]) == {"type": "log"}


@pytest.mark.parametrize("most", [1, 2, 3, 7, 8, 14, 29])
def test_counts_have_no_fractions_between_them(most):
    axis = whole_axis([0, most], np.array([np.nan]))
    assert axis["tick0"] == 0
    assert axis["dtick"] in (1, 2, 5)
    assert 1 <= most / axis["dtick"] <= 7


def test_a_single_count_is_the_only_number():
    axis = whole_axis([100, 100])
    assert axis["tickvals"] == [100]
    assert axis["range"][0] < 100 < axis["range"][1]


@pytest.mark.parametrize("values", [[], [np.nan], [0.5, 3], [0, 1_000]])
def test_quantities_are_left_to_plotly(values):
    assert whole_axis(values) == {}
