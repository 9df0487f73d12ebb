"""The least certain of all comparisons, against a look at each of them."""

from __future__ import annotations

import tracemalloc
from itertools import permutations

import joblib
import numpy as np
import pytest

from tripletscope.core.uncertainty import Samples


def maps_of(kind: str, n: int = 14, d: int = 2, seed: int = 0) -> np.ndarray:
    """Maps with what makes distances equal, unknown or very different."""
    rng = np.random.default_rng(seed)
    maps = rng.normal(size=(1, n, d)) + 0.1 * rng.normal(size=(6, n, d))
    if kind == "missing":
        maps[rng.random(maps.shape[:2]) < 0.5] = np.nan
        maps[:, 2] = np.nan
    if kind == "equal":
        maps[:, 3], maps[:, 5] = maps[:, 1], maps[:, 4]
    if kind == "certain":
        maps[:] = maps[0]
    if kind == "collapsed":
        maps[:] = 0.0
    if kind == "far":
        maps[0, 0] *= 1e7
    return maps


KINDS = ["plain", "missing", "equal", "certain", "collapsed", "far"]


def one_by_one(samples: Samples, independent: bool) -> list[tuple[float, int, int, int]]:
    """Standardised gap and objects of every comparison, the least certain first."""
    mean, sd = samples.comparisons.mean, samples.comparisons.sd
    order, found = np.argsort(mean, axis=1, kind="stable"), []
    for i, j, k in permutations(range(len(mean)), 3):
        place = list(order[i])
        if np.isfinite(mean[i, [j, k]]).all() and place.index(j) < place.index(k):
            spread = np.hypot(sd[i, j], sd[i, k]) if independent else sd[i, j] + sd[i, k]
            gap = mean[i, k] - mean[i, j]
            found.append((gap / spread if spread > 0 else (1e300 if gap else 0.0), i, j, k))
    return sorted(found)


@pytest.mark.parametrize("d", [1, 2, 4])
@pytest.mark.parametrize("spread", ["published", "independent"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_least_certain_are_found(kind, spread, d):
    samples = Samples(maps_of(kind, d=d), np.zeros((14, d)), 1.7)
    every = one_by_one(samples, spread == "independent")
    for k in (1, 20, len(every) + 5):
        rows, probability = samples.most_uncertain(k, spread=spread)
        kept = every[:k]
        assert len(rows) == len(kept)
        assert len({tuple(row) for row in rows}) == len(rows)
        gaps = {tuple(row): gap for gap, *row in every}
        found = [gaps[tuple(row)] for row in rows]
        assert np.allclose(found, [gap for gap, *_ in kept], rtol=1e-9)
        assert (np.diff(probability) >= 0).all()
        assert probability[0] >= 0.5
    assert [tuple(row) for row in rows] == [tuple(row) for _, *row in every]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("k", [3, 50, 5000])
def test_from_maps_and_from_matrices_alike(kind, k):
    samples = Samples(maps_of(kind, n=40), np.zeros((40, 2)), 0.8)
    for spread, comparisons in (
        ("published", samples.comparisons), ("independent", samples.calibrated)
    ):
        found = samples.most_uncertain(k, spread=spread), comparisons.most_uncertain(k)
        for one, other in zip(*found, strict=True):
            assert np.array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_on_any_number_of_threads(kind):
    samples, found = Samples(maps_of(kind, n=60), np.zeros((60, 2))), []
    for n_jobs in (1, 3):
        with joblib.parallel_config(n_jobs=n_jobs):
            found.append(samples.most_uncertain(77))
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def test_many_objects_need_no_matrix():
    maps = maps_of("plain", n=3000)
    samples = Samples(maps, maps[0])
    samples.most_uncertain(2)
    tracemalloc.start()
    rows, _ = samples.most_uncertain(200)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 200
    assert peak < 3000**2 * 8 / 2


def test_without_places_there_is_nothing():
    samples = Samples(np.full((3, 5, 2), np.nan), np.zeros((5, 2)))
    assert len(samples.most_uncertain(3)[0]) == 0
    assert len(Samples(maps_of("plain"), np.zeros((14, 2))).most_uncertain(0)[0]) == 0


def test_an_unknown_spread_is_refused():
    with pytest.raises(ValueError, match="spread is 'joint'"):
        Samples(maps_of("plain"), np.zeros((14, 2))).most_uncertain(3, spread="joint")
