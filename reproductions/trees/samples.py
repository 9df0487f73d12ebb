"""Objects of the experiments with trees: real ones, and those whose growth is known."""

from __future__ import annotations

import numpy as np

from tripletscope.reproductions import data

TITLES = {
    "mnist": "MNIST", "chess": "Chess", "digits": "Digits", "white_wine": "White wine",
    "line": "Even line", "square": "Square", "cube": "Cube", "cube5": "Five-cube",
    "normal5": "Normal, d = 5",
}
_CUBES = {"square": 2, "cube": 3, "cube5": 5}


def sample(name: str, n_objects: int, rng: np.random.Generator) -> np.ndarray:
    """Vectors of objects, whose Euclidean distances order pairs as the experiment asks.

    name: A data set of `tripletscope.reproductions.data`, or a simulated one of `TITLES`. Positions
        of chess become indicators of their six coordinates: the square of their distance is twice
        the number of coordinates that differ.
    n_objects: At most; real objects are drawn at random.
    """
    if name == "line":
        return np.arange(float(n_objects))[:, None]
    if name in _CUBES:
        return rng.random((n_objects, _CUBES[name]))
    if name == "normal5":
        return rng.standard_normal((n_objects, 5))
    points = data.vectors(name).some(n_objects, rng).points
    if name == "chess":
        return indicators(points)
    return points.astype(np.float32) if name == "mnist" else points


def indicators(points: np.ndarray) -> np.ndarray:
    """(n, m) one column for every value of every feature."""
    return np.concatenate(
        [column[:, None] == np.unique(column) for column in points.T], axis=1
    ).astype(np.float32)
