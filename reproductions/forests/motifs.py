"""Small labelled graphs of two classes that differ in a motif, made by the program."""

from __future__ import annotations

import numpy as np

from tripletscope.reproductions.data import Graph

#: Labels of nodes and their frequencies outside of the motifs.
_LABELS, _SHARES = ("C", "N", "O"), (0.7, 0.15, 0.15)
#: Labels of the nodes of a motif, and the edges of each class: N and O at one C, or at two.
_MOTIF = ("N", "C", "C", "O")
_EDGES = {"near": ((0, 1), (1, 2), (1, 3)), "apart": ((0, 1), (1, 2), (2, 3))}


def motif_graphs(
    n_graphs: int = 120, *, n_nodes: tuple[int, int] = (10, 20), n_motifs: int = 1,
    noise: float = 0.05, seed: int = 0,
) -> list[Graph]:
    """Random trees with a few rings and `n_motifs` motifs of a class, "near" and "apart" in turn.

    The classes have the same labels and as many edges; motifs also arise by chance. `n_nodes` are
    the least and most nodes before motifs are attached; a share `noise` of the labels is wrong.
    """
    rng = np.random.default_rng(seed)
    classes = list(_EDGES)
    graphs = []
    for number in range(n_graphs):
        kind = classes[number % 2]
        labels, edges = _background(rng, int(rng.integers(n_nodes[0], n_nodes[1] + 1)))
        for _ in range(n_motifs):
            _attach(labels, edges, kind, rng)
        label = kind if rng.random() >= noise else classes[1 - number % 2]
        graphs.append(Graph(tuple(labels), np.unique(np.sort(edges, axis=1), axis=0), label))
    return graphs


def _background(rng: np.random.Generator, n_nodes: int) -> tuple[list[str], list[list[int]]]:
    """Labels and edges of a random tree, with an edge more for every eight nodes."""
    labels = [_LABELS[k] for k in rng.choice(3, n_nodes, p=_SHARES)]
    edges = [[int(rng.integers(max(node - 4, 0), node)), node] for node in range(1, n_nodes)]
    edges += [sorted(map(int, rng.choice(n_nodes, 2, replace=False))) for _ in range(n_nodes // 8)]
    return labels, edges


def _attach(labels: list[str], edges: list[list[int]], kind: str, rng: np.random.Generator) -> None:
    """Join a motif's first C to a random earlier node."""
    first, to = len(labels), int(rng.integers(len(labels)))
    labels += _MOTIF
    edges += [[first + a, first + b] for a, b in _EDGES[kind]]
    edges.append([to, first + 1])
