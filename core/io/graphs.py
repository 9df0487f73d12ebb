"""Graphs as objects: from files and from networkx."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.source import Source, fetch, from_gzip

if TYPE_CHECKING:
    import networkx as nx

_GZIP = b"\x1f\x8b"
#: Attributes with the label of a node or an edge, by priority.
_LABELS = ("label", "type")


@dataclass(frozen=True)
class Graph:
    """An undirected graph with labels.

    node_labels: Of every node.
    edges (m, 2): Every edge once, as positions of nodes.
    edge_labels: Of every edge.
    label: Class of the graph.
    """

    node_labels: tuple
    edges: np.ndarray
    edge_labels: tuple | None = None
    label: Any = None
    name: str = ""


def read_graphs(source: Source, name: str | None = None) -> list[Graph]:
    """Graphs from a file.

    source: JSON lines, one graph each: ``node_labels``, ``edges`` (pairs of positions from 0), and
        optionally ``edge_labels`` in the order of the edges, or ``edge_labels_1based`` (triples of
        two positions from 1 and a label), ``label``, ``name``; or networkx's node-link form
        (``nodes`` and ``edges`` or ``links``). Or GraphML, or GML. All also gzipped.
    name: Of the file, for messages.
    """
    import networkx as nx  # imported late: it takes a third of a second

    content, name = fetch(source, name or (None if isinstance(source, str | Path) else "graphs"))
    if content.startswith(_GZIP):
        content = from_gzip(content, name)
    try:
        text = content.decode("utf-8-sig").strip()
    except UnicodeDecodeError as error:
        raise DataError("is not a text file", file=name, remedy=_REMEDY) from error
    if not text:
        raise DataError("the file is empty", file=name, remedy=_REMEDY)
    try:
        if text.startswith("<"):
            return [from_networkx(g) for g in nx.GraphMLReader()(string=text)]
        if text.startswith(("{", "[")):
            return list(_from_json(text))
        return [from_networkx(nx.parse_gml(text))]  # whose "label" is the name of a node
    except DataError as error:
        raise error.at(name) from error
    # networkx's parsers raise errors of any type.
    except Exception as error:
        raise DataError(f"cannot be read as graphs ({error})", file=name, remedy=_REMEDY) from error


_REMEDY = "Give JSON lines, GraphML or GML."


def _from_json(text: str) -> Iterator[Graph]:
    try:
        whole = json.loads(text)
        records = whole if isinstance(whole, list) else [whole]
        rows: Iterable[tuple[int, Any]] = enumerate(records, 1)
    except json.JSONDecodeError:
        rows = _json_lines(text)
    for row, record in rows:
        try:
            yield _from_record(record)
        except DataError as error:
            raise DataError(error.problem, row=row, remedy=error.remedy) from error
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise DataError(
                f"is not a graph ({error!r})", row=row,
                remedy="Every line needs node_labels and edges, or nodes and links.",
            ) from error


def _json_lines(text: str) -> Iterator[tuple[int, Any]]:
    for row, line in enumerate(io.StringIO(text), 1):
        if line.strip():
            try:
                yield row, json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"is not JSON ({error})", row=row, remedy=_REMEDY) from error


def _from_record(record: dict[str, Any]) -> Graph:
    if "nodes" in record:
        import networkx as nx

        edges = "edges" if "edges" in record else "links"
        return from_networkx(nx.node_link_graph(record, edges=edges))
    labels = None
    if "edge_labels" in record:
        labels = list(record["edge_labels"])
    elif "edge_labels_1based" in record:
        by_pair = {frozenset((a - 1, b - 1)): kind for a, b, kind in record["edge_labels_1based"]}
        labels = [by_pair.get(frozenset(edge)) for edge in record["edges"]]
    return _checked(
        record["node_labels"], record["edges"], labels, record.get("label"),
        str(record.get("name", "")),
    )


def from_networkx(graph: nx.Graph) -> Graph:
    """A networkx graph, without direction and parallel edges.

    Nodes without labels get their degree, as usual.
    """
    import networkx as nx

    plain = nx.Graph(graph)
    place = {node: i for i, node in enumerate(plain)}
    node_labels = _labels(data for _, data in plain.nodes(data=True))
    edges = [(place[a], place[b]) for a, b in plain.edges]
    edge_labels = _labels(data for _, _, data in plain.edges(data=True))
    if node_labels is None:
        node_labels = [degree for _, degree in plain.degree]
    about = plain.graph
    return _checked(
        node_labels, edges, edge_labels, about.get("label", about.get("class")), str(plain.name)
    )


def _labels(attributes: Iterable[dict[str, Any]]) -> list | None:
    """Values of the first attribute that all of them have."""
    attributes = list(attributes)
    for name in _LABELS:
        if attributes and all(name in one for one in attributes):
            return [one[name] for one in attributes]
    return None


def _checked(
    node_labels: Iterable, edges: Iterable, edge_labels: Iterable | None, label: Any, name: str
) -> Graph:
    nodes = tuple(_plain(value) for value in node_labels)
    pairs = np.array(list(edges), dtype=np.int64).reshape(-1, 2)
    if not nodes:
        raise DataError("a graph has no nodes", remedy="Remove it.")
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < len(nodes)):
        raise DataError(
            f"an edge names a node that is not among the {len(nodes)}",
            remedy="Nodes are counted from 0.",
        )
    edge_labels = None if edge_labels is None else [_plain(value) for value in edge_labels]
    if edge_labels is not None and len(edge_labels) != len(pairs):
        raise DataError(
            f"there are {len(edge_labels)} labels for {len(pairs)} edges",
            remedy="Give one label per edge.",
        )
    pairs, first = np.unique(np.sort(pairs, axis=1), axis=0, return_index=True)
    kept = pairs[:, 0] != pairs[:, 1] if len(pairs) else np.zeros(0, dtype=bool)
    labels = None if edge_labels is None else tuple(edge_labels[i] for i in first[kept])
    return Graph(nodes, pairs[kept], labels, label, name)


def _plain(value: Any) -> Any:
    """A hashable label: lists become tuples."""
    return tuple(value) if isinstance(value, list) else value
