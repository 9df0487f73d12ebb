"""Scales of single observers: of usable answers, and drawn to what is common."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.scales.observers import observers
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.scales import MLDS, scales_by
from tripletscope.dashboard.results.group_scales import held_said


def test_usable_answers_are_counted_and_too_few_have_no_curve():
    """Bands of 22 usable answers of 80 held 57 % of the truth."""
    data, _ = observers(0, usable=22, outside=58)
    found = scales_by(MLDS(), data, stimulus="x", maps=10)
    assert found.n_answers.tolist() == [264, *[22] * 12]
    assert np.isnan(found.values[1:]).all()
    assert np.isfinite(found.values[0]).all()
    assert not found.floor.reached.any()


@pytest.mark.parametrize("usable", [45, 200])
def test_bands_of_observers_hold_the_truth(usable):
    inside, error = [], []
    for seed in range(2):
        data, truth = observers(seed, usable=usable)
        found = scales_by(MLDS(), data, stimulus="x", maps=10)
        assert found.pooled[1:].all()
        order = [int(name[1:]) for name in found.names[1:]]
        within = (found.low[1:] <= truth[order]) & (truth[order] <= found.high[1:])
        inside.append(within[:, 1:-1].mean())
        error.append(np.abs(found.values[1:] - truth[order]).mean())
    assert np.mean(inside) >= 0.85
    assert np.mean(error) < 0.05


def test_fits_that_are_not_finite_are_said_to_be_held():
    data, _ = observers(1, usable=45)
    found = scales_by(MLDS(), data, stimulus="x", maps=10)
    assert found.held[1:].mean() > 0.3
    assert "alone allow no finite scale" in held_said("MLDS", found)


def test_nobody_is_held():
    data, _ = observers(1, usable=400)
    assert not scales_by(MLDS(), data, stimulus="x", maps=10).held.any()


def test_groups_of_people_who_are_not_known_are_not_pooled():
    """Groups of a file without participants were drawn together as people are."""
    data, _ = observers(1, usable=200)
    answers = data.answers.rename(columns={"participant": "condition"})
    data = Triplets(data.rows, data.objects, answers)
    assert not scales_by(MLDS(), data, stimulus="x", by="condition", maps=10).pooled.any()


def test_alike_observers_are_drawn_together():
    data, truth = observers(2, usable=60, shape=0.0, consistency=0.0)
    found = scales_by(MLDS(), data, stimulus="x", maps=10)
    assert np.std(found.values[1:], axis=0).max() < 0.06
    np.testing.assert_allclose(found.values[1:].mean(axis=0), truth[0], atol=0.06)


def test_the_same_again():
    data, _ = observers(3, usable=60)
    first, again = (scales_by(MLDS(), data, stimulus="x", maps=10, seed=4) for _ in range(2))
    assert np.array_equal(first.low, again.low)
