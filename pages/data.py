"""Data: how a file is read, and what the open data set holds."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.imports import take_dropped, waiting
from dashboard.state import session
from dashboard.views.data.dataset import show_dataset
from dashboard.views.data.reading import show_reading


def main() -> None:
    current = session()
    upload = waiting(current.id)
    dropped = take_dropped(current.id)
    if dropped is not None:
        st.warning(
            panels.plain(
                f"{dropped} was uploaded but not kept, and had to make room for newer uploads. "
                "Upload it again."
            ),
            icon=":material/draft:",
        )
    if upload is not None:
        show_reading(current, upload)
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
