"""Landmark designs: which questions make triplet kernels out of few answers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tripletscope.core.data.landmarks import choose_landmarks, landmark_questions, recognise
from tripletscope.core.studies.experiment.handout import LAYOUTS, question_table
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, pick
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.kernel.context import PAGE
from tripletscope.dashboard.views.page import of_the_open_data, tab
from tripletscope.dashboard.views.simulate.asking import LAYOUT_HELP
from tripletscope.dashboard.wording.formats import count

_DESIGNS = {
    "k1": "For k1: every object compares pairs of landmarks",
    "k2": "For k2: every landmark compares objects with landmarks",
}


@tab("simulate", "Landmarks", 5, needs=of_the_open_data(), slot=None)
def show_design(context: Context) -> None:
    """A list of questions to take away."""
    if context.triplets.n_objects < 4:
        panels.empty("Too few objects", "A landmark design needs four objects or more.")
        return
    left, right = st.columns([1, 2], gap="large")
    with left:
        kernel = pick(context.session, f"{PAGE}.design", "Design", _DESIGNS)
        most = context.triplets.n_objects - 1
        n_landmarks = int(number(
            context.session, f"{PAGE}.landmarks@{context.info.id}", "Landmarks", 3, most,
            min(10, most),
            help="More landmarks say more about every object, and take more answers.",
        ) or 3)
        chosen = "at random"
        if len(context.session.selection) >= 3:
            source = pick(context.session, f"{PAGE}.landmarks.from", "Which", {
                "random": "At random", "selection": "The selected objects",
            })
            chosen = "the selected objects" if source == "selection" else chosen
        seed = number(context.session, f"{PAGE}.landmarks.seed", "Seed", 0, 2**31 - 1, 0) or 0
        layout = pick(
            context.session, f"{PAGE}.landmarks.layout", "Layout", LAYOUTS, help=LAYOUT_HELP
        )
    rng = np.random.default_rng(seed)
    if chosen == "at random":
        landmarks = choose_landmarks(context.triplets.n_objects, n_landmarks, rng)
    else:
        landmarks = np.array(context.selected)
    questions = landmark_questions(context.triplets.n_objects, landmarks, kernel)
    with right:
        st.markdown(
            f"**{count(len(questions), 'question')}** with {count(len(landmarks), 'landmark')}, "
            f"instead of all {count(_all(context.triplets.n_objects), 'question')}."
        )
        names = [context.triplets.labels[i] for i in landmarks]
        more = f" and {len(names) - 30} more" if len(names) > 30 else ""
        st.markdown(panels.plain(f"Landmarks: {', '.join(names[:30])}{more}."))
        st.caption(
            "From answers to such questions triplet kernels find groups about as well as "
            "embeddings do, in a tenth of the time or less. Embeddings can do with random "
            "questions, too, in which these kernels find nothing unless answers are very many."
        )
        for design in recognise(context.triplets):
            st.markdown(
                f"These answers follow a design for {design.kernel} with "
                f"{count(len(design.landmarks), 'landmark')}: {design.n_asked:,} of "
                f"{design.n_possible:,} questions were asked."
            )
        st.download_button(
            "Download the questions",
            lambda: export.csv(
                question_table(rng.permutation(questions), context.triplets.objects, layout)
            ),
            f"{export.file_name(context.info.name, kernel, 'landmark-questions')}.csv", "text/csv",
            key=f"{PAGE}.design.csv", on_click="ignore", icon=":material/download:",
            type="primary",
        )


def _all(n_objects: int) -> int:
    return n_objects * (n_objects - 1) * (n_objects - 2) // 2
