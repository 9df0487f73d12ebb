"""Compiled code, made before anybody waits for it."""

from __future__ import annotations

import numpy as np

import core.embedding  # noqa: F401 - registers the methods
from core.method import methods
from core.simulate import simulate


def compile_all() -> None:
    """Compile what fits need, or load it from the cache where it has been compiled before."""
    triplets = simulate(np.random.default_rng(0).normal(size=(6, 2)), 60)
    for method in methods("embedding").values():
        method(n_init=1, max_iter=2).fit(triplets)
