"""What is seen of answers before anything is computed."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.dashboard.figures.answers import histogram
from tripletscope.dashboard.figures.theme import Canvas


@pytest.mark.parametrize("logarithmic", [False, True])
def test_histograms_count_everything_that_can_be_shown(logarithmic):
    values = np.array([0.001, 0.5, 1.0, 2.0, 30.0, np.nan, np.inf])
    figure = histogram(values, title="t", of="n", logarithmic=logarithmic)
    assert sum(figure.data[0].y) == 5
    assert sum(histogram(np.array([]), title="t", of="n").data[0].y) == 0
    assert sum(histogram(np.ones(7), title="t", of="n", logarithmic=logarithmic).data[0].y) == 7


def test_steps_of_whole_numbers_hold_equally_many_of_them():
    """Else an even distribution would look like a comb."""
    for most in (1, 29, 46, 1_000):
        bars = histogram(np.arange(most + 1.0), title="t", of="n").data[0]
        assert len(set(bars.y[:-1])) == 1
        assert sum(bars.y) == most + 1
        assert len(bars.y) <= 31


def test_a_single_number_is_a_bar_and_no_wall():
    figure = histogram(np.full(11, 405.0), title="t", of="n")
    low, high = figure.layout.xaxis.range
    assert low < 405 < high
    assert figure.data[0].width[0] < (high - low) / 10


def test_a_file_of_a_histogram_says_of_which_data_it_is():
    canvas = Canvas(390.0, 121.0, screen=False, most=1014.0)
    drawn = histogram(np.arange(9.0), title="t", of="n", caption="Nine things.", canvas=canvas)
    assert drawn.layout.title.text == "Nine things."
    assert drawn.layout.height > 100.0
