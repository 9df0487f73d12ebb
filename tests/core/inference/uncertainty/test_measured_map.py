"""Maps of what people measured, as results."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import tripletscope as ts
from tests.core.ratings.planted import points, rated
from tripletscope.core.inference.uncertainty.measured_map import nearest
from tripletscope.core.ratings import Piles, Ratings


@pytest.fixture(scope="module")
def given() -> Ratings:
    return Ratings(rated(points(9), 6))


def test_it_is_the_map_of_the_means_with_those_of_other_raters(given):
    method = ts.ratings.NMDS(seed=1)
    found = ts.ratings.map_measured(method, given, replicates=8)
    expected = ts.ratings.map_dissimilarities(method, given.dissimilarities(8), most=8)
    np.testing.assert_array_equal(found.embedding, expected.fitted.embedding_)
    np.testing.assert_array_equal(found.samples.covariances, expected.samples.covariances)
    assert (found.n_units, found.unit, found.repeated) == (6, "participants", True)
    assert found.chance.p == ts.ratings.permuted_stress(method, given).p
    assert found.ids.tolist() == given.ids


def test_neighbours_are_kept_by_loe_alone(given):
    found = ts.ratings.map_measured(ts.ratings.LOE(), given, neighbours=3)
    expected = ts.ratings.LOE().fit_graph(nearest(given.dissimilarities(0).mean, 3))
    np.testing.assert_array_equal(found.embedding, expected.embedding_)
    assert (found.neighbours, found.samples, found.chance, found.repeated) == (3, None, None, True)
    for method, options in ((ts.ratings.NMDS(), {"neighbours": 3}),
                            (ts.ratings.LOE(), {"weigh": True})):
        with pytest.raises(ValueError, match="LOE keeps neighbours"):
            ts.ratings.map_measured(method, given, **options)
    with pytest.raises(ValueError, match="nothing was measured"):
        ts.ratings.map_measured(ts.ratings.NMDS(), given.triplets())


def test_a_stopped_map_has_no_ellipses_and_no_test(given):
    found = ts.run("map_measured", ts.ratings.NMDS(), given,
                   progress=lambda done, **_: done >= 0.15)
    assert not found.complete
    result = found.result()
    assert (result.samples, result.chance, result.repeated) == (None, None, True)


def test_the_fingerprint_sees_what_was_judged():
    table = pd.DataFrame({"participant": ["p", "q"] * 4, "item": list("aabbccdd"),
                          "pile": ["1", "1", None, "2", "2", "2", "1", "1"]})
    other = table.assign(pile=["1", "1", None, "2", "2", "1", "1", "1"])
    same = Piles(table.copy())
    assert Piles(table).fingerprint == same.fingerprint != Piles(other).fingerprint
