"""Stress of dissimilarities against that of random orders of them."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.core.inference.evaluation.stress import permuted_stress
from tripletscope.core.models.embedding import MDS, NMDS


def square(values: np.ndarray) -> np.ndarray:
    upper = np.triu(values, 1)
    return upper + upper.T


@pytest.mark.parametrize("method", [NMDS(), MDS(n_components=1)])
def test_random_numbers_are_chance(method):
    found = [
        permuted_stress(method, square(np.random.default_rng(seed).uniform(size=(10, 10))),
                        permutations=19)
        for seed in range(12)
    ]
    assert sum(not one.is_chance for one in found) <= 2
    assert min(one.p for one in found) >= 1 / 20


@pytest.mark.parametrize("method", [NMDS(), MDS()])
def test_noisy_distances_are_none(method):
    rng = np.random.default_rng(0)
    places = rng.normal(size=(10, 2))
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    apart = square(apart + rng.normal(scale=0.4, size=apart.shape)).clip(0)
    apart[2, 5] = apart[5, 2] = np.nan
    found = permuted_stress(method, apart)
    assert not found.is_chance
    assert found.stress < found.permuted.min()
    weights = np.isfinite(apart) * square(rng.uniform(1, 2, size=apart.shape))
    assert not permuted_stress(method, apart, weights).is_chance
    few = permuted_stress(method, apart, permutations=5)
    assert few.is_chance, "of so few nothing can be told"


def test_a_stop_ends_it():
    with pytest.raises(Stopped):
        permuted_stress(MDS(), square(np.ones((5, 5))), progress=lambda *_, **__: True)
