"""Leaf sizes, trees and shares of the objects: what is measured, and what is said of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.computing.progress import Stopped
from tripletscope.reproductions.forests import parameters
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


def test_errors_are_of_each_leaf_size_and_number_of_trees():
    settings = {"leaf_sizes": (1, 16), "trees": (1, 16), "n_folds": 2, "most": 100}
    table = parameters.by_leaf_size(data=("wine", "diabetes"), **settings, seed=2)
    assert len(table) == 4 + 6
    wine = table[table["data"] == "wine"].set_index(["leaf_size", "trees"])["error"]
    assert wine[1, 16] < wine[1, 1]
    assert table.equals(
        parameters.by_leaf_size(data=("wine", "diabetes"), **settings, seed=2)
    )
    with pytest.raises(Stopped):
        parameters.by_leaf_size(data=("wine",), **settings, progress=lambda fraction: True)


def curves(one: float, late: float = 3.0) -> pd.DataFrame:
    rows = [
        ("MNIST", f"n₀ = {size}", size, trees, error, 0.3)
        for size, trees, error in (
            (1, 4, 6.0), (1, 64, late), (1, 256, one), (64, 4, 9.0), (64, 64, 5.0), (64, 256, 5.0)
        )
    ]
    return pd.DataFrame(
        rows, columns=["data", "forest", "leaf_size", "trees", "error", "spread"]
    )


@pytest.mark.parametrize(
    ("one", "late", "verdict"), [(2.9, 3.0, HOLDS), (8.0, 8.0, DOES_NOT_HOLD),
                                 (2.9, 5.0, DOES_NOT_HOLD)]
)
def test_small_leaves_are_best_and_a_hundred_trees_enough(one, late, verdict):
    assert parameters.check_classes(curves(one, late)).shows == verdict


def responses(fires: float) -> pd.DataFrame:
    rows = []
    for name, errors in {"Boston": (6.0, 7.0), "Forest fires": (fires, 46.0),
                         "White wine": (0.80, 0.78)}.items():
        rows += [
            (name, "n₀ = 1", 1, 64, errors[0], 0.1), (name, "n₀ = 16", 16, 64, errors[1], 0.1),
            (name, parameters.MEAN_ALONE, 0, 64, 45.0, 0.1),
        ]
    return pd.DataFrame(
        rows, columns=["data", "forest", "leaf_size", "trees", "error", "spread"]
    )


def test_the_best_leaf_size_of_regressions_is_compared_with_the_text():
    assert parameters.check_responses(responses(45.0)).shows == HOLDS
    found = parameters.check_responses(responses(60.0))
    assert found.shows == DOES_NOT_HOLD
    assert "256 there" in found.why


def shares(full: float, gain: float) -> pd.DataFrame:
    rows = [
        ("digits", "classification", 0.1, "r = 0.1", 6.0, 0.2),
        ("digits", "classification", 1.0, "r = 1", full, 0.2),
        ("Boston", "regression", 0.1, "r = 0.1", 30.0 - gain, 0.5),
        ("Boston", "regression", 1.0, "r = 1", 30.0, 0.5),
    ]
    return pd.DataFrame(
        rows, columns=["data", "task", "share", "subsample", "error", "spread"]
    )


@pytest.mark.parametrize(
    ("full", "gain", "verdict"),
    [(2.0, 0.0, HOLDS), (7.0, 0.0, DOES_NOT_HOLD), (2.0, 5.0, DOES_NOT_HOLD)],
)
def test_fewer_objects_per_tree_are_to_harm_classes_and_not_to_help_responses(full, gain, verdict):
    assert parameters.check_shares(shares(full, gain)).shows == verdict


def test_square_errors_are_relative_to_the_largest_of_their_data():
    table = parameters.by_share(
        data=("wine", "diabetes"), shares=(0.1, 1.0), trees=10, n_folds=2, most=100
    )
    assert np.allclose(table.groupby("data")["relative"].max(), 1)
    assert list(table["task"].unique()) == ["classification", "regression"]
