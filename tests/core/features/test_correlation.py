"""Rank correlations with a map: their values, and intervals over objects and answers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kendalltau, spearmanr

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances
from tripletscope.core.engine.estimate import Estimate
from tripletscope.core.features.correlation import (
    MapCorrelation,
    _half_width,
    _Ranked,
    _Vector,
    map_correlation,
)
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate

RNG = np.random.default_rng(3)
SEEN = RNG.normal(size=(20, 2)) * 1.5
SPACES = [
    FeatureSpace(name="seen", values=SEEN),
    FeatureSpace(name="half", values=SEEN[:, :1]),
    FeatureSpace(name="kinds", values=RNG.integers(2, size=(20, 1)).astype(float)),
]


@pytest.fixture(scope="module")
def answers():
    return simulate(SEEN, 1500, noise="logistic", seed=0)


@pytest.fixture(scope="module")
def found(answers):
    return map_correlation(SPACES, answers, replicates=60)


def test_values_are_those_of_scipy(answers, found):
    theirs = pdist(STE().fit(answers).embedding_)
    expected = [spearmanr(pdist(space.values), theirs).statistic for space in SPACES]
    np.testing.assert_allclose(found.correlation.value, expected, atol=1e-9)


def test_tau_a_counts_ties_as_disagreement(answers):
    found = map_correlation(SPACES[1:], answers, coefficient="tau", replicates=20)
    theirs = pdist(STE().fit(answers).embedding_)
    # Without ties it is the usual coefficient; of two kinds half of all pairs of pairs are tied.
    expected = kendalltau(pdist(SEEN[:, :1]), theirs).statistic
    assert found.correlation.value[0] == pytest.approx(expected)
    same = pdist(SPACES[2].values)
    signs = np.sign(np.subtract.outer(same, same)) * np.sign(np.subtract.outer(theirs, theirs))
    n = len(same)
    assert found.correlation.value[1] == pytest.approx(signs.sum() / (n * (n - 1)))


@pytest.mark.parametrize("coefficient", ["spearman", "tau"])
def test_objects_drawn_twice_are_compared_with_others_alone(coefficient):
    drawn = RNG.integers(20, size=20)
    i, j = np.triu_indices(20, 1)
    other = drawn[i] != drawn[j]
    mine, theirs = (
        squareform(pdist(x))[drawn[i[other]], drawn[j[other]]] for x in (SEEN, SEEN[:, :1])
    )
    correlate = spearmanr if coefficient == "spearman" else kendalltau
    expected = correlate(mine, theirs).statistic
    if coefficient == "tau":
        signs = [np.sign(np.subtract.outer(x, x)) for x in (mine, theirs)]
        expected = (signs[0] * signs[1]).sum() / (len(mine) * (len(mine) - 1))
    ranked = _Ranked([_Vector.of(distances(SEEN))], coefficient, 20)
    found = ranked.with_map(
        _Vector.of(distances(SEEN[:, :1])), np.bincount(drawn, minlength=20)
    )
    assert found[0] == pytest.approx(expected)


def test_what_is_seen_is_at_the_ceiling_and_ahead(found):
    assert found.correlation.value[0] > 0.95
    assert found.correlation.low[0] < found.ceiling_upper
    assert found.ceiling_lower < found.ceiling_upper <= 1
    assert found.behind.value[0] == 0
    assert (found.behind.low[1:] > 0).all()
    assert found.correlation.low[2] < 0.15
    assert found.table["space"].tolist() == ["seen", "half", "kinds"]


def test_the_variance_of_both_is_between_its_bounds():
    rng = np.random.default_rng(0)
    objects, answers = rng.normal(size=(2, 5000, 1))
    both = objects + 2**0.5 * answers[::-1]  # the noise of answers twice
    apart = _half_width(objects, answers, both, 1.0, 10_000)[0] / 1.96
    assert apart == pytest.approx((2 * 2 - 3) ** 0.5, abs=0.1)
    apart = _half_width(objects, answers * 0, objects, 1.0, 10_000)[0]
    assert apart == pytest.approx(1.96, abs=0.1)


def test_another_map_may_be_compared(answers, found):
    other = map_correlation(SPACES, answers, embedding=TSTE(n_components=1), replicates=20)
    assert other.correlation.value[0] < found.correlation.value[0]


def test_too_many_objects_for_tau_are_refused():
    many = simulate(np.random.default_rng(0).normal(size=(201, 1)), 3000, seed=0)
    space = FeatureSpace(name="x", values=np.arange(201.0))
    with pytest.raises(DataError, match="201 objects are too many for Kendall's tau-a"):
        map_correlation(space, many, coefficient="tau", replicates=20)


def test_random_numbers(answers):
    spaces = [
        FeatureSpace(name=f"random {k}", values=np.random.default_rng(9 + k).normal(size=(20, 2)))
        for k in range(5)
    ]
    found = map_correlation(spaces, answers, replicates=60)
    assert not found.significant.any()


def test_what_people_see_is_surely_above_chance(found):
    assert found.significant[:2].all()


@pytest.mark.parametrize(("low", "surely"), [(-0.039, False), (0.001, True)])
def test_surely_above_is_what_the_interval_says(low, surely):
    """Of 0.300 [-0.039, 0.639] "surely above" was said."""
    said = Estimate(np.array([0.3]), np.array([low]), np.array([0.6 - low]), n=20)
    found = MapCorrelation(
        ["a"], "spearman", said, said, said, 0.5, 0.9, np.zeros((0, 1)), n_objects=20
    )
    assert bool(found.significant[0]) is surely
