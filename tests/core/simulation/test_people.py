"""Simulated people: maps of their own about the group's."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.geometry import rms
from tripletscope.core.simulation.simulate import personal_maps


@pytest.mark.parametrize("scale", [1.0, 7.0])
def test_people_differ_as_much_as_was_asked_for_whatever_the_size_of_the_map(scale):
    group = scale * np.random.default_rng(0).normal(size=(40, 3)) + 5.0
    maps = personal_maps(group, 200, 0.4, np.random.default_rng(1))
    assert maps.shape == (200, 40, 3)
    off = maps - group
    # 24,000 normal numbers: 4.5 standard errors of their standard deviation are 2 %.
    assert off.std() == pytest.approx(0.4 * rms(group), rel=0.02)
    assert np.abs(off.mean(axis=0)).max() < 0.2 * rms(group)
    same = personal_maps(group, 2, 0.0, np.random.default_rng(1))
    assert np.array_equal(same, [group, group])
