"""Rules of thumb, the best method in the simulations, and the ceiling of agreement."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.crowd import advice
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.outcome import rebuild


def _amounts(second: float, spread: float = 0.01) -> pd.DataFrame:
    return pd.DataFrame([
        {"objects": "n = 20", "dimensions": d, "factor": factor, "accuracy": accuracy,
         "spread": spread, "runs": 20}
        for d, at_one in (("d = 1", 0.95), ("d = 2", second))
        for factor, accuracy in ((1, at_one), (4, 0.99))
    ])


@pytest.mark.parametrize(("table", "verdict"), [
    (_amounts(0.92), HOLDS), (_amounts(0.85), DOES_NOT_HOLD),
    (_amounts(0.92, spread=0.2), DOES_NOT_HOLD),
])
def test_verdicts_on_amounts(table, verdict):
    assert advice.check_amounts(table).shows == verdict


def test_more_answers_make_better_maps():
    table = advice.amounts(sizes=(20,), dimensions=(2,), factors=(0.5, 4), runs=3)
    assert table["accuracy"].iloc[1] > table["accuracy"].iloc[0] + 0.05


@pytest.mark.parametrize(("chosen", "verdict"), [
    ([1, 1, 2, 2], HOLDS), ([1, 1, 2, 3], DOES_NOT_HOLD), ([1, 2, 2, 2], DOES_NOT_HOLD),
])
def test_verdicts_on_chosen_dimensions(chosen, verdict):
    table = pd.DataFrame({"true": [1, 1, 2, 2], "chosen": chosen})
    assert advice.check_chosen(table).shows == verdict


def test_one_dimension_is_chosen_where_there_is_one():
    table = advice.dimensions(truths=(1,), n=15, n_answers=600, noise=0.0, runs=2)
    assert table["chosen"].tolist() == [1, 1]


def _methods(behind: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"objects": "n = 20", "noise": noise, "method": method, "behind": gain, "error": 0.01,
         "runs": 6}
        for noise in ("0.1", "all")
        for method, gain in (("LOE", 0.0), ("STE", 0.1), ("t-STE", behind))
    ])


@pytest.mark.parametrize(("behind", "verdict"), [
    (0.1, HOLDS), (0.01, DOES_NOT_HOLD), (-0.1, DOES_NOT_HOLD),
])
def test_verdicts_on_methods(behind, verdict):
    assert advice.check_methods(_methods(behind)).shows == verdict


def test_methods_learn_from_the_same_answers():
    table = advice.methods(sizes=(10,), noises=(0.0, 0.2), n_answers=400, runs=2)
    wide = table.pivot_table("accuracy", "method", "noise")
    assert wide["all"].to_dict() == pytest.approx(wide[[0.0, 0.2]].mean(axis=1).to_dict())
    assert (table[table["method"] == "LOE"]["behind"] == 0).all()


def test_a_ceiling_of_agreement():
    outcome = rebuild("thesis-section-5.4")
    assert outcome.observations[0].shows == HOLDS
    wide = outcome.table.pivot_table("share", "probability", "curve")
    p = wide.index.to_numpy()
    # Three agree, or two of three.
    agreed = p**3 + (1 - p) ** 3 + 2 * p * (1 - p)
    assert np.allclose(wide["agreement of three answers"], agreed, atol=1e-5)
    low = outcome.table.assign(share=outcome.table["share"].where(
        outcome.table["curve"] == "best prediction", outcome.table["share"] - 0.1
    ))
    assert advice.check_ceiling(low).shows == DOES_NOT_HOLD
