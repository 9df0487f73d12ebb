"""Dimensions of several fits are matched, shared where they are more alike than unrelated ones."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features.shared_dimensions import _interval, shared_dimensions
from tripletscope.core.features.spaces import FeatureSpace

rng = np.random.default_rng(2)
N = 60
SEEN = rng.gamma(0.5, size=(N, 4))
ABOUT = Triplets.from_array(np.arange(N).reshape(-1, 3))


def weights(d: int, seed: int) -> np.ndarray:
    """Sparse weights of the objects that nothing else has to do with."""
    drawn = np.random.default_rng(seed)
    return drawn.gamma(0.5, size=(N, d)) * (drawn.random((N, d)) < 0.4)


def compare(*tables: np.ndarray, **options):
    fits = [FeatureSpace(name=f"fit {k}", values=table) for k, table in enumerate(tables)]
    return shared_dimensions(fits, ABOUT, **{"permutations": 199, "resamples": 200, **options})


@pytest.fixture(scope="module")
def found():
    network = np.column_stack([SEEN[:, [2, 0]], weights(2, 5)]) + 0.2 * weights(4, 6)
    network[7, 1] += 4.0
    return compare(SEEN, network, SEEN[:, ::-1] + 0.1 * weights(4, 7))


def test_planted_dimensions_are_shared_and_others_are_not(found):
    assert found.place[0][[0, 2]].tolist() == [1, 0]
    assert found.shared[0].tolist() == [True, False, True, False]
    assert found.without_partner(0) == ["fit 1 3", "fit 1 4"]
    assert found.place[1].tolist() == [3, 2, 1, 0]
    assert found.shared[1].all()
    assert found.table(0)["shared"].sum() == 2


def test_the_object_that_parts_a_pair_is_named(found):
    less, more = found.parting(0, 0, 3)
    assert more[0] == 7
    assert len(less) == 3
    z = [(x - x.mean()) / x.std() for x in (SEEN[:, 1], SEEN[:, ::-1][:, 2])]
    again = compare(SEEN[:, 1:2], SEEN[:, 2:0:-1])
    np.testing.assert_allclose(again.apart[0, 0], z[1] - z[0], atol=1e-5)


def test_fits_that_share_more_are_more_alike(found):
    assert found.mean[0, 2] > found.mean[0, 1]
    np.testing.assert_array_equal(found.mean, found.mean.T)
    assert found.mean_p[0, 2] == 1 / 200
    assert np.isnan(np.diagonal(found.mean_p)).all()


def test_unrelated_fits_share_nothing():
    every = [compare(weights(4, 2 * k), weights(5, 2 * k + 100)) for k in range(40)]
    assert sum(one.shared.any() for one in every) <= 5
    assert sum(one.mean_p[0, 1] <= 0.05 for one in every) <= 5
    for one in every:
        np.testing.assert_array_equal(one.shared, one.matched > one.chance)


def test_dimensions_of_single_objects_hide_no_others():
    """Permuted, some of them coincide, and correlate perfectly."""
    single = [np.eye(N)[:, rng.permutation(N)[:8]] for _ in range(2)]
    found = compare(np.hstack([single[0], SEEN[:, :2]]),
                    np.hstack([SEEN[:, :2] + 0.3 * weights(2, 8), single[1]]))
    assert found.shared[0].tolist() == [False] * 8 + [True] * 2
    assert found.chance[0, :8].min() > found.chance[0, 8:].max()


def test_partners_add_up_to_most_also_where_one_fit_has_fewer():
    small = compare(SEEN, SEEN[:, [3]])
    assert small.place[0].tolist() == [-1, -1, -1, 0]
    assert np.isnan(small.matched[0, :3]).all()
    assert np.isnan(small.apart[0, 0]).all()


def test_intervals_are_those_of_resampled_objects():
    one, other = SEEN[:, :1], SEEN[:, :1] + SEEN[:, 1:2]
    r = np.corrcoef(one[:, 0], other[:, 0])[0, 1]
    low, high = _interval(one, other, np.array([r]), 2000, np.random.default_rng(0))
    z = [np.arctanh(np.corrcoef(one[rows, 0], other[rows, 0])[0, 1])
         for rows in rng.integers(N, size=(2000, N))]
    expected = np.tanh(np.arctanh(r) + 1.96 * np.std(z) * np.array([-1, 1]))
    np.testing.assert_allclose([low[0], high[0]], expected, atol=0.02)


def test_a_constant_dimension_has_no_partner_that_is_shared():
    found = compare(np.column_stack([SEEN[:, 0], np.ones(N)]), SEEN[:, :2])
    assert found.shared[0].tolist() == [True, False]


def test_what_cannot_be_compared_is_said():
    few = np.full((N, 2), np.nan)
    few[:9] = SEEN[:9, :2]
    with pytest.raises(DataError, match="10 are needed"):
        compare(SEEN, few)
    with pytest.raises(DataError, match="only one"):
        compare(SEEN)
    apart = FeatureSpace(name="apart", distances=1.0 - np.eye(N))
    with pytest.raises(DataError, match="distances alone"):
        shared_dimensions([FeatureSpace(name="seen", values=SEEN), apart], ABOUT)
