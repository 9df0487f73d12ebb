"""What to ask next: a list of questions to take away, and whether choosing them pays."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.run import Run
from tripletscope.core.studies.design.active import STRATEGIES, propose
from tripletscope.core.studies.experiment.handout import LAYOUTS, question_table
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, parameter_form, pick
from tripletscope.dashboard.views.compare.comparing import advice_of
from tripletscope.dashboard.views.page import of_the_open_data, tab
from tripletscope.dashboard.views.uncertain_map import (
    PAGE,
    UncertaintyContext,
    choose_map,
    made_of,
)
from tripletscope.dashboard.wording.formats import count

LAYOUT_HELP = (
    "Plain: ids of anchor, left and right. Salmon: head, left and right as numbers from 0. "
    "jsPsych: timeline variables, with pictures if available."
)
_PREVIEW = 8
#: Strategies that need to know how sure the map is: by which probability they select, and why.
_WHY = {
    "uncertain": "Selected by order certainty, not by response probability: an answer tells most "
    "where the maps do not know the order. Where people find two distances alike, their responses "
    "stay uncertain however often they are asked.",
    "gain": "Selected by what the method's own response probabilities say of the anchor's place: "
    "an answer tells most where places that are still possible predict different responses.",
}


@tab("simulate", "Next questions", 6, needs=of_the_open_data(choose_map), slot=PAGE)
def show_asking(context: UncertaintyContext) -> None:
    """Questions for the next batch; a simulation of what they bring."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        strategies = {
            name: title for name, title in STRATEGIES.items()
            if name != "gain" or context.method.is_likelihood
        }
        options = parameter_form(
            context.session, propose, f"{PAGE}.propose",
            hidden=() if len(strategies) == len(STRATEGIES) else ("strategy",),
        )
        if "strategy" not in options:
            options["strategy"] = pick(
                context.session, f"{PAGE}.strategy", "Questions", strategies
            )
        wanted = number(
            context.session, f"{PAGE}.wanted", "Number of questions", 1, 100_000, 500
        ) or 500
        layout = pick(context.session, f"{PAGE}.layout", "Layout", LAYOUTS, help=LAYOUT_HELP)
    with picture:
        advice = advice_of(context.info, context.triplets, context.method)
        if advice:
            st.markdown(advice)
        _questions(context, options, wanted, layout)
    st.subheader("Adaptive against random questions", anchor=False)
    st.markdown(
        "Lohaus, Hennig and von Luxburg (2019) found that questions selected for their uncertainty "
        "improve the prediction of answers slightly over random ones, but not that of clusters or "
        "classes. Simulate it for your objects and noise before you invest in it."
    )
    _simulation(context)


def _questions(
    context: UncertaintyContext, options: dict[str, Any], wanted: int, layout: str
) -> None:
    samples = context.newest("bootstrap") if options["strategy"] in _WHY else None
    if options["strategy"] in _WHY and samples is None:
        st.markdown(
            "These questions are selected by the uncertainty of the map, which has not been "
            "computed yet."
        )
        context.compute_button(
            f"{PAGE}.bootstrap.run", "Uncertainty", [(context.method, "bootstrap", {})],
            "Computes plausible maps.",
        )
        return
    try:
        rows = _proposed(
            f"{context.fit.key} {made_of(samples) if samples else ''}", options, wanted,
            context, samples,
        )
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    if options["strategy"] in _WHY:
        st.caption(_WHY[options["strategy"]])
    table = question_table(rows, context.triplets.objects, layout)
    st.markdown(f"**{count(len(rows), 'question')}**, for example:")
    labels = np.array(context.triplets.labels, dtype=object)[rows[:_PREVIEW]]
    st.markdown(as_sentences(labels))
    st.download_button(
        "Download the questions", lambda: export.csv(table),
        f"{export.file_name(context.info.name, 'questions', layout)}.csv", "text/csv",
        key=f"{PAGE}.questions.csv", on_click="ignore", icon=":material/download:",
        type="primary",
    )


def as_sentences(labels: np.ndarray) -> str:
    """Questions about labels (q, 3) as a list in Markdown."""
    return "\n".join(
        f"- Is **{panels.plain(a)}** more similar to **{panels.plain(b)}** or to "
        f"**{panels.plain(c)}**?" for a, b, c in labels.tolist()
    )


@st.cache_data(max_entries=16, show_spinner="Selecting questions")
def _proposed(
    key: str, options: dict[str, Any], wanted: int, _context: UncertaintyContext,
    _samples: Run | None,
) -> np.ndarray:
    return propose(
        _context.method, _context.triplets, wanted, **options,
        samples=_samples.samples() if _samples else None,
    )


def _simulation(context: UncertaintyContext) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        run = context.result(
            context.method, "compare_active", "Simulates answers like yours to adaptively selected "
            "and to random questions.", newest=True,
        )
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows how much further answers would improve the map, with adaptively "
                "selected and with random questions.",
            )
            return
        context.present(run)
