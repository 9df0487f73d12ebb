"""The command that tries each sentence on its null data and next door."""

from __future__ import annotations

import importlib
import sys

import pytest

from tests.paths import ROOT


@pytest.fixture
def verdicts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("planted", "verdicts"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return importlib.import_module("verdicts")


def test_rates_above_five_percent_fail(verdicts, tmp_path):
    file = tmp_path / "verdicts.csv"
    for role, alarms in (("null", 6), ("neighbour", 7), ("planted", 40)):
        what = ["crowds", "People", "something", role, role, "next" * (role == "neighbour"), 0.05]
        verdicts.keep([[*what, seed, 1, int(seed < alarms)] for seed in range(40)], file)
    judged = verdicts.judgements(verdicts.table(file))
    assert judged["fails"].tolist() == [False, True, False]
    assert judged["judged"].iloc[1].startswith("FAILS")
    assert not verdicts.not_tried_next_door(judged)
    alone = judged[judged["role"] != "neighbour"]
    assert verdicts.not_tried_next_door(alone) == ["People, 'something'"]


def test_seeds_that_are_there_are_not_computed_again(verdicts, tmp_path, monkeypatch):
    planted = importlib.import_module("planted")
    crowds, asked = importlib.import_module("planted.crowds"), []
    case = planted.Case(
        place="People", words="something", data="coins", role="null",
        says=lambda seed: asked.append(seed),
    )
    monkeypatch.setattr(crowds, "cases", lambda: iter([case]))
    file = tmp_path / "verdicts.csv"
    verdicts.compute("crowds", 2, file)
    verdicts.compute("crowds", 4, file)
    verdicts.compute("crowds", 4, file)
    verdicts.compute("crowds", 9, file, ["something else"])
    assert asked == [0, 1, 2, 3]
    assert verdicts.table(file)["said"].tolist() == [0] * 4


def test_counts_of_sentences_are_rows(verdicts, tmp_path, monkeypatch):
    planted = importlib.import_module("planted")
    scales, computed = importlib.import_module("planted.scales"), []

    def sentences(runs):
        computed.append(runs)
        yield planted.Sentence(
            place="Scale", before="", now="rises", null="coins", alarms=(1, runs or 5),
            planted="a rising scale", said=(4, runs or 5),
        )

    monkeypatch.setattr(scales, "sentences", sentences)
    file = tmp_path / "verdicts.csv"
    for runs in (None, 5, 10):
        verdicts.compute("scales", runs, file)
    assert computed == [None, 10]
    judged = verdicts.judgements(verdicts.table(file))
    assert judged["role"].tolist() == ["null", "planted"]
    assert judged["said"].str.endswith("of 10").all()
