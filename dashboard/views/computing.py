"""What views that compute something share: the button that starts it, and its progress."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.triplets import Triplets
from dashboard import analysis
from dashboard.catalogue import DatasetInfo
from dashboard.controls import pressed
from dashboard.state import Session
from dashboard.theme import Canvas

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
