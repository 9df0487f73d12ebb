"""Take elsewhere: the same questions without this server, and for other programs."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.elsewhere import PROGRAMS, questions_for
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.dashboard import export
from tripletscope.dashboard.collecting import jspsych
from tripletscope.dashboard.collecting.static import SENDINGS, static_zip
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, pick
from tripletscope.dashboard.keeping.experiments import files_named
from tripletscope.dashboard.views.collect.context import PAGE, CollectContext, with_experiment
from tripletscope.dashboard.views.collect.forms import line
from tripletscope.dashboard.views.page import tab


@tab(PAGE, "Take elsewhere", 4, needs=with_experiment, slot=None)
def show_elsewhere(context: CollectContext) -> None:
    """Downloads, each with what it is for."""
    own, others = st.columns(2, gap="large")
    with own:
        _static(context)
    with others:
        _programs(context)


def _static(context: CollectContext) -> None:
    """One ZIP that runs without a server of ours."""
    current, experiment = context.session, context.experiment
    st.subheader("The same page, without this server", anchor=False)
    missing = jspsych.missing()
    if missing:
        st.error(panels.plain(missing), icon=":material/error:")
        return
    sending = pick(
        current, f"{PAGE}.sending", "Where it runs", {
            name: way.title for name, way in SENDINGS.items()
        },
    )
    address = ""
    if sending == "post":
        address = line(
            current, f"{PAGE}.sending.address", "Address", "", placeholder="https://…",
            help="Where the page sends answers to, after each of them.",
        )
    lists = number(
        current, f"{PAGE}.sending.lists", "Lists of questions", 1, 10_000,
        min(experiment.most_people, 100), help="For so many different participants.",
    ) or 1
    if experiment.is_adaptive:
        st.caption("Without a server, questions cannot depend on answers: they are balanced.")
    st.markdown(panels.plain(SENDINGS[sending].readme))
    st.download_button(
        "Download (ZIP)",
        partial(static_zip, experiment, context.folder, sending, address, int(lists)),
        f"{export.file_name(experiment.title, sending)}.zip", "application/zip", type="primary",
        key=f"{PAGE}.sending.zip", on_click="ignore", icon=":material/folder_zip:",
        disabled=sending == "post" and not address.startswith(("https://", "http://")),
    )


def _programs(context: CollectContext) -> None:
    """Lists of questions as other programs read them."""
    current, experiment = context.session, context.experiment
    st.subheader("For other programs", anchor=False)
    people = number(
        current, f"{PAGE}.elsewhere.people", "Lists, one for each participant", 1, 10_000,
        min(experiment.most_people, 20),
    ) or 1
    why = _objection(experiment)
    if why:
        st.info(panels.plain(why), icon=":material/info:")
    name = pick(
        current, f"{PAGE}.elsewhere.program", "Program",
        {name: program.title for name, program in PROGRAMS.items()},
    )
    st.markdown(panels.plain(PROGRAMS[name].help))
    st.download_button(
        "Download (ZIP)", partial(_packed, context.folder, experiment, name, int(people)),
        f"{export.file_name(experiment.title, name)}.zip", "application/zip",
        key=f"{PAGE}.elsewhere.zip", on_click="ignore", icon=":material/folder_zip:",
        disabled=bool(why),
    )


def _objection(experiment: Experiment) -> str:
    """Why no other program can ask these questions; empty if one can."""
    try:
        questions_for(experiment, next(iter(PROGRAMS)))
    except DataError as error:
        return str(error)
    return ""


def _packed(folder: Path, experiment: Experiment, program: str, people: int) -> bytes:
    """Lists of questions, with the files that they show."""
    files = dict(questions_for(experiment, program, range(people)))
    files |= {
        f"{STIMULI}/{name}": (folder / STIMULI / name).read_bytes()
        for name in files_named(experiment)
    }
    return export.bundle(files)
