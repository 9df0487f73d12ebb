"""Forests and embeddings from answers alone, and what is said of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.embedding import TSTE
from tripletscope.reproductions.forests import triplets
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


def test_a_forest_asks_about_both_halves_and_is_told_the_truth():
    given = triplets.shuffled("wine 0/1", 61, 0)
    asked = triplets.asked_by_a_forest(given, 3, 0)
    assert len(given.points) == 60 == 2 * asked.n_train
    assert asked.error < 0.4
    pivots, anchors = asked.rows[:, 1:], asked.rows[:, 0]
    assert pivots.max() < 30 <= anchors.max()
    for rows in (asked.rows, triplets.random_answers(given.points, 200,
                                                     np.random.default_rng(0))):
        anchor, near, far = (given.points[column] for column in rows.T)
        assert (((anchor - near) ** 2).sum(1) <= ((anchor - far) ** 2).sum(1) + 1e-9).all()


def test_errors_in_a_map_are_those_of_the_other_half():
    given = triplets.shuffled("wine 0/1", 60, 0)
    asked = triplets.asked_by_a_forest(given, 2, 0)
    errors = triplets.error_by_map(TSTE, asked, asked.rows, (2, 3), 0)
    assert len(errors) == 2
    steps = np.array(errors) * 30 / 100
    assert steps == pytest.approx(np.round(steps))
    assert max(errors) < 40


def bars(other: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"data": "digits", "trees": 1, "method": name, "spread": 1.0, "n": 200,
         "error": 10.0 if name == triplets.OURS else other} for name in triplets.BARS
    ])


@pytest.mark.parametrize(("other", "verdict"), [(14.0, HOLDS), (9.0, HOLDS), (2.0, DOES_NOT_HOLD)])
def test_no_bar_is_to_be_below_the_forest(other, verdict):
    assert triplets.check_bars(bars(other)).shows == verdict


@pytest.mark.parametrize(("ste", "verdict"), [(12.0, HOLDS), (5.0, DOES_NOT_HOLD)])
def test_tste_is_to_be_the_best_of_four(ste, verdict):
    errors = {"GNMDS": 14.0, "SOE (LOE)": 13.0, "STE": ste, "t-STE": 10.0}
    table = pd.DataFrame([
        {"trees": 1, "embedding": name, "error": error, "spread": 1.0}
        for name, error in errors.items()
    ])
    assert triplets.check_embeddings(table).shows == verdict


def test_times_are_measured_and_compared():
    table = triplets.times(data="wine 0/1", trees=(1, 5), dimensions=(2,), most=60, n_repeats=1)
    assert (table["seconds"] > 0).all()
    assert table["published"].notna().sum() == 2
    slow = table.assign(ratio=np.where(table["method"] == triplets.OURS, 1.0, 20.0))
    assert triplets.check_times(slow).shows == HOLDS
    assert triplets.check_times(slow.assign(ratio=2.0)).shows == DOES_NOT_HOLD
