"""Figures 1, 4 and 6: scales of observers who differ."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.psychophysics import (
    PUBLISHED,
    observers,
    pooled_answers,
)

FIGURE_1, FIGURE_4, FIGURE_6 = (items()[f"uncertainty-figure-{n}"] for n in (1, 4, 6))


@pytest.fixture(scope="module")
def table():
    return observers(lengths=(2.0, 0.88, 0.54), repeats=1)


def test_observers_answer_a_hundred_questions_each_and_agree_at_the_ends():
    answers, functions = pooled_answers(0.54, 0)
    assert (len(answers), answers.n_objects, functions.shape) == (5000, 20, (50, 20))
    assert np.allclose(functions[:, 0], 0.0, atol=1e-3)
    assert np.allclose(functions[:, -1], 1.0, atol=1e-3)


def test_scales_go_from_0_to_1(table):
    scales = table[(table["part"] == "map") & (table["curve"] == PUBLISHED)]
    for _, own in scales.groupby("length"):
        ends = own.sort_values("x").iloc[[0, -1]]
        assert np.allclose(ends["y"], [0, 1])
        assert np.allclose(ends["spread"], 0, atol=1e-12)


@pytest.mark.parametrize("figure", [FIGURE_4, FIGURE_6])
def test_differences_between_observers_widen_the_error_bars(figure, table):
    assert figure.check(table).shows == HOLDS
    turned = table.assign(length=-table["length"])  # the longest is the shortest
    assert figure.check(turned).shows == DOES_NOT_HOLD


def test_a_map_of_answers_is_one_of_perception():
    found = FIGURE_1.experiment(n_answers=1000)
    assert FIGURE_1.check(found).shows == HOLDS
    swapped = found.replace({"perception": "stimulus", "stimulus": "perception"})
    assert FIGURE_1.check(swapped).shows == DOES_NOT_HOLD
