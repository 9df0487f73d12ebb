"""Conjoint measurement of uploaded comparisons, without a map."""

from __future__ import annotations

from functools import partial

import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.scale import conjoint_scales
from tripletscope.core.scale.binomial import LINKS
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.results.conjoint import JointScales
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.elements import read_or_show_error, run_button
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import PAGE
from tripletscope.dashboard.working.pool import pool

_PLACE = f"{PAGE}.conjoint"


def show_conjoint_alone(current: Session) -> None:
    """The same where no data set is open, which such scales do not need."""
    st.header("Conjoint measurement", anchor=False)
    show_conjoint(Context(current, None, PAGE, _PLACE, None))


@tab(PAGE, "Conjoint", 7, slot=_PLACE)
def show_conjoint(context: Context) -> None:
    """What each of several properties contributes to a judgement."""
    picture, side = context.picture_and_side()
    with side:
        file = st.file_uploader("Comparisons", key=_PLACE)
        links = {name: link.title for name, link in LINKS.items()}
        link = pick(context.session, f"{_PLACE}.link", "Link", links)
        content = None
        if run_button(context.session, f"{_PLACE}.run", "Fit", disabled=file is None) and file:
            content = read_or_show_error(
                context.session, _PLACE, file, "conjoint", words="Reading the file"
            )
        if content is not None:
            table, notes = content

            def work(progress: Progress) -> JointScales:
                compute = partial(conjoint_scales, link=link)
                return JointScales(
                    pool().call(compute, table, progress=progress), file.name, notes
                )

            context.begin(f"Comparisons: {file.name}", "Fitting the scale", work)
            st.rerun()
    with picture:
        if context.job is not None and context.job.results:
            context.present(context.job.results[0])
        else:
            context.empty(
                "No comparisons yet",
                "Upload comparisons of stimuli that vary in two or more properties: the levels of "
                "both stimuli, such as gloss1, gloss2, bumps1 and bumps2, and resp, 1 where the "
                "first was chosen, else 0; then press Fit.",
            )
