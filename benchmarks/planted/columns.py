"""Random columns as features, alone and beside what is seen: which are said to count."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence

RUNS, OBJECTS = 40, 25
#: Of 10 runs at commit 53cf0272, with 1,500 answers: alone, beside one that is seen, beside three.
BEFORE = {0: (5, 10), 1: (5, 10), 3: (0, 10)}


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for number in (1_500, 6_000):
        for seen in BEFORE:
            found = np.array([counted(number, seed, seen) for seed in range(runs)])
            yield Sentence(
                place="Features, Weights", before="Features that count", now="the same",
                null=f"{4 - seen} random columns beside {seen} that are seen; {OBJECTS} objects, "
                f"{number:,} answers", alarms=(int(found[:, seen:].any(axis=1).sum()), runs),
                alarms_before=BEFORE[seen] if number == 1_500 else None,
                planted="all that are seen, with weights of 1.5, .8 and .5",
                said=(int(found[:, :seen].all(axis=1).sum()), runs) if seen else None,
            )


def counted(number: int, seed: int, seen: int) -> np.ndarray:
    """(4,) which columns are said to count, of which the first so many are seen."""
    rng = np.random.default_rng([number, seed, seen])
    truth = rng.normal(size=(OBJECTS, 3))
    columns = rng.normal(size=(OBJECTS, 4))
    columns[:, :seen] = truth[:, :seen]
    answers = ts.simulate(
        truth * np.sqrt([1.5, 0.8, 0.5]), number, noise="logistic", seed=int(rng.integers(2**31))
    )
    space = ts.features.FeatureSpace(name="columns", values=columns)
    return ~ts.features.feature_weights(space, answers, replicates=60, seed=seed).is_zero
