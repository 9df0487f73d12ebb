"""The continuous comparison tree of the plane: cells are convex polygons in the unit square."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.spatial.distance import pdist

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])


def sloping(points: np.ndarray) -> np.ndarray:
    """A density on the cube that is three times as high at one end of the first axis."""
    return (1 + 2 * points[:, 0]) / 2


def even(points: np.ndarray) -> np.ndarray:
    """The uniform density on the cube."""
    return np.ones(len(points))


Density = Callable[[np.ndarray], np.ndarray]
#: Densities by name, with the least and the largest value.
DENSITIES: dict[str, tuple[Density, float, float]] = {
    "even density": (even, 1.0, 1.0), "sloping density": (sloping, 0.5, 1.5),
}


def in_cube(
    n_points: int, dimension: int, density: str, rng: np.random.Generator
) -> np.ndarray:
    """(n, d) points of the unit cube, by a density."""
    value, _, most = DENSITIES[density]
    kept = np.zeros((0, dimension))
    while len(kept) < n_points:
        drawn = rng.random((2 * n_points, dimension))
        kept = np.concatenate([kept, drawn[rng.random(len(drawn)) * most < value(drawn)]])
    return kept[:n_points]


def in_cell(
    cell: np.ndarray, n_points: int, density: str, rng: np.random.Generator
) -> np.ndarray:
    """(n, 2) points of a convex polygon, by a density restricted to it."""
    value, _, most = DENSITIES[density]
    one, other = cell[1:-1] - cell[0], cell[2:] - cell[0]
    areas = np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])
    kept = np.zeros((0, 2))
    while len(kept) < n_points:
        n = 2 * (n_points - len(kept))
        triangle = np.searchsorted(np.cumsum(areas), rng.random(n) * areas.sum())
        triangle = np.minimum(triangle, len(areas) - 1)
        u, v = rng.random((2, n, 1))
        outside = u + v > 1
        u, v = np.where(outside, 1 - u, u), np.where(outside, 1 - v, v)
        drawn = cell[0] + u * one[triangle] + v * other[triangle]
        kept = np.concatenate([kept, drawn[rng.random(n) * most < value(drawn)]])
    return kept[:n_points]


def nearer_part(cell: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The part of a convex polygon whose points are no nearer to y than to x."""
    height = (cell - (x + y) / 2) @ (y - x)
    after, beyond = np.roll(cell, -1, axis=0), np.roll(height, -1)
    corners = []
    for here, there, low, high in zip(cell, after, height, beyond, strict=True):
        if low <= 0:
            corners.append(here)
        if low * high < 0:
            corners.append(here + (there - here) * low / (low - high))
    return np.array(corners)


def halves(
    cell: np.ndarray, density: str, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two pivots of a cell, and its parts nearer to each."""
    while True:
        pivots = in_cell(cell, 2, density, rng)
        parts = nearer_part(cell, *pivots), nearer_part(cell, *pivots[::-1])
        # Pivots that rounding cannot tell apart are drawn again.
        if min(map(len, parts)) > 2:
            return pivots, *parts


def area(cell: np.ndarray) -> float:
    """Of a convex polygon."""
    one, other = cell[1:-1] - cell[0], cell[2:] - cell[0]
    return float(np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum() / 2)


def diameter(cell: np.ndarray) -> float:
    """Of a convex polygon: the largest distance between two corners."""
    return float(pdist(cell).max())


def leaves(levels: int, density: str, rng: np.random.Generator) -> list[np.ndarray]:
    """Cells of a tree of so many levels below the square."""
    cells = [SQUARE]
    for _ in range(levels):
        cells = [part for cell in cells for part in halves(cell, density, rng)[1:]]
    return cells
