"""Figures 1, 4 and 6: scales of observers who differ."""

from __future__ import annotations

import numpy as np
import pandas as pd
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


def test_differences_between_observers_widen_the_error_bars(table):
    assert FIGURE_6.check(table).shows == HOLDS
    turned = table.assign(length=-table["length"])  # the longest is the shortest
    assert FIGURE_6.check(turned).shows == DOES_NOT_HOLD


@pytest.mark.parametrize(("curve", "x"), [("observers", 0.0), ("observers", None)])
def test_observers_are_of_the_process(table, curve, x):
    wrong = table.copy()
    own = (wrong["part"] == "process") & (wrong["curve"] == curve)
    if x is None:
        wrong.loc[own, "y"] = 1.0 - wrong.loc[own, "y"]
    else:
        wrong.loc[own & (wrong["x"] == x), "spread"] = 0.1
    assert FIGURE_6.check(wrong).shows == DOES_NOT_HOLD


def each(**of_stimulus: float) -> pd.DataFrame:
    """Twelve repetitions in which a shorter length scale adds so much."""
    rng = np.random.default_rng(0)
    return pd.DataFrame([
        {"part": "each repetition", "repeat": repeat, "length": length, "stimulus": what,
         "y": base + of_stimulus.get(what, 0.1) * step + 0.001 * rng.random()}
        for repeat in range(12) for base in [rng.random()]
        for step, length in enumerate((2.0, 0.88, 0.54))
        for what in ("S2", "S4", "error of the mean scale")
    ])


def test_every_stimulus_and_the_error_are_to_rise_in_pairs_of_repetitions():
    assert FIGURE_4.check(each()).shows == HOLDS
    flat = FIGURE_4.check(each(S4=0.0))
    assert flat.shows == DOES_NOT_HOLD
    assert "S4 at l = 0.88" in flat.why
    assert FIGURE_4.check(each(**{"error of the mean scale": -0.1})).shows == DOES_NOT_HOLD


def test_a_map_of_answers_is_one_of_perception():
    found = FIGURE_1.experiment(n_answers=1000)
    assert FIGURE_1.check(found).shows == HOLDS
    swapped = found.replace({"perception": "stimulus", "stimulus": "perception"})
    assert FIGURE_1.check(swapped).shows == DOES_NOT_HOLD
    folded = found.copy()
    folded.loc[(folded["curve"] == "map of the answers") & (folded["x"] == 0.0), "y"] = 0.3
    assert FIGURE_1.check(folded).shows == DOES_NOT_HOLD


def test_the_mixture_is_told_from_another():
    item = items()["uncertainty-figure-8"]
    table = item.experiment(n_objects=500)
    assert item.check(table).shows == HOLDS
    assert item.check(table.assign(y=-table["y"])).shows == DOES_NOT_HOLD
    assert item.check(table.assign(x=1.5 * table["x"])).shows == DOES_NOT_HOLD
