"""Sessions, people, gold questions and methods, on samples that come with the program."""

from __future__ import annotations

import pandas as pd
import pytest

from tests.paths import ROOT
from tripletscope.reproductions import data
from tripletscope.reproductions.crowd.people import (
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


def test_a_session_is_one_observer(monkeypatch):
    monkeypatch.setenv(data.FOLDER, str(ROOT / "tests" / "fixtures"))
    table = sessions(runs=2)
    cells = table[table["what"] == "session"]
    assert cells["predicted"].tolist() == [1, 2, 3, 4, 5, 6] * 6
    assert (cells["relation"] == "same session").sum() == 6
    assert table[table["what"] == "pool"]["pool"].tolist() == [1, 2, 3, 4, 5]
    each = table[(table["what"] == "run") & table["relation"].eq("same session")]
    own = cells[cells["relation"] == "same session"]["accuracy"]
    assert each["accuracy"].mean() == pytest.approx(own.mean())


def _runs(other: float, pools: dict[int, float]) -> pd.DataFrame:
    return pd.DataFrame([
        {"what": "run", "run": run, "relation": relation, "accuracy": accuracy + 0.01 * run}
        for run in range(3)
        for relation, accuracy in (("same session", 0.8), ("other session", other))
    ] + [
        {"what": "run", "run": run, "pool": size, "accuracy": accuracy + 0.01 * run}
        for run in range(3) for size, accuracy in pools.items()
    ])


@pytest.mark.parametrize(("other", "pools", "said"), [
    (0.78, {1: 0.7, 4: 0.8, 5: 0.8}, "All that"),
    (0.7, {1: 0.7, 4: 0.8, 5: 0.8}, "slightly worse"),
    (0.78, {1: 0.8, 4: 0.8, 5: 0.8}, "four sessions"),
    (0.78, {1: 0.7, 4: 0.8, 5: 0.9}, "more than four"),
    (0.4, {1: 0.7, 4: 0.8, 5: 0.8}, "better than guessing"),
])
def test_verdicts_on_sessions(other, pools, said):
    found = check_sessions(_runs(other, pools))
    assert said in found.why
    assert (found.shows == HOLDS) == said.startswith("All")


def test_who_failed_is_predicted_worse():
    table = each_person(runs=1)
    assert table["person"].nunique() == 45
    assert check_each_person(table).shows == HOLDS
    assert check_each_person(table.assign(accuracy=0.8)).shows == DOES_NOT_HOLD
    # Those who failed still come last, but nobody is predicted.
    guessed = table.assign(accuracy=0.5 - 0.1 * (table["catch trials"] == "failed"))
    assert check_each_person(guessed).shows == DOES_NOT_HOLD


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
    assert table["kind"].value_counts().to_dict() == {"mean": 8, "split": 8}
    assert table["accuracy"].between(0.75, 0.95).all()


def _dimensions(values: dict[int, float], other: float, noise: float = 0.001) -> pd.DataFrame:
    return pd.DataFrame([
        {"kind": "split", "data": "eggs", "dimensions": d, "method": method, "run": run,
         "accuracy": accuracy - (other + noise * (-1) ** run if method == "STE" else 0.0)
         + 0.001 * (run % 3) * d}
        for d, accuracy in values.items() for method in ("t-STE", "STE") for run in range(5)
    ])


@pytest.mark.parametrize(("table", "verdict"), [
    (_dimensions({1: 0.7, 2: 0.8, 3: 0.8}, 0.05), HOLDS),
    (_dimensions({1: 0.8, 2: 0.8, 3: 0.8}, 0.05), DOES_NOT_HOLD),
    (_dimensions({1: 0.7, 2: 0.8, 3: 0.9}, 0.05), DOES_NOT_HOLD),
    (_dimensions({1: 0.7, 2: 0.8, 3: 0.8}, -0.05), DOES_NOT_HOLD),
    (_dimensions({1: 0.7, 2: 0.8, 3: 0.8}, 0.05, noise=0.1), DOES_NOT_HOLD),
])
def test_verdicts_on_dimensions(table, verdict):
    assert check_dimensions(table).shows == verdict
