"""Figures and sentences of methods that were fitted outside of `run`."""

from __future__ import annotations

import pickle

import pytest
from sklearn.exceptions import NotFittedError

import tripletscope as ts


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.read("sample_data/ekman_colors/answers.csv")


@pytest.fixture(scope="module")
def fitted(answers) -> ts.STE:
    return ts.STE(n_init=1).fit(answers)


@pytest.mark.parametrize("method", [
    ts.STE(n_init=1), ts.K1(), ts.AgglomerativeClustering(basis=ts.K1()), ts.ComparisonLinkage(),
    ts.dimensions.SPoSE(n_components=4, penalty=1.0, max_iter=20),
], ids=lambda method: method.name)
def test_a_fitted_method_is_drawn_as_its_result_is(method, answers):
    run = ts.run("fit", method, answers)
    expected = ts.drawings(run, answers)
    for found in (ts.drawings(method.fit(answers)), ts.drawings(method, answers)):
        assert [one.name for one in found] == [one.name for one in expected] != []
        assert [one.caption for one in found] == [one.caption for one in expected]
        assert found[0].figure().to_json() == expected[0].figure().to_json()
    assert ts.sentences(method) == ts.sentences(run, answers=answers)


def test_a_fitted_method_is_drawn_with_its_uncertainty(fitted, answers):
    samples = ts.run("bootstrap", ts.STE(n_init=1), answers, {"replicates": 20})
    plain, sure = ts.drawings(fitted)[0], ts.drawings(fitted, samples=samples)[0]
    assert len(sure.figure().data) > len(plain.figure().data)
    assert ts.drawings([fitted, samples])[0].caption == sure.caption


def test_a_map_of_an_array_names_objects_by_their_positions(answers):
    (drawing,) = ts.drawings(ts.STE(n_init=1).fit(answers.rows))
    assert "14 objects, 800 answers" in drawing.caption


def test_what_cannot_be_drawn_says_why(fitted, answers):
    run = ts.run("fit", ts.STE(n_init=1), answers)
    for forgotten in (pickle.loads(pickle.dumps(fitted)), run.fitted(), run):
        with pytest.raises(ValueError, match="does not hold the answers"):
            ts.drawings(forgotten)
        assert ts.drawings(forgotten, answers)
    with pytest.raises(NotFittedError):
        ts.drawings(ts.STE())
    for other in (7, ts.MLDS().fit(answers), ts.bootstrap(ts.STE(n_init=1), answers, replicates=2)):
        with pytest.raises(TypeError, match="no figures and sentences belong to"):
            ts.drawings(other, answers)
        with pytest.raises(TypeError, match="no figures and sentences belong to"):
            ts.sentences(other, answers=answers)
