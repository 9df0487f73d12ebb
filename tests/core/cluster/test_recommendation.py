"""One number of clusters, or none, on planted groups and on what has none."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.cluster.counting import ClusterCounts, count_clusters
from tripletscope.core.cluster.kmeans import KMeans
from tripletscope.core.cluster.recommendation import recommend_clusters
from tripletscope.core.cluster.stability import Stability
from tripletscope.core.embedding import STE
from tripletscope.core.simulation.simulate import simulate


def counts(silhouettes: list[float], gaps: list[float]) -> ClusterCounts:
    n = len(gaps)
    return ClusterCounts(
        np.arange(1, n + 1), np.array([np.nan, *silhouettes]), np.array(gaps), np.full(n, 0.05)
    )


def stable(agreement: list[float]) -> Stability:
    none = np.zeros(0)
    numbers = np.arange(2, len(agreement) + 2)
    return Stability(
        none, none, none, numbers, np.array([agreement, agreement]), none, none, none
    )


def test_criteria_that_differ_give_one_number():
    """Silhouette 5, gap 1, stability 2: the gap of two clusters is below that of one."""
    found = counts([0.4, 0.55, 0.7, 0.74, 0.6], [0.5, 0.4, 0.6, 0.8, 0.9, 0.95])
    assert (found.best_by_silhouette, found.best_by_gap) == (5, 1)
    resampled = stable([1.0, 0.95, 0.9, 0.8, 0.7])
    advice = recommend_clusters(found, resampled)
    assert advice.n_clusters == 5
    assert advice.supported.tolist() == [3, 4, 5, 6]
    assert "0.74" in advice.reason
    assert "Rand index of 0.80" in advice.reason
    assert recommend_clusters(found).n_clusters == 5, "without replicates too"


def test_no_clusters_are_among_the_answers():
    no_gap = recommend_clusters(counts([0.8, 0.6], [0.5, 0.52, 0.3]), stable([1.0, 1.0]))
    assert no_gap.n_clusters == 1
    assert "more compact than one" in no_gap.reason
    vague = recommend_clusters(counts([0.3, 0.4], [0.1, 0.5, 0.6]), stable([0.8, 0.7]))
    assert vague.n_clusters == 1
    assert "into 3, has a silhouette of only 0.40" in vague.reason
    assert not len(vague.supported)


def test_low_silhouettes_of_stable_clusters_do():
    """Similarity from few answers is noisy in many directions, and silhouettes are small."""
    advice = recommend_clusters(counts([0.1, 0.07], [0.0, 0.2, 0.3]), stable([0.94, 0.7]))
    assert advice.n_clusters == 2
    assert advice.supported.tolist() == [2]
    assert recommend_clusters(counts([0.1, 0.07], [0.0, 0.2, 0.3])).n_clusters == 1


@pytest.mark.parametrize("k", [1, 2, 4])
def test_planted_groups_are_found_and_a_cloud_has_none(k):
    rng = np.random.default_rng(k)
    angle = 2 * np.pi * np.arange(k) / k
    centres = 2.2 * (k > 1) * np.column_stack([np.cos(angle), np.sin(angle)])
    positions = centres[np.arange(40) % k] + (0.4 if k > 1 else 1.0) * rng.normal(size=(40, 2))
    answers = simulate(positions, 3000, noise="logistic", seed=k)
    found = count_clusters(KMeans(basis=STE(n_init=2), n_init=3), answers, most=7, references=8)
    assert recommend_clusters(found).n_clusters == k
