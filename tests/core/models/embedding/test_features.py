"""Features of objects in the place of a map."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.run import key, run
from tripletscope.core.similarity.kernels.space import space_of


@pytest.fixture
def measured() -> Triplets:
    rng = np.random.default_rng(0)
    objects = pd.DataFrame({
        "id": [f"o{k}" for k in range(40)], "width": rng.normal(size=40),
        "height": 100 * rng.normal(size=40), "kind": ["a", "b"] * 20,
    })
    objects["response"] = objects["width"] ** 2
    return Triplets(np.zeros((0, 3), dtype=int), objects)


def test_objects_lie_where_their_features_put_them(measured):
    plain = ColumnMap(columns=["width", "height"], standardise=False).fit(measured)
    expected = measured.objects[["width", "height"]].to_numpy()
    assert np.array_equal(plain.embedding_, expected)
    assert plain.distances()[0, 1] == pytest.approx(np.linalg.norm(expected[0] - expected[1]))
    standardised = ColumnMap(columns=["width", "height"]).fit(measured).embedding_
    assert np.allclose(standardised.std(axis=0), 1)
    assert np.allclose(standardised.mean(axis=0), 0)


def test_who_lacks_a_number_has_no_place_and_a_constant_changes_nothing(measured):
    objects = measured.objects.assign(same=3)
    objects.loc[4, "width"] = np.nan
    fitted = ColumnMap(columns=["width", "same"]).fit(measured.with_objects(objects))
    space = space_of(fitted)
    assert 4 not in space.objects
    assert len(space) == 39
    assert np.isfinite(fitted.distances()).all()
    assert not fitted.embedding_[:, 1].any()


@pytest.mark.parametrize(("columns", "message"), [
    (["length"], "no column 'length'"), (["width", "kind"], "'kind' does not hold numbers"),
    (["empty"], "fewer than two objects"),
])
def test_columns_that_are_no_features_are_refused(measured, columns, message):
    objects = measured.objects.assign(empty=np.nan)
    with pytest.raises(DataError, match=message):
        ColumnMap(columns=columns).fit(measured.with_objects(objects))


def test_columns_are_a_list_of_names(measured):
    for wrong in ([], "width", [1]):
        with pytest.raises(ValueError, match="must be a list of names of columns"):
            ColumnMap(columns=wrong).fit(measured)


def test_results_depend_on_the_columns_that_are_named_and_on_no_others(measured):
    method = ColumnMap(columns=["width"])
    before = key("fit", method, measured)
    other = measured.with_objects(measured.objects.assign(height=0.0))
    changed = measured.with_objects(measured.objects.assign(width=0.0))
    assert key("fit", method, other) == before != key("fit", method, changed)
    assert key("fit", ColumnMap(columns=["width"], standardise=False), measured) != before


def test_forests_and_searches_work_on_features(measured):
    method = ColumnMap(columns=["width"])
    found = run("predict_column", method, measured, {"column": "response", "kind": "numbers"})
    errors = found.result()
    gain, reach = errors.gain(*errors.best)
    assert gain > reach
    assert "CART forest" in errors.peers
    curve = run("search_curve", method, measured, {"n_trees": 2, "folds": 2}).result()
    assert {*curve.trees} == {"Comparison tree", "2 comparison trees"}
    assert found.fresh().get_params() == method.get_params()
