"""Stand-ins for images that crowds compared."""

from __future__ import annotations

import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.people import (
    both,
    check_clusters,
    check_projection,
    clusters,
    projection,
)


def test_clusters_hold_every_thing_once():
    table = clusters(kernel="k2")
    assert table["members"].sum() == 60
    assert table["cluster"].nunique() == 10
    assert table["chance"].iloc[0] > 1 / 6
    assert check_clusters(table).shows == HOLDS


def test_mixed_clusters_are_told():
    table = clusters(kernel="k1").assign(members=1)
    assert check_clusters(table).shows == DOES_NOT_HOLD


@pytest.mark.parametrize("method", ["k1", "GNMDS"])
def test_neighbours_in_maps_are_of_a_kind(method):
    table = projection(method=method)
    assert len(table) == 60
    assert check_projection(table).shows == HOLDS
    assert check_projection(table.assign(alike=0.4)).shows == DOES_NOT_HOLD


def test_eggs_are_in_the_order_of_their_spikiness():
    table = both()
    eggs = table[table["what"] == "map"]
    assert eggs.groupby("third").size().tolist() == [100, 100, 100]
    least = eggs.loc[eggs["spikiness"].idxmin(), "third"]
    assert least == "spiky", "the column numbers drawings from the spikiest to the smoothest"
    assert abs(eggs["x"].corr(eggs["spikiness"])) > 0.7
