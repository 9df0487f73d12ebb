"""Distances, alignment and ellipses of point configurations."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform
from scipy.special import fdtri, gammaincinv

#: Most steps to the best projection, and the least gain of one.
_PROJECTIONS, _STILL = 200, 1e-7


def distances(positions: np.ndarray) -> np.ndarray:
    """(n, n) Euclidean distances between the rows of `positions`, shape (n, d)."""
    return squareform(pdist(positions))


def principal_axes(positions: np.ndarray) -> np.ndarray:
    """(n, d) configuration, centred and rotated to its principal axes.

    Axes are in order of falling variance; the largest coordinate of each is positive.
    """
    centred = positions - positions.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    rotated = centred @ axes[:, ::-1]
    largest = rotated[np.argmax(np.abs(rotated), axis=0), np.arange(rotated.shape[1])]
    return rotated * np.where(largest < 0, -1.0, 1.0)


def rms(positions: np.ndarray) -> float:
    """Root mean square of the coordinates about their centre."""
    return float(np.sqrt(np.mean((positions - positions.mean(axis=0)) ** 2)))


def map_size(positions: np.ndarray) -> float:
    """Root mean square distance of the objects (n, d) from their centre."""
    return float(np.sqrt(positions.shape[1])) * rms(positions)


def to_unit_rms(embedding: np.ndarray, placed: np.ndarray) -> np.ndarray:
    """(n, d) map, scaled so that its placed objects (n,) have a root mean square of 1.

    A map with all objects in one place stays.
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


def procrustes(positions: np.ndarray, reference: np.ndarray, *, scaled: bool = True) -> Alignment:
    """The least-squares similarity transformation of `positions` to `reference`, both (n, d).

    Gower & Dijksterhuis (2004), chapter 4.

    scaled: Whether the scale is free; otherwise it is 1.
    """
    centre, shift = positions.mean(axis=0), reference.mean(axis=0)
    x, y = positions - centre, reference - shift
    left, singular, right = np.linalg.svd(x.T @ y)
    size = np.sum(x**2)
    scale = float(singular.sum() / size) if scaled and size > 0 else 1.0
    return Alignment(left @ right, scale, centre, shift)


def procrustes_disparity(positions: np.ndarray, reference: np.ndarray) -> float:
    """Share of the reference's variance that the aligned `positions` leave unexplained, 0 to 1."""
    aligned = procrustes(positions, reference)(positions)
    spread = np.sum((reference - reference.mean(axis=0)) ** 2)
    return float(np.sum((aligned - reference) ** 2) / spread)


def map_disparity(positions: np.ndarray, reference: np.ndarray) -> float:
    """`procrustes_disparity` of the objects that are finite in both maps (n, d) and (n, e).

    With d > e it is that of the projection to e dimensions which is most like the reference. NaN
    for fewer than four objects: any two or three points are much like any others.
    """
    both = np.isfinite(positions).all(axis=1) & np.isfinite(reference).all(axis=1)
    if both.sum() < 4:
        return np.nan
    positions, reference = positions[both], reference[both]
    d, e = positions.shape[1], reference.shape[1]
    if d < e:
        positions = np.pad(positions, ((0, 0), (0, e - d)))
    if d <= e:
        return procrustes_disparity(positions, reference)
    # What the projection leaves out is filled with the map's own coordinates, until they stay.
    target, before = np.pad(reference, ((0, 0), (0, d - e))), np.inf
    for _ in range(_PROJECTIONS):
        found = procrustes(positions, target)(positions)
        target[:, e:] = found[:, e:] - found[:, e:].mean(axis=0)
        left = procrustes_disparity(found[:, :e], reference)
        if before - left < _STILL:
            break
        before = left
    return left


def coverage_radius(coverage: float, n_components: int, degrees: float | None = None) -> float:
    """Standard deviations within which a normal cloud in d dimensions has a share `coverage`.

    In two dimensions 95 % take 2.448, not the 1.96 of one dimension.

    degrees: Degrees of freedom of an estimated covariance; the quantile is then Hotelling's, in
        one dimension Student's. NaN if there are fewer than dimensions.
    """
    if degrees is None:
        # the root of the chi-squared quantile with d degrees of freedom
        return float(np.sqrt(2.0 * gammaincinv(n_components / 2.0, coverage)))
    others = degrees - n_components + 1
    if others <= 0:
        return float("nan")
    quantile = fdtri(n_components, others, coverage)
    return float(np.sqrt(n_components * degrees / others * quantile))


def widened(covariances: np.ndarray, least: np.ndarray) -> np.ndarray:
    """(n, d, d) the smallest covariances that are at least as wide in the axes that both share.

    covariances, least (n, d, d): NaN in either makes NaN.
    """
    result = covariances + least
    which = np.flatnonzero(
        np.isfinite(result).all(axis=(1, 2)) & (np.trace(least, axis1=1, axis2=2) > 0)
    )
    both = result[which]
    # In the axes in which the sum is a sphere both are diagonal. Nothing is wide where the sum is
    # not.
    sizes, axes = np.linalg.eigh(both)
    flat = sizes <= np.finfo(float).eps * sizes[:, -1:]
    to_sphere = axes * np.where(flat, 0.0, 1.0 / np.sqrt(np.where(flat, 1.0, sizes)))[:, None, :]
    shares, turns = np.linalg.eigh(to_sphere.mT @ covariances[which] @ to_sphere)
    roots = (axes * np.sqrt(np.maximum(sizes, 0.0))[:, None, :]) @ turns
    result[which] = (roots * np.maximum(shares, 1.0 - shares)[:, None, :]) @ roots.mT
    unchanged = np.isfinite(least).all(axis=(1, 2))
    unchanged[which] = False
    result[unchanged] = covariances[unchanged]
    return result


class Ellipsoids(NamedTuple):
    """Axes of the ellipsoids of n points.

    half_axes (n, d): Half-lengths, longest first; NaN without a covariance.
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
    """Ellipsoids that contain a share `coverage` of normal clouds.

    covariances (n, d, d): NaN for points without one.
    degrees: As of `coverage_radius`.
    """
    finite = np.isfinite(covariances).all(axis=(1, 2))
    safe = np.where(finite[:, None, None], covariances, 0.0)
    variances, directions = np.linalg.eigh(safe)
    radius = coverage_radius(coverage, covariances.shape[1], degrees)
    half_axes = radius * np.sqrt(np.maximum(variances, 0.0))
    half_axes[~finite] = np.nan
    return Ellipsoids(half_axes[:, ::-1], directions[:, :, ::-1])


def outlines(centres: np.ndarray, shape: Ellipsoids, n_points: int = 48) -> np.ndarray:
    """(n, n_points + 1, 2) closed outlines of ellipses about `centres` (n, 2)."""
    angle = np.linspace(0.0, 2.0 * np.pi, n_points + 1)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    scaled = circle * shape.half_axes[:, None, :]
    return centres[:, None, :] + scaled @ shape.directions.transpose(0, 2, 1)
