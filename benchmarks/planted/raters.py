"""Raters who rate pairs at random: who is said to answer unlike the others."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd
from scipy.spatial.distance import pdist

import tripletscope as ts
from planted import Sentence
from tripletscope.core.studies.quality.verdict import verdict

RUNS, RATERS, OBJECTS = 40, 20, 12
#: Of 6 runs at commit 53cf0272.
BEFORE = {"at random": (4, 6), "alike": (0, 6)}


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    random, planted = (
        [standing_out(seed, careful) for seed in range(runs)] for careful in (0, RATERS - 1)
    )
    alike = sum(bool(standing_out(seed, RATERS)) for seed in range(runs))
    for null, alarms in (("at random", sum(map(bool, random))), ("alike", alike)):
        yield Sentence(
            place="Data, Participants", before="Participants who stand out", now="the same",
            null=f"{RATERS} raters of all pairs of {OBJECTS} objects, {null}",
            alarms=(alarms, runs), alarms_before=BEFORE[null],
            planted="one of them rates at random, and is named",
            said=(sum(f"r{RATERS - 1:02}" in out for out in planted), runs),
        )


def rated(seed: int, careful: int) -> ts.Triplets:
    """All comparisons of ratings of raters, of whom the first so many are careful."""
    rng = np.random.default_rng([seed, careful])
    x = rng.normal(size=(OBJECTS, 2))
    pairs = np.array(list(combinations(range(OBJECTS), 2)))
    place = np.zeros((OBJECTS, OBJECTS), dtype=int)
    place[tuple(pairs.T)] = place[tuple(pairs[:, ::-1].T)] = np.arange(len(pairs))
    triads = [(a, b, c) for a in range(OBJECTS) for b, c in combinations(range(OBJECTS), 2)
              if a not in (b, c)]
    parts = []
    for rater in range(RATERS):
        rating = rng.normal(size=len(pairs))
        if rater < careful:
            rating = pdist(x) + 0.5 * rating
        rows = np.array(triads)
        far = rating[place[rows[:, 0], rows[:, 1]]] > rating[place[rows[:, 0], rows[:, 2]]]
        rows[far, 1:] = rows[far, :0:-1]
        parts.append(rows)
    who = np.repeat([f"r{rater:02}" for rater in range(RATERS)], [len(rows) for rows in parts])
    objects = pd.DataFrame({"id": [f"o{k}" for k in range(OBJECTS)]})
    return ts.Triplets(np.concatenate(parts), objects, pd.DataFrame({
        "participant": who, "held_together": who,
    }))


def standing_out(seed: int, careful: int) -> list[str]:
    """Who is said to stand out by agreement with others and their map."""
    answers = rated(seed, careful)
    people = ts.quality(answers).participants
    agreement = ts.run("agreement_with_map", ts.STE(n_init=1), answers).result().table
    people = people.merge(agreement.drop(columns="answers").rename(columns={
        "low": "predicted_low", "high": "predicted_high",
    }), on="participant")
    return [*verdict(people).reasons]
