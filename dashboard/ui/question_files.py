"""Lists of questions to take away, in every format."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.export import PROGRAMS, questions_for
from tripletscope.dashboard.files import export
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.experiments import experiment_key
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import button, pick
from tripletscope.dashboard.ui.elements import csv_button


def take_away(
    current: Session, place: str, experiment: Experiment, n_lists: int, name: str,
    files: Mapping[str, bytes | Path] = MappingProxyType({}),
) -> None:
    """Ask for a format, and offer the lists in it, with files that are shown, by their names."""
    titles = {name: program.title for name, program in PROGRAMS.items()}
    program = pick(current, f"{place}.layout", "Format", titles)
    why = _objection(experiment, experiment_key(experiment), program)
    st.caption(panels.plain(PROGRAMS[program].help))
    if experiment.before or experiment.after:
        st.caption("The files hold no questionnaire: make it in that program.")
    if experiment.unanswered:
        st.caption("The files hold no “Cannot say” and no time limit: set both in that program.")
    is_one = not files and (n_lists == 1 or PROGRAMS[program].is_joined)
    ending, kind = ".zip", "application/zip"
    if is_one:
        ending, kind = PROGRAMS[program].suffix, "text/plain"
    with st.container(horizontal=True, vertical_alignment="center"):
        button(
            "Download the questions",
            partial(_packed, experiment, program, n_lists, files, is_one),
            f"{export.file_name(name, 'questions', program)}{ending}", kind, type="primary",
            key=f"{place}.questions", on_click="ignore", icon=":material/download:",
            why=why, kind=st.download_button,
        )
        if program == "salmon":
            csv_button(
                "Objects, in order", lambda: pd.DataFrame(
                    {"id": item.id, "label": item.label} for item in experiment.objects
                ), "objects", f"{place}.objects",
                help="The targets to which Salmon's numbers refer.",
            )


@st.cache_data(max_entries=16, show_spinner=False)
def _objection(_experiment: Experiment, key: str, program: str) -> str:
    """Why a program cannot ask these questions; empty if it can."""
    try:
        questions_for(_experiment, program)
    except DataError as error:
        return str(error)
    return ""


def _packed(
    experiment: Experiment, program: str, n_lists: int, files: Mapping[str, bytes | Path],
    is_one: bool,
) -> bytes:
    lists = questions_for(experiment, program, range(n_lists))
    if is_one:
        return next(iter(lists.values()))
    return export.bundle(lists | {
        f"{STIMULI}/{name}": content.read_bytes() if isinstance(content, Path) else content
        for name, content in files.items()
    })
