"""Trees: neighbours, classes and numbers from comparisons alone."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.trees.page import show_trees


def main() -> None:
    current = session()
    info = current.dataset
    st.title("Trees", anchor=False)
    if info is None:
        panels.empty(
            "No data set is open",
            "Comparison trees grow from answers: upload a file on the start page, or open one of "
            "the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    show_trees(current, info)


main()
