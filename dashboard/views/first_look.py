"""Where a data set is looked at first."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.samples import samples
from tripletscope.dashboard.views.page import go_to


def first_page(info: DatasetInfo) -> str:
    """Where a data set is looked at first: by its findings, or as a sample says."""
    pages = (sample.page for sample in samples() if sample.origin == info.origin)
    return f"../pages/{next(pages, 'data')}.py"


def look_first(info: DatasetInfo) -> None:
    """Go there."""
    go_to("data", "findings")
    st.switch_page(first_page(info))
