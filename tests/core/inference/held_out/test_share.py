"""Shares of cases by a few people, by hand."""

from __future__ import annotations

import numpy as np

from tripletscope.core.inference.held_out.share import Share, left_out


def test_a_share_over_people_by_hand():
    failed, asked = np.array([4.0, 0.0, 0.0, 1.0, 0.0]), np.array([4.0, 4.0, 4.0, 4.0, 0.0])
    found = Share.over_people(failed, asked)
    assert (found.value, found.n, found.n_units) == (5 / 16, 16, 4)
    without = np.array([1, 5, 5, 4]) / 12
    assert (found.low, found.high) == left_out(5 / 16, without, 16, 4)
    alone = Share.of(5, 16)
    assert found.high - found.low > 1.2 * (alone.high - alone.low)
