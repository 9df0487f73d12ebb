"""Comparison trees and votes against the paper's lines, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from docs.charts import CHARTS
from docs.charts.chart import chart_figure
from tripletscope.reproductions.forests import construction
from tripletscope.reproductions.forests.paired import in_splits
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.outcome import rebuild


def test_the_plane_is_drawn_with_its_cells():
    outcome = rebuild("forests-figure-1", quick=True)
    assert outcome.observations[0].shows == HOLDS
    drawn = chart_figure(CHARTS["forests-figure-1"][0], outcome.table)
    outlines = [trace for trace in drawn.data if trace.mode == "lines"]
    assert len(outlines) == len(construction.STEPS)
    gaps = [sum(value is None for value in trace.x) for trace in outlines]
    assert gaps[:3] == [1, 1, 2]
    assert gaps[3] > 8
    assert [trace.name for trace in drawn.data if trace.showlegend] == [
        "class 0", "class 1", "pivots"
    ]
    for wrong in ({"inside": False}, {"leaf_size": 3}, {"one_class": 1}):
        assert construction.check_plane(outcome.table.assign(**wrong)).shows == DOES_NOT_HOLD


def test_within_a_triangle():
    triangle = np.array([[0.0, 0], [1, 0], [0, 1]])
    assert construction.within(triangle, np.array([0.2, 0.2]))
    assert not construction.within(triangle, np.array([0.8, 0.8]))


def test_trees_ask_what_they_are_defined_to_ask():
    outcome = rebuild("forests-algorithm-1", quick=True)
    table = outcome.table
    assert outcome.observations[0].shows == HOLDS
    asked = table[table["counted"] == "asked"].set_index("leaf_size")["questions"]
    assert asked.is_monotonic_decreasing
    assert construction.check_growing(table.assign(wrong_side=2)).shows == DOES_NOT_HOLD
    more = table["questions"].where(table["counted"] != "asked", table["questions"] * 1.1)
    assert construction.check_growing(table.assign(questions=more)).shows == DOES_NOT_HOLD


def test_a_forest_to_the_letter_votes_as_ours():
    table = construction.voting(
        shares=(1.0,), leaf_sizes=(1,), n_objects=300, n_trees=40, n_repeats=2
    )
    assert construction.check_voting(table).shows == HOLDS


@pytest.mark.parametrize(
    ("same", "errors", "verdict"),
    [(0.97, [5.0, 6.2, 4.9, 6.1], HOLDS), (0.9, [5.0, 6.2, 4.9, 6.1], DOES_NOT_HOLD),
     (0.97, [25.0, 26.2, 24.9, 26.1], DOES_NOT_HOLD), (0.97, [1.0, 2.2, 0.9, 2.1], DOES_NOT_HOLD)],
)
def test_votes_are_to_be_the_same_and_errors_too(same, errors, verdict):
    table = pd.DataFrame([
        {"case": "r = 1, n₀ = 1", "forest": name, "same": same, **in_splits(own)}
        for name, own in (("ours", errors), ("to the letter", [5.1, 6.0, 5.0, 6.1]))
    ])
    assert construction.check_voting(table).shows == verdict


def test_one_that_is_to_the_letter_by_hand():
    points, labels = np.array([[0.0], [1.0], [10.0], [11.0]]), np.array([0, 0, 1, 1])
    guess = construction.to_the_letter(
        points, labels, np.array([[0.4], [10.7]]), 9, 1, 1.0, np.random.default_rng(0)
    )
    assert guess.tolist() == [0, 1]
