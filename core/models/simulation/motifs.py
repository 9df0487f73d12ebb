"""Small labelled graphs of two classes that differ in a motif: objects that may be shipped."""

from __future__ import annotations

import numpy as np

from tripletscope.core.io.graphs import Graph

#: Labels of nodes and how frequent they are outside of the motifs.
_LABELS, _SHARES = ("C", "N", "O"), (0.7, 0.15, 0.15)
#: Labels of the nodes of a motif, and the edges of each class: N and O at one C, or at two.
_MOTIF = ("N", "C", "C", "O")
_EDGES = {"near": ((0, 1), (1, 2), (1, 3)), "apart": ((0, 1), (1, 2), (2, 3))}


def motif_graphs(
    n_graphs: int = 120, *, n_nodes: tuple[int, int] = (10, 20), n_motifs: int = 1,
    noise: float = 0.05, seed: int = 0,
) -> list[Graph]:
    """Random trees with a few rings, to which motifs of the class are attached.

    The classes "near" and "apart" have the same labels and as many edges: what differs is how these
    are joined. Motifs also arise by chance.

    n_graphs: Half of them of each class.
    n_nodes: Least and largest number of nodes before motifs are attached.
    n_motifs: Of each graph.
    noise: Share of graphs, drawn at random, whose label is that of the other class.
    Returns: Each with its class as label.
    """
    rng = np.random.default_rng(seed)
    classes = list(_EDGES)
    made = []
    for number in range(n_graphs):
        kind = classes[number % 2]
        labels, edges = _background(rng, int(rng.integers(n_nodes[0], n_nodes[1] + 1)))
        for _ in range(n_motifs):
            _attach(labels, edges, kind, rng)
        told = kind if rng.random() >= noise else classes[1 - number % 2]
        made.append(Graph(
            tuple(labels), np.unique(np.sort(edges, axis=1), axis=0), None, told, f"g{number + 1}"
        ))
    return made


def _background(rng: np.random.Generator, n_nodes: int) -> tuple[list[str], list[list[int]]]:
    """Labels and edges of a random tree, with an edge more for every eight nodes."""
    labels = [_LABELS[k] for k in rng.choice(3, n_nodes, p=_SHARES)]
    edges = [[int(rng.integers(max(node - 4, 0), node)), node] for node in range(1, n_nodes)]
    edges += [sorted(map(int, rng.choice(n_nodes, 2, replace=False))) for _ in range(n_nodes // 8)]
    return labels, edges


def _attach(labels: list[str], edges: list[list[int]], kind: str, rng: np.random.Generator) -> None:
    """Join a motif's first C to a node that is there."""
    first, to = len(labels), int(rng.integers(len(labels)))
    labels += _MOTIF
    edges += [[first + a, first + b] for a, b in _EDGES[kind]]
    edges.append([to, first + 1])
