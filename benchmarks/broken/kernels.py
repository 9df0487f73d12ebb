"""Broken methods of the items of Kleindessner & von Luxburg (2017)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.broken import Broken
from benchmarks.broken.uncertainty import _exchanged
from tripletscope.core.similarity.kernels.space import Space
from tripletscope.core.similarity.kernels.triplet import K1
from tripletscope.reproductions.samples import sample

_KERNEL = "tripletscope.core.similarity.kernels.triplet"
_HERE = "tripletscope.reproductions.kernels"


def _not_scaled(unit_rows: Callable) -> Callable:
    def broken(votes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return votes, votes.any(axis=1)

    return broken


def _no_sides(unit_rows: Callable) -> Callable:
    """What was asked counts, and not what was answered."""
    return lambda votes: unit_rows(np.abs(votes))


def _no_sides_sparse(features: Callable) -> Callable:
    def broken(entries: Any) -> Any:
        found, placed = features(entries)
        return abs(found), placed

    return broken


def _twice(landmarks: Callable) -> Callable:
    return lambda n, number, rng: landmarks(n, 2 * number, rng)


def _nothing(eigenvalue: Callable) -> Callable:
    return lambda matrix: 0.0


def _knowing(space_of: Callable) -> Callable:
    """Eggs where they belong, whatever was answered."""

    def broken(method: Any) -> Space:
        spikiness = sample("alien_eggs").triplets.objects["spikiness"].to_numpy(float)
        vectors = np.column_stack([spikiness, spikiness**2 / 1000.0])
        return Space(len(vectors), np.arange(len(vectors)), vectors=vectors)

    return broken


def _k1_only(kernels: dict[str, type]) -> dict[str, type]:
    return dict.fromkeys(kernels, kernels["k1"])


def _k1_as_k2(k2: type) -> Callable:
    def broken() -> K1:
        kernel = K1()
        kernel.name = "k2"
        return kernel

    return broken


def _twenty_times(fit: Callable) -> Callable:
    def broken(method: Any, triplets: Any, **options: Any) -> Any:
        for _ in range(19):
            fit(method, triplets, **options)
        return fit(method, triplets, **options)

    return broken


_UNSCALED = Broken("features are not scaled", {f"{_KERNEL}:_unit_rows": _not_scaled})
_SIDELESS = Broken(
    "features count questions, not answers",
    {f"{_KERNEL}:_unit_rows": _no_sides, f"{_KERNEL}:_sparse": _no_sides_sparse},
)
#: Of items that do not hold: with what they claim to find they would.
_KNOWN = Broken("the kernel uses the true positions", {f"{_HERE}.people:space_of": _knowing})

BROKEN = {
    "kernels-figure-1": _UNSCALED,
    "kernels-figure-2": _UNSCALED,
    "kernels-figure-3": _SIDELESS,
    "kernels-figure-4": _KNOWN,
    "kernels-figure-5": _SIDELESS,
    "kernels-figure-6": Broken(
        "k2 is k1", {f"{_HERE}.known_sets:K2": _k1_as_k2},
        full=True,
    ),
    "kernels-figure-7": replace(_SIDELESS, full=True),
    "kernels-figure-8": _SIDELESS,
    "kernels-figure-9": Broken(
        "GNMDS has twenty starts",
        {"tripletscope.core.models.embedding.gnmds:GNMDS.fit": _twenty_times},
    ),
    "kernels-figure-10": _SIDELESS,
    "kernels-figure-11": Broken(
        "k2 is k1", {f"{_HERE}.people:_KERNELS": _k1_only}
    ),
    "kernels-figure-13": _KNOWN,
    "kernels-figure-14": _KNOWN,
    "kernels-equation-2": _UNSCALED,
    "kernels-equation-3": _UNSCALED,
    "kernels-equation-4": _UNSCALED,
    "kernels-equation-5": _UNSCALED,
    "kernels-section-2.1": Broken(
        "the diagonal is not reduced", {f"{_KERNEL}:smallest_eigenvalue": _nothing}
    ),
    "kernels-section-2.4": Broken(
        "twice as many landmarks", {f"{_HERE}.structure:choose_landmarks": _twice}
    ),
    "kernels-section-4.2": Broken(
        "objects of a map are exchanged",
        {"tripletscope.core.models.embedding.ordinal:OrdinalEmbedding._minimise": _exchanged},
    ),
}
