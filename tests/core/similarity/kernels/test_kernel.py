"""Kernels: values against a plain reading of the definitions, and what all of them promise."""

from __future__ import annotations

import json
import pickle
from collections import defaultdict
from importlib import import_module
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist, squareform
from scipy.stats import kendalltau
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError

from tests.core.models.embedding.test_embedding import data_of_every_kind
from tripletscope.core.data.errors import DataError
from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions, recognise
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.declared import Number, parameters
from tripletscope.core.engine.method import methods
from tripletscope.core.inference.held_out.score import cross_validate, triplet_error
from tripletscope.core.models.embedding import GNMDS, STE, TSTE
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import answer, random_questions, simulate
from tripletscope.core.run import run
from tripletscope.core.similarity.kernels import K1, K2, GaussianKernel
from tripletscope.core.similarity.kernels import kernel as kernel_module
from tripletscope.core.similarity.kernels import triplet as triplet_module
from tripletscope.core.similarity.kernels.kernel import inner_products, smallest_eigenvalue

METHODS = list(methods("kernel").values())
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
both_kernels = pytest.mark.parametrize("method", [K1, K2], ids=lambda method: method.name)


def by_definition(triplets: Triplets, name: str) -> np.ndarray:
    """k1 or k2 as the paper writes them, in full vectors, one answer after the other."""
    n = triplets.n_objects
    net, total = defaultdict(float), defaultdict(float)
    for (a, near, far), weight in zip(triplets.rows.tolist(), triplets.weight, strict=True):
        if name == "k1":
            votes = [(a, min(near, far), max(near, far), 1 if near < far else -1)]
        else:
            votes = [(near, a, far, 1), (far, a, near, -1)]
        for *cell, sign in votes:
            net[tuple(cell)] += sign * weight
            total[tuple(cell)] += weight
    features = np.zeros((n, n, n))
    for cell, count in total.items():
        features[cell] = net[cell] / count if count > 0 else 0.0
    features = features.reshape(n, -1)
    length = np.linalg.norm(features, axis=1, keepdims=True)
    features /= np.where(length > 0, length, 1.0)
    return features @ features.T


@st.composite
def answers(draw) -> Triplets:
    """A few objects with answers that repeat and contradict each other, some of weight 0."""
    n = draw(st.integers(3, 9))
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    rows = random_questions(n, draw(st.integers(1, 60)), rng)
    weight = rng.integers(0, 3, len(rows)).astype(float)
    weight[0] = 1.0
    return Triplets.from_array(rows, n + draw(st.integers(0, 2)), weight=weight)


@both_kernels
@settings(max_examples=60)
@given(triplets=answers(), full_table=st.booleans())
def test_values_are_those_of_the_definition(method, triplets, full_table):
    with pytest.MonkeyPatch.context() as patch:
        if not full_table:
            patch.setattr(triplet_module, "_SMALL_TABLE", 0)
            patch.setattr(triplet_module, "_CELLS_PER_ANSWER", 0)
        fitted = method(reduce_diagonal=False).fit(triplets)
    expected = by_definition(triplets, method.name)
    assert np.allclose(fitted.kernel_, expected, rtol=0, atol=1e-12)
    assert np.array_equal(fitted.placed_, expected.diagonal() > 0)


@both_kernels
@pytest.mark.parametrize("design", ["k1", "k2"])
@pytest.mark.parametrize("single", [False, True])
def test_landmark_designs_give_the_same_in_few_features(method, design, single, monkeypatch):
    monkeypatch.setattr(triplet_module, "_SMALL_TABLE", 0)
    if single:
        monkeypatch.setattr(triplet_module, "SINGLE_ABOVE", 0)
    rng = np.random.default_rng(1)
    rows = landmark_questions(60, [3, 5, 9, 20], design)
    rows = rows[rng.random(len(rows)) < 0.7]
    rows = np.concatenate([rows, rows[::9, [0, 2, 1]], rows[::5]])
    triplets = Triplets.from_array(rows, 61)
    fitted = method(reduce_diagonal=False).fit(triplets)
    if design == method.name:
        assert fitted.features_.shape[1] == {"k1": 6, "k2": 4 * 4 + 4}[design]
        assert fitted.features_.dtype == (np.float32 if single else np.float64)
    tolerance = 5e-6 if single else 1e-12
    assert np.allclose(
        fitted.kernel_, by_definition(triplets, method.name), rtol=0, atol=tolerance
    )


def test_kendalls_tau_of_full_rankings():
    """Section 2: of objects that stand in no ranking themselves k1 is Kendall's tau."""
    triplets = Triplets.from_array(
        [(a, 2 + i, 2 + j) for a, ranking in enumerate([[0, 1, 2, 3], [1, 0, 2, 3]])
         for place, i in enumerate(ranking) for j in ranking[place + 1 :]]
    )
    # 5 of 6 pairs agree
    assert K1(reduce_diagonal=False).fit(triplets).kernel_[0, 1] == pytest.approx(4 / 6)


