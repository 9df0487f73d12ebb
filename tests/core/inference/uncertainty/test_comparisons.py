"""The least certain of all comparisons, against a look at each of them."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from tripletscope.core.inference.uncertainty import Samples


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


def test_without_places_there_is_nothing():
    samples = Samples(np.full((3, 5, 2), np.nan), np.zeros((5, 2)))
    assert len(samples.most_uncertain(3)[0]) == 0
    assert len(Samples(maps_of("plain"), np.zeros((14, 2))).most_uncertain(0)[0]) == 0


def test_an_unknown_spread_is_refused():
    with pytest.raises(ValueError, match="spread is 'joint'"):
        Samples(maps_of("plain"), np.zeros((14, 2))).most_uncertain(3, spread="joint")
