"""Options that are liked whatever the anchor, and maps whose objects are central or noisy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.models.simulation.simulate import random_questions

RUNS, OBJECTS = 40, 14
#: Said of nothing at commit 53cf0272.
NEVER = 0


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    for number in (400, 1_500):
        said = sum(doubted("liked", number, seed) for seed in range(runs))
        for world in ("plain", "central", "unequal noise"):
            alarms = sum(doubted(world, number, seed) for seed in range(runs))
            yield Sentence(
                place="Embedding", before="(nothing)", now="popularity predicts better than this "
                "map", null=f"symmetric: {world}; {OBJECTS} objects, {number} answers",
                alarms=(alarms, runs), alarms_before=(NEVER, runs),
                planted="options liked whatever the anchor, log-odds with s.d. 1.2",
                said=(said, runs),
            )


def doubted(world: str, number: int, seed: int) -> bool:
    """Whether a map is said to predict worse than popularity, or no better than guesses."""
    rng = np.random.default_rng([seed, number, len(world)])
    x, rows = rng.normal(size=(OBJECTS, 2)), random_questions(OBJECTS, number, rng)
    if world == "central":
        x *= rng.exponential(size=(OBJECTS, 1))
    seen = x[rows]
    if world == "unequal noise":
        noise = 0.5 * np.exp(0.6 * rng.normal(size=OBJECTS))[rows]
        seen = seen + noise[:, :, None] * rng.normal(size=seen.shape)
    squares = [((seen[:, 0] - seen[:, k]) ** 2).sum(axis=1) for k in (1, 2)]
    lead = squares[1] - squares[0]
    if world == "liked":
        worth = 1.2 * rng.normal(size=OBJECTS)[rows[:, 1:]]
        lead = worth[:, 0] - worth[:, 1]
    turned = rng.random(number) > 1 / (1 + np.exp(-lead))
    if world == "unequal noise":
        turned = lead < 0
    rows[turned, 1:] = rows[turned, :0:-1]
    error = ts.cross_validate(ts.STE(n_init=1), ts.Triplets.from_array(rows, OBJECTS))
    codes = {"popularity", "guessing"} if world == "liked" else {"popularity"}
    return bool(codes & {*error.doubted})
