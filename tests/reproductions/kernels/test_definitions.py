"""The kernels beside their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from tripletscope.core.data.triplets import Triplets
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.definitions import (
    ITEMS,
    _far_apart,
    by_definition,
    check_recomputed,
    halfspaces,
    rankings,
    recomputed,
)

BY_KEY = {item.key: item for item in ITEMS}


def test_the_definition_by_hand():
    # 0 says 1 < 2 and 1 < 3; 3 says 1 < 2. Of two entries of 0 and one of 3, one is shared.
    triplets = Triplets.from_array([[0, 1, 2], [0, 1, 3], [3, 1, 2]], 4)
    assert by_definition(triplets, "k1")[0, 3] == pytest.approx(1 / np.sqrt(2))
    # 1 is on the same side of 3 for k2 as nobody else; 2 and 3 both are farther from 0 than 1 is.
    assert by_definition(triplets, "k2")[2, 3] == pytest.approx(1 / np.sqrt(2))
    assert by_definition(triplets, "k2")[0].tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("kernel", ["k1", "k2"])
@pytest.mark.parametrize("of", ["kernel", "features"])
def test_the_program_computes_what_is_defined(kernel, of):
    table = recomputed(kernel=kernel, of=of, n_objects=7)
    assert table["difference"].max() < 1e-12
    assert table["definition"].nunique() > 10
    assert check_recomputed(table).shows == HOLDS
    table.loc[3, "difference"] = 0.01
    assert check_recomputed(table).shows == DOES_NOT_HOLD


def test_kernels_of_all_answers_compare_rankings():
    check = BY_KEY["kernels-figure-1"].check
    table = rankings(n_objects=8)
    assert table["agreement"].between(-1, 1).all()
    assert check(table).shows == HOLDS
    table.loc[0, "difference"] = 0.1
    assert check(table).shows == DOES_NOT_HOLD


def test_far_objects_that_nothing_separates_are_alike():
    check = BY_KEY["kernels-figure-2"].check
    table = halfspaces(sizes=(6, 20, 80))
    assert check(table).shows == HOLDS
    for column in ("difference", "farther", "less"):
        assert check(table.assign(**{column: 0.1})).shows == DOES_NOT_HOLD
    assert check(table.assign(k1=table["k1"].abs())).shows == DOES_NOT_HOLD


def test_the_construction_has_no_equal_distances():
    apart = squareform(pdist(_far_apart(30)))
    assert all(len(np.unique(row.round(9))) == 30 for row in apart)
