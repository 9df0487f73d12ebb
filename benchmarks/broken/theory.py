"""Constructions of the proof of consistency that are broken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import pdist

from benchmarks.broken import Broken
from tripletscope.reproductions.theory import constructions, continuous, shapes

_THEORY = "tripletscope.reproductions.theory"
Makes = Callable[[Callable[..., Any]], Callable[..., Any]]


def _one_level(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda points, label, queries, levels, rng: original(points, label, queries, 1, rng)


def _same_part_twice(original: Callable[..., Any]) -> Callable[..., Any]:
    def halves(*given: Any) -> tuple[np.ndarray, ...]:
        pivots, part, _ = original(*given)
        return pivots, part, part

    return halves


def _slivers(original: Callable[..., Any]) -> Callable[..., Any]:
    """Both pivots are at a corner of the cell."""

    def halves(cell: np.ndarray, *_: Any) -> tuple[np.ndarray, ...]:
        pivots = cell[0] + np.array([[0.001], [0.003]]) * (cell.mean(axis=0) - cell[0])
        return pivots, *(
            continuous.nearer_part(cell, *order) for order in (pivots, pivots[::-1])
        )

    return halves


def _times(factor: float) -> Makes:
    return lambda original: lambda *given: factor * original(*given)


def _without_side(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: np.abs(original(*given))


def _turned(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda centres, x, y: original(centres, y, x)


def _smallest(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda cell: float(pdist(cell).min())


def _met_from_afar(original: Callable[..., Any]) -> Callable[..., Any]:
    """A ball of twice the radius is met."""

    def met(x: np.ndarray, points: np.ndarray, centre: np.ndarray) -> np.ndarray:
        far = np.linalg.norm(points - centre, axis=1) ** 2 - np.sum((x - centre) ** 2)
        reach = 4 * constructions.RADIUS
        return np.abs(far) <= reach * np.linalg.norm(points - x, axis=1)

    return met


def _nearest_corner(original: Callable[..., Any]) -> Callable[..., Any]:
    def nearest(points: np.ndarray) -> np.ndarray:
        apart = np.linalg.norm(points[:, None] - constructions.CELL, axis=2)
        return constructions.CELL[np.argmin(apart, axis=1)]

    return nearest


def _squared(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *given: original(*given) ** 2


def _larger_balls(original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, apart, radius: original(x, apart, 2 * radius)


def _as_printed(original: Callable[..., Any]) -> Callable[..., Any]:
    def widths(x: np.ndarray, *_: Any) -> np.ndarray:
        printed, _ = shapes._formulas(x)
        return np.choose(shapes._by_borders(x), printed)

    return widths


_FAR = Broken("balls have twice the radius", {f"{_THEORY}.constructions:met": _met_from_afar})

BROKEN = {
    "forests-theorem-3.1": Broken(
        "trees do not grow with the objects", {f"{_THEORY}.consistency:majorities": _one_level}
    ),
    "forests-definition-1": Broken(
        "both parts are the first", {f"{_THEORY}.continuous:halves": _same_part_twice}
    ),
    "forests-proposition-3.1": Broken(
        "pivots are at a corner", {f"{_THEORY}.diameters:halves": _slivers}
    ),
    "forests-supplement-figure-1": Broken(
        "heights over planes are a tenth", {f"{_THEORY}.constructions:heights": _times(0.1)}
    ),
    "forests-supplement-figure-2": Broken(
        "the smallest distance of corners replaces the largest",
        {f"{_THEORY}.constructions:diameter": _smallest},
    ),
    "forests-supplement-figure-3": _FAR,
    # The proof's formulas do not hold; ends where the proof takes them make them hold.
    "forests-supplement-figure-8": Broken(
        "ends are those of the printed proof", {f"{_THEORY}.shapes:widths": _as_printed}
    ),
    "forests-supplement-figure-7": Broken(
        "balls are twice as large", {f"{_THEORY}.shapes:cases": _larger_balls}
    ),
    "forests-supplement-lemma-2.1": Broken(
        "heights have no sign", {f"{_THEORY}.cuts:heights": _without_side}
    ),
    "forests-supplement-lemma-2.2": Broken(
        "heights over planes are a hundredth", {f"{_THEORY}.cuts:heights": _times(0.01)}
    ),
    "forests-supplement-lemma-2.3": Broken(
        "the nearest corner replaces the nearest point",
        {f"{_THEORY}.constructions:nearest_of_cell": _nearest_corner},
    ),
    "forests-supplement-lemma-2.4": _FAR,
    "forests-supplement-lemma-2.5": Broken(
        "sides are reversed", {f"{_THEORY}.constructions:heights": _turned}
    ),
    # The bound does not hold; half the width makes it hold.
    "forests-supplement-lemma-2.6": Broken(
        "widths are halved", {f"{_THEORY}.lemmas:widths": _times(0.5)}
    ),
    "forests-supplement-remark-2.1": Broken(
        "distances are squared", {f"{_THEORY}.lemmas:pdist": _squared}
    ),
}
