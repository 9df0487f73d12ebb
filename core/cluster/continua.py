"""Points without clusters that are as long, as wide and as bent as given ones lie."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.polynomial.legendre import legvander

from tripletscope.core.cluster.spectral import Spectral
from tripletscope.core.kernel.space import Space

#: Of the curves: an S at most, and an ellipse with a dent.
_DEGREE, _HARMONICS = 3, 2
#: Places along a curve between which its length is taken as straight.
_STEPS = 2001
#: Of the widest spread: principal components of a plane have more columns than two.
_NO_SPREAD = 1e-6

Draw = Callable[[np.random.Generator], np.ndarray]


def continua(points: np.ndarray) -> list[Draw]:
    """A box, an ellipsoid, a bent line, a ring and a normal cloud, as wide and noisy as points.

    Whatever holds against all of them is no part of a continuum that one of them describes. The
    curves are regressions of the points on their order along the smoothest coordinate of the graph
    of neighbours (and the angle of the two smoothest); draws are uniform in length, with the
    covariance of the residuals as noise.

    Shapes: points (m, d).
    Returns: Each draws m points by a random generator.
    """
    turned, spread = _axes(points)
    # A ball of ten dimensions is a normal cloud in a plane, with outliers that a disc has not.
    points = turned[:, spread >= _NO_SPREAD * spread.max()]
    order = Spectral().coordinates(Space(len(points), np.arange(len(points)), vectors=points), 3)
    ring = np.arctan2(order[:, 2], order[:, 1])
    return [
        _box(points), _ellipsoid(points), _curve(points, order[:, 1], _line),
        _curve(points, ring, _ring), _normal(points),
    ]


def _axes(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Coordinates along the principal components, and their standard deviations."""
    centred = points - points.mean(axis=0)
    turned = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    return turned, turned.std(axis=0)


def _box(points: np.ndarray) -> Draw:
    turned, _ = _axes(points)
    low, high = turned.min(axis=0), turned.max(axis=0)
    return lambda rng: rng.uniform(low, high, size=turned.shape)


def _ellipsoid(points: np.ndarray) -> Draw:
    turned, spread = _axes(points)
    m, d = turned.shape

    def draw(rng: np.random.Generator) -> np.ndarray:
        inside = rng.normal(size=(m, d))
        inside *= (rng.random(m) ** (1 / d) / np.linalg.norm(inside, axis=1))[:, None]
        return inside * np.sqrt(d + 2) * spread

    return draw


def _normal(points: np.ndarray) -> Draw:
    _, spread = _axes(points)
    return lambda rng: rng.normal(size=(len(points), len(spread))) * spread


def _line(at: np.ndarray) -> np.ndarray:
    return legvander(2 * at - 1, _DEGREE)


def _ring(at: np.ndarray) -> np.ndarray:
    turns = 2 * np.pi * np.outer(at, np.arange(_HARMONICS + 1))
    return np.hstack([np.cos(turns), np.sin(turns[:, 1:])])


def _curve(
    points: np.ndarray, order: np.ndarray, basis: Callable[[np.ndarray], np.ndarray]
) -> Draw:
    m, d = points.shape
    design = basis((np.argsort(np.argsort(order, kind="stable")) + 0.5) / m)
    weights = np.linalg.lstsq(design, points, rcond=None)[0]
    left = points - design @ weights
    noise = left.T @ left / max(m - design.shape[1], 1)
    at = np.linspace(0.0, 1.0, _STEPS)
    steps = np.linalg.norm(np.diff(basis(at) @ weights, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])

    def draw(rng: np.random.Generator) -> np.ndarray:
        along = np.interp(rng.random(m) * length[-1], length, at)
        return basis(along) @ weights + rng.multivariate_normal(np.zeros(d), noise, m, method="svd")

    return draw
