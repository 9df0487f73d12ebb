"""Answers of people in place of images that crowds compared."""

from __future__ import annotations

import pandas as pd
import pytest

from tripletscope.reproductions.data import is_here
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.people import (
    ITEMS,
    check_clusters,
    check_projection,
    clusters,
    gnmds_map,
    musicians,
    projection,
)

BY_KEY = {item.key: item for item in ITEMS}


def test_clusters_hold_every_egg_once():
    table = clusters(kernel="k2")
    assert table["members"].sum() == 300
    assert len(table) == 10
    assert table["alike"].max() <= 1.0


@pytest.mark.parametrize(("homogeneous", "verdict"), [(6, HOLDS), (5, DOES_NOT_HOLD)])
def test_most_clusters_are_to_be_homogeneous(homogeneous, verdict):
    table = pd.DataFrame({
        "what": "clusters", "data": "eggs", "members": 30,
        "alike": [0.7] * homogeneous + [0.1] * (9 - homogeneous) + [None],
    })
    assert check_clusters(table).shows == verdict


def test_neighbours_in_maps_are_to_be_alike():
    table = projection(kernel="k1")
    assert table.groupby("third").size().tolist() == [100, 100, 100]
    assert table["chance"].iloc[0] == pytest.approx(2 * 301 / 3, rel=0.01)
    assert check_projection(table.assign(apart=90.0)).shows == HOLDS
    assert check_projection(table.assign(apart=110.0)).shows == DOES_NOT_HOLD


def test_foods_and_cars_want_clusters_and_a_map():
    check = BY_KEY["kernels-figure-4"].check
    of_eggs = projection(kernel="k1").assign(apart=90.0)
    for alike, apart, verdict in (
        (0.7, 90.0, HOLDS), (0.3, 90.0, DOES_NOT_HOLD), (0.7, 110.0, DOES_NOT_HOLD),
    ):
        own = pd.DataFrame({"what": ["clusters"] * 10, "data": "musicians", "members": 9,
                            "alike": alike})
        both = pd.concat([own, of_eggs.assign(apart=apart)], ignore_index=True)
        assert check(both).shows == verdict


def test_gnmds_is_to_take_ten_times_as_long():
    check, table = BY_KEY["kernels-figure-9"].check, gnmds_map()
    assert (table[["GNMDS", "k1", "k2"]] > 0).all(axis=None)
    assert check(table.assign(GNMDS=1.0, k1=0.05, k2=0.09)).shows == HOLDS
    assert check(table.assign(GNMDS=1.0, k1=0.05, k2=0.2)).shows == DOES_NOT_HOLD


@pytest.mark.skipif(not is_here("music"), reason="music is not here")
def test_musicians_have_genres_and_answers():
    triplets, same = musicians()
    assert triplets.n_objects == 412
    assert 9000 < len(triplets) <= 9107
    assert (same == same.T).all()
    assert 0.05 < same.mean() < 0.5
