"""Table 4.1: properties of the methods."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.outcome import rebuild
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.scales import properties

CHECK = items()["thesis-table-4.1"].check


@pytest.fixture(scope="module")
def table():
    return rebuild("thesis-table-4.1", quick=True).table


def test_the_table_is_right_about_all_three(table):
    assert CHECK(table).shows == HOLDS
    possible = set(zip(table["method"], table["measure"], strict=True))
    assert ("NMDS", properties.FEW) not in possible
    assert ("MLDS", properties.PLANE) not in possible


@pytest.mark.parametrize(("method", "measure", "value", "said"), [
    ("t-STE", properties.FEW, 0.4, "need part of the answers"),
    ("MLDS", properties.SURPRISE, 0.7, "statistical models"),
    ("t-STE", properties.PLANE, 0.3, "second dimension"),
    ("MLDS", properties.TURNING, 0.1, "where the scale turns"),
])
def test_each_property_is_judged(table, method, measure, value, said):
    is_it = (table["method"] == method) & (table["measure"] == measure)
    found = CHECK(table.assign(value=np.where(is_it, value, table["value"])))
    assert found.shows == DOES_NOT_HOLD
    assert said in found.why
