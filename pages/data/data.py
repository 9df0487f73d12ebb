"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.state import ASIDE, Session, session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.page import show_page
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.upload import ingest, waiting_upload
from tripletscope.pages.data.dataset import show_head
from tripletscope.pages.data.reading import show_reading


def main() -> None:
    current = session()
    upload = waiting_upload.waiting(current.id)
    reading = ingest.opening(current.id)
    if reading is not None and reading.job.active:
        st.title(panels.plain(f"Reading {reading.name}"), anchor=False)
        watch(reading.job, "opening")
        return
    if upload is not None and current.drafts.get(ASIDE) == upload.id:
        _waits(current, upload)
        upload = None
    if upload is None:
        show_page("data", head=show_head)
        return
    current.arrived = upload.id
    show_reading(current, upload)


def _waits(current: Session, upload: waiting_upload.Upload) -> None:
    """The way back to a file that was being read when another data set was opened."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":material/history: {panels.plain(upload.name)} is still to be read.")
        if pressed(current, f"aside.go.{upload.id}", "Go on", icon=":material/arrow_forward:"):
            del current.drafts[ASIDE]
            st.rerun()
        if pressed(current, f"aside.not.{upload.id}", "Discard", icon=":material/close:"):
            waiting_upload.discard(current.id, upload)
            st.rerun()


main()
