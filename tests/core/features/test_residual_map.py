"""What features leave over, where one dimension is missing in them, or none."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.models import _FEW_OBJECTS, choices_about
from tripletscope.core.features.residual_map import PARTS, _fit, residual_map
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.models.simulation.simulate import simulate

SEEN = np.random.default_rng(0).normal(size=(30, 3)) * 1.5
FEATURES, WITH_MAP, ALONE = range(3)


@pytest.fixture(scope="module")
def answers():
    return simulate(SEEN, 2000, noise="logistic", seed=0)


def test_a_missing_dimension_is_found(answers):
    space = FeatureSpace(name="known", values=SEEN[:, :2])
    found = residual_map(space, answers, n_components=1, folds=3)
    assert abs(np.corrcoef(found.embedding[:, 0], SEEN[:, 2])[0, 1]) > 0.97
    assert found.is_something
    explained = found.explained.value
    assert found.gain.value == pytest.approx(explained[WITH_MAP] - explained[FEATURES])
    assert found.beyond.low > 0
    assert found.accuracy.value[WITH_MAP] > found.accuracy.value[FEATURES] + 0.05
    assert found.predictors == ["known 1", "known 2"]
    np.testing.assert_allclose(found.weights, 1.0, atol=0.25)


def test_complete_features_leave_nothing_over(answers):
    found = residual_map(FeatureSpace(name="all", values=SEEN), answers, n_components=1, folds=3)
    assert not found.is_something
    assert found.gain.value < 0.01
    assert found.table["predicts"].tolist() == list(PARTS)


def test_objects_without_features_are_not_placed(answers):
    values = SEEN[:, :2].copy()
    values[3] = np.nan
    found = residual_map(FeatureSpace(name="some", values=values), answers, n_components=1, folds=2)
    assert found.placed.tolist() == [k != 3 for k in range(30)]
    assert found.embedding[3] == 0


def test_many_objects_are_fitted_the_same_way(answers, monkeypatch):
    sets = choices_about(answers, np.ones(30, dtype=bool))
    parts = FeatureSpace(name="known", values=SEEN[:, :2]).apart(sets.distinct)[:, None]
    settings = sets, parts, np.ones(len(sets), dtype=bool), 30, 1, 1.0, bool
    few = _fit(*settings)[1]
    assert _FEW_OBJECTS > 30
    monkeypatch.setattr("tripletscope.core.features.models._FEW_OBJECTS", 10)
    many = _fit(*settings)[1]
    np.testing.assert_allclose(np.abs(many), np.abs(few), atol=0.02)


def test_more_dimensions_than_objects_are_refused():
    answers = simulate(np.eye(3), 60, noise="logistic", seed=0)
    features = FeatureSpace(name="some", values=np.arange(3.0)[:, None])
    with pytest.raises(DataError, match="cannot have 10 dimensions"):
        residual_map(features, answers, n_components=10)
