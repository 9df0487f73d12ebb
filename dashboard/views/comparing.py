"""What the views of the page Compare share."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core.score import ErrorEstimate
from core.triplets import Triplets
from dashboard import analysis, panels
from dashboard.controls import pressed
from dashboard.jobs import Job
from dashboard.state import Session
from dashboard.theme import Canvas
from dashboard.workspace import DatasetInfo

PAGE = "compare"
WIDE = Canvas(900.0, 430.0)
_VAGUE = 0.1  # width of an interval


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
    key: str,
    title: str,
    pieces: Sequence[analysis.Piece],
    about: str,
) -> None:
    """A button that computes `pieces` as one job; without effect where there are none."""
    if pressed(
        current, key, "Compute", type="primary", icon=":material/play_arrow:", width="stretch",
        disabled=not pieces, help=about,
    ):
        analysis.submit(current, info, triplets, PAGE, title, pieces)
        st.rerun()


def worth_showing(repeats: ErrorEstimate | None) -> ErrorEstimate | None:
    """What repeated answers allow, unless there are so few that it says nothing."""
    return repeats if repeats and repeats.high - repeats.low < _VAGUE else None
