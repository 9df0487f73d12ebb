"""Dimensions of two fits that share an overall weight of objects, nothing, or some dimensions."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence

OBJECTS, DIMENSIONS, RUNS = 60, 4, 200
NOISE = 0.3
#: Of 40 runs at commit 53cf0272: nothing in common, and an overall weight in common.
BEFORE = {"nothing": (3, 40), "weight": (11, 40)}


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    about = f"{OBJECTS} objects, {DIMENSIONS} dimensions"
    planted = {
        size: sum(shares(seed, size, common=2)[:2].all() for seed in range(runs))
        for size in (0.0, 0.7)
    }
    for name, size in (("nothing", 0.0), ("weight", 0.7)):
        alarms = sum(shares(seed, size).any() for seed in range(runs))
        yield Sentence(
            place="Dimensions, Shared", before="shares k of the dimensions", now="the same",
            null=f"{name} in common; {about}", alarms=(alarms, runs), alarms_before=BEFORE[name],
            planted=f"both of two, noise of {NOISE}, s.d. of the log overall weight {size}",
            said=(planted[size], runs),
        )


def shares(seed: int, spread: float, common: int = 0) -> np.ndarray:
    """Which dimensions are said to be shared, where overall weights are those of both fits."""
    rng = np.random.default_rng([seed, int(10 * spread), common])
    weight = np.exp(spread * rng.normal(size=(OBJECTS, 1)))
    one, other = (
        rng.gamma(0.5, size=(OBJECTS, DIMENSIONS)) * (rng.random((OBJECTS, DIMENSIONS)) < 0.5)
        for _ in range(2)
    )
    noise = NOISE * one.std() * np.abs(rng.normal(size=(OBJECTS, common)))
    other[:, :common] = one[:, :common] + noise
    spaces = [
        ts.features.FeatureSpace(name=name, values=weight * table)
        for name, table in (("one", one), ("other", other))
    ]
    answers = ts.Triplets.from_array(np.arange(OBJECTS).reshape(-1, 3))
    return ts.dimensions.shared_dimensions(spaces, answers, permutations=199, seed=seed).shared[0]
