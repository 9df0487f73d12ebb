"""Scales beside each other: none is moved by the noise of one of its ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.evaluation.score import cross_validate
from tripletscope.core.scale import MLDS, GroupScales, bootstrap_scale
from tripletscope.dashboard.results.scales import aligned, groups_aligned, rises

STIMULUS = np.arange(12.0)


def scale(values: np.ndarray) -> pd.DataFrame:
    """From 0 to 1, as a scale of one method is given."""
    values = (values - values.min()) / np.ptp(values)
    return pd.DataFrame({
        "stimulus": STIMULUS, "value": values, "standard error": 0.02, "low": values - 0.04,
        "high": values + 0.04,
    })


def test_curves_that_differ_by_the_noise_of_one_end_lie_together():
    """Pinned at both ends they lay 0.1 apart in the middle."""
    first = scale(STIMULUS)
    noisy = scale(STIMULUS + 3.0 * (STIMULUS == 11))
    inner = slice(0, 11)
    pinned = np.abs(noisy["value"] - first["value"])[inner].mean()
    found = aligned({"a": first, "b": noisy})
    assert pinned > 0.09
    assert np.abs(found["b"]["value"] - first["value"])[inner].mean() < pinned / 2
    assert found["a"].equals(first)
    stretched = found["b"]["standard error"][0] / 0.02
    assert np.allclose(found["b"]["high"] - found["b"]["low"], 0.08 * stretched)


def test_curves_of_other_shapes_keep_them():
    curved = aligned({"a": scale(STIMULUS), "b": scale(STIMULUS**2)})["b"]["value"]
    assert np.corrcoef(curved, STIMULUS**2)[0, 1] == pytest.approx(1)
    against = scale(-STIMULUS)
    assert aligned({"a": scale(STIMULUS), "b": against})["b"].equals(against)
    few = scale(STIMULUS).iloc[:2]
    assert aligned({"a": scale(STIMULUS), "b": few})["b"].equals(few)


def test_groups_are_fitted_to_all_answers():
    """One noisy end moved the whole curve of a group."""
    everybody = STIMULUS / 11
    group = everybody.copy()
    group[-1] += 0.2
    group /= group[-1]
    nobody, opposite = np.full(12, np.nan), 1 - everybody
    values = np.stack([everybody, group, nobody, opposite])
    found = groups_aligned(GroupScales(
        np.array(["all", "a", "b", "c"]), np.full(4, 90), np.full(4, 40), STIMULUS, values,
        values - 0.04, values + 0.04, np.zeros(4, dtype=bool), np.zeros(4, dtype=bool),
    ))
    assert np.abs(group - everybody)[:-1].max() > 0.12
    assert np.abs(found.values[1] - everybody)[:-1].max() < 0.06
    slope = (found.values[1, 5] - found.values[1, 4]) / (group[5] - group[4])
    assert found.high[1] - found.low[1] == pytest.approx(0.08 * slope)
    assert np.isnan(found.values[2]).all()
    np.testing.assert_array_equal(found.values[[0, 3]], values[[0, 3]])


def test_guesses_do_not_fall():
    """A band of few guesses is narrow by luck: of 100, 9 % were said to fall somewhere."""
    fallen = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        coins = Triplets.from_array([rng.permutation(10)[:3] for _ in range(100)], 10)
        found = bootstrap_scale(MLDS(), coins, resamples=100, seed=seed)
        if not found.is_monotone():
            fallen.append(found)
            guessed = cross_validate(MLDS(), coins)
            assert rises(found, None) is None
            assert rises(found, guessed) is None
    assert fallen
    assert rises(fallen[0], replace(guessed, low=0.1, high=0.2)) is False
