"""Forests and embeddings from answers alone, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.models.embedding import TSTE
from tripletscope.reproductions.forests import triplets
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


def test_a_forest_asks_about_both_halves_and_is_told_the_truth():
    given = triplets.shuffled("wine 0/1", 61, 0)
    asked = triplets.asked_by_a_forest(given, 3, 0)
    assert len(given.points) == 60 == 2 * asked.n_train
    assert asked.wrong.shape == (30,)
    assert asked.wrong.mean() < 0.4
    pivots, anchors = asked.rows[:, 1:], asked.rows[:, 0]
    assert pivots.max() < 30 <= anchors.max()
    for rows in (asked.rows, triplets.random_answers(given.points, 200,
                                                     np.random.default_rng(0))):
        anchor, near, far = (given.points[column] for column in rows.T)
        assert (((anchor - near) ** 2).sum(1) <= ((anchor - far) ** 2).sum(1) + 1e-9).all()


def test_errors_in_a_map_are_those_of_the_other_half():
    given = triplets.shuffled("wine 0/1", 60, 0)
    asked = triplets.asked_by_a_forest(given, 2, 0)
    near, cart = triplets.wrong_by_map(TSTE, asked, asked.rows, (2, 3), 0)
    for wrong in (near, cart):
        assert wrong.shape == (30,)
        assert wrong.mean() < 0.4


def test_who_alone_is_wrong_is_counted():
    wrong, reference = (np.array(row, dtype=bool) for row in ([1, 1, 1, 0], [1, 0, 0, 1]))
    row = triplets._row(wrong, reference)
    assert (row["error"], row["alone"], row["reference_alone"]) == (75, 2, 1)


def bars(other: float, alone: int, reference_alone: int) -> pd.DataFrame:
    return pd.DataFrame([
        {"data": "digits", "trees": 1, "method": name, "error": 10.0, "alone": 0,
         "reference_alone": 0} if name == triplets.OURS else
        {"data": "digits", "trees": 1, "method": name, "error": other, "alone": alone,
         "reference_alone": reference_alone} for name in triplets.BARS
    ])


@pytest.mark.parametrize(
    ("given", "verdict"),
    [((14.0, 6, 2), HOLDS), ((14.0, 0, 8), DOES_NOT_HOLD), ((9.0, 2, 3), DOES_NOT_HOLD)],
)
def test_no_bar_is_to_be_clearly_below_the_forest_nor_the_mean(given, verdict):
    assert triplets.check_bars(bars(*given)).shows == verdict


@pytest.mark.parametrize(
    ("early", "late", "verdict"),
    [((9, 1), (9, 1), HOLDS), ((9, 1), (2, 9), DOES_NOT_HOLD), ((40, 1), (0, 9), DOES_NOT_HOLD)],
)
def test_tste_is_to_be_clearly_better_than_each_and_nowhere_worse(early, late, verdict):
    counts = {1: early, 10: late}
    table = pd.DataFrame([
        {"trees": trees, "embedding": name, "error": 12.0, "alone": 20, "reference_alone": 1}
        for trees in counts for name in ("GNMDS", "SOE (LOE)")
    ] + [
        {"trees": trees, "embedding": "STE", "error": 11.0, "alone": alone,
         "reference_alone": other} for trees, (alone, other) in counts.items()
    ] + [
        {"trees": trees, "embedding": "t-STE", "error": 10.0, "alone": 0, "reference_alone": 0}
        for trees in counts
    ])
    assert triplets.check_embeddings(table).shows == verdict


def test_times_are_measured_and_compared():
    table = triplets.times(data="wine 0/1", trees=(1, 5), dimensions=(2,), most=60, n_repeats=1)
    assert (table["seconds"] > 0).all()
    assert table["published"].notna().sum() == 2
    maps = table["method"] != triplets.OURS
    slow = table.assign(ratio=np.where(maps, 120.0, 1.0))
    assert triplets.check_times(slow).shows == HOLDS
    one = slow.assign(ratio=np.where(maps & (table["trees"] == 5), 90.0, slow["ratio"]))
    assert triplets.check_times(one).shows == DOES_NOT_HOLD
