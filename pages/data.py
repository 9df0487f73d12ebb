"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard import imports, uploads
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.data.dataset import show_head
from tripletscope.dashboard.views.data.reading import show_reading
from tripletscope.dashboard.views.navigation import PLACES
from tripletscope.dashboard.views.page import show_page


def main() -> None:
    current = session()
    upload = uploads.waiting(current.id)
    reading = imports.opening(current.id)
    if reading is not None and reading.job.active:
        st.title(panels.plain(f"Reading {reading.name}"), anchor=False)
        watch(reading.job, "opening")
        return
    if upload is None:
        show_page(PLACES["data"], head=show_head)
        return
    current.arrived = upload.id
    show_reading(current, upload)


main()
