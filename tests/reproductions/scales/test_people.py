"""Figures 4.1, 4.2 and 4.7: a scale, the questions of triads, and people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tests.paths import ROOT
from tripletscope.core.data.errors import DataError
from tripletscope.reproductions import data
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.outcome import rebuild
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.scales import people

EXAMPLE, TRIADS, PEOPLE = (items()[f"thesis-figure-4.{k}"] for k in (1, 2, 7))


def test_a_scale_rises_by_unequal_steps():
    assert rebuild(EXAMPLE.key).observations[0].shows == HOLDS
    line = pd.DataFrame({"scale": np.linspace(0, 1, 10)})
    assert EXAMPLE.check(line).shows == DOES_NOT_HOLD


def test_triads_ask_about_the_middle_stimulus():
    outcome = rebuild(TRIADS.key)
    assert outcome.observations[0].shows == HOLDS
    assert "56 different questions" in outcome.observations[0].ours
    table = outcome.table
    asked = table[(table["kind"] == "questions") & (table["design"] == "difference scaling")]
    assert asked["count"].tolist() == [0, 6, 10, 12, 12, 10, 6, 0]
    at_the_end = table.assign(count=table["count"].mask(
        (table["degree"] == 0) & (table["design"] == "difference scaling"), 1
    ))
    assert TRIADS.check(at_the_end).shows == DOES_NOT_HOLD
    off = table.assign(value=table["value"] + 0.2 * (table["method"] == "t-STE"))
    assert TRIADS.check(off).shows == DOES_NOT_HOLD


def errors(of_ste: float, falls: float = 0.5, spread: float = 0.01) -> pd.DataFrame:
    """Errors of STE beside .15 of the others, more by `spread` for the last of three observers."""
    rows = [
        {"kind": "errors", "observer": who, "asked": "triads", "starts": starts, "method": method,
         "error": of_ste + place * spread if method == "STE" else 0.15, "error_sd": 0.05}
        for place, who in zip((-1, 0, 1), "abc", strict=True)
        for starts in people._STARTS.values() for method in ("MLDS", "STE", "t-STE", "LOE")
    ]
    scale = [
        {"kind": "scale", "observer": "a", "method": method, "level": level, "value": value}
        for method, values in {"MLDS": (0.0, 0.5, 1.0), "t-STE": (0.0, 1.0, falls)}.items()
        for level, value in enumerate(values)
    ]
    return pd.DataFrame(rows + scale)


@pytest.mark.parametrize(("table", "verdict"), [
    (errors(0.14), HOLDS), (errors(0.151), HOLDS), (errors(0.18), DOES_NOT_HOLD),
    (errors(0.19, spread=0.05), DOES_NOT_HOLD), (errors(0.165, spread=0.001), DOES_NOT_HOLD),
    (errors(0.14, falls=1.5), DOES_NOT_HOLD),
])
def test_embeddings_predict_people_as_well(table, verdict):
    found = PEOPLE.check(table)
    assert found.shows == verdict
    assert "of t-STE, 0 of MLDS" in found.ours


def test_four_sets_of_one_person_are_one_case():
    names = {"a": "kk1", "b": "kk2", "c": "kktriad"}
    apart = errors(0.165, spread=0.001)
    own = apart.assign(observer=apart["observer"].replace(names))
    assert PEOPLE.check(apart).shows == DOES_NOT_HOLD
    assert PEOPLE.check(own).shows == HOLDS
    assert PEOPLE.check(pd.concat([own, apart])).shows == DOES_NOT_HOLD


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setenv(data.FOLDER, str(ROOT / "tests" / "fixtures"))


def test_observers_are_told_apart(recorded):
    found = people.recorded_observers(["kktriad", "Transparency"])
    assert list(found) == ["kktriad", *(f"Transparency O{k}" for k in range(1, 7))]
    assert [len(answers) for answers in found.values()] == [165] + 6 * [420]


def test_people_are_predicted(recorded):
    table = people.observers(names=("kktriad",), folds=3)
    measured = table[table["kind"] == "errors"]
    assert len(measured) == 2 * 4
    assert measured["error"].between(0.05, 0.4).all()
    assert set(measured["asked"]) == {"triads"}
    assert table["level"].max() == 11


def test_without_the_trials_it_is_said_what_is_missing(monkeypatch):
    monkeypatch.delenv(data.FOLDER, raising=False)
    with pytest.raises(DataError, match="Difference-scaling data"):
        people.observers(names=("kk1",))
