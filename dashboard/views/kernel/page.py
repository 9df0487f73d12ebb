"""The page Kernel: similarities from triplets, and what can be learned from them."""

from __future__ import annotations

from tripletscope.dashboard.interface.controls import tabs
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.kernel.classes import show_classes
from tripletscope.dashboard.views.kernel.components import show_map, show_spectrum
from tripletscope.dashboard.views.kernel.designs import show_design
from tripletscope.dashboard.views.kernel.graphs import show_graphs
from tripletscope.dashboard.views.kernel.kernels import PAGE
from tripletscope.dashboard.views.kernel.similarities import show_similarities

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
