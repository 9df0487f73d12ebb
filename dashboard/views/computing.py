"""What views that compute something share: the button that starts it, and its progress."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.triplets import Triplets
from dashboard import analysis, panels
from dashboard.catalogue import DatasetInfo
from dashboard.controls import pressed
from dashboard.jobs import Job
from dashboard.state import Session
from dashboard.theme import Canvas

WIDE = Canvas(900.0, 430.0)


def watch(current: Session, job: Job | None) -> None:
    """Progress of a job; the page runs anew whenever one of its steps is done."""
    if job is None:
        return
    drawn_at = job.step

    def show(job: Job) -> None:
        if job.step != drawn_at:
            st.rerun()
        panels.progress_line(job, "page")

    panels.watch(current, job, show)


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
