"""Weisfeiler-Lehman kernels on graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse

from tripletscope.reproductions.data import Graph


def weisfeiler_lehman(graphs: Sequence[Graph], counts: str, rounds: int) -> np.ndarray:
    """(n, n) numbers of neighbourhoods of equal shape in each two graphs.

    Every round joins each node's label with the sorted labels of its neighbours into a new one. The
    subtree kernel counts nodes by their labels in all rounds, the edge kernel edges by the labels
    of their ends.

    counts: "subtree" or "edge".
    rounds: Neighbourhoods of up to this many steps are compared.

    References
    ----------
    Shervashidze, N., Schweitzer, P., van Leeuwen, E. J., Mehlhorn, K., & Borgwardt, K. M. (2011).
    Weisfeiler-Lehman graph kernels. Journal of Machine Learning Research, 12, 2539-2561.
    Sections 3.2 and 3.3.
    """
    sizes = [len(graph.node_labels) for graph in graphs]
    starts = np.cumsum([0, *sizes[:-1]])
    nodes = np.repeat(np.arange(len(graphs)), sizes)
    edges = np.concatenate([g.edges + start for g, start in zip(graphs, starts, strict=True)])
    labels = _numbered(label for graph in graphs for label in graph.node_labels)
    neighbours: list[list[int]] = [[] for _ in nodes]
    for a, b in edges.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    blocks = []
    for done in range(rounds + 1):
        if done:
            before = labels.tolist()
            labels = _numbered(
                (before[node], *sorted(before[other] for other in near))
                for node, near in enumerate(neighbours)
            )
        if counts == "subtree":
            blocks.append(_counted(nodes, labels, len(graphs)))
        else:
            ends = np.sort(labels[edges], axis=1)
            blocks.append(_counted(nodes[edges[:, 0]], _numbered(map(tuple, ends.tolist())),
                                   len(graphs)))
    features = sparse.hstack(blocks, format="csr")
    return (features @ features.T).toarray()


def _numbered(labels: Iterable) -> np.ndarray:
    """Numbers of labels, by first appearance."""
    numbers: dict = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _counted(owner: np.ndarray, labels: np.ndarray, n_graphs: int) -> sparse.coo_array:
    """(n_graphs, number of labels) counts of each label in each graph."""
    shape = n_graphs, labels.max(initial=-1) + 1
    return sparse.coo_array((np.ones(len(labels)), (owner, labels)), shape)
