"""Figures 5 and 11 to 13, and table 1: chosen questions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.uncertainty.active import (
    BY_BOOTSTRAP,
    BY_CHAIN,
    BY_GAIN,
    CLASSES,
    CLUSTERS,
    PREDICTION,
    RANDOM,
    asking,
    check_asking,
    objects_of,
)


def test_two_hundred_objects_of_each_class_that_is_asked_for():
    objects = objects_of("digits", 0)
    assert objects.points.shape == (200, 64)
    assert set(objects.target) == set(range(6))


def test_every_way_begins_with_the_same_answers():
    settings = {"data": "cancer", "methods": ("ste",), "begin": 500, "batch": 200, "end": 700,
                "repeats": 1, "ways": (RANDOM, BY_BOOTSTRAP, BY_CHAIN, BY_GAIN)}
    table = asking(**settings)
    wide = table.pivot_table(index=["quantity", "x"], columns="way", values="y")
    for quantity in (PREDICTION, CLASSES, CLUSTERS):
        assert len(set(wide.loc[(quantity, 500)])) == 1
    assert len(set(wide.loc[(PREDICTION, 700)])) == 4
    again = asking(**settings | {"ways": (RANDOM, BY_BOOTSTRAP)})
    assert again.equals(table[table["way"].isin(again["way"])].reset_index(drop=True))


def rows(predicted: float, grouped: float) -> pd.DataFrame:
    value = {(BY_BOOTSTRAP, PREDICTION): predicted, (BY_BOOTSTRAP, CLASSES): 0.3 - grouped,
             (BY_BOOTSTRAP, CLUSTERS): 0.3 + grouped}
    return pd.DataFrame([
        {"title": "STE", "quantity": quantity, "way": way, "x": x,
         "y": value.get((way, quantity), 0.3), "spread": 0.02, "repeats": 4}
        for way, quantity, x in product(
            (RANDOM, BY_BOOTSTRAP), (PREDICTION, CLASSES, CLUSTERS), (100, 200)
        )
    ])


@pytest.mark.parametrize(
    ("predicted", "grouped", "verdict"),
    [
        (0.25, 0.0, HOLDS), (0.3, 0.0, DOES_NOT_HOLD), (0.15, 0.0, DOES_NOT_HOLD),
        (0.25, 0.1, DOES_NOT_HOLD), (0.25, -0.1, DOES_NOT_HOLD),
    ],
)
def test_prediction_is_to_gain_a_little_and_the_other_tasks_not_to_change(
    predicted, grouped, verdict
):
    assert check_asking(rows(predicted, grouped)).shows == verdict


def test_table_1_compares_what_is_at_hand_with_what_is_published():
    check = items()["uncertainty-table-1"].check
    listed = {"MNIST": (784, 11_769, 2), "cancer": (30, 399, 2)}

    def table(cancer: int) -> pd.DataFrame:
        return pd.DataFrame([
            {"data": name, "what": what, "published": value,
             "y": cancer if (name, what) == ("cancer", "objects") else value}
            for name, values in listed.items()
            for what, value in zip(("features", "objects", "classes"), values, strict=True)
        ])

    assert check(table(399)).shows == HOLDS
    found = check(table(569))
    assert found.shows == DOES_NOT_HOLD
    assert "569 objects" in found.why
    assert np.isin(["784", "569"], found.ours.replace(";", " ").split()).all()
