"""People who vary between conditions without and with a common direction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import tripletscope as ts
from planted import Sentence
from tripletscope.core.people.conditions import permutation_test
from tripletscope.core.people.weights import WeightedEuclidean, people_of

PEOPLE, EACH, RUNS = 16, 100, 200
#: At commit 8a2d077, of 40 runs.
BEFORE = (17, 40)


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    null, planted = (
        sum(_rejected(strength, seed) for seed in range(runs)) for strength in (0.0, 0.2)
    )
    yield Sentence(
        place="People, Conditions", before="One map predicts all conditions as well … p = 0.005",
        now="Attention differs, or is not seen to (p)",
        null=f"{PEOPLE} people, {EACH} answers under each of two conditions, log weights vary by "
        "0.5 without a direction", alarms=(null, runs), alarms_before=BEFORE,
        planted="the same about a common shift of 0.2", said=(planted, runs),
    )


def _rejected(strength: float, seed: int) -> bool:
    rng = np.random.default_rng([seed, int(100 * strength)])
    positions = 1.3 * rng.normal(size=(12, 2))
    parts = []
    for _ in range(PEOPLE):
        for sign in (1, -1):
            weights = np.exp(sign * strength * np.array([1, -1]) + 0.5 * rng.normal(size=2))
            parts.append(ts.simulate(
                positions * np.sqrt(weights), EACH, noise="logistic",
                seed=int(rng.integers(2**31)),
            ))
    cell = np.repeat(np.arange(2 * PEOPLE), EACH)
    answers = ts.Triplets(
        np.concatenate([part.rows for part in parts]), parts[0].objects,
        pd.DataFrame({
            "participant": [f"p{k}" for k in cell // 2],
            "told": np.where(cell % 2, "shape", "colour"),
        }),
    )
    method = WeightedEuclidean(by="told")
    return permutation_test(method, answers, people_of(answers, "told")[0], 199, seed)[0] <= 0.05
