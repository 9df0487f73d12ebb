"""Graphs from a file, and the Weisfeiler-Lehman kernels against counting by hand."""

from __future__ import annotations

import gzip
import json
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from tripletscope.core.similarity.kernels.kernel import kernel_distances
from tripletscope.core.trees import ComparisonForestClassifier
from tripletscope.reproductions import data
from tripletscope.reproductions.data import Graph
from tripletscope.reproductions.forests.motifs import motif_graphs
from tripletscope.reproductions.forests.weisfeiler_lehman import weisfeiler_lehman


def graph(seed: int, n: int = 7) -> nx.Graph:
    made = nx.gnp_random_graph(n, 0.4, seed=seed)
    rng = np.random.default_rng(seed)
    nx.set_node_attributes(made, {v: str(rng.integers(2)) for v in made}, "label")
    return made


def plain(made: nx.Graph) -> Graph:
    """The same with nodes by their places."""
    place = {node: number for number, node in enumerate(made)}
    edges = [(place[a], place[b]) for a, b in made.edges]
    return Graph(tuple(dict(made.nodes(data="label")).values()), np.array(edges), None)


def as_text(labels: dict, made: nx.Graph) -> dict:
    """One round: labels spelled out in full instead of numbered."""
    return {v: repr((labels[v], sorted(labels[u] for u in made[v]))) for v in made}


@pytest.mark.parametrize("counts", ["subtree", "edge"])
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_counts_shapes_of_neighbourhoods(counts, rounds):
    graphs = [graph(seed) for seed in range(6)]
    tallies = []
    for made in graphs:
        labels, tally = dict(made.nodes(data="label")), Counter()
        for done in range(rounds + 1):
            if done:
                labels = as_text(labels, made)
            if counts == "subtree":
                tally.update((done, label) for label in labels.values())
            else:
                tally.update((done, *sorted((labels[a], labels[b]))) for a, b in made.edges)
        tallies.append(tally)
    expected = np.array([[sum(a[k] * b[k] for k in a) for b in tallies] for a in tallies])
    assert np.array_equal(weisfeiler_lehman([*map(plain, graphs)], counts, rounds), expected)


def test_numbering_nodes_otherwise_changes_nothing():
    made = graph(3)
    other = nx.relabel_nodes(made, dict(zip(made, np.random.default_rng(0).permutation(7).tolist(),
                                            strict=True)))
    kernel = weisfeiler_lehman([plain(made), plain(other)], "subtree", 5)
    assert len({*kernel.ravel()}) == 1


@pytest.mark.parametrize("counts", ["subtree", "edge"])
def test_graphs_without_edges(counts):
    single = Graph(("a",), np.zeros((0, 2), dtype=int), None)
    kernel = weisfeiler_lehman([single, single], counts, 2)
    assert np.array_equal(kernel, np.full((2, 2), 3.0 if counts == "subtree" else 0.0))


def test_a_file_of_graphs(tmp_path, monkeypatch):
    monkeypatch.setenv(data.FOLDER, str(tmp_path))
    (tmp_path / "graphs").mkdir()
    lines = [
        {"node_labels": ["C", "C", "O"], "edges": [[1, 0], [1, 2]], "label": 1},
        {"node_labels": ["C"], "edges": [], "label": 0},
    ]
    with gzip.open(tmp_path / data.BROUGHT["mutag"][0], "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    data.graphs.cache_clear()
    first, second = data.graphs("mutag")
    data.graphs.cache_clear()
    assert (first.node_labels, first.label) == (("C", "C", "O"), 1)
    assert first.edges.tolist() == [[0, 1], [1, 2]]
    assert second.edges.shape == (0, 2)


def test_a_forest_of_the_distances_without_the_root_is_the_same():
    graphs = motif_graphs(60)
    labels = [one.label for one in graphs]
    kernel = weisfeiler_lehman(graphs, "subtree", 3)
    own = kernel.diagonal()
    squares = own[:, None] + own - 2 * kernel
    guesses = [
        ComparisonForestClassifier(metric="precomputed", n_estimators=5)
        .fit(table[:40, :40], labels[:40]).predict_proba(table[40:, :40])
        for table in (squares, kernel_distances(kernel))
    ]
    assert np.array_equal(*guesses)
