"""Diagonals, numbers of operations, and answers to random questions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.structure import dominance, operations
from tripletscope.reproductions.registry import items

DIAGONAL, COUNTS, GENERAL = (items()[f"kernels-section-{n}"] for n in ("2.1", "2.4", "4.2"))


def test_few_answers_leave_little_off_the_diagonal():
    table = dominance(n_objects=40, shares=(0.02, 0.2, 1.0))
    assert DIAGONAL.check(table).shows == HOLDS
    assert DIAGONAL.check(table.assign(off=0.01)).shows == DOES_NOT_HOLD
    assert DIAGONAL.check(table.assign(least=-0.01)).shows == DOES_NOT_HOLD
    assert DIAGONAL.check(table.assign(share=-table["share"])).shows == DOES_NOT_HOLD
    few = table["share"] == 2.0
    assert DIAGONAL.check(table.assign(y=table["y"].mask(few, 0.05))).shows == DOES_NOT_HOLD


def test_features_are_counted():
    table = operations(sizes=(10, 20), large=(300, 330), landmarks=15)
    assert COUNTS.check(table).shows == HOLDS
    tenth = table["design"] == "a tenth of them"
    dense = table.assign(multiplications=table["multiplications"].mask(tenth, 10**9))
    assert COUNTS.check(dense).shows == DOES_NOT_HOLD
    for design in ("all comparisons", "landmark design"):
        more = table.assign(features=table["features"] + (table["design"] == design) * 100)
        assert COUNTS.check(more).shows == DOES_NOT_HOLD


def trials(ahead: float, *, data: int, seconds: float = 0.01) -> pd.DataFrame:
    """Trials in which kernels are ahead of embeddings in all but so many of five data sets."""
    rng = np.random.default_rng(0)
    return pd.DataFrame([
        {"data": name, "run": run, "per object": 10, "method": method, "seconds":
         seconds if method in ("k1", "k2") else 0.05, "purity": base + rng.random() / 100
         + (0.0 if method in ("k1", "k2") else -ahead if number >= data else 0.2)}
        for number, name in enumerate("abcde") for run in range(10) for base in [rng.random() / 2]
        for method in ("k1", "k2", "GNMDS", "CKL", "t-STE")
    ])


@pytest.mark.parametrize(("table", "verdict"), [
    (trials(0.1, data=5), HOLDS), (trials(0.1, data=3), HOLDS),
    (trials(0.1, data=2), DOES_NOT_HOLD),
    (trials(0.1, data=5, seconds=0.1), DOES_NOT_HOLD),
])
def test_kernels_are_to_be_behind_in_most_data_sets(table, verdict):
    assert GENERAL.check(table).shows == verdict
