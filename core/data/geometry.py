"""Distances, alignment and ellipses of point configurations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.special import fdtri, gammaincinv


def distances(positions: np.ndarray) -> np.ndarray:
    """(n, n) Euclidean distances between the rows of `positions`, shape (n, d)."""
    return squareform(pdist(positions))


def principal_axes(positions: np.ndarray) -> np.ndarray:
    """Centre a configuration and turn it to its principal axes.

    Axes come in order of falling variance; the sign of each makes its largest coordinate
    positive. Distances are unchanged.

    Shapes: positions (n, d).
    Returns: (n, d).
    """
    centred = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    turned = centred @ axes[:, ::-1]
    largest = turned[np.argmax(np.abs(turned), axis=0), np.arange(turned.shape[1])]
    return turned * np.where(largest < 0, -1.0, 1.0)


def rms(positions: np.ndarray) -> float:
    """Root mean square of the coordinates of a configuration about their centre."""
    return float(np.sqrt(np.mean((positions - positions.mean(axis=0)) ** 2)))


def map_size(positions: np.ndarray) -> float:
    """Size of a map: root mean square distance of its objects from their centre.

    Shapes: positions (n, d).
    """
    return float(np.sqrt(positions.shape[1])) * rms(positions)


def to_unit_rms(embedding: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """Scale a map so that its placed objects have a root mean square of 1.

    For comparing maps whose size is arbitrary. A map that has all objects in one place stays.

    Shapes: embedding (n, d), placed bool (n,).
    Returns: (n, d).
    """
    size = rms(embedding[placed])
    return embedding / size if size > 0 else embedding


class Alignment(NamedTuple):
    """A similarity transformation: ``scale * (x - centre) @ rotation + shift``."""

    rotation: np.ndarray
    scale: float
    centre: np.ndarray
    shift: np.ndarray

    def __call__(self, positions: np.ndarray) -> np.ndarray:
        return self.scale * (positions - self.centre) @ self.rotation + self.shift


def procrustes(
    positions: np.ndarray, reference: np.ndarray, *, scaled: bool = True
) -> Alignment:
    """The rotation, reflection, shift and scale that bring `positions` closest to `reference`.

    positions, reference (n, d): Corresponding rows.
    scaled: Whether the scale is free; otherwise it is 1.
    Returns: Minimises the sum of squared distances (Gower & Dijksterhuis 2004, chapter 4).
    """
    centre, shift = positions.mean(axis=0), reference.mean(axis=0)
    x, y = positions - centre, reference - shift
    left, singular, right = np.linalg.svd(x.T @ y)
    size = np.sum(x**2)
    scale = float(singular.sum() / size) if scaled and size > 0 else 1.0
    return Alignment(left @ right, scale, centre, shift)


def procrustes_disparity(positions: np.ndarray, reference: np.ndarray) -> float:
    """Share of the reference's variance that the aligned `positions` leave unexplained.

    0 where the shapes agree, 1 where they have nothing in common. Free of scale.
    """
    aligned = procrustes(positions, reference)(positions)
    spread = np.sum((reference - reference.mean(axis=0)) ** 2)
    return float(np.sum((aligned - reference) ** 2) / spread)


def map_disparity(positions: np.ndarray, reference: np.ndarray) -> float:
    """The same for the objects that both maps place; NaN where these are fewer than four.

    Any two or three points lie much like any others.

    Shapes: positions (n, d), reference (n, d), NaN for objects without a place.
    """
    both = np.isfinite(positions).all(axis=1) & np.isfinite(reference).all(axis=1)
    if both.sum() < 4:
        return np.nan
    return procrustes_disparity(positions[both], reference[both])


def coverage_radius(coverage: float, n_components: int, degrees: float | None = None) -> float:
    """Standard deviations out to which a normal cloud in d dimensions holds a share `coverage`.

    In two dimensions 95 % take 2.448, not the 1.96 of one dimension.

    coverage: Between 0 and 1.
    degrees: Degrees of freedom of the covariance where it was estimated from few: then the quantile
        is Hotelling's, in one dimension Student's. NaN where these are fewer than the dimensions.
    """
    if degrees is None:
        # the root of the chi-squared quantile with d degrees of freedom
        return float(np.sqrt(2.0 * gammaincinv(n_components / 2.0, coverage)))
    others = degrees - n_components + 1
    if others <= 0:
        return float("nan")
    quantile = fdtri(n_components, others, coverage)
    return float(np.sqrt(n_components * degrees / others * quantile))


class Ellipsoids(NamedTuple):
    """Axes of the ellipsoids of n points.

    half_axes (n, d): Half-lengths, longest first; NaN where a point has no covariance.
    directions (n, d, d): Column c is the direction of half-axis c.
    """

    half_axes: np.ndarray
    directions: np.ndarray

    @property
    def size(self) -> np.ndarray:
        """(n,) geometric mean of the half-axes: the radius of the sphere of equal volume."""
        # A vanishing axis makes a vanishing volume, not an error.
        with np.errstate(divide="ignore"):
            return np.exp(np.mean(np.log(self.half_axes), axis=1))


def ellipsoids(
    covariances: np.ndarray, coverage: float, degrees: float | None = None
) -> Ellipsoids:
    """Ellipsoids that hold a share `coverage` of normal clouds.

    covariances (n, d, d): NaN for points without one.
    coverage: Between 0 and 1.
    degrees: See `coverage_radius`.
    """
    known = np.isfinite(covariances).all(axis=(1, 2))
    safe = np.where(known[:, None, None], covariances, 0.0)
    variances, directions = np.linalg.eigh(safe)
    radius = coverage_radius(coverage, covariances.shape[1], degrees)
    half_axes = radius * np.sqrt(np.maximum(variances, 0.0))
    half_axes[~known] = np.nan
    return Ellipsoids(half_axes[:, ::-1], directions[:, :, ::-1])


def outlines(centres: np.ndarray, shape: Ellipsoids, n_points: int = 48) -> np.ndarray:
    """Closed outlines of ellipses in the plane.

    Shapes: centres (n, 2).
    shape: Of two-dimensional points.
    Returns: (n, n_points + 1, 2).
    """
    angle = np.linspace(0.0, 2.0 * np.pi, n_points + 1)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    scaled = circle * shape.half_axes[:, None, :]
    return centres[:, None, :] + scaled @ shape.directions.transpose(0, 2, 1)
