"""The page Kernel: similarities from triplets, and what can be learned from them."""

from __future__ import annotations

from dashboard.catalogue import DatasetInfo
from dashboard.controls import tabs
from dashboard.state import Session
from dashboard.views.kernel.classes import show_classes
from dashboard.views.kernel.components import show_map, show_spectrum
from dashboard.views.kernel.designs import show_design
from dashboard.views.kernel.graphs import show_graphs
from dashboard.views.kernel.kernels import PAGE
from dashboard.views.kernel.similarities import show_similarities

_VIEWS = {
    "matrix": ("Similarities", show_similarities),
    "map": ("Map", show_map),
    "spectrum": ("Spectrum", show_spectrum),
    "classes": ("Classes", show_classes),
    "design": ("Landmarks", show_design),
    "graphs": ("Graphs", show_graphs),
}


def show_kernel(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    titles = {name: title for name, (title, _) in _VIEWS.items()}
    _, show = _VIEWS[tabs(current, f"{PAGE}.view", "View", titles)]
    show(current, info, current.triplets())
