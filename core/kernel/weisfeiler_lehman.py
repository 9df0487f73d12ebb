"""Weisfeiler-Lehman kernels on graphs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Self

import numpy as np
from scipy import sparse

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import Choice, Number, Switch
from tripletscope.core.engine.method import register
from tripletscope.core.engine.progress import Progress, silent
from tripletscope.core.io.graphs import Graph
from tripletscope.core.kernel.kernel import Kernel


@register("graph_kernel")
@dataclass(kw_only=True, eq=False, repr=False)
class WeisfeilerLehman(Kernel):
    """Weisfeiler-Lehman kernels: number of neighbourhoods of equal shape in two graphs.

    Every round joins each node's label with the sorted labels of its neighbours into a new one. The
    subtree kernel counts nodes by their labels in all rounds, the edge kernel edges by the labels
    of their ends.

    Notes
    -----
    Haghiri, Garreau & von Luxburg (2018) grow their forests with three rounds, from distances
    without the root, K_aa + K_bb - 2 K_ab. These order pairs of graphs as `distances` does: all
    comparisons, trees and forests are the same.

    References
    ----------
    Shervashidze, N., Schweitzer, P., van Leeuwen, E. J., Mehlhorn, K., & Borgwardt, K. M. (2011).
    Weisfeiler-Lehman graph kernels. Journal of Machine Learning Research, 12, 2539-2561.
    Sections 3.2 and 3.3.

    Examples
    --------
    >>> import numpy as np
    >>> import tripletscope as ts
    >>> from tripletscope.core.io.graphs import Graph
    >>> path, triangle = np.array([[0, 1], [1, 2]]), np.array([[0, 1], [1, 2], [0, 2]])
    >>> graphs = [Graph(("C", "C", "O"), path), Graph(("O", "C", "C"), path),
    ...           Graph(("C", "C", "O"), triangle)]
    >>> ts.features.WeisfeilerLehman(rounds=1).fit(graphs).kernel_
    array([[ 8.,  8.,  7.],
           [ 8.,  8.,  7.],
           [ 7.,  7., 10.]])
    """

    name = "wl"
    title = "Weisfeiler-Lehman"

    counts: Annotated[
        str, Choice({"subtree": "Subtrees", "edge": "Edges"}, "Features counted"),
    ] = "subtree"
    rounds: Annotated[int, Number(
        0, 20, "Rounds", "Neighbourhoods of up to this many steps are compared."
    )] = 5
    edge_labels: Annotated[bool, Switch(
        "Edge labels", "Edge labels also distinguish neighbours and edges.", advanced=True
    )] = False
    normalise: Annotated[bool, Switch(
        "Normalise", "Count vectors are scaled to length 1, so that graph size does not matter."
    )] = False

    def fit(self, graphs: Iterable[Graph], y: Any = None, *, progress: Progress = silent) -> Self:
        """Count and multiply.

        Parameters
        ----------
        graphs : iterable of Graph
        y : ignored
        progress : Progress
            Called after every round; a stop keeps the rounds so far.

        Raises
        ------
        DataError
            If there is no graph, or `edge_labels` are missing in some graph.
        """
        self._check_parameters()
        graphs = list(graphs)
        if not graphs:
            raise DataError("there are no graphs", remedy="Give at least one.")
        if self.edge_labels:
            without = [i for i, g in enumerate(graphs) if g.edge_labels is None and len(g.edges)]
            if without:
                raise DataError(
                    f"graph {without[0]} has no edge labels",
                    remedy="Switch edge labels off.",
                )
        owner = np.repeat(np.arange(len(graphs)), [len(g.node_labels) for g in graphs])
        edges, edge_owner, kinds = _joined(graphs, self.edge_labels)
        labels = _numbered([label for g in graphs for label in g.node_labels])
        neighbours = _neighbours(edges, kinds, len(owner))
        blocks, stopped = [], False
        for done in range(self.rounds + 1):
            if done > 0:
                before = labels.tolist()
                labels = _numbered([
                    (before[v], *sorted((kind, before[u]) for u, kind in near))
                    for v, near in enumerate(neighbours)
                ])
            if self.counts == "subtree":
                blocks.append(_counted(owner, labels, len(graphs)))
            else:
                ends = np.sort(labels[edges], axis=1)
                edge_kinds = _numbered(list(zip(*ends.T.tolist(), kinds, strict=True)))
                blocks.append(_counted(edge_owner, edge_kinds, len(graphs)))
            stopped = progress((done + 1) / (self.rounds + 1))
            if stopped:
                break
        features = sparse.hstack(blocks, format="csc")
        length = np.sqrt((features * features).sum(axis=1))
        if self.normalise:
            scale = np.where(length > 0, length, 1.0)
            features = (sparse.diags_array(1.0 / scale) @ features).tocsc()
            features.sort_indices()
        self._keep(features, length > 0)
        self.stopped_ = bool(stopped and done < self.rounds)
        return self


def _joined(graphs: Sequence[Graph], labelled: bool) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Edges of all graphs as one, their graphs, and the numbers of their labels."""
    start = np.cumsum([0] + [len(g.node_labels) for g in graphs])
    edges = [g.edges + first for g, first in zip(graphs, start[:-1], strict=True)]
    owner = np.repeat(np.arange(len(graphs)), [len(g.edges) for g in graphs])
    kinds = [0] * len(owner)
    if labelled:
        kinds = _numbered([label for g in graphs for label in g.edge_labels or ()]).tolist()
    return np.concatenate(edges).astype(np.int64), owner, kinds


def _neighbours(edges: np.ndarray, kinds: list[int], n_nodes: int) -> list[list[tuple[int, int]]]:
    """For every node, its neighbours and the labels of the edges to them."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n_nodes)]
    for (a, b), kind in zip(edges.tolist(), kinds, strict=True):
        neighbours[a].append((b, kind))
        neighbours[b].append((a, kind))
    return neighbours


def _numbered(labels: list) -> np.ndarray:
    """Numbers of labels, by first appearance."""
    numbers: dict = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def _counted(owner: np.ndarray, labels: np.ndarray, n_graphs: int) -> sparse.csr_array:
    """(n_graphs, number of labels) counts of each label in each graph."""
    n_labels = int(labels.max()) + 1 if len(labels) else 0
    ones = np.ones(len(labels))
    return sparse.coo_array((ones, (owner, labels)), (n_graphs, n_labels)).tocsr()
