"""Ticks of logarithmic axes."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.dashboard.figures.axes import log_axis


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ([15, 900], ["20", "50", "100", "200", "500", "1,000"]),
        ([100, 1_000_000], ["100", "1,000", "10,000", "100,000", "1e6"]),
        ([0.02, 0.3], ["0.02", "0.05", "0.1", "0.2"]),
        ([480, 560], ["400", "450", "500", "550", "600", "650"]),
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


def test_nothing_positive_has_no_ticks():
    assert log_axis([np.nan, 0.0]) == {"type": "log"}
