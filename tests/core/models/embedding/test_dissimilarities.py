"""Maps of graphs of neighbours and of dissimilarities."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.isotonic import IsotonicRegression
from sklearn.manifold import smacof
from sklearn.neighbors import kneighbors_graph

from tests.paths import SAMPLES
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.geometry import distances, procrustes_disparity
from tripletscope.core.models.embedding import LOE, MDS, NMDS
from tripletscope.core.models.simulation.simulate import simulate


@pytest.fixture(scope="module")
def square() -> np.ndarray:
    return np.random.default_rng(1).random((80, 2))


@pytest.mark.parametrize("max_answers", [200_000, 20_000])
def test_loe_unfolds_a_graph_of_neighbours(square, max_answers):
    graph = kneighbors_graph(square, 8)
    fitted = LOE(max_answers=max_answers).fit_graph(graph)
    assert procrustes_disparity(fitted.embedding_, square) < 0.05
    assert np.array_equal(
        LOE(max_answers=max_answers).fit_graph(graph.toarray() * 3).embedding_, fitted.embedding_
    )
    assert fitted.distances().shape == (80, 80)


def test_loe_compares_neighbours_with_the_others():
    graph = csr_array(np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 0, 1], [1, 1, 1, 0]]))
    rows, n_objects = LOE()._comparisons(graph)
    assert n_objects == 4
    assert {tuple(row) for row in rows.tolist()} == {
        (0, 1, 2), (0, 1, 3), (2, 1, 0), (2, 3, 0),
    }
    assert len(LOE(max_answers=2)._comparisons(graph)[0]) == 3


def test_loe_reports_and_stops(square):
    fractions = []

    def progress(fraction, **_):
        fractions.append(fraction)
        return False

    graph = kneighbors_graph(square, 8)
    LOE(n_init=1).fit_graph(graph, progress=progress)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert LOE().fit_graph(graph, progress=lambda *_, **__: True).stopped_


@pytest.mark.parametrize("graph", [np.ones((3, 4)), np.ones((3, 3)), np.zeros((3, 3))])
def test_loe_says_what_is_wrong_with_a_graph(graph):
    with pytest.raises(DataError):
        LOE().fit_graph(graph)


def test_nmds_sees_only_the_order(square):
    matrix = distances(square)
    fitted = NMDS(n_init=2).fit_dissimilarities(matrix)
    assert procrustes_disparity(fitted.embedding_, square) < 0.01
    assert fitted.loss_ == fitted.losses_.min() < 0.02
    assert fitted.converged_
    assert not fitted.stopped_
    again = NMDS(n_init=2).fit_dissimilarities(np.exp(3 * matrix) - 7)
    assert np.allclose(again.embedding_, fitted.embedding_)
    assert fitted.score(simulate(square, 1000, seed=0)) > 0.97


def test_nmds_stops_and_says_what_is_wrong(square):
    matrix = distances(square)
    stopped = NMDS(n_init=5).fit_dissimilarities(matrix, progress=lambda *_, **__: True)
    assert stopped.stopped_
    assert not stopped.converged_
    missing = matrix.copy()
    missing[2, 3] = np.nan
    for wrong, message in ((matrix[:3], "square"), (np.triu(matrix), "direction"),
                           (missing, "missing")):
        with pytest.raises(DataError, match=message):
            NMDS().fit_dissimilarities(wrong)
    with pytest.raises(ValueError, match="n_init of NMDS is 0"):
        NMDS(n_init=0).fit_dissimilarities(matrix)


def ekman() -> np.ndarray:
    """Dissimilarities of 14 colours, of which 91 take 47 values."""
    table = pd.read_csv(SAMPLES / "ekman_colors" / "similarity.csv", index_col=0)
    return 1.0 - table.to_numpy(dtype=float)


@pytest.mark.parametrize(("n_components", "ties", "stress"), [
    # The primary ones by metaMDS of R's vegan.
    (2, "primary", 0.0231), (3, "primary", 0.0124), (2, "secondary", 0.0316),
    (3, "secondary", 0.0221),
])
def test_nmds_of_the_colours_has_the_published_stress(n_components, ties, stress):
    fitted = NMDS(n_components=n_components, ties=ties).fit_dissimilarities(ekman())
    assert fitted.converged_
    assert fitted.loss_ == pytest.approx(stress, abs=5e-5)


@pytest.mark.parametrize("ties", ["primary", "secondary", "tertiary"])
def test_nmds_tells_what_its_shepard_plot_shows(ties):
    matrix = ekman()
    fitted = NMDS(ties=ties, n_init=1, max_iter=20).fit_dissimilarities(matrix)
    upper = np.triu_indices(14, 1)
    given, apart = fitted.dissimilarities_[upper], fitted.distances()[upper]
    assert np.array_equal(given, matrix[upper])
    fit = fitted.disparities_[upper]
    assert fitted.loss_ == pytest.approx(np.sqrt(np.sum((apart - fit) ** 2) / np.sum(apart**2)))
    if ties == "primary":
        longer = given[:, None] < given
        assert (fit[:, None] <= fit + 1e-12)[longer].all()
    groups = [fit[given == value] for value in np.unique(given)]
    assert np.diff([group.mean() for group in groups]).min() > -1e-12
    assert (max(np.ptp(group) for group in groups) < 1e-12) == (ties == "secondary")
    missed = (fitted.distances() - fitted.disparities_) ** 2
    assert fitted.stress_per_object_ == pytest.approx(missed.sum(axis=1) / missed.sum())
    assert np.sqrt(np.mean(fitted.embedding_**2)) == pytest.approx(1.0)


@pytest.mark.parametrize("ties", ["primary", "secondary", "tertiary"])
def test_nmds_ends_where_no_step_lowers_the_stress(ties):
    """Kruskal's stress with scikit-learn's regression, around the map that was found."""
    matrix = ekman()
    fitted = NMDS(n_components=2, ties=ties, n_init=2).fit_dissimilarities(matrix)
    upper = np.triu_indices(14, 1)
    given = matrix[upper]
    values, group, sizes = np.unique(given, return_inverse=True, return_counts=True)

    def stress(positions: np.ndarray) -> float:
        apart = distances(positions)[upper]
        if ties == "primary":
            order = np.lexsort((apart, given))
            off = apart[order] - IsotonicRegression().fit_transform(range(91), apart[order])
        else:
            means = np.bincount(group, apart) / sizes
            fit = IsotonicRegression().fit_transform(values, means, sample_weight=sizes)
            off = (apart if ties == "secondary" else means[group]) - fit[group]
        return np.sqrt(np.sum(off**2) / np.sum(apart**2))

    here = stress(fitted.embedding_)
    assert here == pytest.approx(fitted.loss_, abs=1e-9)
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert stress(fitted.embedding_ + rng.normal(0, 1e-3, (14, 2))) > here - 1e-6


def test_nmds_finds_scales_of_one_dimension():
    """From random starts alone it ends in a local minimum, with objects in the wrong order."""
    for seed in range(5):
        line = np.random.default_rng(seed).random((15, 1))
        fitted = NMDS(n_components=1).fit_dissimilarities(distances(line))
        assert abs(np.corrcoef(fitted.embedding_[:, 0], line[:, 0])[0, 1]) > 0.99


@pytest.fixture(scope="module")
def noisy(square) -> np.ndarray:
    """Distances of 30 points that are off by a third."""
    found = distances(square[:30])
    off = np.exp(np.triu(np.random.default_rng(0).normal(0, 0.3, found.shape), 1))
    return found * off * off.T


def test_mds_has_the_stress_of_smacof(noisy):
    """scikit-learn's minimises the same, without weights and with zero where it is."""
    _, raw = smacof(
        noisy, n_components=2, n_init=4, max_iter=3000, eps=1e-12, random_state=0,
        normalized_stress=False,
    )
    fitted = MDS().fit_dissimilarities(noisy)
    upper = np.triu_indices(30, 1)
    given, apart = noisy[upper], fitted.distances()[upper]
    assert np.sum((given - apart) ** 2) == pytest.approx(raw, rel=1e-4)
    assert fitted.loss_**2 == pytest.approx(np.sum((given - apart) ** 2) / np.sum(given**2))


