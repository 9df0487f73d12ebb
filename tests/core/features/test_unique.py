"""What predictors add to each other, where it is known."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.features.spaces import FeatureSpace
from tripletscope.core.features.unique import unique_parts
from tripletscope.core.models.simulation.simulate import simulate

RNG = np.random.default_rng(7)
SEEN = RNG.normal(size=(30, 2)) * 1.5
OBJECTS, TRIALS = range(2)


@pytest.fixture(scope="module")
def answers():
    return simulate(SEEN, 2000, noise="logistic", seed=1)


@pytest.fixture(scope="module")
def found(answers):
    return unique_parts([
        FeatureSpace(name="first", values=SEEN[:, :1]),
        FeatureSpace(name="again", values=SEEN[:, :1] + RNG.normal(size=(30, 1)) * 0.05),
        FeatureSpace(name="second", values=SEEN[:, 1:]),
        FeatureSpace(name="nothing", values=RNG.normal(size=(30, 1))),
    ], answers)


def test_only_what_nothing_else_tells_is_unique(found):
    assert found.adds[2].all()
    assert not found.adds[[1, 3]].any()
    assert (found.unique.value[0] < 0.02).all()
    assert (found.alone.value[0] > 0.2).all()
    assert (found.unique.value[2] > 0.2).all()


def test_two_measures_of_one_thing_have_it_in_common(found):
    both = (found.subsets == [True, True, False, False]).all(axis=1)
    assert (found.common.low[both] > 0.2).all()


def test_common_parts_add_up_to_the_total(found):
    np.testing.assert_allclose(found.common.value.sum(axis=0), found.total.value)
    np.testing.assert_allclose(
        found.joint.value, found.total.value - found.unique.value.sum(axis=0)
    )
    single = [2**i - 1 for i in range(4)]
    np.testing.assert_allclose(found.common.value[single], found.unique.value)
    np.testing.assert_allclose(found.explained[single], found.alone.value)
    np.testing.assert_allclose(found.explained[-1], found.total.value)
    assert found.common.value.shape == (15, 2)
    assert len(found.table) == 2 * 4


def test_accuracy_falls_without_what_is_unique(found):
    assert (found.accuracy_unique.low[2] > 0.05).all()
    assert (found.accuracy > found.accuracy_alone).all()


def test_columns_of_one_table_are_predictors(answers):
    space = FeatureSpace(name="ratings", values=np.column_stack([SEEN, RNG.normal(size=30)]))
    found = unique_parts(space, answers)
    assert found.predictors == ["ratings 1", "ratings 2", "ratings 3"]
    assert found.adds[:, TRIALS].tolist() == [True, True, False]


def test_several_spaces_are_predictors_as_wholes(answers):
    spaces = [
        FeatureSpace(name="both", values=SEEN), FeatureSpace(name="one", values=SEEN[:, :1])
    ]
    assert unique_parts(spaces, answers, folds=2).predictors == ["both", "one"]
    found = unique_parts(spaces, answers, folds=2, predictors="features")
    assert found.predictors == ["both 1", "both 2", "one"]


def test_one_predictor_or_too_many_are_refused(answers):
    with pytest.raises(DataError, match="7 predictors cannot be partitioned"):
        unique_parts(FeatureSpace(name="x", values=RNG.normal(size=(30, 7))), answers)
    with pytest.raises(DataError, match="1 predictors"):
        unique_parts(
            FeatureSpace(name="x", values=SEEN), answers, predictors="spaces"
        )


def test_too_few_objects_leave_the_trials():
    few = simulate(SEEN[:10], 500, noise="logistic", seed=0)
    found = unique_parts(FeatureSpace(name="x", values=SEEN[:10]), few)
    assert np.isnan(found.unique.value[:, OBJECTS]).all()
    assert np.isfinite(found.unique.value[:, TRIALS]).all()
    assert found.n_choices.tolist() == [0, 500]
    assert set(found.table["held_out"]) == {"trials"}
