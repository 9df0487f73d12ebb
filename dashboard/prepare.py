"""Compiled code, made before anybody waits for it."""

from __future__ import annotations

import numpy as np

import core.embedding  # noqa: F401 - registers the methods
from core.method import methods
from core.oracle import Observer
from core.simulate import simulate
from core.tree import ComparisonForestClassifier, ComparisonForestRegressor, ComparisonTree


def compile_all() -> None:
    """Compile what fits need, or load it from the cache where it has been compiled before."""
    positions = np.random.default_rng(0).normal(size=(6, 2))
    triplets = simulate(positions, 60)
    for method in methods("embedding").values():
        method(n_init=1, max_iter=2).fit(triplets)
    objects = np.arange(len(positions))
    for forest in (ComparisonForestClassifier, ComparisonForestRegressor):
        forest(n_estimators=1).fit(positions, objects).predict(positions)
    ComparisonTree(metric=Observer(positions), leaf_size=1).fit(objects)
