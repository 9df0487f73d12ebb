"""Kernels of sets whose distances are known."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.known_sets import (
    FIRST,
    SECOND,
    _agreements,
    check_matrices,
    known_set,
    matrices,
)


@pytest.mark.parametrize("name", FIRST + SECOND)
def test_sets_are_of_their_size_and_in_the_order_of_their_groups(name):
    apart, places, groups = known_set(name, 60, 0)
    assert apart.shape == (60, 60)
    assert places.shape == (60, 2)
    assert np.isfinite(apart).all()
    assert np.all(np.diff(groups) >= 0)


def test_similarity_falls_with_distance():
    table = matrices(sets=("three normal clouds",), n_objects=60, share=0.2)
    assert check_matrices(table).shows == HOLDS
    seen = table[table["what"] == "seen from an object"]
    here = seen[seen["third"] == "the object"][["x", "y"]].to_numpy()
    far = [
        np.linalg.norm(seen[seen["third"] == third][["x", "y"]].to_numpy() - here, axis=1).mean()
        for third in ("most similar third", "middle", "least")
    ]
    assert far[0] < far[2]


@pytest.mark.parametrize(("what", "value"), [("worst object", 0.2), ("blocks right", 5)])
def test_a_kernel_that_does_not_is_told(what, value):
    table = matrices(sets=("three normal clouds",), n_objects=60, share=0.2)
    table.loc[(table["what"] == what) & (table["quantity"] == "k2"), "value"] = value
    assert check_matrices(table).shows == DOES_NOT_HOLD


def test_blocks_are_compared_with_those_of_the_distances():
    groups = np.repeat([0, 1], 3)
    apart = np.where(groups[:, None] == groups, 1.0, 2.0)
    apart += np.random.default_rng(0).random((6, 6)) / 100
    for kernel, right in ((-apart, 2), (apart, 0)):
        found = _agreements(apart, kernel, groups).set_index("what")["value"]
        assert (found["blocks"], found["blocks right"]) == (2, right)
        assert found["worst object"] == pytest.approx(1 if right else -1)
