"""The page Trees: neighbours, classes and numbers from comparisons alone."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.embedding import STE
from tripletscope.core.kernel.kernel import MOST_IN_A_MATRIX
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, tabs
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.embedding.page import shown_map
from tripletscope.dashboard.views.trees.forest import show_prediction
from tripletscope.dashboard.views.trees.grove import PAGE, Grove
from tripletscope.dashboard.views.trees.search import show_search
from tripletscope.dashboard.views.trees.tree import show_tree

_VIEWS = {
    "tree": ("Tree", show_tree),
    "search": ("Search", show_search),
    "prediction": ("Prediction", show_prediction),
}
#: Up to so many answers a first map is fitted without being asked for.
_QUICK = 500_000


def show_trees(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    if info.n_objects > MOST_IN_A_MATRIX:
        panels.empty(
            "Too many objects for a matrix",
            f"Trees on this page use a matrix of distances, of up to {MOST_IN_A_MATRIX:,} objects.",
        )
        return
    workspace, triplets = services().workspace, current.triplets()
    listed = [
        run for kind in ("embedding", "kernel") for run in workspace.runs(info.id, "fit", kind)
    ]
    job = services().jobs.latest(current.id, current.slot(PAGE))
    if not listed:
        if job is None and info.n_answers <= _QUICK:
            pieces = [(STE(), "fit", {}), (STE(), "bootstrap", {})]
            analysis.submit(current, info, triplets, PAGE, f"STE: {info.name}", pieces)
            st.rerun()
        watch(job)
        panels.empty(
            "There is no map yet",
            "Questions that nobody has answered go to a map or a kernel. Fit one on the page "
            "Embedding or Kernel, unless one is being computed now.",
        )
        st.page_link(
            "../pages/embedding.py", label="Go to Embedding", icon=":material/scatter_plot:"
        )
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        titles = {name: title for name, (title, _) in _VIEWS.items()}
        view = tabs(current, f"{PAGE}.view", "View", titles)
        names = {run.key: run.name for run in listed}
        chosen = pick(
            current, f"{PAGE}.map@{info.id}", "Map or kernel", names,
            default=shown_map(current, info), width=280,
            help="Answers the questions that nobody has answered. Maps and kernels are computed "
            "on the pages Embedding, Kernel and Compare.",
        )
    watch(job)
    fit = workspace.run(info.id, chosen)
    grove = Grove(current, info, triplets, fit, job)
    if len(grove.space) < 2:
        panels.empty(
            "Too few objects",
            f"{names[chosen]} covers only {count(len(grove.space), 'object')}, and a tree needs "
            "two or more. Choose another map or kernel.",
        )
        return
    _VIEWS[view][1](grove)
