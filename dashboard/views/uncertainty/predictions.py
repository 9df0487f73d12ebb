"""Responses predicted with their probabilities, or left open where they are too uncertain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.uncertainty.prediction import Abstention, predicted
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.trust import abstention_curves
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count
from tripletscope.dashboard.views.compare.comparing import ceiling_of
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.uncertainty.context import (
    PAGE,
    UncertaintyContext,
    choose_map,
)

_THRESHOLDS = np.round(np.arange(0.5, 0.991, 0.02), 2)
_SURE = 0.9
_LISTED = {f"{t:.2f}": f"{100 * t:.0f} %" for t in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)}


@tab(PAGE, "Predictions", 2, needs=choose_map)
def show_predictions(context: UncertaintyContext) -> None:
    """What is gained by leaving unsure responses open; predictions for a list of questions."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        run = context.compute(
            "abstention", "Predicting held-out answers",
            "Learns from a subset of the answers and predicts the others, with their response "
            "probabilities.",
        )
    with picture:
        if run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows how the error falls when responses with a low probability are not "
                "predicted.",
            )
        else:
            _curves(context, run)
    st.subheader("Predict a list of questions", anchor=False)
    _list(context)


def _curves(context: UncertaintyContext, run: Run) -> None:
    found: Abstention = run.result()
    which = "response probability"
    if found.response is None:
        which = "order certainty"
        st.caption(
            "Computed by an earlier version, or stopped: without response probabilities, by order "
            "certainty, which is about the map and not about what people answer. Compute it anew, "
            "with another seed."
        )
    else:
        found = found.by_response
    error, open_ = found.at(_THRESHOLDS)
    ceiling = ceiling_of(context.triplets)
    share = {"error of predictions": error, "not predicted": open_}
    text = (
        f"{analysis.describe(context.method)}. {context.info.name}: "
        f"{count(len(found.held_out), 'held-out answer')}. Proportions against the minimum "
        f"{which} from which a response is predicted."
    )
    if ceiling.is_precise:
        text += (
            " Grey band: the noise ceiling of predicting every response, from its lower to its "
            "upper bound."
        )

    def draw(canvas: Canvas) -> Any:
        return abstention_curves(_THRESHOLDS, share, ceiling=ceiling, caption=text, canvas=canvas)

    panels.figure_panel(
        context.session, draw, key="uncertainty.abstention.figure", alt=text, canvas=WIDE,
        caption=text, name=export.file_name(context.info.name, "abstention"),
        table=lambda: pd.DataFrame({
            f"minimum {which}": _THRESHOLDS, "error of what is predicted": error,
            "left open": open_,
        }),
    )
    st.markdown(panels.plain(_in_words(error, open_, which)))
    st.caption(panels.plain(ceiling.sentence))


def _in_words(
    error: np.ndarray, open_: np.ndarray, which: str = "response probability"
) -> str:
    """What is gained by leaving responses open, from the curves by one of the probabilities."""
    if not np.isfinite(error[0]):
        return (
            "None of the held-out answers can be predicted: they are about objects that occur in "
            "no other answer."
        )
    sure = int(np.flatnonzero(_THRESHOLDS == _SURE)[0])
    sentence = f"Predicting everything errs in {100 * error[0]:.1f} %"
    if open_[0] > 0:
        sentence = f"Predicting all but {100 * open_[0]:.1f} %, of which nothing is known, errs in "
        sentence += f"{100 * error[0]:.1f} %"
    if not np.isfinite(error[sure]):
        return f"{sentence}. No answer has a {which} of {100 * _SURE:.0f} %."
    return (
        f"{sentence}. Predicting only answers with a {which} of at least {100 * _SURE:.0f} % "
        f"errs in {100 * error[sure]:.1f} % and omits {100 * open_[sure]:.1f} %."
    )


def _list(context: UncertaintyContext) -> None:
    run = next(filter(None, map(context.result, context.sources)), None)
    if run is None:
        st.caption("Compute the uncertainty of positions first: predictions need it.")
        return
    left, right = st.columns([2, 1])
    with left:
        file = st.file_uploader(
            "Questions", key=f"{PAGE}.questions",
            help="A table with an anchor and two objects per row, named by id, by label or by "
            "number from 0: columns anchor, first, second, or head, left, right.",
        )
    with right:
        threshold = float(pick(
            context.session, f"{PAGE}.threshold", "Predict from", _LISTED,
            help="By response probability, because it is people who are predicted: responses that "
            "are less likely are not predicted.",
        ))
    if file is None:
        return
    try:
        rows, how = read_file(
            context.session, f"{PAGE}.questions", file, "questions",
            about=context.triplets,
        )
    except DataError as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    st.caption(panels.plain(how))
    samples = context.samples(run)
    if samples.response is None:
        context.learn_responses(run, "How likely people respond so has not been computed yet.")
        return
    questions = Triplets(rows, context.triplets.objects, None, file.name)
    table = predicted(samples, questions, threshold=threshold)
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
                 "How likely a person gives this response; calibrated on held-out responses."),
                ("order_certainty", "Order certainty",
                 "How sure the maps are which of the two objects is nearer."),
            )
        },
    )
    st.download_button(
        "CSV", lambda: export.csv(table),
        f"{export.file_name(context.info.name, 'predictions')}.csv", "text/csv",
        key=f"{PAGE}.predicted.csv", on_click="ignore", icon=":material/download:",
    )

