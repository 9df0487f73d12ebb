"""Columns in many analyses: how often chance makes one stand, and how often planted ones do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.studies.multiverse.multiverse import Multiverse

PLACE, OBJECTS, ANSWERS, RUNS = "Compare, Multiverse", 20, 600, 100
STANDS, CLUSTERS = "a column is predicted (p)", "clusters in most analyses"
#: Random columns, and what is different next door.
RANDOM = {
    "normal": "", "marks": "marks of three objects", "alike": "columns correlated at .8",
    "chance": "answers of coin flips", "clumps": "objects in three clumps",
    "outlier": "one object far out",
}


def sentences(runs: int | None) -> Iterator[Sentence]:
    def counted(words: str, data: str, says: Callable, is_null: bool, neighbour: str = ""):
        each = range(runs or RUNS)
        said = sum(bool(says(data, seed)) for seed in each), len(each)
        return Sentence(
            place=PLACE, before="", now=words, null=data, alarms=said if is_null else None,
            planted=data, said=None if is_null else said, neighbour=neighbour, rate=0.05,
        )

    for data, neighbour in RANDOM.items():
        yield counted(STANDS, f"{data}", lambda data, seed: (tried(data, seed).p <= 0.05).any(),
                      True, neighbour)
    yield counted(STANDS, "grows", lambda data, seed: tried(data, seed).p[0] <= 0.05, False)
    for data in ("normal", "outlier"):
        yield counted(CLUSTERS, data, _has_clusters, True, RANDOM[data])


def _has_clusters(data: str, seed: int) -> bool:
    return tried(data, seed).has_clusters.mean() > 0.5


@cache
def tried(data: str, seed: int) -> Multiverse:
    """Two methods in one to three dimensions, of random columns or of one that grows."""
    rng = np.random.default_rng([1, seed])
    places = 1.5 * rng.normal(size=(OBJECTS, 2))
    if data == "clumps":
        places = 0.4 * places + 4.0 * np.array([[0, 0], [1, 0], [0, 1]])[np.arange(OBJECTS) % 3]
    if data == "outlier":
        places[0] = (9.0, 0.0)
    answers = ts.simulate(places * (data != "chance"), ANSWERS, noise="logistic", seed=seed)
    values = rng.normal(size=(OBJECTS, 4))
    if data == "marks":
        values = (np.argsort(values, axis=0).argsort(axis=0) < 3).astype(float)
    if data == "alike":
        values = 0.8**0.5 * rng.normal(size=(OBJECTS, 1)) + 0.2**0.5 * values
    if data == "grows":
        values[:, 0] = places[:, 0] / 1.5 + 0.7 * values[:, 0]
    columns = {f"c{k}": column for k, column in enumerate(values.T)}
    return ts.experiment.multiverse(
        ts.STE(n_init=1), answers.with_objects(answers.objects.assign(**columns)),
        methods=["ste", "ckl"], fewest=1, most=3, columns=[*columns], folds=2, replicates=10,
        seed=seed,
    )