def test_interval_scaling_sees_no_zero(noisy):
    method = MDS(transform="interval", n_init=2)
    one, other = (clone(method).fit_dissimilarities(m) for m in (noisy, 5 + 3 * noisy))
    assert one.loss_ == pytest.approx(other.loss_)
    assert np.allclose(other.distances(), 3 * one.distances(), rtol=1e-3)
    assert one.loss_ < MDS(n_init=2).fit_dissimilarities(noisy).loss_


@pytest.mark.parametrize("method", [NMDS(n_init=3), MDS(n_init=3)])
def test_pairs_without_weight_may_be_missing(square, method):
    truth = distances(square[:30])
    known = np.triu(np.random.default_rng(1).random(truth.shape) < 0.5, 1)
    weights = (known | known.T).astype(float)
    fitted = method.fit_dissimilarities(np.where(weights > 0, truth, np.nan), weights=weights)
    assert procrustes_disparity(fitted.embedding_, square[:30]) < 0.01
    assert np.isnan(fitted.disparities_).sum() == np.count_nonzero(weights == 0) - 30
    wrong = np.where(weights > 0, truth, 100.0)
    again = clone(method).fit_dissimilarities(wrong, weights=weights)
    assert np.allclose(again.embedding_, fitted.embedding_)


@pytest.mark.parametrize("method", [NMDS(n_init=2), MDS(n_init=2)])
def test_weights_decide_between_pairs(noisy, method):
    upper = np.triu_indices(30, 1)
    weights = np.ones(noisy.shape)
    weights[:10, :10] = 50.0

    def missed(fitted):
        off = (fitted.distances() - fitted.disparities_)[:10, :10]
        return np.sum((off / fitted.distances()[upper].mean()) ** 2)

    heavy = clone(method).fit_dissimilarities(noisy, weights=weights)
    assert missed(heavy) < 0.7 * missed(method.fit_dissimilarities(noisy))


def test_scaling_says_what_is_wrong_with_weights(square):
    matrix = distances(square[:5])
    with pytest.raises(ValueError, match="weights must be"):
        MDS().fit_dissimilarities(matrix, weights=-np.ones((5, 5)))
    alone = np.ones((5, 5))
    alone[2] = alone[:, 2] = 0
    with pytest.raises(DataError, match="row 2: all dissimilarities of an object"):
        MDS().fit_dissimilarities(matrix, weights=alone)
    uneven = np.triu(np.ones((5, 5)))
    with pytest.raises(DataError, match="differ by direction"):
        MDS().fit_dissimilarities(matrix, weights=uneven)


def test_a_line_is_not_left_in_a_local_minimum():
    """Starts of noise were .015 above the lowest stress in the mean."""
    above = []
    for seed in range(6):
        apart = np.abs(
            distances(np.random.default_rng(seed).normal(size=(12, 2)))
            + np.random.default_rng(seed).normal(0, 0.05, (12, 12))
        )
        apart = np.triu(apart, 1) + np.triu(apart, 1).T
        usual, lowest = (NMDS(n_components=1, n_init=n, seed=seed).fit_dissimilarities(apart).loss_
                         for n in (10, 100))
        above.append(usual - lowest)
    assert np.mean(above) < 0.004
