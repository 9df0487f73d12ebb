"""Kernel: similarities from triplets without a map, and what can be learned from them."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.kernel.page import show_kernel


def main() -> None:
    current = session()
    info = current.dataset
    st.title("Kernel", anchor=False)
    if info is None:
        panels.empty(
            "No data set is open",
            "Similarities are counted from answers: upload a file on the start page, or open one "
            "of the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    show_kernel(current, info)


main()
