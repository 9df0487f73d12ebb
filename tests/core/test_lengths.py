"""Sequences that belong together: unequal lengths are said, whatever compares them."""

from __future__ import annotations

import re

import numpy as np
import pytest

import tripletscope as ts

POINTS = np.random.default_rng(0).normal(size=(30, 2))
APART = np.abs(POINTS[:5, :1] - POINTS[:5, 0])


@pytest.fixture(scope="module")
def answers() -> ts.Triplets:
    return ts.read("sample_data/ekman_colors/answers.csv")


CALLS = {
    "labels": (lambda a: ts.label_agreement([0, 1], ["a", "b", "b"]), "2 clusters but 3 labels"),
    "classes of a tree": (
        lambda a: ts.ComparisonTree(pivots="supervised").fit(POINTS, [0, 1]),
        "30 objects but 2 classes",
    ),
    "classes of a table": (
        lambda a: ts.ComparisonTree().fit(POINTS).table(np.zeros(31)), "30 objects but 31 classes"
    ),
    "targets": (
        lambda a: ts.ComparisonForestClassifier(n_estimators=2).fit(POINTS, [0, 1]),
        "30 objects but 2 responses",
    ),
    "placed": (
        lambda a: ts.GaussianKernel().fit_positions(POINTS, np.ones(3)), "30 positions but 3 flags"
    ),
    "objects of distances": (
        lambda a: ts.AgglomerativeClustering().fit_distances(APART, np.arange(4), 9),
        "5 rows but 4 positions of objects",
    ),
    "reference of a bootstrap": (
        lambda a: ts.bootstrap(ts.STE(n_init=1), a, replicates=2, reference=np.zeros((3, 2))),
        "14 objects but 3 rows of the reference",
    ),
    "reference of a posterior": (
        lambda a: ts.sample_posterior(ts.STE(n_init=1), a, effective=20, most=100,
                                      reference=np.zeros((3, 2))),
        "14 objects but 3 rows of the reference",
    ),
    "start": (
        lambda a: ts.STE().fit(a, init_embedding=np.zeros((3, 2))), "(3, 2); it must be finite and"
    ),
    "responses": (lambda a: ts.STE().fit(a.rows, [True]), "(1,), but there are 800 questions"),
    "weights": (lambda a: ts.Triplets.from_array(a.rows, weight=[1]), "1 rows describe 800"),
    "weights of pairs": (
        lambda a: ts.Quadruples([[0, 1, 2, 3]], weight=[1, 2]), "(2,) weights for 1 answers"
    ),
    "weights later": (lambda a: a.reweighted(np.ones(3)), "(3) does not match length of"),
    "columns": (lambda a: a.with_columns({"x": np.ones(3)}), "(3) does not match length"),
    "weights of dissimilarities": (
        lambda a: ts.ratings.MDS().fit_dissimilarities(APART, weights=np.ones((3, 3))),
        "for each dissimilarity",
    ),
    "names of features": (
        lambda a: ts.features.FeatureSpace(name="x", values=POINTS, feature_names=["one"]),
        "do not name 2 columns",
    ),
    "names of a matrix": (
        lambda a: ts.ratings.Confusions.from_matrix(APART, ids=["a"]), "shape (5, 5)"
    ),
    "features": (
        lambda a: ts.features.explain(ts.features.FeatureSpace(name="x", values=POINTS), a),
        "features of 30 objects, and answers about 14",
    ),
    "names of objects": (
        lambda a: ts.dimensions.simulate_choices(np.abs(POINTS), 9, objects=["a"]),
        "1 objects, but 30 rows",
    ),
    "people and model": (
        lambda a: ts.people.observer_agreement(
            a, ts.Triplets.from_array([[0, 1, 20]], 21)), "objects 0 to 13"
    ),
    "answers of others": (
        lambda a: ts.triplet_error(
            ts.STE(n_init=1).fit(a), ts.Triplets.from_array([[0, 1, 20]], 21)), "beyond the 14",
    ),
    "probabilities of others": (
        lambda a: ts.bootstrap(ts.STE(n_init=1), a, replicates=3).response_probability(
            ts.Triplets.from_array([[0, 1, 20]], 21)), "beyond the 14",
    ),
    "figures of others": (
        lambda a: ts.drawings(ts.run("bootstrap", ts.STE(n_init=1), a, {"replicates": 20}),
                              ts.Triplets.from_array([[0, 1, 20]], 21)), "not about 21 objects",
    ),
    "sentences of others": (
        lambda a: ts.sentences(ts.K1().fit(a), answers=ts.Triplets.from_array([[0, 1, 2]], 9)),
        "not about 9 objects",
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_unequal_lengths_are_said(call, answers):
    ask, said = CALLS[call]
    with pytest.raises(ValueError, match=re.escape(said)):
        ask(answers)
