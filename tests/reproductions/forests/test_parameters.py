"""Leaf sizes, trees and shares of the objects: what is measured, and what is said of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.reproductions.forests import parameters
from tripletscope.reproductions.forests.paired import in_splits
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


#: By how much errors differ from fold to fold.
FOLDS = np.array([-0.2, 0.1, 0.0, 0.3, -0.2])


def curves(one: float = 2.9, late: float = 2.9, four: float = 3.5) -> pd.DataFrame:
    return pd.DataFrame([
        {"data": name, "leaf_size": size, "trees": trees, **in_splits(error + FOLDS * trees / 64)}
        for name in ("MNIST", "wine") for size, trees, error in (
            (1, 1, 9.0), (1, 64, late), (1, 256, one), (4, 1, 9.0), (4, 64, four),
            (4, 256, four if name == "wine" else 3.5), (64, 1, 9.0), (64, 64, 5.0), (64, 256, 5.0)
        )
    ])


@pytest.mark.parametrize(
    ("given", "verdict"),
    [({}, HOLDS), ({"one": 8.0, "late": 8.0}, DOES_NOT_HOLD), ({"late": 6.0}, DOES_NOT_HOLD),
     ({"late": 8.99}, DOES_NOT_HOLD), ({"four": 2.8}, DOES_NOT_HOLD)],
)
def test_small_leaves_are_best_in_every_data_set_and_a_hundred_trees_enough(given, verdict):
    assert parameters.check_classes(curves(**given)).shows == verdict


def responses(fires: float = 45.0, wine: float = 0.78) -> pd.DataFrame:
    rows = []
    for name, errors in {"Boston": (6.0, 7.0), "Forest fires": (fires, 46.0),
                         "White wine": (0.80, wine)}.items():
        rows += [
            {"data": name, "forest": forest, "leaf_size": size, "trees": 64,
             **in_splits(error + 0.01 * FOLDS * (1 + (size == 16)))}
            for forest, size, error in (
                ("n₀ = 1", 1, errors[0]), ("n₀ = 16", 16, errors[1]),
                (parameters.MEAN_ALONE, 0, 45.0),
            )
        ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("given", "verdict"),
    [({}, HOLDS), ({"fires": 60.0}, DOES_NOT_HOLD), ({"wine": 0.7999}, DOES_NOT_HOLD),
     ({"wine": 0.9}, DOES_NOT_HOLD)],
)
def test_the_best_leaf_size_of_regressions_is_compared_with_the_text(given, verdict):
    assert parameters.check_responses(responses(**given)).shows == verdict


def shares(full: float = 2.0, gain: float = 0.0, fires: float = 29.0) -> pd.DataFrame:
    kinds = {"digits": "classification"}
    return pd.DataFrame([
        {"data": name, "task": kinds.get(name, "regression"), "share": share,
         **in_splits(error + FOLDS * (1 + (share == 1)))}
        for name, share, error in (
            ("digits", 0.1, 6.0), ("digits", 1.0, full), ("Boston", 0.1, 30.0 - gain),
            ("Boston", 1.0, 30.0), ("Forest fires", 0.1, fires), ("Forest fires", 1.0, 30.0),
        )
    ])


@pytest.mark.parametrize(
    ("given", "verdict"),
    [({}, HOLDS), ({"full": 5.9}, DOES_NOT_HOLD), ({"gain": 5.0}, DOES_NOT_HOLD),
     ({"fires": 31.0}, DOES_NOT_HOLD)],
)
def test_fewer_objects_per_tree_are_to_harm_classes_and_to_help_the_fires_alone(given, verdict):
    assert parameters.check_shares(shares(**given)).shows == verdict


def test_square_errors_are_relative_to_the_largest_of_their_data():
    table = parameters.by_share(
        data=("wine", "diabetes"), shares=(0.1, 1.0), trees=10, n_folds=2, most=100
    )
    assert np.allclose(table.groupby("data")["relative"].max(), 1)
    assert list(table["task"].unique()) == ["classification", "regression"]
