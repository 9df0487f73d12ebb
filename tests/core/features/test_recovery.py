"""Feature spaces that gave simulated answers are recovered, or are not, as planted."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features.explain import explain
from tripletscope.core.features.recovery import drawn_choices, recover_spaces
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate

SEEN = np.random.default_rng(3).normal(size=(24, 2)) * 1.5
ONE, OTHER = (FeatureSpace(name=name, values=SEEN[:, [k]]) for k, name in enumerate("ab"))


@pytest.fixture(scope="module")
def answers():
    return simulate(SEEN, 500, noise="logistic", seed=1)


def test_spaces_that_share_nothing_are_recovered(answers):
    result = recover_spaces(
        [ONE, OTHER], answers, model="raw", repeats=10, object_folds=2, folds=2,
    )
    assert result.confused == []
    assert np.diag(result.best).min() > 0.95
    assert result.needed[0, 1] < result.n_choices


def test_one_space_under_two_names_is_not_recovered(answers):
    twin = FeatureSpace(name="twin", values=SEEN[:, [0]] * 2)
    result = recover_spaces(
        [ONE, twin, OTHER], answers, model="raw", repeats=10, object_folds=2, folds=2,
    )
    assert result.confused == [(0, 1)]
    np.testing.assert_allclose(result.wins[0, 1], 0.5)
    assert np.isnan(result.needed[0, 1])


def test_the_matrix_is_that_of_another_simulation(answers):
    """Answers drawn by hand from a fitted scale, and predicted by the page Accuracy."""
    near = FeatureSpace(name="near", values=SEEN[:, [0]] + 0.6 * SEEN[::-1, [1]])
    result = recover_spaces(
        [ONE, near], answers, model="raw", repeats=60, object_folds=2, folds=2,
    )
    d = np.square(SEEN[answers.rows[:, :1], 0] - SEEN[answers.rows[:, 1:], 0])
    scale = fitted_scale(d)
    rng, ahead = np.random.default_rng(0), []
    for _ in range(60):
        rows = answers.rows.copy()
        turned = rng.random(len(rows)) > 1 / (1 + np.exp(scale * (d[:, 0] - d[:, 1])))
        rows[turned, 1:] = rows[turned, :0:-1]
        found = explain([ONE, near], Triplets.from_array(rows), object_folds=2, folds=2)
        one, other = found.accuracy.value[:, 0, 1]
        ahead.append(one - other)
    error = 3 * np.hypot(np.std(ahead), result.spread[0, 1]) / np.sqrt(60)
    assert abs(np.mean(ahead) - result.ahead[0, 1]) < error
    assert 0.6 < np.std(ahead) / result.spread[0, 1] < 1.6


def fitted_scale(d: np.ndarray) -> float:
    """Of the logistic model whose answers are all of the first of two distances (T, 2)."""
    scales = np.linspace(0, 2, 2001)
    return scales[np.argmin([np.logaddexp(0, s * (d[:, 0] - d[:, 1])).sum() for s in scales])]


def test_choices_are_drawn_as_the_likelihood_says():
    triple = np.tile([0, 1, 2], (4000, 1))
    choices = Triplets.from_array(triple).choices
    drawn = drawn_choices(choices, np.array([0.0, 1.0]), np.random.default_rng(0))
    first = (drawn.pairs[drawn.bounds[:-1]] == [0, 1]).all(axis=1).mean()
    assert abs(first - 1 / (1 + np.exp(-1))) < 0.025


def test_one_space_has_no_rival(answers):
    with pytest.raises(DataError, match="only one feature space"):
        recover_spaces(ONE, answers)
