"""Every figure, table, theorem and algorithm of the four documents has its item."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tripletscope.reproductions.outcome import (
    Outcome,
    computed,
    rebuild,
    seeds_of,
    shipped,
    verdicts,
)
from tripletscope.reproductions.registry import items

#: Keys of everything that is numbered in the documents, read from their text.
LISTED = Path(__file__).with_name("listed.txt").read_text().split()
#: Claims of the running text, which have no number.
TOLD = Path(__file__).with_name("told.txt").read_text().split()


def test_nothing_is_forgotten():
    places = [place for item in items().values() for place in (item.key, *item.also)]
    assert sorted(places) == sorted(LISTED + TOLD)


@pytest.mark.parametrize("key", items())
def test_an_item_says_what_the_paper_says(key):
    item = items()[key]
    assert item.claim[0].isupper() or item.claim.startswith("t-STE")
    assert item.claim.endswith(".")
    assert item.rule.startswith("Holds if ") == (item.experiment is not None)
    assert not item.rule or item.rule.endswith(".")
    assert not item.not_judged or item.not_judged.endswith(".")


@pytest.mark.parametrize("key", [key for key, item in items().items() if item.experiment])
def test_what_is_shipped_is_what_its_rule_says_of_it(key):
    outcome = shipped(key)
    assert outcome is not None, f"python -m tripletscope.reproductions run {key} --keep"
    assert not outcome.quick
    assert outcome.seeds == tuple(seeds_of(key))
    assert outcome.is_readable
    assert verdicts()[key] == outcome.verdict, "python -m tripletscope.reproductions write"
    assert all(observation.why.endswith(".") for observation in outcome.observations)


def test_what_is_written_of_an_item_is_what_is_shipped():
    assert computed("uncertainty-figure-8") == shipped("uncertainty-figure-8").verdict
    stated = next(item.key for item in items().values() if item.stated)
    assert computed(stated) == verdicts()[stated]


def test_an_outcome_is_kept_as_it_was():
    outcome = rebuild("uncertainty-figure-8", quick=True, seeds=(3, 4))
    again = Outcome.of(outcome.text())
    assert again == outcome
    assert again.table.equals(outcome.table)
    assert len(again.observations) == 2
    assert rebuild("uncertainty-figure-8", quick=True, seeds=(3, 4)).rows == outcome.rows
    assert not outcome.tables[3].equals(outcome.tables[4])


def test_what_another_version_has_kept_is_not_shown():
    kept = rebuild("uncertainty-figure-8", quick=True)
    assert kept.is_readable
    assert not replace(kept, rows="seed of the run,x,z\n0,1,2\n").is_readable
    assert not replace(kept, item="uncertainty-figure-99").is_readable


def test_what_is_stated_is_not_rebuilt():
    stated = next(item.key for item in items().values() if item.stated)
    with pytest.raises(ValueError, match="nothing to compute"):
        rebuild(stated)
