"""The continuous tree: cells are what they shall be, and errors and diameters fall."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.engine.progress import Stopped
from tripletscope.reproductions.forests.paired import in_splits
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS
from tripletscope.reproductions.registry import items
from tripletscope.reproductions.theory import consistency, continuous, diameters

RNG = np.random.default_rng(5)


def test_cells_fill_the_square():
    cells = continuous.leaves(4, "sloping density", RNG)
    assert len(cells) == 16
    assert sum(map(continuous.area, cells)) == pytest.approx(1)
    assert continuous.diameter(continuous.SQUARE) == pytest.approx(2**0.5)


def test_parts_are_nearer_to_their_pivots():
    (x, y), near, far = continuous.halves(continuous.SQUARE, "even density", RNG)
    for point in near:
        assert np.linalg.norm(point - x) <= np.linalg.norm(point - y) + 1e-12
    for point in far:
        assert np.linalg.norm(point - y) <= np.linalg.norm(point - x) + 1e-12
    assert continuous.area(near) + continuous.area(far) == pytest.approx(1)


def test_points_follow_the_density():
    even, sloping = (
        continuous.in_cell(continuous.SQUARE, 20_000, kind, RNG) for kind in continuous.DENSITIES
    )
    assert even.mean(axis=0) == pytest.approx([0.5, 0.5], abs=0.02)
    # The mean of (1 + 2x) / 2 on the unit interval is 7/12.
    assert sloping.mean(axis=0) == pytest.approx([7 / 12, 0.5], abs=0.02)
    cube = continuous.in_cube(20_000, 3, "sloping density", RNG)
    assert cube.mean(axis=0) == pytest.approx([7 / 12, 0.5, 0.5], abs=0.02)
    triangle = continuous.in_cell(continuous.SQUARE[:3], 500, "even density", RNG)
    assert (triangle[:, 0] >= triangle[:, 1]).all()


def _shares(gamma: float) -> pd.DataFrame:
    k = np.arange(12)
    return pd.DataFrame({
        "cell": "square", "density": "even density", "k": k,
        "share": np.minimum(1, 2 * gamma**k),
    })


def test_verdict_on_diameters():
    check = items()["forests-proposition-3.1"].check
    assert check(_shares(0.5)).shows == HOLDS
    assert diameters.decay(_shares(0.5))[0] == pytest.approx(0.5)
    # What does not fall is no power of k.
    slow = _shares(0.5).assign(share=[0.7, 0.3] * 6)
    assert check(slow).shows == DOES_NOT_HOLD
    assert check(_shares(1.0)).shows == DOES_NOT_HOLD


def test_diameters_fall():
    table = diameters.large_descendants(
        densities=("even density",), beginnings=(0,), n_levels=8, n_trees=20
    )
    assert table["share"].is_monotonic_decreasing
    assert table["share"].iloc[0] == 1 > table["share"].iloc[-1]


def test_verdict_on_cells():
    item = items()["forests-definition-1"]
    table = item.experiment(levels=(1, 3), n_trees=2, density="even density")
    assert item.check(table).shows == HOLDS
    assert item.check(table.assign(area=table["area"] * 0.9)).shows == DOES_NOT_HOLD


def test_majorities_of_small_cells():
    points = RNG.random((400, 2))
    label = points[:, 0] > 0.5
    queries = np.array([[0.05, 0.5], [0.95, 0.5]])
    said = consistency.majorities(points, label, queries, 6, RNG)
    assert said.tolist() == [False, True]
    # Without levels there is one cell, and an equal vote is for 1.
    assert consistency.majorities(points[:2], np.array([0, 1]), queries, 0, RNG).all()


def _errors(last: float) -> pd.DataFrame:
    runs = np.array([-0.02, 0.01, 0.0, 0.01])
    return pd.DataFrame([
        {"classifier": name, "n": n, "bayes": 0.1, **in_splits(error + runs * n / 1024)}
        for name, own in (("tree, α = 1", last), (consistency.FOREST, 0.15),
                          ("tree, α = 2 (too many levels)", 0.4))
        for n, error in ((64, 0.3), (1024, own))
    ])


def test_verdict_on_consistency():
    check = items()["forests-theorem-3.1"].check
    assert check(_errors(0.15)).shows == HOLDS
    assert check(_errors(0.295)).shows == DOES_NOT_HOLD


def test_errors_are_reproduced_and_stopped():
    settings = {"sizes": (64,), "alphas": (1.0, 2.0), "n_trees": 2, "n_queries": 50, "repeats": 2}
    table = consistency.errors(seed=3, **settings)
    assert table.equals(consistency.errors(seed=3, **settings))
    assert list(table["classifier"]) == [
        "tree, α = 1", "tree, α = 2 (too many levels)", consistency.FOREST
    ]
    assert table["error"].between(0.1, 0.9).all()
    with pytest.raises(Stopped):
        consistency.errors(seed=3, progress=lambda *r, **d: True, **settings)
