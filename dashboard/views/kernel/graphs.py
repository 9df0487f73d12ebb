"""Kernels of uploaded graphs: their similarities, a map, and how well labels are told apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.graphs import Graph
from tripletscope.core.kernel import WeisfeilerLehman
from tripletscope.core.kernel.space import space_of
from tripletscope.core.kernel.spectrum import KernelMap, principal_components
from tripletscope.core.models.simulation.motifs import motif_graphs
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pressed
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import show_error
from tripletscope.dashboard.views.kernel.context import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.wording.formats import count

_PLACE = f"{PAGE}.graphs"


@dataclass(frozen=True)
class Graphs:
    """Graphs that are looked at, with a key of their own; of a file, or simulated."""

    key: str
    name: str
    graphs: list[Graph]

    @property
    def labels(self) -> list[str | None]:
        """Class of every graph."""
        return [None if graph.label is None else str(graph.label) for graph in self.graphs]


@tab(PAGE, "Graphs", 6, slot=_PLACE, when=lambda info: False)
def show_graphs(context: Context) -> None:
    """Weisfeiler-Lehman kernels of graphs in a file, apart from the open data set."""
    picture, side = context.picture_and_side()
    with side:
        file = st.file_uploader(
            "Graphs", key=_PLACE,
            help="JSON lines with node_labels, edges and optionally edge_labels, label and name; "
            "networkx's node-link form; GraphML; GML. Also gzipped.",
        )
        kernel = WeisfeilerLehman(**parameter_form(context.session, WeisfeilerLehman, f"{PAGE}.wl"))
    with picture:
        try:
            graphs = _graphs(context, file)
            if graphs is None:
                return
            fitted, places = _analysed(graphs.key, kernel.get_params(), kernel, graphs.graphs)
        except DataError as problem:
            show_error(problem)
            return
        _show(context, graphs, fitted, places)


def _graphs(context: Context, file: Any) -> Graphs | None:
    """The graphs of the file, or simulated ones; None, having asked for some, where none are."""
    key = f"{PAGE}.graphs.simulated"
    if file is not None:
        graphs = read_file(context.session, _PLACE, file, "graphs", words="Reading the graphs")
        return Graphs(file.file_id, file.name, graphs)
    if not context.session.drafts.get(key):
        panels.empty(
            "No graphs yet",
            "Upload graphs, such as molecules, texts or networks, to see which are alike. They are "
            "not added to the open data set.",
        )
        if not pressed(
            context.session, f"{key}.try", "Try simulated graphs", icon=":material/science:",
            help="Small graphs of two classes that differ only in the links of a few nodes.",
        ):
            return None
        context.session.remember(key, True)
        st.rerun()
    if pressed(
        context.session, f"{key}.close", "Close the simulated graphs", type="tertiary",
        icon=":material/close:",
    ):
        context.session.remember(key, False)
        st.rerun()
    graphs = motif_graphs()
    name = "Simulated graphs, 5 % of the classes exchanged"
    return Graphs(f"simulated {len(graphs)}", name, graphs)


@st.cache_data(max_entries=8, show_spinner="Comparing the graphs")
def _analysed(
    graphs: str, parameters: dict[str, Any], _kernel: WeisfeilerLehman, _graphs: list[Graph]
) -> tuple[WeisfeilerLehman, KernelMap]:
    """The kernel of the graphs, and a map of them."""
    fitted = _kernel.fit(_graphs)
    return fitted, principal_components(space_of(fitted), 2)


def _show(context: Context, graphs: Graphs, fitted: WeisfeilerLehman, places: KernelMap) -> None:
    labels = [label or "" for label in graphs.labels]
    names = [graph.name or str(number) for number, graph in enumerate(graphs.graphs, 1)]
    objects = pd.DataFrame({"id": names, "label": names, "class": labels})
    explained = ", ".join(f"{100 * share:.0f} %" for share in places.shares)
    text = f"{_about(graphs, fitted)} Kernel PCA; its axes explain {explained} of the variance."
    style = MapStyle("points", "class" if any(labels) else None, False)
    data = MapData(places.coordinates, objects)

    def draw(canvas: Canvas) -> Any:
        return embedding_map(data, style, caption=text, revision=text, canvas=canvas)

    def table() -> pd.DataFrame:
        return objects.assign(
            nodes=[len(graph.node_labels) for graph in graphs.graphs],
            edges=[len(graph.edges) for graph in graphs.graphs],
            x1=places.coordinates[:, 0], x2=places.coordinates[:, 1],
        )

    panels.figure_panel(
        context.session, draw, key="kernel.graphs.map", alt=f"Map of graphs. {text}", caption=text,
        name=export.file_name(graphs.name, "graphs"), table=table,
    )


def _about(graphs: Graphs, fitted: WeisfeilerLehman) -> str:
    return f"{analysis.describe(fitted)}. {graphs.name}: {count(len(graphs.graphs), 'graph')}."