def test_objects_that_rank_each_other_share_fewer_pairs_than_they_answer():
    n = 8
    apart = squareform(pdist(np.random.default_rng(0).normal(size=(n, 2))))
    near, far = apart[:, :, None], apart[:, None, :]
    rows = np.argwhere(near < far)
    rows = rows[(rows[:, 0] != rows[:, 1]) & (rows[:, 0] != rows[:, 2])]
    kernel = K1(reduce_diagonal=False).fit(Triplets.from_array(rows, n)).kernel_
    for a, b in combinations(range(n), 2):
        others = [i for i in range(n) if i not in (a, b)]
        tau = kendalltau(apart[a, others], apart[b, others]).statistic
        assert kernel[a, b] == pytest.approx(tau * comb(n - 2, 2) / comb(n - 1, 2))


def test_the_example_of_a_contradiction():
    """Two of three say near: the entry is 1/3, before the vector is scaled to length 1."""
    rows = [[0, 2, 3], [0, 2, 3], [0, 3, 2], [0, 2, 4], [1, 2, 3], [1, 2, 4]]
    kernel = K1(reduce_diagonal=False).fit(rows).kernel_
    first = np.array([1 / 3, 1.0])
    assert kernel[0, 1] == pytest.approx(first @ [1, 1] / np.linalg.norm(first) / np.sqrt(2))


@both_kernels
def test_reducing_the_diagonal_takes_the_smallest_eigenvalue(method, planted):
    plain = method(reduce_diagonal=False).fit(planted)
    reduced = method().fit(planted)
    assert reduced.shift_ == pytest.approx(np.linalg.eigvalsh(plain.kernel_)[0])
    assert reduced.shift_ > 0.05
    assert np.allclose(reduced.kernel_, plain.kernel_ - reduced.shift_ * np.eye(30))
    assert np.linalg.eigvalsh(reduced.kernel_)[0] == pytest.approx(0, abs=1e-9)


@both_kernels
def test_an_object_without_answers_leaves_the_other_diagonals_to_be_reduced(method, planted):
    alone = method().fit(planted)
    beside = method().fit(Triplets.from_array(planted.rows, 31))
    assert alone.shift_ == pytest.approx(beside.shift_)
    assert np.allclose(beside.kernel_[:30, :30], alone.kernel_)
    assert not beside.kernel_[30].any()


@both_kernels
@pytest.mark.parametrize("n_objects", [3, 2000], ids=["counted in a table", "sorted"])
def test_weights_that_are_no_whole_numbers_can_cancel(method, n_objects):
    assert 0.1 + 0.2 != 0.3
    tied = Triplets.from_array(
        [[0, 1, 2], [0, 1, 2], [0, 2, 1]], n_objects, weight=[0.1, 0.2, 0.3]
    )
    rows = np.concatenate([tied.rows, np.arange(3, n_objects - n_objects % 3).reshape(-1, 3)])
    weight = np.append(tied.weight, np.ones(len(rows) - 3))
    fitted = method().fit(Triplets.from_array(rows, n_objects, weight=weight))
    assert not fitted.placed_[:3].any()


@both_kernels
def test_answers_that_all_cancel_say_nothing(method):
    rng = np.random.default_rng(0)
    rows = np.array([rng.choice(1500, 3, replace=False) for _ in range(3000)])
    triplets = Triplets.from_array(np.concatenate([rows, rows[:, [0, 2, 1]]]), 1500)
    fitted = method().fit(triplets)
    assert not fitted.placed_.any()
    assert not fitted.margins(triplets).any()


def test_the_smallest_eigenvalue_of_many_objects(monkeypatch):
    kernel = K1(reduce_diagonal=False).fit(
        simulate(np.random.default_rng(0).normal(size=(350, 2)), 20_000)
    ).kernel_
    expected = np.linalg.eigvalsh(kernel)[0]
    assert smallest_eigenvalue(kernel) == pytest.approx(max(expected, 0), abs=1e-5)
    singular = np.ones((350, 350))
    assert smallest_eigenvalue(singular) == pytest.approx(0, abs=1e-8)


def test_inner_products_are_symmetric():
    votes = np.random.default_rng(0).integers(-1, 2, (1300, 70)).astype(np.float32)
    products = inner_products(votes)
    assert np.array_equal(products, products.T)
    assert np.array_equal(products, votes @ votes.T)


# Every kernel ---------------------------------------------------------------------------------


@every_method
def test_is_public(method):
    package = import_module(method.__module__.rpartition(".")[0])
    assert getattr(package, method.__name__) is method
    assert "References" in method.__doc__


