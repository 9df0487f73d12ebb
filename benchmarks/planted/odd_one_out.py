"""Sparse dimensions in odd-one-out choices: how many of them the automatic penalty finds."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.models.dimensions.reproducibility import FOUND_AGAIN, best_matches

OBJECTS, DIMENSIONS, TRIALS, RUNS = 150, 12, 20_000, 6
#: Dimensions are of at most so strong a correlation with any planted one.
CHANCE = 0.5
#: At commit 8a2d077, of the same 6 runs: planted dimensions that were found, and chance ones.
BEFORE = ((48, 72), (12, 62))


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    found = chance = kept = coins = 0
    for seed in range(runs):
        truth = planted(OBJECTS, DIMENSIONS, seed)
        choices = ts.dimensions.simulate_choices(truth, TRIALS, seed=seed)
        fitted = ts.dimensions.SPoSE(n_components=40).fit(choices)
        found += int((best_matches(truth, fitted.embedding_) > FOUND_AGAIN).sum())
        chance += int((best_matches(fitted.embedding_, truth) < CHANCE).sum())
        kept += fitted.n_dimensions_
        answers = ts.dimensions.simulate_choices(np.zeros((30, 1)), 1000, seed=seed)
        coins += ts.dimensions.SPoSE(n_components=10).fit(answers).n_dimensions_ > 0
    about = f"{OBJECTS} objects, {DIMENSIONS} sparse dimensions, {TRIALS:,} trials"
    yield Sentence(
        place="Dimensions", before="dimensions by the largest penalty within one standard error",
        now="dimensions by the best penalty", null=f"dimensions that none resembles; {about}",
        alarms=(chance, max(kept, 1)), alarms_before=BEFORE[1],
        planted="planted dimensions that are found, of all; found before: "
        f"{BEFORE[0][0]} of {BEFORE[0][1]}", said=(found, DIMENSIONS * runs),
    )
    yield Sentence(
        place="Dimensions", before="some dimensions", now="no dimension is left",
        null="30 objects, 1,000 choices by coin", alarms=(coins, runs),
    )


def planted(n: int, d: int, seed: int) -> np.ndarray:
    """Sparse weights, of the first dimensions in more objects than of the last ones."""
    rng = np.random.default_rng(seed)
    there = rng.random((n, d)) < 0.15 * np.linspace(1.6, 0.4, d)
    return there * rng.gamma(3, 1 / 3, (n, d))
