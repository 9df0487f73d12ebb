"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.state import session
from tripletscope.dashboard.ui import panels
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
    if upload is None:
        show_page("data", head=show_head)
        return
    current.arrived = upload.id
    show_reading(current, upload)


main()
