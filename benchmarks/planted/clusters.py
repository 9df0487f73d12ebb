"""Continua and planted groups: what the page Clusters says of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import tripletscope as ts
from planted import Sentence
from tripletscope.core.models.embedding.ordinal import Embedding
from tripletscope.core.similarity.clusters.counting import count_clusters, recommend_clusters

OBJECTS, ANSWERS, RUNS = 60, 4_000, 3
#: Centres of groups, in standard deviations.
APART = 8.0
#: At commit 8a2d077 clusters were recommended on equal steps along a line in 19 of 19 runs.
BEFORE = {"line": (19, 19)}
EMBEDDINGS = (ts.TSTE(n_init=1), ts.STE(n_init=1))


def sentences(runs: int | None) -> Iterator[Sentence]:
    runs = runs or RUNS
    null = {shape: _said(runs, shape) for shape in ("line", "arc", "circle", "disc", "cloud")}
    kernels = [_advised(ts.K1(), "groups", 3, APART, seed) for seed in range(runs)]
    for shape, found in null.items():
        yield Sentence(
            place="Clusters", before="Recommended: 2 clusters … more compact than points without "
            "structure; or: the objects form a continuum",
            now="Recommended: k clusters, or: none is seen with these answers",
            null=f"{shape}; {OBJECTS} objects, {ANSWERS:,} answers, average linkage and k-means "
            "on t-STE and STE",
            alarms=(sum(k is not None and k > 1 for k in found), len(found)),
            alarms_before=BEFORE.get(shape),
        )
    for k in (2, 3, 4, 5):
        found = _said(runs, "groups", k, APART)
        yield Sentence(
            place="Clusters", before="", now=f"Recommended: {k} clusters",
            null="another number of clusters",
            alarms=(sum(n is not None and n not in (1, k) for n in found), len(found)),
            planted=f"{k} groups with centres {APART:g} standard deviations apart",
            said=(sum(n == k for n in found), len(found)),
        )
    yield Sentence(
        place="Clusters", before="The objects form a continuum", now="none is seen …",
        null="similarities by k1 of three groups, eight standard deviations apart: another number",
        alarms=(sum(n not in (1, 3) for n in kernels), runs),
        planted="the same: three", said=(sum(n == 3 for n in kernels), runs),
    )
    coins = [_advised(ts.STE(n_init=1), "cloud", 0, 0.0, seed, flip=True) for seed in range(runs)]
    yield Sentence(
        place="Clusters", before="The objects form a continuum",
        now="none is seen, or clusters; else nothing", null="coin flips",
        alarms=(sum(n is not None for n in coins), runs),
    )


def _said(runs: int, shape: str, k: int = 0, apart: float = 0.0) -> list[int | None]:
    return [
        _advised(basis, shape, k, apart, seed, kmeans=kmeans)
        for seed in range(runs) for basis in EMBEDDINGS for kmeans in (False, True)
    ]


def _advised(
    basis: Embedding, shape: str, k: int, apart: float, seed: int, *, kmeans: bool = False,
    flip: bool = False,
) -> int | None:
    rng = np.random.default_rng([seed, k])
    positions = _positions(shape, k, apart, rng)
    positions = positions - positions.mean(axis=0)
    positions /= np.sqrt((positions**2).sum(axis=1).mean())
    answers = ts.simulate(
        positions, ANSWERS, noise="flip" if flip else "logistic", level=0.5 if flip else 1.0,
        seed=seed,
    )
    method = ts.KMeans(basis=basis) if kmeans else ts.AgglomerativeClustering(basis=basis)
    return recommend_clusters(count_clusters(method, answers, most=8, seed=seed)).n_clusters


def _positions(shape: str, k: int, apart: float, rng: np.random.Generator) -> np.ndarray:
    if shape == "groups":
        angle = 2 * np.pi * np.arange(k) / k
        centres = np.column_stack([np.cos(angle), np.sin(angle)]) / (2 * np.sin(np.pi / k))
        return centres[np.arange(OBJECTS) % k] + rng.normal(size=(OBJECTS, 2)) / apart
    if shape == "cloud":
        return rng.normal(size=(OBJECTS, 2))
    if shape == "line":
        return np.linspace(0, 1, OBJECTS)[:, None] * [1.0, 0.0]
    steps = np.arange(OBJECTS) / OBJECTS
    turns = {"arc": np.pi * steps, "circle": 2 * np.pi * steps}
    angle = turns.get(shape, 2 * np.pi * rng.random(OBJECTS))
    radius = np.sqrt(rng.random(OBJECTS)) if shape == "disc" else np.ones(OBJECTS)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
