"""Uncertainty: how sure positions and answers are, and what to ask next."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.uncertainty.page import show_uncertainty


def main() -> None:
    current = session()
    info = current.dataset
    st.title("Uncertainty", anchor=False)
    if info is None:
        panels.empty(
            "No data set is open",
            "Uncertainty is computed from answers: upload a file on the start page, or open one "
            "of the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    show_uncertainty(current, info)


main()
