"""Responses predicted with their probabilities, or left open where they are too uncertain."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty.abstention import predicted
from tripletscope.core.run import Run
from tripletscope.dashboard.files import export
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import csv_button, read_or_show_error
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map
from tripletscope.dashboard.words.formats import count

_LISTED = {f"{t:.2f}": f"{100 * t:.0f} %" for t in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)}


@tab("embedding", "Predictions", 4, needs=choose_map, slot=PAGE)
def show_predictions(context: UncertaintyContext) -> None:
    """What is gained by leaving unsure responses open; predictions for a list of questions."""
    picture, side = context.drawer()
    with side:
        run = context.result(
            context.method, "abstention", "Learns from a subset of the answers and predicts the "
            "others, with their response probabilities.", newest=True,
        )
    with picture:
        context.present_or_promise(
            run, promise="Compute shows how the error falls when responses with a low "
            "probability are not predicted.",
        )
    st.header("Predict a list of questions", anchor=False)
    run = next(filter(None, map(context.newest, context.sources)), None)
    if run is None:
        st.caption("Compute the uncertainty of positions first: predictions need it.")
    else:
        _predict_list(context, run)


def _predict_list(context: UncertaintyContext, run: Run) -> None:
    """Ask for a list of questions, and predict those whose responses are probable enough."""
    left, right = st.columns([2, 1])
    with left:
        file = st.file_uploader(
            "Questions", key=f"{PAGE}.questions",
            help="A table with an anchor and two objects per row, as id, label or number from 0: "
                 "columns anchor, first, second, or head, left, right.",
        )
    with right:
        threshold = float(pick(
            context.session, f"{PAGE}.threshold", "Predict from", _LISTED,
            help="Less probable responses are not predicted. The probability is that of people's "
            "responses, not of the order of distances.",
        ))
    content = file and read_or_show_error(
        context.session, f"{PAGE}.questions", file, "questions", about=context.triplets
    )
    if content is None:
        return
    rows, how = content
    st.caption(panels.plain(how))
    samples = context.samples(run)
    if samples.response is None:
        context.learn_responses(run, "Response probabilities have not been computed yet.")
        return
    questions = Triplets(rows, context.triplets.objects, None, file.name)
    _show_predicted(context, predicted(samples, questions, threshold=threshold))


def _show_predicted(context: UncertaintyContext, table: pd.DataFrame) -> None:
    left_open = int(table["nearer"].isna().sum())
    st.markdown(
        f"{count(len(table) - left_open, 'answer')} predicted, {left_open:,} not predicted, by "
        "response probability."
    )
    st.dataframe(
        table, hide_index=True, placeholder="", key=f"{PAGE}.predicted", height=320,
        column_config={
            name: st.column_config.ProgressColumn(
                title, format="%.3f", min_value=0.5, max_value=1.0, help=about
            )
            for name, title, about in (
                ("response_probability", "Response probability",
                 "Probability that a person gives this response, calibrated on held-out "
                 "responses."),
                ("order_certainty", "Order certainty",
                 "How certain the maps are about which object is nearer."),
            )
        },
    )
    csv_button("CSV", lambda: table, export.file_name(context.info.name, "predictions"),
               f"{PAGE}.predicted.csv")
