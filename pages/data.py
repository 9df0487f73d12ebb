"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.imports import keep_waiting, waiting
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.data.dataset import show_dataset
from tripletscope.dashboard.views.data.reading import show_reading


def main() -> None:
    current = session()
    upload = waiting(current.id)
    if upload is not None:
        try:
            show_reading(current, upload)
        finally:
            try:
                keep_waiting(current.id, upload)
            except DataError as error:  # it is still in memory, and goes on
                st.warning(panels.plain(str(error)), icon=":material/hard_drive:")
    elif current.dataset is not None:
        show_dataset(current, current.dataset)
    else:
        st.title("Data", anchor=False)
        panels.empty(
            "No data set is open",
            "Upload a file of answers on the start page, or open one of the samples there.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")


main()
