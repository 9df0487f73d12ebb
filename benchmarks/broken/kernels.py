"""Broken methods of the items of Kleindessner & von Luxburg (2017)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.broken import Broken
from benchmarks.broken.uncertainty import _exchanged

_KERNEL = "tripletscope.core.kernel.triplet"
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


_UNSCALED = Broken("features that are not scaled", {f"{_KERNEL}:_unit_rows": _not_scaled})
_SIDELESS = Broken(
    "features that count questions and not answers",
    {f"{_KERNEL}:_unit_rows": _no_sides, f"{_KERNEL}:_sparse": _no_sides_sparse},
)

BROKEN = {
    "kernels-figure-1": _UNSCALED,
    "kernels-figure-2": _UNSCALED,
    "kernels-figure-3": _SIDELESS,
    "kernels-figure-5": _SIDELESS,
    "kernels-figure-6": _SIDELESS,
    "kernels-figure-7": _SIDELESS,
    "kernels-figure-8": _SIDELESS,
    "kernels-figure-10": _SIDELESS,
    "kernels-equation-2": _UNSCALED,
    "kernels-equation-3": _UNSCALED,
    "kernels-equation-4": _UNSCALED,
    "kernels-equation-5": _UNSCALED,
    "kernels-section-2.1": Broken(
        "nothing is taken from the diagonal", {f"{_KERNEL}:smallest_eigenvalue": _nothing}
    ),
    "kernels-section-2.4": Broken(
        "twice as many landmarks", {f"{_HERE}.structure:choose_landmarks": _twice}
    ),
    "kernels-section-4.2": Broken(
        "maps whose objects change places",
        {"tripletscope.core.embedding.ordinal:OrdinalEmbedding._minimise": _exchanged},
    ),
}
