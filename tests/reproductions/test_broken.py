"""Items notice when a method is broken: all have one that says so, a few are tried here."""

from __future__ import annotations

import pytest

from benchmarks.broken.__main__ import BROKEN, HEAD, TABLE, observed, observed_when
from tripletscope.reproductions.item import HOLDS, SHOWN
from tripletscope.reproductions.registry import items

#: Of each part one that takes a second; `python -m benchmarks.broken` tries all.
TRIED = (
    "thesis-algorithm-2", "forests-algorithm-1", "forests-supplement-lemma-2.1",
    "uncertainty-figure-6", "kernels-equation-3",
)


def test_all_that_is_computed_has_a_broken_method_or_is_an_illustration():
    computed = {key for key, item in items().items() if item.experiment}
    illustrations = {key for key in computed if items()[key].illustration}
    assert set(BROKEN) == computed - illustrations


def test_the_table_has_every_fault():
    text = TABLE.read_text("utf-8")
    assert text.startswith(HEAD)
    rows = [line.strip("| ").split(" | ") for line in text[len(HEAD):].strip().splitlines()]
    assert {key.strip("`"): fault for key, fault, *_ in rows} == {
        key: broken.what for key, broken in BROKEN.items()
    }
    assert [key for key, _, before, after in rows if before == after] == []


@pytest.mark.parametrize("key", TRIED)
def test_a_broken_method_is_noticed(key):
    item = items()[key]
    assert observed(item, full=False).shows == HOLDS
    assert observed_when(item, BROKEN[key]) in set(SHOWN) - {HOLDS}
    assert observed(item, full=False).shows == HOLDS, "and the method is whole again"
