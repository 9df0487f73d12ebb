"""Results of the open data set that cannot be read, above every page."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.words.formats import count


def unreadable_results(current: Session) -> None:
    """Say which they are and why; they stay where they are until somebody throws them away."""
    workspace, info = services().workspace, current.dataset
    found = workspace.unreadable(info.id) if info is not None else []
    if not found:
        return
    with st.expander(
        f"{count(len(found), 'result')} of this data set cannot be read. Everything else works",
        icon=":material/warning:", key="unreadable",
    ):
        for run in found:
            st.markdown(panels.plain(f"{run.name}: {run.problem}"))
            if pressed(current, f"unreadable.{run.id}", "Move it to the trash"):
                workspace.throw_unreadable(run.id)
                st.rerun()
