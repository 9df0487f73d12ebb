"""Paired preferences: a scale without a map."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress
from tripletscope.core.ratings import paired_preferences
from tripletscope.core.ratings.preferences import MODELS
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.results.preferences import ScaledPreferences
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import PAGE
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.preferences"


def show_preferences_alone(current: Session) -> None:
    """The same where no data set is open, which preferences do not need."""
    st.subheader("Paired preferences", anchor=False)
    show_preferences(Context(current, None, PAGE, _PLACE, None))


@tab(PAGE, "Preferences", 6, slot=_PLACE)
def show_preferences(context: Context) -> None:
    """What is preferred to what, on one scale."""
    picture, side = context.picture_and_side()
    with side:
        _ask(context)
    job = context.job
    with picture:
        if job is not None and job.results:
            context.present(job.results[0])
        elif job is None or not job.active:
            panels.empty(
                "No preferences yet",
                "Upload what was preferred to what: columns winner and loser, or left, right and "
                "choice, with participant and ties where there are any; then press Fit.",
            )


def _ask(context: Context) -> None:
    file = st.file_uploader("Preferences", key=_PLACE, help="A table with a row per comparison.")
    model = pick(context.session, f"{_PLACE}.model", "Model", MODELS)
    asked = pressed(
        context.session, f"{_PLACE}.run", "Fit", type="primary", icon=":material/play_arrow:",
        width="stretch", disabled=file is None,
    )
    if file is None or not asked:
        return
    try:
        table, notes = read_file(
            context.session, _PLACE, file, "preferences", words="Reading the preferences"
        )
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return

    def work(progress: Progress) -> ScaledPreferences:
        compute = partial(paired_preferences, model=model)
        return ScaledPreferences(pool().call(compute, table, progress=progress), file.name, notes)

    context.begin(f"Preferences: {file.name}", "Scaling preferences", work)
    st.rerun()
