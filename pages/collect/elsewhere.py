"""Take elsewhere: the same page without this server, and the way to lists for other programs."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.dashboard.collect import jspsych
from tripletscope.dashboard.collect.static import SENDINGS, static_zip
from tripletscope.dashboard.files import export
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import button, line, number, pick, pressed
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.dashboard.ui.handover import choose_design
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.pages.collect.context import PAGE, CollectContext, with_experiment


@tab(PAGE, "Take elsewhere", 4, needs=with_experiment, slot=None)
def show_elsewhere(context: CollectContext) -> None:
    """Downloads, each with what it is for."""
    left, right = st.columns(2, gap="large")
    with left:
        _static(context)
    with right:
        _programs(context)


def _static(context: CollectContext) -> None:
    """One ZIP that runs without a server of ours."""
    current, experiment = context.session, context.experiment
    st.header("The same page, without this server", anchor=False)
    missing = jspsych.missing()
    if missing:
        show_error(missing)
        return
    ways = {name: way.title for name, way in SENDINGS.items()}
    sending = pick(current, f"{PAGE}.sending", "Where it runs", ways)
    address = ""
    if sending == "post":
        address = line(
            current, f"{PAGE}.sending.address", "Address", "", placeholder="https://…",
            help="The page sends each answer to this address.",
        )
    lists = number(
        current, f"{PAGE}.sending.lists", "Lists of questions", 1, 10_000,
        min(experiment.most_people, 100), help="Number of different participants.",
    ) or 1
    if experiment.is_adaptive:
        st.caption("Without a server, questions cannot depend on answers: they are balanced.")
    st.markdown(panels.plain(SENDINGS[sending].readme))
    is_without = sending == "post" and not address.startswith(("https://", "http://"))
    button(
        "Download (ZIP)",
        partial(static_zip, experiment, context.folder, sending, address, int(lists)),
        f"{export.file_name(experiment.title, sending)}.zip", "application/zip", type="primary",
        key=f"{PAGE}.sending.zip", on_click="ignore", icon=":material/folder_zip:",
        kind=st.download_button,
        why="The address is needed, and begins with https://." if is_without else "",
    )


def _programs(context: CollectContext) -> None:
    """The way to lists of questions as other programs read them."""
    st.header("For other programs", anchor=False)
    st.markdown(
        "The questions of this experiment as lists for Salmon, jsPsych, PsychoPy and Gorilla, or "
        "as a plain table, are on Simulate › Questions."
    )
    if pressed(
        context.session, f"{PAGE}.elsewhere.lists", "Lists of its questions",
        icon=":material/checklist:",
    ):
        choose_design(context.session, slug=context.slug)
        open_page("simulate")
