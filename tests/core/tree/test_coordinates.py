"""Trees of objects with features: their cells, and the neighbours that they find."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.run import run
from tripletscope.core.tree.coordinates import TREES, coordinate_tree
from tripletscope.core.tree.nodes import halved

N = 60
HALVING = [name for name in TREES if name != "cover"]


@pytest.fixture(scope="module")
def measured() -> Triplets:
    """Objects of three features, of which the second varies most; one lacks a number."""
    rng = np.random.default_rng(3)
    values = rng.normal(size=(N, 3)) * (1.0, 5.0, 2.0)
    values[7, 2] = np.nan
    objects = pd.DataFrame(values, columns=["a", "b", "c"])
    return Triplets([[0, 1, 2]], objects.assign(id=[str(i) for i in range(N)]))


def features(*columns: str, standardise: bool = False) -> ColumnMap:
    return ColumnMap(columns=list(columns or ("a", "b", "c")), standardise=standardise)


def points(measured: Triplets) -> np.ndarray:
    return measured.objects[["a", "b", "c"]].to_numpy()


@pytest.mark.parametrize("tree", HALVING)
def test_objects_are_in_the_leaf_that_divisions_lead_to(measured, tree):
    found = coordinate_tree(features(), measured, tree=tree, leaf_size=5)
    values = points(measured)
    for i in range(N):
        if i == 7:
            assert found.leaf[i] == found.nearest[i] == -1
            continue
        node = 0
        while found.child[node] >= 0:
            above = values[i] @ found.direction[node] > found.threshold[node]
            node = found.child[node] + above
        assert node == found.leaf[i]
    leaves = found.child < 0
    assert found.size[leaves].max() <= 5
    assert found.size[0] == found.size[leaves].sum() == N - 1
    # Halves of halves.
    assert found.depth.max() == np.ceil(np.log2((N - 1) / 5))


def test_each_tree_divides_by_its_own_directions(measured):
    by = {tree: coordinate_tree(features(), measured, tree=tree) for tree in HALVING}
    np.testing.assert_array_equal(by["kd"].direction[0], [0, 1, 0])
    known = np.delete(points(measured), 7, axis=0)
    first = np.linalg.eigh(np.cov(known.T))[1][:, -1]
    # Found by iteration, to three digits.
    assert abs(by["pa"].direction[0] @ first) == pytest.approx(1, abs=1e-3)
    assert np.count_nonzero(by["rp"].direction[0]) == 3
    again = coordinate_tree(features(), measured, tree="rp", seed=1)
    assert not np.array_equal(again.direction, by["rp"].direction)


@pytest.mark.parametrize("tree", TREES)
def test_what_is_missed_is_farther_than_the_nearest(measured, tree):
    found = coordinate_tree(features(), measured, tree=tree, leaf_size=4, coverage=1.0)
    values = points(measured)
    known = np.flatnonzero(found.nearest >= 0)
    assert len(known) == N - 1
    n_missed = 0
    for i in known:
        to = np.linalg.norm(values - values[i], axis=1)
        missed = found.found[i] < 0 or to[found.found[i]] > to[found.nearest[i]]
        assert missed == found.missed[i]
        n_missed += missed
    table = found.errors().set_index("tree")
    assert table.loc["this tree", "miss rate"] == n_missed / len(known)
    assert table.loc["comparison tree", "miss rate"] == found.missed_by_comparisons[known].mean()
    assert n_missed > 0
    # An object is in none of the trees that search for it.
    assert all(found.found[i] != i for i in known)


def test_a_single_leaf_and_a_wide_cover_find_everything(measured):
    for tree in TREES:
        found = coordinate_tree(features(), measured, tree=tree, leaf_size=100, coverage=100.0)
        assert not found.missed.any(), tree
        assert not found.missed_by_comparisons.any()


def test_levels_of_a_rank_cover_tree_become_smaller(measured):
    found = coordinate_tree(features(), measured, tree="cover")
    sizes = [(found.level >= level).sum() for level in range(found.level.max() + 1)]
    assert sizes[0] == N - 1
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    assert found.level[7] == -1
    assert len(found.child) == 1


@pytest.mark.parametrize("tree", HALVING)
def test_outlines_hold_the_objects_of_their_cells(measured, tree):
    found = coordinate_tree(features("a", "b"), measured, tree=tree, leaf_size=5)
    values = points(measured)[:, :2]
    outlines = halved(
        found.child, found.direction, found.threshold, np.full(2, -100.0), np.full(2, 100.0)
    )
    areas = []
    for node in np.flatnonzero(found.child < 0):
        outline = outlines[node]
        edges = np.roll(outline, -1, axis=0) - outline
        for point in values[found.leaf == node]:
            away = point - outline
            sides = edges[:, 0] * away[:, 1] - edges[:, 1] * away[:, 0]
            assert (sides >= -1e-6).all() or (sides <= 1e-6).all()
        x, y = outline.T
        areas.append(abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2)
    assert sum(areas) == pytest.approx(200.0**2)


def test_it_is_a_result_as_others(measured):
    method = features(standardise=True)
    found = run("coordinate_tree", method, measured, {"tree": "pa"})
    assert found.result().errors().shape == (2, 5)
    assert found.key != run("coordinate_tree", method, measured, {"tree": "kd"}).key


def test_who_lacks_coordinates_is_told(measured):
    with pytest.raises(DataError, match="four objects"):
        coordinate_tree(features(), measured.with_objects(
            measured.objects.assign(a=measured.objects["a"].where(measured.objects.index < 3))
        ))
    with pytest.raises(ValueError, match="tree"):
        coordinate_tree(features(), measured, tree="ball")
    with pytest.raises(Stopped):
        coordinate_tree(features(), measured, progress=lambda *_, **__: True)


def test_a_map_has_coordinates_as_well(planted):
    found = coordinate_tree(STE(n_init=1), planted, tree="kd", leaf_size=4)
    assert found.direction.shape[1] == 2
    assert found.errors()["miss rate"].between(0, 0.9).all()
