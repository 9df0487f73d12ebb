"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.imports import keep_waiting, waiting
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.data.dataset import show_head
from tripletscope.dashboard.views.data.reading import show_reading
from tripletscope.dashboard.views.page import show_page


def main() -> None:
    current = session()
    upload = waiting(current.id)
    if upload is None:
        show_page("data", "Data", "Answers come from a file", with_pairs=True, head=show_head)
        return
    try:
        show_reading(current, upload)
    finally:
        try:
            keep_waiting(current.id, upload)
        except DataError as error:  # it is still in memory, and goes on
            st.warning(panels.plain(str(error)), icon=":material/hard_drive:")


main()
