"""The head of a page that needs data: its title, or what to do where there are none."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.state import Session


def opened(
    current: Session, title: str, otherwise: str, *, with_pairs: bool = False
) -> DatasetInfo | None:
    """The open data set, below the title of the page.

    Parameters
    ----------
    current : Session
    title : str
    otherwise : str
        What to do where no data set is open.
    with_pairs : bool
        Whether the page can do with nothing but comparisons of pairs.

    Returns
    -------
    DatasetInfo or None
        None where the page has nothing to show; that is then said.
    """
    st.title(title, anchor=False)
    info = current.dataset
    if info is None:
        panels.empty("No data set is open", otherwise)
        st.page_link("../pages/start.py", label="Go to the start page", icon=":material/home:")
        return None
    if info.has_only_pairs and not with_pairs:
        panels.empty(
            "These answers compare pairs",
            f"All {count(info.n_pairs, 'answer')} of this data set compare two pairs of objects "
            "without one in common. The page Scale uses them; this page needs triplets.",
        )
        st.page_link("../pages/scale.py", label="Go to Scale", icon=":material/stairs:")
        return None
    return info


def first_page(info: DatasetInfo) -> str:
    """Where a data set is looked at first."""
    return f"../pages/{'scale' if info.has_only_pairs else 'embedding'}.py"


def size_of(info: DatasetInfo) -> str:
    """How much a data set holds, in words."""
    answers = (
        count(info.n_pairs, "comparison of pairs", "comparisons of pairs") if info.has_only_pairs
        else count(info.n_answers, "answer")
    )
    people = f", {count(info.n_participants, 'participant')}" if info.n_participants else ""
    return f"{count(info.n_objects, 'object')}, {answers}{people}"
