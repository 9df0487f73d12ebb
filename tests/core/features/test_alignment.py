"""Structures are aligned without labels where they are alike, and by chance where they are not."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.alignment import HALVES, _aligned, _ranks, align_spaces
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.simulation.simulate import simulate

rng = np.random.default_rng(4)
SEEN = rng.normal(size=(16, 2))


@pytest.fixture(scope="module")
def found():
    answers = simulate(SEEN, 3000, noise="logistic", level=0.5, seed=0)
    spaces = [
        FeatureSpace(name="seen", values=SEEN),
        *(FeatureSpace(name=f"random {k}", values=rng.normal(size=(16, 3))) for k in range(6)),
    ]
    return align_spaces(spaces, answers, embedding=STE(n_init=1), starts=30)


@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_a_planted_permutation_is_found(noise):
    x = rng.normal(size=(30, 3))
    y, order = x + noise * rng.normal(size=x.shape), rng.permutation(30)
    one, other = _ranks(cdist(x, x)), _ranks(cdist(y, y)[np.ix_(order, order)])
    results = [_aligned(one, other, True, seed, lambda: False)
               for seed in np.random.SeedSequence(0).spawn(10)]
    cost, partner, plan = min(results, key=lambda result: result[0])
    assert np.mean(order[partner] == np.arange(30)) >= (1.0 if noise == 0 else 0.8)
    true = np.argsort(order)
    assert cost <= np.square(one - other[np.ix_(true, true)]).sum() / (30 * 29) + 1e-12
    np.testing.assert_allclose(plan.sum(axis=1), 1.0)
    np.testing.assert_allclose(plan.sum(axis=0), 1.0, atol=0.02)


def test_what_people_see_is_aligned(found):
    assert found.accuracy[0] > 0.7
    assert found.significant[0]
    assert found.spaces[-1] == HALVES
    assert found.significant[-1]
    assert found.cost[0] < found.cost[1:-1].min()
    assert np.diagonal(found.plan[0]).mean() > 0.5


def test_random_features_are_matched_by_chance(found):
    assert not found.significant[1:-1].any()
    assert found.matches[1:-1].mean() < 3.5


def test_equal_distances_are_not_matched_by_their_order():
    """Any assignment would do, and the first that comes would be right."""
    one = _ranks(1.0 - np.eye(40))
    partner = _aligned(one, one, False, np.random.SeedSequence(1), lambda: False)[1]
    assert np.sum(partner == np.arange(40)) < 6


def test_too_few_objects():
    answers = simulate(SEEN[:4], 200, noise="logistic", seed=0)
    with pytest.raises(DataError, match="5 are needed"):
        align_spaces(FeatureSpace(name="seen", values=SEEN[:4]), answers)
