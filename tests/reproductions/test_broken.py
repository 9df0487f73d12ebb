"""Items notice when a method is broken: all have one that says so, a few are tried here."""

from __future__ import annotations

import pytest

from benchmarks.broken.__main__ import BROKEN, observed, observed_when
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


@pytest.mark.parametrize("key", TRIED)
def test_a_broken_method_is_noticed(key):
    item = items()[key]
    assert observed(item, full=False).shows == HOLDS
    assert observed_when(item, BROKEN[key]) in set(SHOWN) - {HOLDS}
    assert observed(item, full=False).shows == HOLDS, "and the method is whole again"
