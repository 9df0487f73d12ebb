"""Classifiers of a kernel on the same folds."""

from __future__ import annotations

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.classification import Classification, classify_labels
from tripletscope.core.models.simulation.motifs import motif_graphs
from tripletscope.core.tree.prediction import CLASSIFIERS, error_table, predict_labels

FEW = {"folds": 3, "repeats": 1, "n_estimators": 20}


@pytest.fixture(scope="module")
def graphs():
    return motif_graphs(60, n_motifs=2, noise=0.0)


@pytest.fixture(scope="module")
def kernel(graphs):
    return WeisfeilerLehman(rounds=3).fit(graphs)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_each_finds_a_known_difference_and_none_where_there_is_none(graphs, kernel, name):
    labels = [graph.label for graph in graphs]
    found = predict_labels(kernel, labels, name, **FEW)
    assert found.error < 0.25
    mixed = np.random.default_rng(0).permutation(labels)
    assert predict_labels(kernel, mixed, name, **FEW).error > 0.3


def test_classifiers_of_scikit_learn_are_as_elsewhere(graphs, kernel):
    labels = [graph.label for graph in graphs]
    for name in ("svm", "knn"):
        found = predict_labels(kernel, labels, name, folds=3, repeats=1, seed=4)
        same = classify_labels(kernel, labels, algorithm=name, folds=3, repeats=1, seed=4)
        assert np.array_equal(found.fold_errors, same.fold_errors)
        assert np.array_equal(found.predicted, same.predicted)


def test_a_graph_without_a_label_is_left_out(graphs, kernel):
    labels = [None, *(graph.label for graph in graphs[1:])]
    found = predict_labels(kernel, labels, "supervised", **FEW)
    assert found.predicted[0] == found.truth[0] == -1
    assert (found.predicted[1:] >= 0).all()


def test_progress_comes_to_the_end_and_stops(graphs, kernel):
    labels, seen = [graph.label for graph in graphs], []
    predict_labels(kernel, labels, "random", **FEW, progress=lambda f: seen.append(f) or False)
    assert seen == pytest.approx([1 / 3, 2 / 3, 1])
    with pytest.raises(Stopped):
        predict_labels(kernel, labels, "random", **FEW, progress=lambda _: True)
    with pytest.raises(DataError, match="two labels"):
        predict_labels(kernel, ["a"] * 60, "random", **FEW)


def test_intervals_hold_the_mean_and_are_shares():
    def of(errors):
        return Classification(np.array(["a", "b"]), np.zeros(4, int), np.zeros(4, int),
                              np.array(errors), np.ones_like(errors))

    table = error_table({"svm": of([[0.0, 0.1, 0.2]]), "random": of([[0.5, 0.9, 1.0]])})
    assert table["name"].tolist() == ["Support vector machine", "Forest, random pivots"]
    assert table["value"].tolist() == pytest.approx([0.1, 0.8])
    # sqrt((1/3 + 1/2) 0.01) times the 97.5 % point of t with 2 degrees of freedom
    assert table["high"][0] == pytest.approx(0.1 + 0.091287 * 4.302653, abs=1e-5)
    assert (table["low"][0], table["high"][1]) == (0.0, 1.0)
