"""Clusters: groups of objects, how many there are, and how sure they are."""

from __future__ import annotations

import streamlit as st

from dashboard import panels
from dashboard.state import session
from dashboard.views.clusters.page import show_clusters


def main() -> None:
    current = session()
    info = current.dataset
    st.title("Clusters", anchor=False)
    if info is None:
        panels.empty(
            "No data set is open",
            "Clusters are computed from answers: upload a file on the start page, or open one "
            "of the samples.",
        )
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return
    show_clusters(current, info)


main()