@every_method
def test_follows_scikit_learn(method, planted):
    estimator = method()
    assert clone(estimator).get_params(deep=False) == estimator.get_params(deep=False)
    assert set(estimator.get_params(deep=False)) == {p.name for p in parameters(method)}
    for ask in (estimator.distances, lambda: estimator.score([[0, 1, 2]]),
                lambda: estimator.kernel_):
        with pytest.raises(NotFittedError):
            ask()
    assert estimator.fit(planted) is estimator
    assert np.array_equal(pickle.loads(pickle.dumps(estimator)).kernel_, estimator.kernel_)


@every_method
def test_is_a_kernel_that_answers(method, planted):
    fitted = method().fit(planted)
    kernel, distances = fitted.kernel_, fitted.distances()
    assert np.array_equal(kernel, kernel.T)
    assert np.linalg.eigvalsh(kernel)[0] > -1e-9
    own = kernel.diagonal()
    assert np.allclose(distances**2, own[:, None] + own - 2 * kernel, atol=1e-12)
    anchor, near, far = planted.rows.T
    assert np.allclose(
        fitted.margins(planted), distances[anchor, far] - distances[anchor, near], atol=1e-7
    )
    assert triplet_error(fitted, planted) < 0.35  # the answers themselves are noisy
    assert cross_validate(method(), planted).error < 0.4
    assert not fitted.stopped_


@every_method
def test_takes_a_plain_array_and_leaves_it_alone(method, planted):
    rows = planted.rows.astype(np.int64)
    before = rows.copy()
    assert np.array_equal(method().fit(rows).kernel_, method().fit(planted).kernel_)
    assert np.array_equal(rows, before)


@every_method
def test_the_order_of_answers_does_not_matter(method, planted):
    order = np.random.default_rng(0).permutation(len(planted))
    other = method().fit(planted.take(order)).kernel_
    assert np.allclose(other, method().fit(planted).kernel_, atol=1e-2)


@every_method
def test_parameters_are_checked_and_reach_the_computation(method, planted):
    usual = method().fit(planted).kernel_
    others = {
        "reduce_diagonal": False, "basis": STE(n_components=3), "bandwidth": 0.3,
        "n_estimators": 20, "leaf_size": 5, "seed": 1,
    }
    for parameter in parameters(method):
        changed = method(**{parameter.name: others[parameter.name]}).fit(planted).kernel_
        assert not np.array_equal(changed, usual), f"{parameter.name} does not matter"
        wrong = -1 if isinstance(parameter.spec, Number) else "nonsense"
        with pytest.raises(ValueError, match=f"{parameter.name} of"):
            method(**{parameter.name: wrong}).fit(planted)


@every_method
@pytest.mark.parametrize("name", data_of_every_kind())
def test_hostile_data_gives_a_finite_kernel(method, name):
    triplets = data_of_every_kind()[name]
    fitted = method().fit(triplets)
    assert np.isfinite(fitted.kernel_).all()
    assert np.isfinite(fitted.distances()).all()
    assert 0 <= fitted.score(triplets) <= 1


@every_method
def test_objects_without_answers_are_not_placed(method):
    fitted = method().fit(data_of_every_kind()["an object never asked about"])
    assert fitted.placed_.tolist() == [True] * 8 + [False] * 2
    assert not fitted.kernel_[8:].any()


@every_method
@pytest.mark.parametrize(
    "nothing", [Triplets.from_array([]), Triplets.from_array([[0, 1, 2]], weight=[0.0])],
    ids=["no answers", "no weight"],
)
def test_nothing_to_learn_from_is_said(method, nothing):
    with pytest.raises(DataError, match="no answers to learn from"):
        method().fit(nothing)


@every_method
def test_a_run_brings_it_back(method, planted):
    fitted, found = method().fit(planted), run("fit", method(), planted)
    json.dumps([found.numbers, found.parameters])
    assert all(isinstance(array, np.ndarray) for array in found.arrays.values())
    assert np.array_equal(found.fitted().kernel_, fitted.kernel_)
    assert np.array_equal(found.fitted().placed_, fitted.placed_)


def test_features_come_back_from_a_run_too(monkeypatch):
    rows = landmark_questions(40, [0, 1, 2], "k1")
    found = run("fit", K1(), Triplets.from_array(rows, 40))
    assert found.arrays["features_"].shape == (40, 3)
    assert np.array_equal(found.fitted().kernel_, K1().fit(rows).kernel_)


def test_too_many_objects_for_a_matrix_is_said(monkeypatch):
    monkeypatch.setattr(kernel_module, "MOST_IN_A_MATRIX", 30)
    rows = landmark_questions(40, [0, 1, 2, 3], "k1")
    fitted = K1().fit(rows)  # keeps its features
    assert np.isfinite(fitted.margins(rows)).all()
    with pytest.raises(DataError, match="All similarities of 40 objects"):
        fitted.distances()
    with pytest.raises(DataError, match="landmark design"):
        K1().fit(random_questions(40, 3000, np.random.default_rng(0)))


