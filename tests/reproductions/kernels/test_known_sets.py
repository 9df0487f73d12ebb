"""Kernels of sets whose distances are known."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.kernels.known_sets import (
    FIRST,
    SECOND,
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
    table = matrices(sets=("two rings",), n_objects=60, share=0.2)
    assert check_matrices(table).shows == HOLDS
    seen = table[table["what"] == "seen from an object"]
    here = seen[seen["third"] == "the object"][["x", "y"]].to_numpy()
    far = [
        np.linalg.norm(seen[seen["third"] == third][["x", "y"]].to_numpy() - here, axis=1).mean()
        for third in ("most similar third", "middle", "least")
    ]
    assert far[0] < far[2]


@pytest.mark.parametrize("what", ["worst object", "within less between"])
def test_a_kernel_that_does_not_is_told(what):
    table = matrices(sets=("two rings",), n_objects=40, share=0.2)
    table.loc[(table["what"] == what) & (table["quantity"] == "k2"), "value"] = -0.1
    assert check_matrices(table).shows == DOES_NOT_HOLD
