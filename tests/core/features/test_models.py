"""Gradients, and what penalties of the models pull to."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from scipy.optimize import check_grad

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features import models
from tripletscope.core.features.models import (
    MODELS,
    choices_about,
    combine,
    laplacian,
    log_likelihood,
    mean_loss,
    right,
)
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate

RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=(20, 5))
KNOWN = np.ones(20, dtype=bool)


@pytest.fixture(scope="module")
def sets():
    return choices_about(simulate(VALUES[:, :2], 600, noise="logistic", seed=0), KNOWN)


@pytest.fixture
def space():
    return FeatureSpace(name="x", values=VALUES)


def _part_of(function, k):
    return lambda *arguments: function(*arguments)[k]


def test_gradients(sets):
    apart = RNG.normal(size=len(sets.distinct))
    by_pair = partial(mean_loss, sets)
    assert check_grad(lambda d: by_pair(d)[0], lambda d: by_pair(d)[1], apart) < 1e-5
    left = np.abs(RNG.normal(size=len(sets.distinct)))
    at = RNG.normal(size=25)
    for of_products in (False, True):
        transform = models._transform_loss(sets, VALUES / 2, left, 0.1, of_products=of_products)
        assert check_grad(*(_part_of(transform, k) for k in range(2)), at) < 1e-4
    # In single precision steps must be longer.
    weights = models._weights_loss(sets, RNG.normal(size=(len(sets.distinct), 5)), 0.1)
    at = RNG.normal(size=5)
    assert check_grad(lambda v: weights(v)[0], lambda v: weights(v)[1], at, epsilon=1e-3) < 0.01


def test_sums_over_pairs_are_a_quadratic_form(monkeypatch):
    i, j = np.triu_indices(20, 1)
    pull, x = RNG.normal(size=len(i)), RNG.normal(size=20)
    for most in (0, 400):
        monkeypatch.setattr(models, "_FEW_OBJECTS", most)
        found = x @ (laplacian(pull, i, j, 20) @ x)
        assert found == pytest.approx(pull @ (x[i] - x[j]) ** 2)


@pytest.mark.parametrize("metric", ["euclidean", "product"])
@pytest.mark.parametrize("name", ["weighted", "linear"])
def test_the_strongest_penalty_leaves_distances_as_they_are(name, metric, sets):
    space = FeatureSpace(name="x", values=VALUES, metric=metric)
    model, raw = (MODELS[one](space, np.arange(20), 50) for one in (name, "raw"))
    found = model.log_odds(next(model.path(sets, [1e-4])), sets.distinct)
    expected = raw.log_odds(next(raw.path(sets, [0.0])), sets.distinct)
    assert np.corrcoef(found, expected)[0, 1] > 0.9999
    loose = model.log_odds(list(model.path(sets, model.strengths))[-1], sets.distinct)
    assert log_likelihood(sets, loose).mean() > log_likelihood(sets, found).mean() + 0.1


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "product"])
def test_components_that_are_cut_off_stay_as_they_are(metric, sets):
    space = FeatureSpace(name="x", values=VALUES, metric=metric)
    few, whole = (MODELS["linear"](space, np.arange(20), p) for p in (2, 50))
    one, other = (m.log_odds(next(m.path(sets, [1e-4])), sets.distinct) for m in (few, whole))
    np.testing.assert_allclose(one, other, rtol=0.02)


@pytest.mark.parametrize("metric", ["euclidean", "product"])
def test_weights_of_many_columns_are_those_of_components(metric, sets, monkeypatch):
    monkeypatch.setattr(models, "MOST_WEIGHTS", 3)
    space = FeatureSpace(name="x", values=VALUES, metric=metric)
    model = MODELS["weighted"](space, np.arange(20), 50)
    weights = next(model.path(sets, [1e-4]))
    assert weights.shape == (4,)
    np.testing.assert_allclose(
        model.log_odds(weights, sets.distinct) / weights.mean(), space.apart(sets.distinct),
        rtol=0.02,
    )


def test_city_block_has_weights_but_no_transform(sets):
    space = FeatureSpace(name="x", values=VALUES, metric="cityblock")
    assert MODELS["weighted"].fits(space)
    assert not MODELS["linear"].fits(space)
    assert not MODELS["weighted"].fits(FeatureSpace(name="x", distances=space.dissimilarities()))


def test_a_scale_that_is_planted_is_found():
    answers = simulate(VALUES[:, :2] * 2**0.5, 8000, noise="logistic", seed=1)
    sets = choices_about(answers, KNOWN)
    space = FeatureSpace(name="x", values=VALUES[:, :2])
    assert combine(sets, space.apart(sets.distinct)[:, None])[0] == pytest.approx(2, rel=0.1)


def test_ties_are_guessed():
    sets = choices_about(Triplets.from_array([[0, 1, 2], [1, 2, 0]]), np.ones(3, dtype=bool))
    assert right(sets, np.zeros(3)).tolist() == [0.5, 0.5]
    assert log_likelihood(sets, np.zeros(3)) == pytest.approx(np.log([0.5, 0.5]))


def test_several_that_were_chosen_are_one_choice():
    rows = [[0, near, far] for near in (1, 2) for far in (3, 4, 5)]
    answers = Triplets.from_array(rows)
    table = answers.answers.assign(trial=1)
    sets = choices_about(Triplets(rows, answers.objects, table), np.ones(6, dtype=bool))
    assert sets.n_shown.tolist() == [5]
    assert sets.distinct[sets.place[:2]].tolist() == [[0, 1], [0, 2]]
    weights = np.exp([1.0, 0.5, 0.2, 0.1, 0.0])
    total = weights.sum()
    both = weights[0] * weights[1] / total * (
        1 / (total - weights[0]) + 1 / (total - weights[1])
    )
    assert log_likelihood(sets, -np.log(weights)) == pytest.approx([np.log(both)])
    assert right(sets, -np.log(weights)) == [1.0]
    assert right(sets, np.zeros(5)) == pytest.approx([1 / 10])
    assert right(sets, np.array([0.0, 1.0, 1.0, 1.0, 2.0])) == pytest.approx([1 / 3])
    assert sets.among(np.arange(6) < 5).tolist() == [False]


def test_parts_of_many_columns_are_the_same_whatever_is_compared_at_a_time(monkeypatch):
    monkeypatch.setattr(models, "MOST_WEIGHTS", 5)
    x = np.random.default_rng(0).normal(size=(40, 12))
    pairs = np.random.default_rng(1).integers(40, size=(300, 2))
    space = FeatureSpace(name="wide", values=x)
    whole = models.WeightedDimensions(space, np.arange(40), 5)._parts(pairs)
    monkeypatch.setattr(models, "_PAIRS", 7)
    np.testing.assert_array_equal(
        whole, models.WeightedDimensions(space, np.arange(40), 5)._parts(pairs))
    np.testing.assert_allclose(whole.sum(axis=1), space.apart(pairs), rtol=1e-4)
