"""What views that compute something share: the button that starts it, and its progress."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.controls import pressed
from tripletscope.dashboard.interface.theme import Canvas
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.state import Session

WIDE = Canvas(900.0, 430.0)


def compute_button(
    current: Session,
    info: DatasetInfo,
    triplets: Triplets,
    page: str,
    key: str,
    title: str,
    pieces: Sequence[analysis.Piece],
    about: str,
    *,
    label: str = "Compute",
) -> None:
    """A button that computes `pieces` as one job of a page; disabled where there are none."""
    if pressed(
        current, key, label, type="primary", icon=":material/play_arrow:", width="stretch",
        disabled=not pieces, help=about,
    ):
        analysis.submit(current, info, triplets, page, title, pieces)
        st.rerun()
