"""Clustering: against SciPy and by hand, on planted groups, and what all methods promise."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from functools import cache

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import cophenet, fcluster, linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score, silhouette_score

import tripletscope.core.similarity.clusters
from tests.core.models.embedding.test_embedding import data_of_every_kind
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets, numbered_objects
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import as_record, methods
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import simulate
from tripletscope.core.reading import FeatureTable
from tripletscope.core.run import cluster_distances, key, run
from tripletscope.core.similarity.clusters import (
    AgglomerativeClustering,
    ComparisonLinkage,
    KMeans,
    agglomerative,
)
from tripletscope.core.similarity.clusters.agreement import label_agreement
from tripletscope.core.similarity.clusters.clustering import (
    Clustering,
    Hierarchy,
    SimilarityClustering,
)
from tripletscope.core.similarity.clusters.comparison import additive_similarity
from tripletscope.core.similarity.clusters.counting import count_clusters
from tripletscope.core.similarity.clusters.kmeans import kernel_kmeans
from tripletscope.core.similarity.clusters.stability import stability
from tripletscope.core.similarity.kernels import K1, K2
from tripletscope.core.similarity.kernels.space import Space

METHODS = list(methods("cluster").values())
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
every_linkage = pytest.mark.parametrize("rule", ["average", "complete", "single", "ward"])

GROUPS = np.repeat([0, 1, 2], 12)
POSITIONS = (
    np.random.default_rng(0).normal(size=(36, 2)) + np.array([[0, 0], [8, 0], [0, 8]])[GROUPS]
)


@pytest.fixture(scope="module")
def groups() -> Triplets:
    """Plenty of answers about three groups of 12 objects."""
    return simulate(POSITIONS, 4000, seed=1)


@pytest.fixture(scope="module")
def as_it_is(groups) -> Callable[[type[Clustering]], Clustering]:
    """A method without settings, fitted once in three threads for all tests."""
    @cache
    def fitted(method: type[Clustering]) -> Clustering:
        with joblib.parallel_config(n_jobs=3):
            return method().fit(groups)

    return fitted


# Every method ---------------------------------------------------------------------------------


@every_method
def test_is_public(method):
    assert getattr(tripletscope.core.similarity.clusters, method.__name__) is method
    assert "References" in method.__doc__


@every_method
def test_follows_scikit_learn(method, groups):
    estimator = method(n_clusters=4)
    assert clone(estimator).get_params(deep=False) == estimator.get_params(deep=False)
    assert set(estimator.get_params(deep=False)) == {p.name for p in parameters(method)}
    with pytest.raises(NotFittedError):
        estimator.distances()
    with pytest.raises(NotFittedError):
        estimator.score([[0, 1, 2]])
    assert estimator.fit(groups) is estimator
    assert np.array_equal(pickle.loads(pickle.dumps(estimator)).labels_, estimator.labels_)


@every_method
def test_finds_planted_groups(method, groups):
    for settings in ({}, {"basis": K2()}, {"basis": STE()}):
        if settings and not issubclass(method, SimilarityClustering):
            continue
        fitted = method(n_clusters=3, **settings).fit(groups)
        assert adjusted_rand_score(fitted.labels_, GROUPS) == 1.0, settings
        assert fitted.n_clusters_ == 3
        assert set(fitted.labels_) == {0, 1, 2}
        assert not fitted.stopped_


@every_method
def test_answers_by_what_it_calls_together(method, groups):
    fitted = method(n_clusters=3).fit(groups)
    anchor, near, far = groups.rows.T
    distances = fitted.distances()
    assert np.array_equal(distances, distances.T)
    assert not distances.diagonal().any()
    margins = distances[anchor, far] - distances[anchor, near]
    assert np.array_equal(np.sign(fitted.margins(groups)), np.sign(margins))
    assert fitted.score(groups) > 0.65


@every_method
def test_same_seed_same_bits_whatever_the_threads(method, groups, as_it_is):
    with joblib.parallel_config(n_jobs=1):
        found = method().fit(groups)
    assert np.array_equal(found.labels_, as_it_is(method).labels_)
    assert np.array_equal(found.silhouettes_, as_it_is(method).silhouettes_)


@every_method
def test_parameters_are_checked_and_reach_the_computation(method, groups):
    few = groups.take(np.arange(150))
    others = {
        "n_clusters": 5, "basis": K2(), "linkage": "single", "order_leaves": False, "n_init": 1,
        "seed": 3, "n_neighbours": 2, "rule": "clusters",
    }

    def state(**settings):
        fitted = method(**{"n_clusters": 7, **settings}).fit(few)
        return [fitted.labels_.tolist(), getattr(fitted, "linkage_", np.zeros(0)).tolist()]

    usual = state()
    for parameter in parameters(method):
        assert state(**{parameter.name: others[parameter.name]}) != usual, parameter.name
        with pytest.raises(ValueError, match=f"{parameter.name} of"):
            method(**{parameter.name: "nonsense"}).fit(few)


@every_method
@pytest.mark.parametrize("name", data_of_every_kind())
@pytest.mark.parametrize("n_clusters", [None, 1, 2, 50])
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_hostile_data_gives_clusters(method, name, n_clusters):
    triplets = data_of_every_kind()[name]
    if name == "contradictions only" and issubclass(method, SimilarityClustering):
        with pytest.raises(DataError, match="No object has usable"):
            method(n_clusters=n_clusters, basis=K1()).fit(triplets)
    fitted = method(n_clusters=n_clusters).fit(triplets)
    placed = fitted.labels_ >= 0
    assert placed.any()
    assert np.array_equal(placed, fitted.placed_)
    assert set(fitted.labels_[placed]) == set(range(fitted.n_clusters_))
    assert np.isfinite(fitted.distances()).all()
    assert 0 <= fitted.score(triplets) <= 1


@every_method
def test_objects_without_answers_have_no_cluster(method):
    fitted = method().fit(data_of_every_kind()["an object never asked about"])
    assert fitted.labels_[8:].tolist() == [-1, -1]
    assert not fitted.margins(Triplets.from_array([[9, 1, 2]], 10)).any()


@every_method
def test_nothing_to_learn_from_is_said(method):
    with pytest.raises(DataError, match="no answers to learn from"):
        method().fit(Triplets.from_array([], 5))


@every_method
def test_a_run_brings_it_back(method, groups, as_it_is):
    fitted, found = as_it_is(method), run("fit", method(), groups)
    json.dumps([found.numbers, found.parameters])
    back = found.fitted()
    assert np.array_equal(back.labels_, fitted.labels_)
    assert np.array_equal(back.distances(), fitted.distances())
    assert (back.n_clusters_, back.n_objects_) == (fitted.n_clusters_, 36)


@every_method
def test_the_number_of_clusters_is_that_of_the_highest_silhouette(method, groups, as_it_is):
    fitted = as_it_is(method)
    space, _ = method().space(groups)
    expected = [
        silhouette_score(space.distances(), method(n_clusters=k).fit(groups).labels_,
                         metric="precomputed")
        for k in (2, 3, 4)
    ]
    assert np.allclose(fitted.silhouettes_[:3], expected)
    assert fitted.n_clusters_ == 2 + np.argmax(fitted.silhouettes_)


def test_a_basis_is_part_of_the_key_and_of_the_record(groups):
    keys = {
        key("fit", AgglomerativeClustering(basis=basis), groups)
        for basis in (None, K2(), K2(reduce_diagonal=False), STE(), STE(seed=1))
    }
    assert len(keys) == 5
    as_data = AgglomerativeClustering(basis=as_record(STE(seed=1)))
    as_method = AgglomerativeClustering(basis=STE(seed=1))
    assert key("fit", as_data, groups) == key("fit", as_method, groups)
    found = run("fit", AgglomerativeClustering(basis=STE(seed=1)), groups)
    assert key("fit", found.fresh(), groups) == found.key
    with pytest.raises(ValueError, match="basis of Agglomerative"):
        AgglomerativeClustering(basis=KMeans()).fit(groups)
    with pytest.raises(ValueError, match="no kernel method 'k9'"):
        AgglomerativeClustering(basis={"kind": "kernel", "method": "k9"}).fit(groups)


# Each of them ---------------------------------------------------------------------------------


@every_linkage
def test_agglomerative_is_scipys(rule):
    fitted = AgglomerativeClustering(linkage=rule, n_clusters=4).fit_distances(
        squareform(pdist(POSITIONS))
    )
    expected = linkage(pdist(POSITIONS), rule)
    assert np.allclose(fitted.linkage_[:, 2:], expected[:, 2:])
    assert np.allclose(squareform(fitted.distances()), cophenet(expected))
    assert adjusted_rand_score(fitted.labels_, fcluster(expected, 4, "maxclust")) == 1.0


@pytest.mark.parametrize("rule", ["single", "ward"])
def test_more_objects_than_a_matrix_has_room_for_are_merged_alike(monkeypatch, rule):
    monkeypatch.setattr(agglomerative, "MOST_IN_A_MATRIX", 50)
    vectors = np.random.default_rng(0).normal(size=(120, 3))
    space = Space(121, np.arange(1, 121), vectors=vectors)
    fitted = AgglomerativeClustering(linkage=rule).fit_space(space)
    expected = linkage(pdist(vectors), rule)
    assert np.array_equal(fitted.linkage_[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    assert np.allclose(fitted.linkage_[:, 2], expected[:, 2], rtol=1e-12)
    assert fitted.labels_[0] == -1


@pytest.mark.parametrize("rule", ["average", "complete"])
def test_the_linkages_for_many_objects_are_named(monkeypatch, rule):
    monkeypatch.setattr(agglomerative, "MOST_IN_A_MATRIX", 50)
    space = Space(60, np.arange(60), vectors=np.random.default_rng(0).normal(size=(60, 2)))
    with pytest.raises(DataError, match=f"{rule.title()} linkage needs all distances") as refusal:
        AgglomerativeClustering(linkage=rule).fit_space(space)
    assert "Ward's or single linkage" in str(refusal.value)


def test_ward_of_other_than_euclidean_distances_is_refused():
    with pytest.raises(DataError, match="not"):
        AgglomerativeClustering(linkage="ward").fit_distances(squareform(pdist(POSITIONS)) ** 3)
    with pytest.raises(DataError, match="not"):
        KMeans().fit_distances(squareform(pdist(POSITIONS)) ** 3)
    with pytest.raises(DataError, match="needs triplets"):
        ComparisonLinkage().fit_distances(squareform(pdist(POSITIONS)))


def test_kernel_k_means_is_k_means_of_the_vectors_behind():
    within = KMeans(n_clusters=3).fit_space(Space(36, np.arange(36), vectors=POSITIONS))
    gram = POSITIONS @ POSITIONS.T
    by_kernel = KMeans(n_clusters=3).fit_space(Space(36, np.arange(36), gram=gram))
    by_distances = KMeans(n_clusters=3).fit_distances(squareform(pdist(POSITIONS)))
    assert np.array_equal(within.labels_, by_kernel.labels_)
    assert np.array_equal(within.labels_, by_distances.labels_)
    scatter, labels = kernel_kmeans(gram, 5, seed=0)
    assert len(set(labels)) == 5
    by_hand = sum(
        np.sum((POSITIONS[labels == k] - POSITIONS[labels == k].mean(axis=0)) ** 2)
        for k in range(5)
    )
    assert scatter == pytest.approx(by_hand)
    # no object is nearer to another centre
    centres = np.array([POSITIONS[labels == k].mean(axis=0) for k in range(5)])
    apart = np.linalg.norm(POSITIONS[:, None] - centres, axis=2)
    assert np.allclose(apart.min(axis=1), apart[np.arange(36), labels])


def test_kernel_k_means_fills_empty_clusters():
    for seed in range(5):
        _, labels = kernel_kmeans(np.eye(6), 6, seed)
        assert sorted(labels) == list(range(6))
    assert set(kernel_kmeans(np.ones((6, 6)), 3, 0)[1]) <= {0, 1, 2}


def merges_by_definition(rows: np.ndarray, n: int) -> list[frozenset]:
    """4-AL over quadruplets (Ghoshdastidar et al. 2019, equations 7 and 8), spelled out."""
    quadruplets = np.zeros((n, n, n, n))
    for a, near, far in rows:
        for i, j in ((a, near), (near, a)):
            for k, l in ((a, far), (far, a)):  # noqa: E741
                quadruplets[i, j, k, l] += 1
                quadruplets[k, l, i, j] -= 1
    clusters, found = [[i] for i in range(n)], []
    while len(clusters) > 1:
        scores = {}
        for p in range(len(clusters)):
            for q in range(p + 1, len(clusters)):
                scores[p, q] = sum(
                    quadruplets[np.ix_(clusters[p], clusters[q], r, s)].mean()
                    for r in clusters for s in clusters if r is not s
                )
        p, q = max(scores, key=scores.__getitem__)
        merged = clusters[p] + clusters[q]
        clusters = [c for i, c in enumerate(clusters) if i not in (p, q)] + [merged]
        found.append(frozenset(merged))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_comparisons_of_clusters_follow_the_definition(seed):
    positions = np.random.default_rng(seed).normal(size=(8, 2))
    triplets = simulate(positions, 300, noise="logistic", seed=seed)
    fitted = ComparisonLinkage(rule="clusters").fit(triplets)
    branches = {frozenset(np.flatnonzero(row).tolist()) for row in fitted.tree_.membership()}
    assert branches == set(merges_by_definition(triplets.rows, 8))


def test_additive_similarity_counts():
    rows = np.array([[0, 1, 2], [0, 1, 2], [1, 2, 0]])
    found = additive_similarity(rows, np.array([1.0, 1.0, 3.0]), 3)
    assert found.tolist() == [[0, 2 - 3, -2], [-1, 0, 3], [-2, 3, 0]]


# How many, how sure, how right ----------------------------------------------------------------


@pytest.mark.parametrize("method", [AgglomerativeClustering, KMeans, ComparisonLinkage])
def test_the_number_of_planted_groups_has_the_highest_silhouette(method, groups):
    basis = {"basis": STE()} if issubclass(method, SimilarityClustering) else {}
    found = count_clusters(method(**basis), groups, most=6)
    assert found.numbers.tolist() == [2, 3, 4, 5, 6]
    assert found.best_by_silhouette == 3
    assert found.continua.shape == found.continua_smallest.shape == (5, 60, 5)
    assert found.error_low < found.error < found.error_high < 0.5
    assert (found.expected < found.needed).all()


@every_method
def test_few_answers_have_counts_too(method):
    positions = np.random.default_rng(0).normal(size=(6, 2))
    found = count_clusters(method(), simulate(positions, 60, noise="logistic"))
    assert found.numbers.tolist() == [2, 3, 4, 5]
    assert np.isfinite(found.silhouettes).all()
    assert np.isfinite(found.continua).all()
    with pytest.raises(Stopped):
        count_clusters(method(), simulate(positions, 60), progress=lambda fraction: True)


def test_clusterings_begin_with_the_same_map_as_the_page():
    assert isinstance(AgglomerativeClustering().similarity(), DEFAULT_EMBEDDING)
    assert isinstance(KMeans().similarity(), DEFAULT_EMBEDDING)


@every_method
def test_planted_groups_are_stable_and_others_are_not(method, groups):
    found = stability(method(n_clusters=3), groups, replicates=6, most=5)
    assert np.all(found.recovery > 0.8)
    same = GROUPS[:, None] == GROUPS
    assert found.together[same].min() > 0.6
    assert found.together[~same].max() < 0.4
    assert found.numbers.tolist() == [2, 3, 4, 5]
    assert found.agreement.shape == (6, 4)
    assert found.agreement[:, 1].mean() > 0.9
    assert np.all(found.agreement.mean(axis=0)[2:] < found.agreement[:, 1].mean())
    if issubclass(method, Hierarchy):
        held = found.tree.membership()
        planted = [
            i for i, branch in enumerate(held) if any(set(np.flatnonzero(branch)) == set(
                np.flatnonzero(group == GROUPS)) for group in range(3))
        ]
        assert len(planted) == 3
        assert found.branch_recovery[planted].min() > 0.8
        assert found.support[-1] == 1.0  # all objects
        assert np.all(found.support <= found.branch_recovery + 1e-9)
        assert found.support[:10].mean() < 0.7
    else:
        assert found.linkage.shape == (0, 4)


def test_stability_by_its_definition_where_objects_lose_their_answers():
    """Sets of objects, compared among those that a replicate places; one left over is a set too."""
    few = simulate(POSITIONS[::3], 30, seed=2)
    method = AgglomerativeClustering(n_clusters=3, basis=K1())
    found = stability(method, few, replicates=12, most=3)
    whole = [frozenset(np.flatnonzero(row).tolist()) for row in found.tree.membership()]
    two = found.tree.cut(2)
    support, recovery, agreement, lost = [], [], [], 0
    for seed in np.random.SeedSequence(0).spawn(12):
        drawn = np.random.default_rng(seed).integers(len(few), size=len(few))
        tree = clone(method).fit(few.take(np.sort(drawn))).tree_
        placed = frozenset(tree.objects.tolist())
        lost += len(placed) < few.n_objects
        own = [frozenset(np.flatnonzero(row).tolist()) for row in tree.membership()]
        own += [frozenset([one]) for one in placed]
        best = [
            max(len(branch & placed & other) / len((branch & placed) | other) for other in own)
            for branch in whole
        ]
        recovery.append(best)
        support.append(np.equal(best, 1.0))
        both = np.isin(np.arange(few.n_objects), list(placed)) & (two >= 0)
        agreement.append(adjusted_rand_score(two[both], tree.cut(2)[both]))
    assert lost >= 3
    assert any(len(branch) == 2 for branch in whole), "of which one may lose its answers"
    np.testing.assert_allclose(found.branch_recovery, np.mean(recovery, axis=0), atol=1e-6)
    np.testing.assert_allclose(found.support, np.mean(support, axis=0))
    np.testing.assert_allclose(found.agreement[:, 0], agreement)


def test_clusters_that_people_do_not_share_are_less_sure():
    """Each of ten people sees three groups, but puts a third of the objects elsewhere."""
    rng = np.random.default_rng(0)
    rows = []
    for person in range(10):
        moved = rng.random(36) < 1 / 3
        own = np.where(moved[:, None], POSITIONS[rng.permutation(36)], POSITIONS)
        rows.append(simulate(own, 200, seed=person).rows)
    who = pd.DataFrame({"participant": np.repeat([f"p{i}" for i in range(10)], 200)})
    pooled = Triplets(np.concatenate(rows), numbered_objects(36), who)
    found = {
        unit: stability(
            KMeans(n_clusters=6, basis=STE(n_init=1)), pooled, replicates=10, most=2, unit=unit
        )
        for unit in ("auto", "answers")
    }
    assert (found["auto"].unit, found["auto"].n_units) == ("participants", 10)
    assert (found["answers"].unit, found["answers"].n_units) == ("answers", 2000)
    assert found["auto"].recovery.mean() < found["answers"].recovery.mean() - 0.03


def test_answers_of_weight_zero_are_not_resampled(groups):
    groups = groups.take(np.arange(1000))
    weight = np.append(np.ones(len(groups)), np.zeros(len(groups)))
    more = Triplets.from_array(
        np.tile(groups.rows, (2, 1)), groups.n_objects, weight=weight
    )
    method = KMeans(n_clusters=3, basis=STE(n_init=1))
    alone, found = (stability(method, data, replicates=3, most=3) for data in (
        Triplets.from_array(groups.rows, groups.n_objects, weight=weight[: len(groups)]), more
    ))
    assert found.n_units == alone.n_units == len(groups)
    np.testing.assert_array_equal(found.agreement, alone.agreement)


def test_stability_with_objects_that_come_and_go():
    rows = np.concatenate([simulate(POSITIONS, 600, seed=0).rows, [[36, 0, 1], [37, 36, 3]]])
    found = stability(
        AgglomerativeClustering(n_clusters=3, basis=K1()), Triplets.from_array(rows, 39),
        replicates=5,
    )
    assert np.isnan(found.together[38]).all()
    assert np.isfinite(found.together[:36, :36]).all()
    calls = []

    def progress(fraction, **_):
        calls.append(fraction)
        return len(calls) > 3

    part = run("stability", AgglomerativeClustering(basis=K1()), Triplets.from_array(rows),
               {"replicates": 9},
               progress=progress)
    assert not part.complete
    assert 2 <= len(part.result().agreement) < 9
    with pytest.raises(Stopped):
        stability(
            AgglomerativeClustering(basis=K1()), Triplets.from_array(rows),
            progress=lambda *_, **__: True,
        )


def test_agreement_by_hand():
    """Manning et al. (2008), figure 16.4: purity 0.71, Rand 0.68; here with two left out."""
    clusters = np.array([0] * 6 + [1] * 6 + [2] * 5 + [-1, 0])
    labels = [*"xxxxxo", *"xooood", *"xxddd", "x", None]
    found = label_agreement(clusters, labels)
    assert found.purity == pytest.approx(12 / 17)
    assert found.mutual_information == pytest.approx(0.36, abs=0.01)
    assert found.adjusted_rand == pytest.approx(0.243, abs=0.001)
    assert found.table.to_numpy().sum() == 17
    with pytest.raises(DataError, match="No object"):
        label_agreement(np.array([-1]), ["a"])


def test_given_distances_may_be_of_some_objects_only():
    points = np.array([[0.0], [10.0], [1.0], [11.0]])
    matrix = np.abs(points - points.T)
    found = AgglomerativeClustering(n_clusters=2).fit_distances(matrix, np.array([5, 0, 3, 2]), 7)
    assert found.labels_[[1, 4, 6]].tolist() == [-1] * 3
    assert found.labels_[5] == found.labels_[3] != found.labels_[0] == found.labels_[2]
    method = AgglomerativeClustering(n_clusters=2)
    kept = cluster_distances(method, table_of(matrix, [5, 0, 3, 2], 7))
    assert kept.fitted().labels_.tolist() == found.labels_.tolist()
    assert kept.options == {"distances": "d"}
    other = cluster_distances(method, table_of(matrix, [5, 0, 3, 1], 7), "e")
    assert other.key != kept.key
    assert (kept.table, other.table) == ("d", "e")


def table_of(matrix: np.ndarray, objects: list[int], n_objects: int) -> FeatureTable:
    """Distances of some of the objects as a table."""
    wide = np.full((n_objects, n_objects), np.nan)
    wide[np.ix_(objects, objects)] = matrix
    return FeatureTable("d", None, wide)
