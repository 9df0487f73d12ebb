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


def compare(*tables: np.ndarray):
    fits = [FeatureSpace(name=f"fit {k}", values=table) for k, table in enumerate(tables)]
    return shared_dimensions(fits, ABOUT, permutations=199)


def planted():
    """Two of four dimensions in a network, of which one object has more; all of them turned."""
    network = np.column_stack([SEEN[:, [2, 0]], weights(2, 5)]) + 0.2 * weights(4, 6)
    network[7, 1] += 4.0
    return compare(SEEN, network, SEEN[:, ::-1] + 0.1 * weights(4, 7))


def test_planted_dimensions_are_shared_and_others_are_not():
    result = planted()
    assert result.place[0][[0, 2]].tolist() == [1, 0]
    assert result.shared[0].tolist() == [True, False, True, False]
    assert (result.place[1].tolist(), result.shared[1].all()) == ([3, 2, 1, 0], True)
    less, more = result.parting(0, 0, 3)
    assert (more[0], len(less)) == (7, 3)
    assert result.mean[0, 2] > result.mean[0, 1] == result.mean[1, 0]
    two = compare(SEEN[:, [1]], SEEN[:, [0]])
    z = [(x - x.mean()) / x.std() for x in (SEEN[two.objects, 1], SEEN[two.objects, 0])]
    np.testing.assert_allclose(two.difference[0, 0], z[1] - z[0], 1e-4)


def test_unrelated_fits_share_nothing():
    every = [compare(weights(4, 2 * k), weights(5, 2 * k + 100)) for k in range(40)]
    assert sum(one.shared.any() for one in every) <= 5
    for table in (one.table(0) for one in every):
        assert (table["correlation"] > table["chance"])[table["shared"]].all()


@pytest.mark.parametrize("seed", [0, 1])
def test_an_overall_weight_in_common_is_no_shared_dimension(seed):
    """Objects with more weight in both fits correlate on unrelated dimensions."""
    drawn = np.random.default_rng(seed)
    overall = np.exp(1.2 * drawn.normal(size=(N, 1)))
    result = compare(*(overall * drawn.gamma(2.0, size=(N, 4)) for _ in range(2)))
    assert (result.correlations[0].max(axis=1) > result.chance[0]).all()
    assert not result.shared.any()
    common = drawn.gamma(0.5, size=(N, 2))
    result = compare(*(overall * np.hstack([common, drawn.gamma(0.5, size=(N, 2))])
                       for _ in range(2)))
    assert result.shared[0].tolist() == [True, True, False, False]


def test_objects_that_no_fit_has_a_weight_for_are_no_evidence():
    rare = np.arange(N) < 24
    every = [compare(*(np.where(rare[:, None], table / 100, table)
                       for table in (weights(4, 2 * k), weights(4, 2 * k + 100))))
             for k in range(40)]
    assert every[0].objects.min() >= 24
    assert sum(one.shared.any() for one in every) <= 5


def test_dimensions_of_single_objects_hide_no_others():
    """Permuted, some of them coincide, and correlate perfectly."""
    single = [np.eye(N)[:, rng.permutation(N)[:8]] for _ in range(2)]
    result = compare(np.hstack([single[0], SEEN[:, :2]]),
                    np.hstack([SEEN[:, :2] + 0.3 * weights(2, 8), single[1]]))
    assert result.shared[0].tolist() == [False] * 8 + [True] * 2
    assert result.chance[0, :8].min() > result.chance[0, 8:].max()


def test_what_has_no_partner_or_no_variance_is_not_shared():
    small = compare(SEEN, SEEN[:, [3]])
    assert small.place[0].tolist() == [-1, -1, -1, 0]
    assert small.table(0)["correlation"].isna().tolist() == [True, True, True, False]
    result = compare(np.column_stack([SEEN[:, 0], np.ones(N)]), SEEN[:, :2])
    assert result.shared[0].tolist() == [True, False]


def test_intervals_are_those_of_resampled_objects():
    one, other = SEEN[:, :1], SEEN[:, :1] + SEEN[:, 1:2]
    r = np.corrcoef(one[:, 0], other[:, 0])[0, 1]
    z = [np.arctanh(np.corrcoef(one[rows, 0], other[rows, 0])[0, 1])
         for rows in rng.integers(N, size=(2000, N))]
    expected = np.tanh(np.arctanh(r) + 1.96 * np.std(z) * np.array([-1, 1]))
    result = _interval(one, other, np.array([r]), np.random.default_rng(0))
    np.testing.assert_allclose(result[:, 0], expected, atol=0.04)


@pytest.mark.parametrize(("tables", "told"), [
    ([SEEN, np.where(np.arange(N)[:, None] < 9, SEEN, np.nan)], "10 are needed"),
    ([SEEN], "only one"), ([SEEN, np.ones((N, 501))], "no table"),
])
def test_what_cannot_be_compared_is_said(tables, told):
    with pytest.raises(DataError, match=told):
        compare(*tables)
