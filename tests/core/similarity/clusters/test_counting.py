"""One number of clusters, or none, on planted groups and on what has none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

from tripletscope.core.models.embedding import STE, TSTE
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.similarity.clusters import AgglomerativeClustering, KMeans
from tripletscope.core.similarity.clusters.counting import (
    ClusterAdvice,
    ClusterCounts,
    beside_continua,
    continua,
    count_clusters,
    recommend_clusters,
)
from tripletscope.core.similarity.kernels.space import Space

N = 60
TURN = np.linspace(0.0, np.pi, N)
SHAPES = {
    "line": np.column_stack([TURN, np.zeros(N)]),
    "arc": np.column_stack([np.cos(TURN), np.sin(TURN)]),
    "circle": np.column_stack([np.cos(2 * TURN), np.sin(2 * TURN)]),
    "disc": np.column_stack([np.cos(40 * TURN), np.sin(40 * TURN)]) * np.sqrt(TURN)[:, None],
    "cloud": np.random.default_rng(5).normal(size=(N, 2)),
}


def advised(positions: np.ndarray, method, seed: int = 0, noise: str = "logistic") -> ClusterAdvice:
    answers = simulate(positions, 4000, noise=noise, level=1.0 if noise == "logistic" else 0.5,
                       seed=seed)
    return recommend_clusters(count_clusters(method, answers, most=6, seed=seed))


def counts(own: list[float], continuum: list[float], error: float = 0.2) -> ClusterCounts:
    """Draws of one continuum whose silhouettes differ by 0.01 to both sides."""
    aside = 0.01 * np.resize([-1.0, 1.0], 40)[:, None]
    drawn = (np.array(continuum) + aside)[None]
    return ClusterCounts(
        np.arange(2, len(own) + 2), np.array(own), np.full(len(own), 5),
        drawn, error, error - 0.05, error + 0.05, N, np.full(drawn.shape, 5),
    )


def kinds(seed: int) -> np.ndarray:
    """(18, 2) objects in five kinds of three or four, three standard deviations apart or more."""
    rng = np.random.default_rng(seed)
    apart = 0.0
    while apart < 5:
        centres = rng.uniform(-11, 11, (5, 2))
        apart = pdist(centres).min()
    points = np.repeat(centres, [4, 4, 4, 3, 3], axis=0) + 1.6 * rng.normal(size=(18, 2))
    points -= points.mean(axis=0)
    return points / np.sqrt((points**2).sum(axis=1).mean())


def test_few_objects_in_kinds_are_seen_and_what_decides_is_drawn():
    """Twenty draws, and their single objects as clusters, hid seven of eight such sets."""
    seen = []
    for seed in range(4):
        found = beside_continua(AgglomerativeClustering().for_cuts(), Space(
            18, np.arange(18), vectors=kinds(seed)
        ), 12, references=60, seed=seed)
        found = replace(found, error=0.1, error_low=0.05, error_high=0.15)
        advice = recommend_clusters(found)
        large = found.smallest >= 3
        assert advice.supported.tolist() == found.numbers[
            large & (found.silhouettes > found.needed)
        ].tolist()
        assert (found.needed > found.expected).all()
        seen.append(advice.reason == "supported")
    assert np.mean(seen) > 0.4


def test_a_plane_in_ten_columns_is_a_disc():
    """Eight columns of zeros made the disc a ball of ten dimensions, with outliers in a plane."""
    points = np.pad(SHAPES["disc"] - SHAPES["disc"].mean(axis=0), ((0, 0), (0, 8)))
    ellipsoid, spread = continua(points)[1], np.linalg.svd(points, compute_uv=False)[:2]
    for seed in range(20):
        drawn = ellipsoid(np.random.default_rng(seed))
        assert drawn.shape == (N, 2)
        assert (drawn**2 / (4 * spread**2 / N)).sum(axis=1).max() <= 1 + 1e-9


def test_the_highest_silhouette_above_those_of_continua_is_taken():
    advice = recommend_clusters(counts([0.6, 0.7, 0.65, 0.4], [0.6, 0.5, 0.5, 0.4]))
    assert advice.n_clusters == 3
    assert advice.supported.tolist() == [3, 4]
    assert advice.reason == "supported"


def test_outliers_are_no_cluster():
    found = replace(counts([0.9, 0.5], [0.3, 0.3]), smallest=np.array([2, 3]))
    assert recommend_clusters(found).supported.tolist() == [3]


def test_pairs_are_too_small_and_not_called_no_more_compact():
    """Eight pairs of 16 objects: "no number of clusters is more compact"."""
    found = replace(counts([0.3, 0.9], [0.3, 0.3]), smallest=np.array([4, 2]))
    advice = recommend_clusters(found)
    assert advice.n_clusters is None
    assert advice.reason == "too small"
    assert recommend_clusters(counts([0.3, 0.3], [0.3, 0.3])).reason == "none"


def test_what_one_continuum_has_is_no_finding():
    found = counts([0.6, 0.7], [0.3, 0.3])
    line = counts([0.6, 0.7], [0.61, 0.71])
    both = replace(
        found, continua=np.vstack([found.continua, line.continua]),
        continua_smallest=np.vstack([found.continua_smallest, line.continua_smallest]),
    )
    advice = recommend_clusters(both)
    assert advice.n_clusters == 1
    assert advice.reason == "none"
    assert not len(advice.supported)


TREE = AgglomerativeClustering(basis=TSTE(n_init=1), order_leaves=False)
MEANS = KMeans(basis=STE(n_init=1), n_init=1)


@pytest.mark.parametrize(("shape", "method"), [
    ("line", TREE), ("line", MEANS), ("arc", MEANS), ("circle", TREE), ("disc", MEANS),
    ("cloud", TREE),
])
def test_continua(shape, method):
    """Average linkage and k-means recommended clusters on every line, by gap and silhouette.

    Rates: ``benchmarks/verdicts.py clusters``.
    """
    positions = SHAPES[shape] - SHAPES[shape].mean(axis=0)
    advice = advised(positions / np.sqrt((positions**2).sum(axis=1).mean()), method)
    assert advice.n_clusters == 1


@pytest.mark.parametrize(("k", "method"), [
    (2, AgglomerativeClustering), (5, KMeans),
])
def test_planted_groups_are_found(k, method):
    """Centres eight standard deviations apart."""
    angle = 2 * np.pi * np.arange(k) / k
    centres = np.column_stack([np.cos(angle), np.sin(angle)]) / (2 * np.sin(np.pi / k))
    positions = centres[np.arange(N) % k] + np.random.default_rng(k).normal(size=(N, 2)) / 8
    positions -= positions.mean(axis=0)
    positions /= np.sqrt((positions**2).sum(axis=1).mean())
    settings = {"n_init": 4} if method is KMeans else {}
    found = advised(positions, method(basis=STE(n_init=1), **settings), seed=k)
    assert found.n_clusters == k


def test_coin_flips():
    """They were said to form a continuum."""
    advice = advised(SHAPES["cloud"], AgglomerativeClustering(basis=STE(n_init=1)), noise="flip")
    assert advice.n_clusters is None
    assert advice.reason == "chance"
    few = counts([0.9, 0.5], [0.3, 0.3], error=np.nan)
    assert recommend_clusters(few).n_clusters is None
    assert recommend_clusters(few).reason == "too few answers"


@pytest.mark.parametrize("n", [4, 5])
def test_five_objects(n):
    """Two groups of three cannot be among them: that none is seen was said of any five."""
    line = np.column_stack([np.linspace(-1.5, 1.5, n), np.zeros(n)])
    answers = simulate(line, 600, noise="logistic", level=1.0, seed=n)
    advice = recommend_clusters(count_clusters(KMeans(basis=STE(n_init=1), n_init=2), answers))
    assert advice.n_clusters is None
    assert advice.reason == "too few objects"
    assert not len(advice.supported)
