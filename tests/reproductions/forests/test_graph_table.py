"""Graphs by Weisfeiler-Lehman kernels, and what is said of the errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from tripletscope.reproductions.forests import graphs, neighbours
from tripletscope.reproductions.forests.paired import in_splits
from tripletscope.reproductions.item import DOES_NOT_HOLD, HOLDS


def test_graphs_that_differ_in_a_motif_are_told_apart():
    table = graphs.errors_of_graphs(data=((graphs.MOTIFS, 3, 20),))
    errors = table.set_index(["counts", "method"])["error"]
    assert len(errors) == 8
    assert errors["WL-subtree", graphs.OURS] < 30


def test_neighbours_vote_as_scikit_learn_has_it():
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(60, 2)), rng.integers(3, size=60)
    table = ((points[:, None] - points) ** 2).sum(axis=2)
    train, test = np.arange(40), np.arange(40, 60)
    votes = neighbours._neighbours(table, labels, train, test)
    for k in (1, 5, 18):
        expected = KNeighborsClassifier(k).fit(points[train], labels[train])
        assert np.array_equal(neighbours._vote(votes, k), expected.predict(points[test]))


def found(name: str, random: float, ours: float) -> pd.DataFrame:
    errors = {graphs.SVM: 15.0, graphs.KNN: 18.0, graphs.RANDOM_PIVOTS: random, graphs.OURS: ours}
    splits = np.array([-1.0, 2.0, 0.0, 0.5, -1.5])
    return pd.DataFrame([
        {"data": name, "counts": "WL-edge", "method": kind,
         **in_splits(error + splits * (kind != graphs.SVM))} for kind, error in errors.items()
    ])


@pytest.mark.parametrize(
    ("name", "random", "ours", "verdict"),
    [("ENZYMES", 14.0, 12.0, HOLDS), ("ENZYMES", 15.1, 12.0, DOES_NOT_HOLD),
     ("ENZYMES", 12.0, 18.0, DOES_NOT_HOLD), ("NCI1", 18.0, 15.3, HOLDS),
     ("NCI1", 18.0, 14.9, DOES_NOT_HOLD), ("MOTIFS", 17.0, 17.0, HOLDS),
     ("MOTIFS", 17.0, 18.5, DOES_NOT_HOLD)],
)
def test_forests_are_to_beat_the_machine_on_small_sets_alone(name, random, ours, verdict):
    assert graphs.check_graphs(found(name, random, ours)).shows == verdict


def test_every_data_set_counts_and_what_is_clear_is_said():
    both = graphs.check_graphs(pd.concat([found("MUTAG", 9.0, 9.0), found("NCI1", 15.3, 15.3)]))
    assert both.shows == HOLDS
    assert both.why.endswith("clear on: MUTAG.")
    one = pd.concat([found("MUTAG", 9.0, 9.0), found("NCI1", 12.0, 18.0)])
    assert graphs.check_graphs(one).shows == DOES_NOT_HOLD
