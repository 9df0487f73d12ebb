"""Planted context and asymmetry are seen, and a Euclidean map is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad
from scipy.spatial.distance import pdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.dimensions.simulated import simulate_choices
from tripletscope.core.inference.evaluation import context_effects as effects
from tripletscope.core.inference.evaluation.context_effects import context_effects
from tripletscope.core.models.embedding.soe import SOE
from tripletscope.core.models.embedding.ste import STE
from tripletscope.core.models.simulation.simulate import random_questions

#: Data sets of which at most one may be taken for what it is not: the level is 5 %.
NULL, ALARMS = 5, 1


def observed(name: str, n_answers: int, seed: int, *, c=0.0, bias=0.0) -> Triplets:
    """Answers with context or without, by STE's response function."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(14, 2))
    rows = random_questions(14, n_answers, rng)
    choices = Triplets.from_array(rows, 14).choices
    liking = -effects._squares(name, x, c, choices).values.reshape(-1, 2)
    liking += (bias * rng.normal(size=14))[rows[:, 1:]]
    turned = rng.random(n_answers) > 1 / (1 + np.exp(liking[:, 1] - liking[:, 0]))
    rows[turned, 1:] = rows[turned, :0:-1]
    return Triplets.from_array(rows, 14)


def surely(*args, **kwargs) -> list[str]:
    return context_effects(STE(n_init=1), observed(*args, **kwargs), folds=3).surely


def test_euclidean_answers_are_left_alone():
    found = [surely("euclidean", 300, seed) for seed in range(NULL)]
    assert sum(map(bool, found)) < ALARMS


def test_where_the_map_only_guesses_nothing_is_surely_better():
    rows = random_questions(14, 200, np.random.default_rng(0))
    result = context_effects(STE(n_init=1), Triplets.from_array(rows, 14), folds=2)
    assert not result.predicts
    assert result.surely == []


def test_planted_context_is_seen():
    assert "context" in surely("context", 3000, 2, c=0.9)


def test_a_bias_towards_options_is_seen_and_measured():
    answers = observed("euclidean", 2000, 1, bias=0.7)
    result = context_effects(STE(n_init=1), answers, folds=2)
    assert result.models[int(result.gain.argmax())] == "asymmetry"
    assert "asymmetry" in result.surely
    rng = np.random.default_rng(1)
    rng.normal(size=(14, 2))
    random_questions(14, 2000, rng)
    assert np.corrcoef(result.bias, rng.normal(size=14))[0, 1] > 0.8


def test_odd_ones_out_have_no_anchor():
    answers = simulate_choices(np.random.default_rng(0).random((12, 3)) * 2, 200, seed=0)
    result = context_effects(STE(n_init=1), answers, folds=2)
    assert result.models == ["context"]
    assert "anchor" in result.notes[0]


@pytest.mark.parametrize("name", ["euclidean", "context"])
def test_derivatives(name):
    rng = np.random.default_rng(0)
    choices = Triplets.from_array(random_questions(6, 40, rng), 6).choices
    pull = rng.normal(size=len(choices.pairs))

    def value(flat: np.ndarray) -> float:
        return float(pull @ at(flat).values)

    def at(flat: np.ndarray) -> effects._Squares:
        return effects._squares(name, flat[:-1].reshape(6, 3), flat[-1], choices)

    def gradient(flat: np.ndarray) -> np.ndarray:
        by_x, by_c = at(flat).back(pull)
        return np.append(by_x.ravel(), by_c)

    assert check_grad(value, gradient, np.append(rng.normal(size=18), 0.3)) < 1e-4


def test_without_a_weight_context_has_the_usual_distances():
    x = np.array([[0.0, 0.0], [0.3, 0.4], [1.0, -2.0]])
    choices = Triplets.from_array([[0, 1, 2]]).choices
    found = effects._squares("context", x, 0.0, choices).values
    np.testing.assert_allclose(found, pdist(x, "sqeuclidean")[:2])


def test_pairs_of_four_objects_tell_of_neither():
    rows = np.array([np.random.default_rng(seed).permutation(14)[:4] for seed in range(100)])
    with pytest.raises(DataError, match="neither of context nor of asymmetry"):
        context_effects(STE(), Quadruples(rows))


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match="likelihood"):
        context_effects(SOE(), observed("euclidean", 100, 0))
    with pytest.raises(ValueError, match="two dimensions"):
        context_effects(STE(n_components=1), observed("euclidean", 100, 0))
    with pytest.raises(DataError, match="50 are needed"):
        context_effects(STE(), observed("euclidean", 30, 0))
