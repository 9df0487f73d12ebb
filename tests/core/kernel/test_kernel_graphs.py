"""Reading graphs, and the Weisfeiler-Lehman kernels against counting by hand."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter

import networkx as nx
import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.graphs import Graph, from_networkx, read_graphs
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.kernel import kernel_distances
from tripletscope.core.models.simulation.motifs import motif_graphs
from tripletscope.core.run import run
from tripletscope.core.tree import ComparisonForestClassifier

LINE = {"label": 1, "node_labels": ["C", "C", "O"], "edges": [[0, 1], [1, 2]]}


def graph(seed: int, n: int = 7) -> nx.Graph:
    made = nx.gnp_random_graph(n, 0.4, seed=seed)
    rng = np.random.default_rng(seed)
    nx.set_node_attributes(made, {v: str(rng.integers(2)) for v in made}, "label")
    nx.set_edge_attributes(made, {e: str(rng.integers(2)) for e in made.edges}, "label")
    return made


def as_text(labels: dict, made: nx.Graph, kinds: bool) -> dict:
    """One round: labels spelled out in full instead of numbered."""
    return {
        v: repr((
            labels[v],
            sorted((made.edges[v, u]["label"] if kinds else "", labels[u]) for u in made[v]),
        ))
        for v in made
    }


@pytest.mark.parametrize("counts", ["subtree", "edge"])
@pytest.mark.parametrize("kinds", [False, True])
@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_counts_shapes_of_neighbourhoods(counts, kinds, rounds):
    graphs = [graph(seed) for seed in range(6)]
    tallies = []
    for made in graphs:
        labels, tally = dict(made.nodes(data="label")), Counter()
        for done in range(rounds + 1):
            if done:
                labels = as_text(labels, made, kinds)
            if counts == "subtree":
                tally.update((done, label) for label in labels.values())
            else:
                tally.update(
                    (done, *sorted((labels[a], labels[b])), kind if kinds else "")
                    for a, b, kind in made.edges(data="label")
                )
        tallies.append(tally)
    expected = np.array([[sum(a[k] * b[k] for k in a) for b in tallies] for a in tallies])
    method = WeisfeilerLehman(counts=counts, rounds=rounds, edge_labels=kinds)
    plain = [from_networkx(made) for made in graphs]
    assert np.array_equal(method.fit(plain).kernel_, expected)
    normal = method.set_params(normalise=True).fit(plain).kernel_
    own = np.sqrt(expected.diagonal())
    assert np.allclose(normal, expected / own[:, None] / own)


def test_numbering_nodes_otherwise_changes_nothing():
    made = graph(3)
    other = nx.relabel_nodes(made, dict(zip(made, np.random.default_rng(0).permutation(7).tolist(),
                                            strict=True)))
    both = WeisfeilerLehman().fit([from_networkx(made), from_networkx(other)])
    assert both.distances()[0, 1] == 0


def test_a_stop_keeps_the_rounds_so_far():
    graphs = [from_networkx(graph(seed)) for seed in range(4)]
    stopped = WeisfeilerLehman(rounds=5).fit(graphs, progress=lambda fraction: fraction > 0.3)
    assert stopped.stopped_
    assert np.array_equal(stopped.kernel_, WeisfeilerLehman(rounds=1).fit(graphs).kernel_)


def test_hostile_graphs():
    single = Graph(("a",), np.zeros((0, 2), dtype=int))
    for counts in ("subtree", "edge"):
        kernel = WeisfeilerLehman(counts=counts, normalise=True).fit([single, single]).kernel_
        assert np.isfinite(kernel).all()
    with pytest.raises(DataError, match="no graphs"):
        WeisfeilerLehman().fit([])
    bare = Graph(("a", "b"), np.array([[0, 1]]))
    with pytest.raises(DataError, match="Graph 1 has no edge labels"):
        WeisfeilerLehman(edge_labels=True).fit([single, bare])


# Reading --------------------------------------------------------------------------------------


def test_json_lines_with_labels_of_edges():
    line = {**LINE, "edge_labels_1based": [[2, 1, "x"], [3, 2, "y"]]}
    text = "\n".join(json.dumps(row) for row in (line, LINE))
    for content in (text.encode(), gzip.compress(text.encode()), io.BytesIO(text.encode())):
        first, second = read_graphs(content)
        assert first.node_labels == ("C", "C", "O")
        assert first.edges.tolist() == [[0, 1], [1, 2]]
        assert (first.edge_labels, second.edge_labels) == (("x", "y"), None)
        assert first.label == 1


def test_what_networkx_writes(tmp_path):
    made = graph(1)
    expected = WeisfeilerLehman(edge_labels=True).fit([from_networkx(made)]).kernel_
    nx.write_graphml(made, tmp_path / "g.graphml")
    named = made.copy()  # GML keeps "label" for the names of nodes
    nx.set_node_attributes(named, dict(made.nodes(data="label")), "type")
    nx.write_gml(named, tmp_path / "g.gml")
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(made, edges="links")))
    for file in tmp_path.iterdir():
        read, = read_graphs(file)
        assert WeisfeilerLehman(edge_labels=True).fit([read]).kernel_ == expected, file.name


def test_graphs_without_labels_are_labelled_by_degree():
    assert from_networkx(nx.path_graph(4)).node_labels == (1, 2, 2, 1)
    directed = nx.DiGraph([(0, 1), (1, 0), (1, 1)])
    assert from_networkx(directed).edges.tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"hello", "cannot be read as graphs"),
        (b"<graphml><graph></graphml>", "cannot be read as graphs"),
        (gzip.compress(b"{}")[:10], "gzip file is damaged"),
        (json.dumps(LINE).encode() + b"\n{oops}", "row 2: is not JSON"),
        (b'{"node_labels": ["a"]}', "row 1: is not a graph"),
        (b'[1, 2]', "row 1: is not a graph"),
        (b'{"node_labels": [], "edges": []}', "no nodes"),
        (b'{"node_labels": ["a"], "edges": [[0, 3]]}', "row 1: an edge names a node"),
        (b'{"node_labels": ["a","b"], "edges": [[0, 1]], "edge_labels": []}', "0 labels for 1"),
    ],
)
def test_what_is_wrong_is_said(content, message):
    with pytest.raises(DataError, match=message):
        read_graphs(content, name="upload")


def test_is_no_method_for_triplets(planted):
    with pytest.raises(ValueError, match="kernel_map is for methods of kind kernel"):
        run("kernel_map", WeisfeilerLehman(), planted)


def test_a_forest_of_the_distances_without_the_root_is_the_same():
    graphs = motif_graphs(60)
    labels = [one.label for one in graphs]
    kernel = WeisfeilerLehman(rounds=3).fit(graphs).kernel_
    own = kernel.diagonal()
    squares = own[:, None] + own - 2 * kernel
    guesses = [
        ComparisonForestClassifier(metric="precomputed", n_estimators=5)
        .fit(table[:40, :40], labels[:40]).predict_proba(table[40:, :40])
        for table in (squares, kernel_distances(kernel))
    ]
    assert np.array_equal(*guesses)
