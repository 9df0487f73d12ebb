"""Compiled code, made before anybody waits for it."""

from __future__ import annotations

import numpy as np

from core.embedding import STE
from core.method import methods
from core.simulate import simulate
from core.uncertainty import calibrate, sample_posterior


def compile_all() -> None:
    """Compile what fits need, or load it from the cache where it has been compiled before."""
    triplets = simulate(np.random.default_rng(0).normal(size=(6, 2)), 60)
    for method in methods("embedding").values():
        method(n_init=1, max_iter=2).fit(triplets)
    samples = sample_posterior(STE(), triplets, effective=20, most=100)
    samples.most_uncertain(10)
    calibrate(STE(), triplets, source="laplace", data_sets=2, maps=20)
