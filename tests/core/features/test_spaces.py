"""Feature spaces: what they hold, how rows find their objects, and distances."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.features import spaces
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.features.spaces import METRICS, FeatureSpace
from tripletscope.core.run import key, run

VALUES = np.random.default_rng(0).normal(size=(8, 3))
PAIRS = np.array([(i, j) for i in range(8) for j in range(i + 1, 8)])


OF_SCIPY = [metric for metric in METRICS if metric != "product"]


@pytest.mark.parametrize("metric", OF_SCIPY)
def test_distances_are_those_of_scipy(metric):
    space = FeatureSpace(name="x", values=VALUES, metric=metric)
    np.testing.assert_allclose(space.dissimilarities(), cdist(VALUES, VALUES, metric), atol=1e-12)


def test_rows_named_as_pages_show_the_objects_are_found():
    """Names of pictures are shown without their ending, and were refused so."""
    objects = pd.DataFrame({"id": ["a.jpg", "b.jpg", "c.jpg"], "label": ["a", "b", "c"]})
    answers = Triplets([[0, 1, 2]], objects)
    table = pd.DataFrame({"id": ["c", "a", "b"], "size": [3.0, 1.0, 2.0]})
    for given in (table, table.set_index("id"), table.assign(id=table["id"] + ".jpg")):
        assert FeatureSpace.of(given, answers).values.ravel().tolist() == [1, 2, 3]
    with pytest.raises(DataError, match="fewer than three objects"):
        FeatureSpace.of(table.assign(id=["x", "y", "z"]), answers)


def test_inner_products_count_from_the_most_alike():
    values = VALUES.copy()
    values[2, 1] = np.nan
    space = FeatureSpace(name="x", values=values, metric="product")
    known = np.flatnonzero(space.known)
    products = (VALUES @ VALUES.T)[np.ix_(known, known)]
    one, other = np.triu_indices(len(known), 1)
    apart = space.dissimilarities()
    assert np.isnan(apart[2, 0])
    assert (np.diagonal(apart) == 0).all()
    np.testing.assert_allclose(
        apart[known[one], known[other]], products[one, other].max() - products[one, other]
    )
    pairs = np.column_stack([known[one], known[other]])
    np.testing.assert_allclose(space.apart(pairs), -products[one, other])
    np.testing.assert_allclose(space.parts(pairs).sum(axis=1), -products[one, other])


def test_products_fitted_to_answers_are_distances_from_nought():
    values = np.abs(VALUES)
    answers = Triplets.from_array([[0, 1, 2], [3, 4, 5], [5, 6, 7], [1, 2, 3]])
    fitted = FeatureModel.of(FeatureSpace(name="x", values=values, metric="product")).fit(answers)
    apart = fitted.distances()
    assert apart.min() == 0
    i, j = np.triu_indices(8, 1)
    against = -(values @ values.T)[i, j] * fitted.weights_[0]
    np.testing.assert_allclose(apart[i, j] - apart[0, 1], against - against[0], atol=1e-12)


@pytest.mark.parametrize("metric", OF_SCIPY)
def test_columns_add_up_to_what_models_weight(metric):
    space = FeatureSpace(name="x", values=VALUES, metric=metric)
    expected = cdist(VALUES, VALUES, "sqeuclidean" if metric == "euclidean" else metric)
    expected = expected[PAIRS[:, 0], PAIRS[:, 1]]
    np.testing.assert_allclose(space.apart(PAIRS), expected, atol=1e-12)
    np.testing.assert_allclose(space.parts(PAIRS).sum(axis=1), expected, atol=1e-12)


def test_standardised_columns_weigh_alike():
    large = VALUES * [1.0, 10.0, 1000.0] + 5
    one, other = (
        FeatureSpace(name="x", values=values, standardise=True) for values in (VALUES, large)
    )
    np.testing.assert_allclose(one.dissimilarities(), other.dissimilarities())


def test_objects_without_features_are_known_to_have_none():
    values = VALUES.copy()
    values[2, 1] = np.nan
    space = FeatureSpace(name="x", values=values)
    assert space.known.tolist() == [True, True, False] + [True] * 5
    apart = space.dissimilarities()
    assert np.isnan(apart[2, [0, 1, 3]]).all()
    assert not np.isnan(apart[0, [1, 3]]).any()
    given = FeatureSpace(name="x", distances=apart)
    assert given.known.tolist() == space.known.tolist()
    np.testing.assert_array_equal(given.dissimilarities()[0], apart[0])


def test_rows_find_their_objects_by_id_by_index_or_by_order():
    answers = Triplets.from_array([[0, 1, 2]], ids=["a", "b", "c"])
    table = pd.DataFrame({"id": ["c", "x", "a", "b"], "size": [3, 9, 1, 2], "kind": list("pqrs")})
    for given in (table, table.set_index("id"), pd.DataFrame({"size": [1, 2, 3]}), [1, 2, 3]):
        space = FeatureSpace.of(given, answers)
        assert space.values.ravel().tolist() == [1, 2, 3]
    assert FeatureSpace.of(table, answers).feature_names == ["size"]
    answers = Triplets.from_array([[0, 1, 2]], ids=["a", "b", "c", "d"])
    assert np.isnan(FeatureSpace.of(table, answers).values[3, 0])
    with pytest.raises(DataError, match="3 rows are not one for each of 4 objects"):
        FeatureSpace.of([1, 2, 3], answers)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"distances": np.ones((3, 2))}, "no distances"),
        ({"distances": [[0, 1, 2], [1, 0, 3], [2, 4, 0]]}, "no distances"),
        ({"distances": [[0, 1, 2], [1, 0, np.nan], [2, np.nan, 0]]}, "no distances"),
        ({"values": [[1.0], [np.nan], [2.0]]}, "fewer than three objects"),
        ({"values": [["a"], ["b"], ["c"]]}, "some cells are not numbers"),
        ({"values": VALUES, "feature_names": ["a", "b", "a"]}, "2 different names"),
    ],
)
def test_what_is_no_table_of_features_is_refused(given, says):
    with pytest.raises(DataError, match=says):
        FeatureSpace(name="x", **given)


def test_either_values_or_distances_are_needed():
    with pytest.raises(ValueError, match="either values or distances"):
        FeatureSpace(name="x")


def test_keys_tell_contents_apart(planted):
    def made(**other) -> FeatureModel:
        values = np.random.default_rng(0).normal(size=(30, 2))
        return FeatureModel.of(FeatureSpace(**{"name": "x", "values": values, **other}))

    others = [
        made(), made(name="y"), made(metric="cosine"), made(standardise=True),
        made(values=np.random.default_rng(1).normal(size=(30, 2))),
    ]
    assert len({key("fit", method, planted) for method in others}) == len(others)
    assert key("fit", made(), planted) == key("fit", made(), planted)


def test_the_sum_of_spaces_that_fits_best_is_found_and_comes_back(planted, truth):
    noise = np.random.default_rng(0).normal(size=(30, 2))
    spaces = FeatureModel.of([
        FeatureSpace(name="truth", values=truth), FeatureSpace(name="noise", values=noise),
    ])
    fitted = FeatureModel.of(spaces.spaces).fit(planted)
    np.testing.assert_allclose(fitted.weights_, [1, 0], atol=0.1)
    found = run("fit", spaces, planted)
    np.testing.assert_array_equal(found.fitted().weights_, fitted.weights_)
    assert fitted.score(planted) > 0.8
    for lost in (lambda: found.fresh().fit(planted), lambda: found.fitted().score(planted)):
        with pytest.raises(DataError, match="the feature spaces themselves are not there"):
            lost()


def test_numbers_that_are_mapped_are_not_copied():
    mapped = VALUES.astype(np.float32)
    mapped.setflags(write=False)
    space = FeatureSpace(name="x", values=mapped)
    assert np.shares_memory(space.coordinates, mapped)
    double = FeatureSpace(name="x", values=VALUES)
    np.testing.assert_allclose(space.apart(PAIRS), double.apart(PAIRS), rtol=1e-5)


def test_the_numbers_of_a_user_are_copied():
    mine = VALUES.astype(np.float32)
    space = FeatureSpace(name="x", values=mine)
    mine[:] = 0
    np.testing.assert_array_equal(space.values, VALUES.astype(np.float32))


def test_pairs_are_compared_in_blocks(monkeypatch):
    space = FeatureSpace(name="x", values=VALUES, metric="cosine")
    whole = space.apart(PAIRS)
    monkeypatch.setattr(spaces, "_BLOCK", 15)
    np.testing.assert_array_equal(space.apart(PAIRS), whole)
    assert space.apart(PAIRS[:0]).shape == (0,)
