"""Spectral clustering, against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import spectral_clustering
from sklearn.metrics import adjusted_rand_score

from tripletscope.core.similarity.clusters import SpectralClustering, spectral
from tripletscope.core.similarity.kernels.space import Space


@pytest.mark.parametrize("seed", range(4))
def test_spectral_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(90, 2)) + 3 * rng.normal(size=(5, 2))[rng.integers(5, size=90)]
    distances = squareform(pdist(vectors))
    scale = np.sort(distances, axis=1)[:, 7]
    affinity = np.maximum(np.exp(-(distances**2) / np.outer(scale, scale)), 1e-6)
    space = Space(90, np.arange(90), vectors=vectors)
    divisions = SpectralClustering().divisions(space, [1, 2, 3, 5, 90])
    for labels, number in zip(divisions[1:4], (2, 3, 5), strict=True):
        expected = spectral_clustering(
            affinity, n_clusters=number, assign_labels="cluster_qr", random_state=0
        )
        assert adjusted_rand_score(labels, expected) == 1.0
    assert divisions[0].max() == 0
    assert divisions[4].tolist() == list(range(90))


def test_spectral_in_single_precision_finds_the_same(monkeypatch):
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 2)) + 5 * rng.normal(size=(6, 2))[rng.integers(6, size=300)]
    space = Space(300, np.arange(300), vectors=vectors)
    expected = SpectralClustering().divisions(space, [2, 4, 6])
    monkeypatch.setattr(spectral, "SINGLE_ABOVE", 100)
    assert np.array_equal(SpectralClustering().divisions(space, [2, 4, 6]), expected)
