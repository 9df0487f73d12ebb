"""The page Uncertainty: how sure positions and answers are, and what to ask next."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, tabs
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.embedding.page import shown_map
from tripletscope.dashboard.views.uncertainty.asking import show_asking
from tripletscope.dashboard.views.uncertainty.positions import show_positions
from tripletscope.dashboard.views.uncertainty.predictions import show_predictions
from tripletscope.dashboard.views.uncertainty.subject import PAGE, Subject
from tripletscope.dashboard.views.uncertainty.trust import show_trust

_VIEWS = {
    "positions": ("Positions", show_positions),
    "predictions": ("Predictions", show_predictions),
    "trust": ("Calibration", show_trust),
    "asking": ("Next questions", show_asking),
}


def show_uncertainty(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    listed = services().workspace.runs(info.id, "fit", "embedding")
    if not listed:
        panels.empty(
            "There is no map yet", "Uncertainty is computed for a map. Fit one on the page "
            "Embedding."
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
            current, f"{PAGE}.map@{info.id}", "Map", names, default=shown_map(current, info),
            width=260, help="Maps that were fitted on the pages Embedding and Compare.",
        )
    job = services().jobs.latest(current.id, current.slot(PAGE))
    fit = services().workspace.run(info.id, chosen)
    subject = Subject(current, info, current.triplets(), fit, job)
    watch(job)
    _VIEWS[view][1](subject)
