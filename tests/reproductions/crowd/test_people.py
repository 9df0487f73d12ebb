"""Sessions, people, gold questions and methods, on samples that come with the program."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.reproductions.crowd.people import (
    _sessions,
    check_dimensions,
    check_each_person,
    check_gold,
    check_sessions,
    dimensions,
    each_person,
    gold,
    sessions,
)
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.samples import sample


def test_sessions_share_nobody_and_are_about_equally_long():
    triplets = sample("alien_eggs").triplets
    found = _sessions(triplets, 5, np.random.default_rng(0))
    assert sorted(np.concatenate(found)) == list(range(len(triplets)))
    people = [set(triplets.answers["participant"].iloc[answers]) for answers in found]
    assert sum(map(len, people)) == len(set.union(*people))
    lengths = [len(answers) for answers in found]
    assert max(lengths) - min(lengths) < 0.1 * np.mean(lengths)


def test_sessions_of_eggs_predict_each_other():
    table = sessions(n_sessions=6, sizes=(1, 4, 5), runs=1)
    cells = table[table["what"] == "session"]
    assert cells["predicted"].tolist() == [1, 2, 3, 4, 5, 6] * 6
    assert (cells["relation"] == "same session").sum() == 6
    assert check_sessions(table).shows == HOLDS
    worse = table.copy()
    worse.loc[worse["relation"] == "other session", "accuracy"] -= 0.1
    assert check_sessions(worse).shows == DOES_NOT_HOLD
    flat = table.copy()
    flat.loc[flat["what"] == "pool", "accuracy"] = 0.8
    assert check_sessions(flat).shows == DOES_NOT_HOLD


def test_who_failed_is_predicted_worse():
    table = each_person(runs=1)
    assert table["person"].nunique() == 45
    assert check_each_person(table).shows == HOLDS
    assert check_each_person(table.assign(accuracy=0.8)).shows == DOES_NOT_HOLD


def test_gold_questions_find_the_careless():
    table = gold(numbers=(5, 20), lapses=0.05)
    assert check_gold(table).shows == HOLDS
    chance = table[table["what"] == "chance"]
    # Of five questions one may be wrong: six of the 32 ways to guess.
    assert chance["accepted"].iloc[0] == pytest.approx(6 / 32)
    nobody = table.assign(excluded="kept")
    assert check_gold(nobody).shows == DOES_NOT_HOLD


def test_methods_are_compared_on_the_same_answers():
    table = dimensions(data_sets=("alien eggs",), numbers=(1, 2), runs=1)
    assert len(table) == 10
    assert table["accuracy"].between(0.75, 0.95).all()


def _dimensions(values: dict[int, float], other: float) -> pd.DataFrame:
    return pd.DataFrame([
        {"data": "eggs", "dimensions": d, "method": method, "spread": 0.01, "runs": 4,
         "accuracy": accuracy - (other if method == "STE" else 0.0)}
        for d, accuracy in values.items() for method in ("t-STE", "STE")
    ])


@pytest.mark.parametrize(("values", "other", "verdict"), [
    ({1: 0.7, 2: 0.8, 3: 0.8}, 0.05, HOLDS),
    ({1: 0.8, 2: 0.8, 3: 0.8}, 0.05, DOES_NOT_HOLD),
    ({1: 0.7, 2: 0.8, 3: 0.9}, 0.05, DOES_NOT_HOLD),
    ({1: 0.7, 2: 0.8, 3: 0.8}, -0.05, DOES_NOT_HOLD),
])
def test_verdicts_on_dimensions(values, other, verdict):
    assert check_dimensions(_dimensions(values, other)).shows == verdict
