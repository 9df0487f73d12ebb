"""Random numbers as features, and features that people see: what Features says of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

import tripletscope as ts
from planted import Sentence
from tripletscope.core.features.explain import above_chance

PEOPLE, OBJECTS, ANSWERS, RUNS = 12, 25, (6_000, 24_000), 60
#: At commit 8a2d077, of 60 to 100 runs with distances as they are: (above chance, ahead).
BEFORE = {6_000: ((25, 100), (27, 100)), 24_000: ((18, 40), (21, 40))}


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for number in ANSWERS:
        random = np.array([_judged(number, seed, None) for seed in range(runs)])
        equal = np.array([_judged(number, seed, (0.6, 0.6)) for seed in range(runs)])
        apart = np.array([_judged(number, seed, (0.2, 1.5)) for seed in range(runs)])
        about = f"{OBJECTS} objects, {PEOPLE} people, {number:,} answers"
        above, ahead = BEFORE[number]
        yield Sentence(
            place="Features, Accuracy", before="predicts best, where chance is",
            now="the same; else: not told apart from chance",
            null=f"two random spaces; {about}", alarms=(int(random[:, 0].sum()), runs),
            alarms_before=above, planted="what people see, with noise of 0.6 of it",
            said=(int(equal[:, 0].sum()), runs),
        )
        yield Sentence(
            place="Features, Accuracy", before="ahead of the next", now="the same; else silent",
            null=f"two random spaces; {about}", alarms=(int(random[:, 1].sum()), runs),
            alarms_before=ahead, planted="noise of 0.2 and 1.5 of what people see",
            said=(int(apart[:, 1].sum()), runs),
        )
        yield Sentence(
            place="Features, Accuracy", before="ahead of the next", now="the same; else silent",
            null=f"two spaces equally near; {about}", alarms=(int(equal[:, 1].sum()), runs),
        )


def _judged(number: int, seed: int, noise: tuple[float, float] | None) -> tuple[bool, bool]:
    """Whether the best space is said to be above chance, and ahead of the other one."""
    rng = np.random.default_rng([number, seed])
    seen = rng.normal(size=(OBJECTS, 2))
    found = [rng.normal(size=seen.shape) for _ in range(2)]
    if noise is not None:
        found = [seen + size * one for size, one in zip(noise, found, strict=True)]
    spaces = [
        ts.features.FeatureSpace(name=name, distances=cdist(one, one))
        for name, one in zip("ab", found, strict=True)
    ]
    parts = [
        ts.simulate(
            seen * np.exp(0.15 * rng.normal(size=2)), number // PEOPLE, noise="logistic",
            seed=int(rng.integers(2**31)),
        ) for _ in range(PEOPLE)
    ]
    who = np.repeat([f"p{person}" for person in range(PEOPLE)], number // PEOPLE)
    answers = ts.Triplets(
        np.concatenate([part.rows for part in parts]), parts[0].objects,
        pd.DataFrame({"participant": who}),
    )
    rows = above_chance(ts.features.explain(spaces, answers, seed=seed).table)
    best = rows["accuracy"].idxmax()
    if not rows["significant"][best]:
        return False, False
    return True, bool((rows["behind_low"].drop(best) > 0).any())
