"""Dimensions of two fits are paired, whatever their order and number."""

from __future__ import annotations

import numpy as np

from tripletscope.core.dimensions.matching import match_dimensions


def test_dimensions_are_found_again_in_another_order_and_size():
    rng = np.random.default_rng(0)
    one = np.maximum(rng.normal(size=(200, 6)), 0.0)
    order = rng.permutation(6)
    other = 3.0 * one[:, order] + 0.02 * rng.random((200, 6))
    found = match_dimensions(one, other)
    np.testing.assert_array_equal(order[found.place], np.arange(6))
    assert (found.correlation > 0.99).all()


def test_what_has_no_partner_is_none():
    one = np.eye(4)[[0, 1, 2, 3, 0, 1, 2, 3]]
    found = match_dimensions(one, one[:, :2])
    np.testing.assert_array_equal(np.sort(found.place), [-1, -1, 0, 1])
    assert np.isnan(found.correlation[found.place < 0]).all()
    assert match_dimensions(one, np.ones((8, 1))).correlation[0] == 0, "constant: unlike any"
