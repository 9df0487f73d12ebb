"""Every figure, table, theorem and algorithm of the four documents has its item."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tripletscope.core.papers.item import VERDICTS
from tripletscope.core.papers.outcome import Outcome, assessments, rebuild, shipped
from tripletscope.core.papers.registry import items, original

#: Keys of everything that is numbered in the documents, read from their text.
LISTED = Path(__file__).with_name("listed.txt").read_text().split()


def test_nothing_is_forgotten():
    assert sorted(items()) == sorted(LISTED)


@pytest.mark.parametrize("key", LISTED)
def test_an_item_says_what_the_paper_says(key):
    item = items()[key]
    assert item.claim[0].isupper() or item.claim.startswith("t-STE")
    assert item.claim.endswith(".")
    first = original(item)
    if first.assessment is None:
        outcome = shipped(key)
        assert outcome is not None, f"python benchmarks/seeds.py {first.key}"
        assert outcome.is_readable
        assert not outcome.quick


@pytest.mark.parametrize("key", LISTED)
def test_what_is_shipped_is_what_the_code_says_of_it(key):
    item = original(items()[key])
    assessment = item.assessment or shipped(key).assessment
    assert assessment.verdict in VERDICTS
    assert assessments()[key] == assessment, "python benchmarks/seeds.py write"
    assert assessment.why.endswith(".")


def test_an_outcome_is_kept_as_it_was():
    outcome = rebuild("uncertainty-figure-8", quick=True, seed=3)
    again = Outcome.of(outcome.text())
    assert again == outcome
    assert again.table.equals(outcome.table)
    assert rebuild("uncertainty-figure-8", quick=True, seed=3).rows == outcome.rows
    assert rebuild("uncertainty-figure-8", quick=True, seed=4).rows != outcome.rows


def test_what_another_version_has_kept_is_not_shown():
    kept = rebuild("uncertainty-figure-8", quick=True)
    assert kept.is_readable
    assert not replace(kept, rows="x,z\n1,2\n").is_readable
    assert not replace(kept, item="uncertainty-figure-99").is_readable


def test_what_is_stated_is_not_rebuilt():
    stated = next(item.key for item in items().values() if item.assessment is not None)
    with pytest.raises(ValueError, match="nothing to compute"):
        rebuild(stated)
