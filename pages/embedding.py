"""Embedding: the objects on a map, with the uncertainty of their positions."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.embedding.page import show_embedding


def main() -> None:
    current = session()
    info = current.dataset
    if info is None:
        st.title("Embedding", anchor=False)
        panels.empty(
            "No data set is open",
            "A map needs answers: upload a file on the start page, or open one of the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    st.title("Embedding", anchor=False)
    show_embedding(current, info)


main()
