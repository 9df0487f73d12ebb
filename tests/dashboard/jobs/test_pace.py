"""Remaining times that are true, or none."""

from __future__ import annotations

import pytest

from tripletscope.dashboard.jobs.pace import _MOST, Pace


def paced(times, fractions) -> Pace:
    pace = Pace(0.0)
    for time, fraction in zip(times, fractions, strict=True):
        pace.advance(time, fraction)
    return pace


def test_steady_work_counts_down_also_between_advances():
    pace = paced(range(1, 11), [k / 20 for k in range(1, 11)])
    assert pace.seconds_left(10.0) == pytest.approx(10.0)
    assert pace.seconds_left(10.7) == pytest.approx(9.3)


def test_work_that_stands_still_says_nothing():
    assert paced([0.1], [0.1]).seconds_left(60.0) is None, "one step, like UMAP's"
    pace = paced(range(1, 11), [k / 20 for k in range(1, 11)])
    assert pace.seconds_left(13.0) is None


@pytest.mark.parametrize(("times", "fractions"), [
    ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4]),
    ([1, 2, 3, 4], [0.01, 0.02, 0.03, 0.04]),
    ([3.0, 6.0], [0.3, 0.6]),
])
def test_too_early_says_nothing(times, fractions):
    assert paced(times, fractions).seconds_left(times[-1]) is None


def test_work_that_gets_slower_says_nothing():
    slower = paced(range(1, 7), [0.2, 0.4, 0.6, 0.62, 0.64, 0.66])
    assert slower.seconds_left(6.0) is None


def test_work_that_gets_faster_goes_on_as_lately():
    faster = paced(range(1, 7), [0.02, 0.04, 0.06, 0.26, 0.46, 0.66])
    assert faster.seconds_left(6.0) == pytest.approx(1.7)


def test_what_is_no_advance_and_very_many_of_them_change_nothing():
    pace = paced(range(1, 11), [k / 20 for k in range(1, 11)])
    pace.advance(11.0, 0.3)
    assert pace.seconds_left(11.0) == pytest.approx(9.0)
    many = paced([k / 100 for k in range(1, 1001)], [k / 2000 for k in range(1, 1001)])
    assert len(many._marks) <= _MOST
    assert many.seconds_left(10.0) == pytest.approx(10.0)
