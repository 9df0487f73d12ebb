"""Weights of features against those that were planted, with their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.feature_weights import _carried_by, feature_weights
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate

NAMES = ["colour", "shape", "size", "price"]
SEEN = np.random.default_rng(2).normal(size=(25, 4))
SEEN = (SEEN - SEEN.mean(axis=0)) / SEEN.std(axis=0)
WEIGHTS = np.array([1.5, 0.8, 0.3, 0.0])
RATINGS = FeatureSpace(name="ratings", values=SEEN * [1, 10, 0.1, 5], feature_names=NAMES)


def answered(seed: int, n: int = 1500):
    return simulate(SEEN * np.sqrt(WEIGHTS), n, noise="logistic", seed=seed)


def test_planted_weights_are_found_whatever_the_units():
    found = feature_weights(RATINGS, answered(0, 6000), replicates=20)
    np.testing.assert_allclose(found.weight.value, WEIGHTS, atol=0.2)
    # What a weight adds to log-odds depends on how the differences of pairs spread.
    i, j = np.triu_indices(25, 1)
    part = WEIGHTS * ((SEEN[i] - SEEN[j]) ** 2).std(axis=0)
    np.testing.assert_allclose(found.share.value, part / part.sum(), atol=0.05)
    assert found.share.value.sum() == pytest.approx(1.0)
    assert found.is_zero.tolist() == [False, False, False, True]
    assert found.table["feature"].tolist() == NAMES


def test_intervals_cover_the_planted_weights():
    inside = []
    for seed in range(8):
        found = feature_weights(RATINGS, answered(seed, 800), replicates=40, seed=seed)
        inside.append((found.weight.low <= WEIGHTS + 1e-9) & (found.weight.high >= WEIGHTS))
    assert np.mean(inside) > 0.8


def test_random_features_seldom_count():
    counts = [
        not feature_weights(RATINGS, answered(seed, 600), replicates=60).is_zero[3]
        for seed in range(10)
    ]
    assert sum(counts) <= 1


@pytest.mark.parametrize("seed", [0, 1])
def test_random_columns_do_not_count_beside_what_is_seen_or_alone(seed):
    """Numbers that have to do with nothing fit some of the objects."""
    columns = np.random.default_rng(seed).normal(size=(25, 4))
    answers = answered(seed, 3000)
    alone = feature_weights(FeatureSpace(name="x", values=columns), answers, replicates=40)
    assert alone.is_zero.all()
    assert not alone.predicts
    columns[:, 0] = SEEN[:, 0]
    beside = feature_weights(FeatureSpace(name="x", values=columns), answers, replicates=40)
    assert beside.is_zero.tolist() == [False, True, True, True]
    assert beside.predicts
    assert beside.accuracy.low > 0.5


def test_distances_weigh_as_one_feature():
    spaces = [
        FeatureSpace(name="seen", distances=cdist(SEEN[:, :1], SEEN[:, :1], "sqeuclidean")),
        FeatureSpace(name="other", distances=cdist(SEEN[:, 3:], SEEN[:, 3:])),
    ]
    found = feature_weights(spaces, answered(0), replicates=20)
    assert found.features == ["seen", "other"]
    assert found.share.value[0] > 0.9


def test_more_features_than_can_be_told_apart_are_refused():
    many = FeatureSpace(name="x", values=np.random.default_rng(0).normal(size=(25, 61)))
    with pytest.raises(DataError, match="61 features cannot be weighted by 1,500 choices"):
        feature_weights(many, answered(0))


@pytest.mark.parametrize("marked", [1, 2])
def test_a_mark_on_few_objects_does_not_count(marked):
    """That an object is farther from all others than the features say speaks of no feature."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        columns = np.column_stack([SEEN[:, 0], rng.permutation(25) < marked])
        found = feature_weights(
            FeatureSpace(name="x", values=columns), answered(seed, 3000), replicates=40
        )
        assert found.is_zero.tolist() == [False, True]
        assert found.weight.low[1] == found.share.low[1] == 0.0


def test_marks_and_distances_are_carried_by_as_many_objects():
    marks = (np.arange(25) < 3) * 1.0
    spaces = [
        FeatureSpace(name="marks", values=marks[:, None]),
        FeatureSpace(name="apart", distances=cdist(marks[:, None], marks[:, None])),
        FeatureSpace(name="halves", values=((np.arange(25) < 12) * 1.0)[:, None]),
    ]
    few, apart, halves = _carried_by(spaces, answered(0).choices)
    assert few == pytest.approx(3.9, abs=0.1)
    assert apart == pytest.approx(few, rel=0.3)
    assert halves == pytest.approx(25, abs=0.5)
