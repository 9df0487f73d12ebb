"""Scales of uploaded comparisons, without a map: paired preferences and conjoint measurement."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import partial
from types import SimpleNamespace
from typing import Any

import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.ratings import paired_preferences
from tripletscope.core.ratings.preferences import MODELS
from tripletscope.core.scale import conjoint_scales
from tripletscope.core.scale.binomial import LINKS
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.results.conjoint import JointScales
from tripletscope.dashboard.results.preferences import ScaledPreferences
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import read_or_show_error, run_button
from tripletscope.dashboard.views.page import go_to, tab
from tripletscope.dashboard.views.scale.context import PAGE
from tripletscope.dashboard.working.pool import pool

_PREFERENCES, _CONJOINT = f"{PAGE}.preferences", f"{PAGE}.conjoint"


def take_preferences(current: Session, name: str, content: bytes) -> None:
    """Show preferences that were collected, where others are uploaded."""
    key = hashlib.blake2b(content, digest_size=8).hexdigest()
    file = SimpleNamespace(file_id=key, name=name, getvalue=lambda: content)
    current.read[f"{_PREFERENCES}.collected"] = key, file
    go_to(PAGE, "preferences")
    st.switch_page("../pages/scale.py")


def show_uploaded_alone(current: Session) -> None:
    """The same where no data set is open, which such scales do not need."""
    for title, place, show in (
        ("Paired preferences", _PREFERENCES, show_preferences),
        ("Conjoint measurement", _CONJOINT, show_conjoint),
    ):
        st.subheader(title, anchor=False)
        show(Context(current, None, PAGE, place, None))


@tab(PAGE, "Preferences", 6, slot=_PREFERENCES)
def show_preferences(context: Context) -> None:
    """What is preferred to what, on one scale."""
    _show(
        context, _PREFERENCES, "preferences", "Preferences", ("model", "Model", MODELS),
        paired_preferences, ScaledPreferences, (
            "No preferences yet",
            "Upload preferences, with columns winner and loser, or left, right and choice, and "
            "optionally participant and ties; then press Fit.",
        ),
    )


@tab(PAGE, "Conjoint", 7, slot=_CONJOINT)
def show_conjoint(context: Context) -> None:
    """What each of several properties contributes to a judgement."""
    _show(
        context, _CONJOINT, "conjoint", "Comparisons",
        ("link", "Link", {name: link.title for name, link in LINKS.items()}),
        conjoint_scales, JointScales, (
            "No comparisons yet",
            "Upload comparisons of stimuli that vary in two or more properties: the levels of both "
            "stimuli, such as gloss1, gloss2, bumps1 and bumps2, and resp, 1 where the first was "
            "chosen, else 0; then press Fit.",
        ),
    )


def _show(
    context: Context, place: str, what: str, label: str,
    option: tuple[str, str, Mapping[str, str]], compute: Callable[..., Any],
    result: Callable[[Any, str, list[str]], Any], empty: tuple[str, str],
) -> None:
    """A file and a model beside the scale that is made of them.

    what: Of `tripletscope.dashboard.door.questions.OF_FILES`.
    """
    picture, side = context.picture_and_side()
    with side:
        file = st.file_uploader(label, key=place, help="A table with a row per comparison.")
        _, collected = context.session.read.get(f"{place}.collected", ("", None))
        if file is None and collected is not None:
            file = collected
            st.caption(f"Without a file: the answers of {panels.plain(file.name)}.")
        name, title, values = option
        chosen = pick(context.session, f"{place}.{name}", title, values)
        content, compute = None, partial(compute, **{name: chosen})
        if run_button(context.session, f"{place}.run", "Fit", disabled=file is None) and file:
            content = read_or_show_error(
                context.session, place, file, what, words="Reading the file"
            )
        if content is not None:
            table, notes = content

            def work(progress: Progress) -> Any:
                return result(pool().call(compute, table, progress=progress), file.name, notes)

            context.begin(f"{label}: {file.name}", "Fitting the scale", work)
            st.rerun()
    with picture:
        if context.job is not None and context.job.results:
            context.present(context.job.results[0])
        else:
            context.empty(*empty)
