"""Compare: which method, how many dimensions, how many answers."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.compare.page import show_compare


def main() -> None:
    current = session()
    info = current.dataset
    st.title("Compare", anchor=False)
    if info is None:
        panels.empty(
            "No data set is open",
            "Methods are compared on answers: upload a file on the start page, or open one of "
            "the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    show_compare(current, info)


main()
