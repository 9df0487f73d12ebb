"""Alignment, distances and ellipses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tripletscope.core.data.geometry import (
    coverage_radius,
    distances,
    ellipsoids,
    map_size,
    outlines,
    principal_axes,
    procrustes,
    procrustes_disparity,
    rms,
    to_unit_rms,
    widened,
)


def rotation(rng, d):
    return np.linalg.qr(rng.normal(size=(d, d)))[0]


def test_the_size_of_a_map_is_the_distance_from_its_centre():
    assert map_size(np.array([[8.0, 9.0], [2.0, 1.0]])) == pytest.approx(5.0)
    assert map_size(np.array([[8.0], [2.0]])) == pytest.approx(3.0)
    assert map_size(np.zeros((4, 3))) == 0.0


def test_unit_rms_counts_placed_objects_only():
    rng = np.random.default_rng(0)
    placed = np.arange(9) < 7
    embedding = np.where(placed[:, None], 5.0 * rng.normal(size=(9, 2)), 0.0)
    scaled = to_unit_rms(embedding, placed)
    assert rms(scaled[placed]) == pytest.approx(1)
    assert np.allclose(scaled * rms(embedding[placed]), embedding)
    nowhere = np.zeros((9, 2))
    assert np.array_equal(to_unit_rms(nowhere, placed), nowhere)


@given(st.integers(0, 1000), st.integers(1, 4))
def test_procrustes_undoes_a_similarity_transformation(seed, d):
    rng = np.random.default_rng(seed)
    reference = rng.normal(size=(9, d))
    moved = 2.5 * reference @ rotation(rng, d) + rng.normal(size=d)
    assert np.allclose(procrustes(moved, reference)(moved), reference)
    assert procrustes_disparity(moved, reference) == pytest.approx(0, abs=1e-12)


def test_procrustes_without_scale_keeps_distances():
    rng = np.random.default_rng(0)
    points, reference = rng.normal(size=(2, 9, 2))
    aligned = procrustes(points, reference, scaled=False)(points)
    assert np.allclose(distances(aligned), distances(points))


def test_procrustes_is_a_least_squares_fit():
    rng = np.random.default_rng(1)
    points, reference = rng.normal(size=(2, 9, 2))
    best = np.sum((procrustes(points, reference)(points) - reference) ** 2)
    for _ in range(200):
        turned = rng.uniform(0, 2) * points @ rotation(rng, 2) + rng.normal(size=2) / 3
        assert np.sum((turned - reference) ** 2) >= best - 1e-12


def test_disparity_of_unrelated_shapes_is_between_nought_and_one():
    points, reference = np.random.default_rng(2).normal(size=(2, 200, 2))
    assert 0.8 < procrustes_disparity(points, reference) <= 1.0


def test_one_point_can_be_aligned():
    assert np.allclose(procrustes(np.ones((1, 2)), np.zeros((1, 2)))(np.ones((1, 2))), 0)


@given(st.integers(0, 1000))
def test_principal_axes_keep_distances_and_forget_orientation(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(12, 3)) * [3, 2, 1]
    turned = principal_axes(points)
    assert np.allclose(distances(turned), distances(points))
    assert np.allclose(turned.mean(axis=0), 0)
    assert np.all(np.diff(turned.var(axis=0)) <= 1e-9)
    assert np.allclose(principal_axes(points @ rotation(rng, 3) + 5), turned)


def test_coverage_radius():
    # Quantiles of the chi distribution with 1, 2, 3 degrees of freedom, from printed tables.
    assert coverage_radius(0.95, 1) == pytest.approx(1.960, abs=5e-4)
    assert coverage_radius(0.95, 2) == pytest.approx(2.448, abs=5e-4)
    assert coverage_radius(0.95, 3) == pytest.approx(2.795, abs=5e-4)


def test_coverage_radius_of_a_covariance_from_few():
    # Quantiles of Student's t and of F, from printed tables: t(10) = 2.228, F(2, 9) = 4.256.
    assert coverage_radius(0.95, 1, 10) == pytest.approx(2.228, abs=5e-4)
    assert coverage_radius(0.95, 2, 10) == pytest.approx(np.sqrt(2 * 10 / 9 * 4.256), abs=5e-4)
    assert coverage_radius(0.95, 2, 1e6) == pytest.approx(coverage_radius(0.95, 2), abs=1e-4)
    assert np.isnan(coverage_radius(0.95, 3, 2))
    wider = ellipsoids(np.eye(2)[None], 0.95, 10).half_axes
    assert np.allclose(wider, coverage_radius(0.95, 2, 10))


@pytest.mark.parametrize("coverage", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_ellipsoids_cover_as_many_points_as_they_say(coverage, d):
    rng = np.random.default_rng(3)
    root = rng.normal(size=(d, d))
    shape = ellipsoids((root @ root.T)[None], coverage)
    cloud = rng.normal(size=(20_000, d)) @ root.T
    inside = np.sum((cloud @ shape.directions[0] / shape.half_axes[0]) ** 2, axis=1) <= 1
    # Four standard errors of a share in 20,000 are at most 0.015.
    assert inside.mean() == pytest.approx(coverage, abs=0.015)


def test_outlines_lie_on_their_ellipses():
    covariance = np.array([[[2.0, 0.7], [0.7, 1.0]], [[1.0, 0.0], [0.0, 4.0]]])
    centres = np.array([[1.0, 2.0], [-3.0, 0.5]])
    loops = outlines(centres, ellipsoids(covariance, 0.8))
    assert np.allclose(loops[:, 0], loops[:, -1])
    offset = loops - centres[:, None]
    squared = np.einsum("nki,nij,nkj->nk", offset, np.linalg.inv(covariance), offset)
    assert np.allclose(np.sqrt(squared), coverage_radius(0.8, 2))


def test_a_point_without_covariance_has_no_ellipse():
    covariances = np.full((2, 2, 2), np.nan)
    covariances[1] = np.eye(2)
    shape = ellipsoids(covariances, 0.95)
    assert np.isnan(shape.half_axes[0]).all()
    assert np.isnan(shape.size[0])
    assert shape.size[1] == pytest.approx(coverage_radius(0.95, 2))


def test_a_flat_ellipse_has_no_area():
    assert ellipsoids(np.diag([1.0, 0.0])[None], 0.95).size[0] == 0.0


def test_widened_covariances_are_the_wider_in_each_shared_axis():
    turn = np.array([[np.cos(0.7), -np.sin(0.7)], [np.sin(0.7), np.cos(0.7)]])

    def turned(first: float, second: float) -> np.ndarray:
        return turn @ np.diag([first, second]) @ turn.T

    covariances = np.array([turned(4, 1), turned(4, 1), turned(1, 0), turned(3, 2)])
    least = np.array([turned(1, 9), np.zeros((2, 2)), turned(2, 0), np.full((2, 2), np.nan)])
    result = widened(covariances, least)
    assert result[:3] == pytest.approx(np.array([turned(4, 9), turned(4, 1), turned(2, 0)]))
    assert np.isnan(result[3]).all()
    rng = np.random.default_rng(0)
    roots = rng.standard_normal((2, 50, 3, 3))
    one, other = roots @ roots.mT
    wide = widened(one, other)
    assert np.linalg.eigvalsh(wide - one).min() > -1e-9
    assert np.linalg.eigvalsh(wide - other).min() > -1e-9
    assert widened(other, one) == pytest.approx(wide)
