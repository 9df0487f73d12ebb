"""Running jobs on pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from tripletscope.dashboard.jobs.queue import Job
from tripletscope.dashboard.state import session
from tripletscope.dashboard.ui.chart import address, asset
from tripletscope.dashboard.ui.guide import help_with
from tripletscope.dashboard.words.formats import duration, plain

_watcher = st.components.v2.component(
    "tripletscope_watch",
    html='<div class="ts-watch"><p class="ts-words"></p><div class="ts-bar" role="progressbar" '
    'aria-valuemin="0" aria-valuemax="100"><div></div></div></div>',
    css=asset("chart.css"),
    js=asset("rest.js") + asset("watch.js"),
    isolate_styles=False,
)


def watch(job: Job | None, place: str = "page", *, narrow: bool = False) -> None:
    """Show a job while it runs, and how it ended; the page reruns after each of its steps.

    The browser polls the server instead of rerunning a fragment: a fragment's late run would name
    the previous page, and Streamlit would then empty the new one.
    place: Unique on the page.
    narrow: Cancel below the bar rather than beside it.
    """
    # One place with and without a job. Otherwise elements below would move when a job begins or
    # ends: what is open would close, and controls would appear twice.
    with st.container():
        if job is None:
            return
        if place == "page":
            session().watched.add(job.id)
        if not job.active:
            show_outcome(job)
        else:
            _show_active(job, place, narrow)


def _show_active(job: Job, place: str, narrow: bool) -> None:
    bar, button = (st.container(), st) if narrow else st.columns(
        [6, 1], vertical_alignment="center"
    )
    with bar:
        _watcher(
            key=f"{place}.watch.{job.id}", on_turned_change=lambda: None,
            data={"job": state_of(job), "address": address(f"jobs/{job.id}")},
        )
    button.button(
        "Stopping" if job.stopping else "Cancel", key=f"{place}.cancel.{job.id}",
        on_click=job.cancel, disabled=job.stopping,
        help="Stops, and keeps results so far.", width="content" if narrow else "stretch",
    )


def follow(key: str, state: Mapping[str, Any], path: str) -> None:
    """Show progress that is no job's; the page reruns after each step.

    state: ``words``, ``share`` from 0 to 1, ``step``, ``active``.
    path: Of `address`, for later states.
    """
    _watcher(
        key=key, on_turned_change=lambda: None, data={"job": dict(state), "address": address(path)},
    )


def state_of(job: Job) -> dict[str, Any]:
    """State of a job for the browser: plain values.

    A job that was given up seems active: the page that watched it is on its way out.
    """
    step = job.present_step
    if job.state == "waiting":
        words = f"{job.title}: waiting, {place_in_queue(job.place)} in the queue"
    elif job.stopping:
        words = f"{step.title}: stopping"
    else:
        left = job.seconds_left
        words = f"{step.title}, {job.share_done:.0%}"  # as the bar beside it
        words += f", about {duration(left)} left" if left is not None and left > 1 else ""
        losses = job.losses.get(0) if step.estimates else None
        words += f"; {step.estimates} {losses[-1]:.3f} so far" if losses else ""
    active = job.active or job.given_up
    return {"words": words, "share": job.share_done, "step": job.step, "active": active}


def place_in_queue(place: int) -> str:
    if place <= 1:
        return "next"
    last = 0 if place % 100 in (11, 12, 13) else place % 10
    return f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(last, 'th')}"


def show_outcome(job: Job) -> None:
    """Say how a job ended, unless it simply ended well."""
    if job.state == "failed":
        st.error(f"{plain(job.message)}{help_with(job)}", icon=":material/error:")
    elif job.message:
        st.info(plain(job.message), icon=":material/info:")
