"""Graphs of two classes that differ in a motif."""

from __future__ import annotations

import numpy as np

from tripletscope.reproductions.forests.motifs import motif_graphs


def neighbours(graph) -> list[set[str]]:
    """Labels around every C."""
    around = [set() for _ in graph.node_labels]
    for a, b in graph.edges:
        around[a].add(graph.node_labels[b])
        around[b].add(graph.node_labels[a])
    return [near for near, own in zip(around, graph.node_labels, strict=True) if own == "C"]


def test_classes_differ_in_what_a_carbon_has_beside_it():
    graphs = motif_graphs(200, n_motifs=2, noise=0.0)
    assert [graph.label for graph in graphs[:4]] == ["near", "apart", "near", "apart"]
    found = {"near": [], "apart": []}
    for graph in graphs:
        found[graph.label].append(sum({"N", "O"} <= near for near in neighbours(graph)))
    assert min(found["near"]) >= 2
    assert np.mean(found["apart"]) < 0.5 * np.mean(found["near"])


def test_graphs_are_sound_and_the_same_for_the_same_seed():
    graphs = motif_graphs(60)
    for graph, again in zip(graphs, motif_graphs(60), strict=True):
        assert graph.node_labels == again.node_labels
        assert np.array_equal(graph.edges, again.edges)
        assert graph.edges.max() < len(graph.node_labels)
        assert (graph.edges[:, 0] < graph.edges[:, 1]).all()
    assert graphs[0].node_labels != motif_graphs(60, seed=1)[0].node_labels


def test_noise_is_the_share_of_wrong_labels():
    wrong = np.mean([
        graph.label != ("near", "apart")[number % 2]
        for number, graph in enumerate(motif_graphs(2000, n_nodes=(3, 4), noise=0.2))
    ])
    assert 0.16 < wrong < 0.24