# The Gaussian kernel --------------------------------------------------------------------------


def test_gaussian_of_comparisons_of_pairs():
    """The map is all that it needs, and comparisons of pairs have one."""
    rng = np.random.default_rng(0)
    pairs = Quadruples([rng.permutation(8)[:4] for _ in range(60)])
    positions = DEFAULT_EMBEDDING().fit(pairs).embedding_
    expected = GaussianKernel().fit_positions(positions).kernel_
    assert np.array_equal(GaussianKernel().fit(pairs).kernel_, expected)
    assert np.array_equal(GaussianKernel().fit(pairs.rows).kernel_, expected)


def test_gaussian_of_positions():
    positions = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    fitted = GaussianKernel(bandwidth=2.0).fit_positions(positions)
    assert fitted.kernel_[0, 1] == pytest.approx(np.exp(-25 / 8))
    assert not fitted.stopped_
    automatic = GaussianKernel().fit_positions(positions)
    assert automatic.bandwidth_ == pytest.approx(np.sqrt(18))  # of 1, sqrt(18) and 5
    assert np.array_equal(GaussianKernel().fit_positions(np.zeros((3, 1))).kernel_, np.ones((3, 3)))
    with pytest.raises(DataError, match="finite numbers"):
        GaussianKernel().fit_positions([[np.nan, 1.0]])


# Landmarks ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["k1", "k2"])
def test_a_design_asks_every_question_once_and_is_recognised(kernel):
    landmarks = choose_landmarks(20, 5, np.random.default_rng(0))
    assert len(set(landmarks.tolist())) == 5
    rows = landmark_questions(20, landmarks, kernel)
    triplets = Triplets.from_array(rows, 20)
    assert len(np.unique(triplets.questions)) == len(rows)
    wanted = {
        (x, *sorted(pair))
        for x in range(20) for a in landmarks.tolist() for b in range(20)
        for pair in [(a, b)]
        if len({x, a, b}) == 3 and (b in landmarks if kernel == "k1" else x in landmarks)
    }
    assert {(x, *sorted(pair)) for x, *pair in rows.tolist()} == wanted
    design = next(d for d in recognise(triplets) if d.kernel == kernel)
    assert np.array_equal(design.landmarks, landmarks)
    assert design.n_asked == design.n_possible == len(rows)
    half = next(d for d in recognise(triplets.take(np.arange(0, len(rows), 2))))
    assert half.n_asked < half.n_possible == len(rows)


def test_random_questions_follow_no_design(planted):
    assert recognise(planted) == []
    with pytest.raises(ValueError, match="'k3'"):
        landmark_questions(5, [0, 1], "k3")


def test_landmark_answers_show_planted_groups():
    rng = np.random.default_rng(0)
    positions = rng.normal(size=(60, 2)) + np.repeat([[0, 0], [8, 0]], 30, axis=0)
    for method in (K1, K2):
        questions = landmark_questions(60, choose_landmarks(60, 8, rng), method.name)
        kernel = method().fit(answer(positions, questions, rng)).kernel_
        assert kernel[:30, :30].mean() > kernel[:30, 30:].mean() + 0.3


def test_landmarks_are_different_objects():
    assert choose_landmarks(12, 12, np.random.default_rng(0)).tolist() == list(range(12))


def test_objects_that_nobody_was_asked_about_are_no_part_of_a_design():
    rows = landmark_questions(8, [1, 4, 6], "k1")
    asked, more = (Triplets.from_array(rows, n) for n in (8, 30))
    one, other = (next(d for d in recognise(t) if d.kernel == "k1") for t in (asked, more))
    assert one.n_possible == other.n_possible == len(rows)


@pytest.mark.parametrize("design", ["k1", "k2"])
@pytest.mark.parametrize("method", [GNMDS, TSTE])
def test_embeddings_find_groups_in_landmark_answers_too(method, design):
    """Not as Kleindessner & von Luxburg have it, whose GNMDS was no better than random."""
    rng = np.random.default_rng(0)
    side = np.repeat([0, 1], 30)
    positions = rng.normal(size=(60, 2)) + np.array([[0, 0], [5, 0]])[side]
    questions = landmark_questions(60, choose_landmarks(60, 8, rng), design)
    asked = rng.permutation(questions)[: 60 * 15]
    found = method(n_init=1).fit(Triplets.from_array(answer(positions, asked, rng), 60))
    groups = KMeans(2, n_init=5, random_state=0).fit_predict(found.embedding_)
    assert max(np.mean(groups == side), np.mean(groups != side)) > 0.8
