"""Weights of people, and what they predict, as figures."""

import numpy as np
import pandas as pd
import pytest

from tripletscope.dashboard.figures.people import gain_dots, weights_figure

PEOPLE = [f"observer {k}" for k in range(1, 9)]


def test_bars_of_a_plane_of_weights_stay_in_the_frame():
    weights = np.random.default_rng(0).uniform(0.8, 1.2, size=(8, 2))
    figure = weights_figure(PEOPLE, weights, 0.7 * weights, 1.4 * weights)
    assert figure.layout.xaxis.range[1] >= 1.4 * weights.max()
    wide = weights_figure(PEOPLE, weights, 0.1 * weights, 9 * weights)
    assert wide.layout.xaxis.range[1] < 3 * weights.max()  # they do not squeeze all others


def test_names_of_people_with_equal_weights_are_not_written_over_each_other():
    weights = np.ones((8, 2)) + 1e-3 * np.arange(8)[:, None]
    points = next(
        trace for trace in weights_figure(PEOPLE, weights, weights, weights).data if trace.text
    )
    written = [place for one, place in zip(points.text, points.textposition, strict=True) if one]
    assert written
    assert len(set(written)) == len(written)


@pytest.mark.parametrize(("gain", "side"), [(-0.5, "right"), (0.5, "left")])
def test_words_beside_a_line_have_room(gain, side):
    table = pd.DataFrame({
        "model": ["weights"], "gain": gain, "low": gain - 0.1, "high": gain + 0.1, "accuracy": 0.8,
    })
    (words,) = gain_dots(table).layout.annotations
    assert words.xanchor == side  # of the words, which end or begin at the line
