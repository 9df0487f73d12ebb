"""What is clear of errors on the same test cases."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_1samp

from tripletscope.reproductions.forests import paired


def test_a_row_keeps_its_splits():
    table = pd.DataFrame([
        {"data": "a", **paired.in_splits([1.0, 3.0])}, {"data": "b", **paired.in_splits([5.0] * 3)}
    ])
    assert list(table["error"]) == [2, 5]
    assert table["spread"].iloc[0] == pytest.approx(2**0.5)
    assert paired.splits_of(table.iloc[0]).tolist() == [1, 3]
    assert paired.splits_of(table.iloc[1]).tolist() == [5, 5, 5]


def test_where_training_parts_do_not_overlap_it_is_a_t_test():
    rng = np.random.default_rng(0)
    shown = []
    for shift in np.linspace(-1, 0.2, 30):
        gap = shift + rng.normal(size=8)
        below = ttest_1samp(gap, 0, alternative="less").pvalue <= 0.05
        assert (paired.clearly_below({"a": gap}, 0.0) == ["a"]) == below
        shown.append(below)
    assert 0 < sum(shown) < 30


def test_overlapping_parts_and_several_names_ask_for_more():
    gap = np.array([-1.0, -0.6, 0.1, -0.8, -0.3])
    assert paired.clearly_below({"a": gap}, 0.0) == ["a"]
    assert paired.clearly_below({"a": gap}, 1.0) == []
    none = np.array([-0.1, 0.1, 0.0, 0.05, -0.05])
    assert paired.clearly_below({"a": gap, "b": none, "c": none}, 0.0) == []


def test_differences_that_never_vary_are_clear_unless_they_are_nothing():
    same = np.full(4, -0.5)
    assert paired.clearly_below({"less": same, "none": 0 * same, "more": -same}, 0.5) == ["less"]


def test_few_objects_that_only_one_gets_wrong_are_not_clear():
    assert paired.clearly_fewer({"a": (0, 5)}) == ["a"]
    assert paired.clearly_fewer({"a": (0, 4)}) == []
    assert paired.clearly_fewer({"a": (0, 5), "b": (0, 0)}) == []
    assert paired.clearly_fewer({"a": (9, 0)}) == []
