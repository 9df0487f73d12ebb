"""Kernels of uploaded graphs: their similarities, a map, and how well labels are told apart."""

from __future__ import annotations

import contextlib
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.classification import Classification, classify_labels
from tripletscope.core.kernel.graphs import Graph
from tripletscope.core.kernel.space import space_of
from tripletscope.core.kernel.spectrum import KernelMap, principal_components
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.kernel.context import PAGE
from tripletscope.dashboard.views.page import Context, tab


@tab(PAGE, "Graphs", 6, slot=None)
def show_graphs(context: Context) -> None:
    """Weisfeiler-Lehman kernels of graphs in a file, apart from the open data set."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        file = st.file_uploader(
            "Graphs", key=f"{PAGE}.graphs",
            help="JSON lines with node_labels, edges and optionally edge_labels, label and name; "
            "networkx's node-link form; GraphML; GML. Also gzipped.",
        )
        kernel = WeisfeilerLehman(**parameter_form(context.session, WeisfeilerLehman, f"{PAGE}.wl"))
    with picture:
        if file is None:
            panels.empty(
                "No graphs yet",
                "Upload a file of graphs to see which of them are alike: molecules, texts, "
                "networks. They are not added to the open data set.",
            )
            return
        try:
            graphs = read_file(
                context.session, f"{PAGE}.graphs", file, "graphs", words="Reading the graphs"
            )
            found, error = _analysed(file.file_id, kernel.get_params(), kernel, graphs)
        except DataError as problem:
            st.error(panels.plain(str(problem)), icon=":material/error:")
            return
        _show(context.session, file.name, kernel, graphs, found, error)


@st.cache_data(max_entries=8, show_spinner="Comparing the graphs")
def _analysed(
    file: str, parameters: dict[str, Any], _kernel: WeisfeilerLehman, _graphs: list[Graph]
) -> tuple[KernelMap, Classification | None]:
    """A map of the graphs, and how well nearest neighbours tell their labels apart."""
    fitted = _kernel.fit(_graphs)
    labels = [None if graph.label is None else str(graph.label) for graph in _graphs]
    found, error = principal_components(space_of(fitted), 2), None
    # Graphs without classes, or with too few of one, can be drawn all the same.
    with contextlib.suppress(DataError):
        error = classify_labels(fitted, labels, algorithm="knn")
    return found, error


def _show(
    current: Session, name: str, kernel: WeisfeilerLehman, graphs: list[Graph], found: KernelMap,
    error: Classification | None,
) -> None:
    labels = [str(graph.label) if graph.label is not None else "" for graph in graphs]
    names = [graph.name or str(number) for number, graph in enumerate(graphs, 1)]
    objects = pd.DataFrame({"id": names, "label": names, "class": labels})
    shares = ", ".join(f"{100 * share:.0f} %" for share in found.shares)
    text = (
        f"{analysis.describe(kernel)}. {name}: {count(len(graphs), 'graph')}. Kernel PCA; its axes "
        f"explain {shares} of the variance."
    )
    style = MapStyle("points", "class" if any(labels) else None, False)
    data = MapData(found.coordinates, objects)

    def draw(canvas: Canvas) -> Any:
        return embedding_map(data, style, caption=text, revision=text, canvas=canvas)

    def table() -> pd.DataFrame:
        sizes = pd.DataFrame({
            "nodes": [len(graph.node_labels) for graph in graphs],
            "edges": [len(graph.edges) for graph in graphs],
        })
        places = pd.DataFrame(found.coordinates, columns=["x1", "x2"])
        return pd.concat([objects, sizes, places], axis=1)

    panels.figure_panel(
        current, draw, key="kernel.graphs.map", alt=f"Map of graphs. {text}", caption=text,
        name=export.file_name(name, "graphs"), table=table,
    )
    if error is not None:
        st.markdown(
            f"Nearest neighbours predict {100 * error.error:.1f} % of the held-out classes wrongly "
            f"(standard error {100 * error.standard_error:.1f} %); always "
            f"predicting the most frequent one errs in {100 * error.chance:.1f} %."
        )
