"""Answers are left out, wherever they were chosen; what that does is measured as a job."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from tripletscope.core.engine.method import Method
from tripletscope.core.engine.progress import Progress
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard import analysis
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import go_to
from tripletscope.dashboard.wording.formats import count
from tripletscope.dashboard.working.pool import pool


def exclude(current: Session, info: DatasetInfo, exclusion: Exclusion, view: str = "") -> str:
    """Leave out answers, unless no answer would remain; what to say of it.

    view: See `Workspace.update_dataset`.
    """
    cleaning = services().workspace.cleaning(info)
    preview = cleaning.preview(exclusion)
    if preview.n_answers == len(cleaning.triplets):
        return "No answer would remain: nothing was excluded."
    services().workspace.update_dataset(info, cleaning.excluding(exclusion), view=view)
    current.drafts["quality.people"] = []
    return f"Excluded {count(preview.n_answers, 'answer')}. The tab Exclusions can undo it."


def exclude_and_show(current: Session, info: DatasetInfo, exclusion: Exclusion) -> None:
    """The same on a click; the tab of exclusions is shown then."""
    st.toast(exclude(current, info, exclusion))
    go_to("data", "exclusions")


def ask_for_reason(cleaning: Cleaning, key: str) -> str:
    """Ask why the next exclusion is made."""
    return st.text_input(
        "Reason", key=f"{key}.{len(cleaning.exclusions)}", max_chars=300,
        placeholder="For the log and the methods section; optional",
    ).strip()


def effect_of(context: Context, change: Any, method: Method) -> Any:
    """What a job has measured of a change of these answers by a method; None if none has."""
    results = filter(None, context.job.results if context.job else ())
    key = (change, _place(context, method))
    return next((effect for *of, effect in results if (*of,) == key), None)


def measure_effect(
    context: Context, change: Any, method: Method, title: str, words: str,
    measure: Callable[..., Any], *arguments: Any,
) -> None:
    """Begin a job that measures the effect of a change."""
    place = _place(context, method)

    def work(progress: Progress) -> tuple[Any, str, Any]:
        return change, place, pool().call(measure, *arguments, progress=progress)

    context.begin(f"{title}: {context.info.name}", words, work)
    st.rerun()


def _place(context: Context, method: Method) -> str:
    return f"{context.info.fingerprint} {context.info.state} {analysis.describe(method)}"
