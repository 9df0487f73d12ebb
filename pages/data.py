"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard import imports
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.state import session, tab_is_open
from tripletscope.dashboard.views.data.dataset import show_head
from tripletscope.dashboard.views.data.reading import show_reading
from tripletscope.dashboard.views.page import show_page


def main() -> None:
    current = session()
    upload = imports.waiting(current.id)
    reading = imports.opening(current.id)
    if reading is not None and reading.job.active:
        st.title(panels.plain(f"Reading {reading.name}"), anchor=False)
        watch(reading.job, "opening")
        return
    if upload is None:
        show_page("data", "Data", "Answers come from a file", with_pairs=True, head=show_head)
        return
    upload.wanted = tab_is_open()
    current.arrived = upload.id
    try:
        show_reading(current, upload)
    finally:
        try:
            imports.keep_waiting(current.id, upload)
        except DataError as error:  # it is still in memory, and goes on
            st.warning(panels.plain(str(error)), icon=":material/hard_drive:")


main()
