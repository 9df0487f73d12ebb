"""What is made of kernels: maps, spectra, classifiers."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.landmarks import landmark_questions
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.simulate import answer, simulate
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.similarity.kernels.space import (
    Space,
    is_euclidean,
    space_of,
    space_of_distances,
)
from tripletscope.core.similarity.kernels.spectrum import kernel_map, principal_components, spectrum

GROUPS = np.repeat([0, 1, 2], 15)


@pytest.fixture(scope="module")
def groups() -> Triplets:
    """Three groups of 15 objects far apart, with their names in the table of objects."""
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(45, 2)) + np.array([[0, 0], [7, 0], [0, 7]])[GROUPS]
    triplets = simulate(positions, 6000, seed=1)
    return triplets.with_objects(
        triplets.objects.assign(kind=np.array(["a", "b", "c"])[GROUPS], same="x")
    )


@pytest.fixture(scope="module")
def landmark_data() -> Triplets:
    """Answers in a landmark design, so that features are fewer than objects."""
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(45, 2)) + np.array([[0, 0], [7, 0], [0, 7]])[GROUPS]
    rows = answer(positions, landmark_questions(45, [1, 9, 20, 30, 40], "k1"), rng)
    return Triplets.from_array(rows, 45)


def test_kernel_pca_is_the_same_from_features_and_from_the_matrix(landmark_data):
    fitted = K1(reduce_diagonal=False).fit(landmark_data)
    space = space_of(fitted)
    assert space.vectors is not None
    by_features = principal_components(space, 3)
    by_matrix = principal_components(Space(45, space.objects, gram=fitted.kernel_), 3)
    assert np.allclose(
        pdist(by_features.coordinates), pdist(by_matrix.coordinates), atol=1e-6
    )
    assert np.allclose(by_features.shares, by_matrix.shares)
    centre = np.eye(45) - 1 / 45
    values = np.linalg.eigvalsh(centre @ fitted.kernel_ @ centre)[::-1]
    assert np.allclose(by_features.shares, values[:3] / values.sum())


def test_variance_is_of_the_reduced_kernel_and_of_the_whole_one(groups):
    reduced, whole = kernel_map(K1(), groups), kernel_map(K1(reduce_diagonal=False), groups)
    assert np.allclose(whole.shares, whole.whole_shares)
    assert np.allclose(reduced.whole_shares, whole.shares)
    assert (reduced.shares > 1.2 * reduced.whole_shares).all()


def test_distances_that_are_not_euclidean_have_components_too():
    points = np.random.default_rng(0).normal(size=(30, 2))
    exact = squareform(pdist(points))
    found = principal_components(space_of_distances(exact), 2)
    assert np.allclose(pdist(found.coordinates), pdist(points))
    assert found.shares.sum() == pytest.approx(1.0)
    bent = space_of_distances(exact**3)
    assert not is_euclidean(bent)
    found = principal_components(bent, 25)
    assert np.isfinite(found.coordinates).all()
    assert (found.shares >= 0).all()
    assert found.shares.sum() <= 1.0 + 1e-9


def test_a_map_shows_groups_and_leaves_out_the_unknown(groups):
    more = Triplets.from_array(groups.rows, 47)
    found = kernel_map(K1(), more)
    assert found.coordinates.shape == (47, 2)
    assert np.isnan(found.coordinates[45:]).all()
    apart = found.coordinates[:45]
    for group in range(3):
        own, other = apart[group == GROUPS], apart[group != GROUPS]
        centre = own.mean(axis=0)
        assert np.linalg.norm(own - centre, axis=1).max() < np.linalg.norm(
            other - centre, axis=1
        ).min()
    with pytest.raises(DataError, match="nly 3 objects"):
        kernel_map(K2(), Triplets.from_array([[0, 1, 2], [1, 2, 0], [2, 0, 1]]), n_components=3)


def test_umap_gets_distances_or_features(groups, landmark_data, monkeypatch):
    """UMAP itself takes seconds to load; what matters is what it is given."""
    seen = []

    class Fake:
        def __init__(self, **settings):
            self.settings = settings

        def fit_transform(self, data):
            seen.append((self.settings, data))
            return data[:, :2]

    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=Fake))
    kernel_map(K1(), groups, algorithm="umap", n_neighbours=100, seed=4)
    kernel_map(K1(), landmark_data, algorithm="umap", n_components=3)
    (first, matrix), (second, features) = seen
    assert (first["metric"], first["n_neighbors"], first["random_state"]) == ("precomputed", 44, 4)
    assert np.allclose(matrix, K1().fit(groups).distances())
    assert (second["metric"], second["n_components"]) == ("euclidean", 3)
    assert np.array_equal(features, K1().fit(landmark_data).features_)


@pytest.mark.parametrize("method", [K1, K2])
def test_the_spectrum_tells_signal_from_chance(method, groups):
    found = spectrum(method(), groups, shuffles=10)
    centre = np.eye(45) - 1 / 45
    kernel = method(reduce_diagonal=False).fit(groups).kernel_
    values = np.linalg.eigvalsh(centre @ kernel @ centre)[::-1][:44]
    assert np.allclose(found.eigenvalues, np.maximum(values, 0))
    assert found.shuffled.shape == (10, 44)
    assert 2 <= found.n_signal <= 6
    rows = groups.rows.copy()
    turned = np.random.default_rng(5).random(len(rows)) < 0.5
    rows[turned, 1:] = rows[turned, :0:-1]
    assert spectrum(method(), Triplets.from_array(rows, 45), shuffles=20).n_signal <= 1
    again = spectrum(method(), groups, shuffles=10)
    assert np.array_equal(found.shuffled, again.shuffled)
    with pytest.raises(Stopped):
        spectrum(method(), groups, progress=lambda fraction: True)


def test_the_spectrum_of_features_is_that_of_the_matrix(landmark_data):
    found = spectrum(K1(), landmark_data, shuffles=5)
    centre = np.eye(45) - 1 / 45
    kernel = K1().fit(landmark_data).kernel_
    values = np.linalg.eigvalsh(centre @ kernel @ centre)[::-1][:10]
    assert np.allclose(found.eigenvalues, np.maximum(values, 0), atol=1e-9)


# Spaces ---------------------------------------------------------------------------------------


def test_spaces_have_the_distances_of_their_methods(groups, landmark_data):
    for fitted in (
        K1().fit(groups), K1().fit(landmark_data), STE().fit(groups),
        STE(average=True).fit(groups),
    ):
        space = space_of(fitted)
        assert np.allclose(space.distances(), fitted.distances(), atol=1e-9)
        some = np.array([3, 8, 11])
        assert np.allclose(space.part(some).distances(), fitted.distances()[np.ix_(some, some)])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[0, 1]], "square"),
        ([[0, np.nan], [np.nan, 0]], "missing"),
        ([[0, -1], [-1, 0]], "below zero"),
        ([[0, 1], [2, 0]], "differ by direction"),
        ([[1, 1], [1, 1]], "distance from itself"),
    ],
)
def test_what_are_no_distances_is_said(matrix, message):
    with pytest.raises(DataError, match=message):
        space_of_distances(matrix)


def test_euclidean_distances_are_recognised():
    points = np.random.default_rng(0).normal(size=(10, 3))
    distances = np.linalg.norm(points[:, None] - points, axis=2)
    assert is_euclidean(space_of_distances(distances))
    assert not is_euclidean(space_of_distances(distances**3))


def test_components_of_one_line():
    """Of one physical dimension eight components were called significant."""
    answers = simulate(np.linspace(0, 3, 40)[:, None], 4000, noise="logistic", level=0.3, seed=0)
    found = spectrum(K1(), answers, shuffles=10)
    assert found.n_signal > 1, "not of how many dimensions there are"
    assert found.errors.shape == (10,)
    assert found.errors[0] < 0.3
    assert found.errors[0] - found.errors.min() < 0.02, "one component predicts as well"
    few = spectrum(K1(), answers.take(np.arange(3)), shuffles=5)
    assert np.isnan(few.errors).all()
