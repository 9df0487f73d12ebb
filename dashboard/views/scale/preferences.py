"""Paired preferences: a scale without a map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress
from tripletscope.core.ratings import PreferenceScale, paired_preferences
from tripletscope.core.ratings.preferences import MODELS
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.preferences import preference_dots
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.views.scale.context import PAGE
from tripletscope.dashboard.wording.formats import count
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.preferences"
_CANVAS = Canvas(760.0, 320.0)


@dataclass(frozen=True)
class ScaledPreferences:
    """A scale, and the file that it is of."""

    scale: PreferenceScale
    file: str
    notes: list[str]


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
            _show(context, job.results[0])
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


def _show(context: Context, found: ScaledPreferences) -> None:
    scale = found.scale
    text = _caption(found)

    def draw(canvas: Canvas) -> Any:
        return preference_dots(scale.table, caption=text, canvas=canvas)

    panels.figure_panel(
        context.session, draw, key=f"{_PLACE}.figure", alt=f"Scale of preference. {text}",
        canvas=_CANVAS, caption=text, name=f"{export.file_name(found.file)}-preferences",
        table=lambda: scale.table,
    )
    for note in [*found.notes, *scale.notes]:
        st.caption(panels.plain(note))


def _caption(found: ScaledPreferences) -> str:
    """Method, data, meaning, and whether the model holds."""
    scale = found.scale
    answers = int(scale.wins.sum() + scale.ties.sum() / 2)
    text = (
        f"{MODELS[scale.model]} scale of {count(len(scale.ids), 'object')} from "
        f"{count(answers, 'comparison')}, {found.file}. Bars: {100 * scale.level:.0f} % intervals, "
    )
    text += (
        f"bootstrap over {count(scale.n_participants, 'participant')}."
        if scale.unit == "participants" else "bootstrap over comparisons, not people."
    )
    if scale.degrees:
        verdict = (
            "one scale does not hold for these preferences" if scale.denies_one_scale
            else "nothing speaks against one scale"
        )
        text += (
            f" Deviance {scale.deviance:.1f} with {scale.degrees} degrees of freedom, "
            f"p = {scale.p_value:.3f}: {verdict}."
        )
    return text
