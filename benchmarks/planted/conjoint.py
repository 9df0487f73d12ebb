"""Additive observers of two properties, with few comparisons: what conjoint measurement says."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from planted import Sentence
from tripletscope.core.scales import conjoint_scales

RUNS, LEVELS = 400, 3
#: Values of the saturated model.
VALUES = LEVELS**2 - 1


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for each in (10, 20, 30):
        additive, joint = (
            np.array([_p(each * VALUES, seed, strength) < 0.05 for seed in range(runs)])
            for strength in (0.0, 0.5)
        )
        told = each >= 20
        yield Sentence(
            place="Scale, Conjoint", before="The contributions do not add up",
            now="the same, from twenty comparisons for each combination on",
            null=f"additive, {each} comparisons for each value", alarms=(
                int(additive.sum()) * told, runs), alarms_before=(int(additive.sum()), runs),
            planted="an interaction of 0.5 a b", said=(int(joint.sum()) * told, runs),
        )


def _p(number: int, seed: int, strength: float) -> float:
    """Significance of the test of additivity."""
    rng = np.random.default_rng([number, seed, int(10 * strength)])
    shown = pd.DataFrame(
        rng.integers(0, LEVELS, (number, 4)), columns=["a1", "b1", "a2", "b2"]
    )
    first, second = (
        0.8 * shown[f"a{side}"] + 0.5 * shown[f"b{side}"]
        + strength * shown[f"a{side}"] * shown[f"b{side}"] for side in "12"
    )
    lead = first - second + rng.normal(size=number)
    tests = conjoint_scales(shown.assign(first=(lead > 0).astype(int)), replicates=2).tests
    return float(tests.set_index("model").loc["additive", "p"])
