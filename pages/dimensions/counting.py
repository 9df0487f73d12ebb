"""How many dimensions there are: which are found again, and what they cost."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.models.dimensions.symmetric import SymmetricNMF
from tripletscope.dashboard.results.dimensions import fitted_again, number_said
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.dimensions.context import DimensionsContext, choose_fit
from tripletscope.pages.dimensions.fitting import PAGE


@tab(PAGE, "How many", 5, needs=choose_fit)
def show_counting(context: DimensionsContext) -> None:
    """How well each is found again, and held-out likelihood by penalty."""
    panels.sentences(list(number_said(context.fit)))
    _reproducibility(context)
    if isinstance(context.method, SymmetricNMF):
        _curve(
            context, "Number", "number_curve", "Predicts held-out pairs by several numbers of "
            "dimensions.", "The curve shows how well more or fewer dimensions predict pairs of "
            "objects that were held out for all people.",
        )
        return
    if not hasattr(context.method, "penalty"):
        st.header("Penalty", anchor=False)
        st.caption(
            f"{context.method.title} needs no penalty: a dimension stays if enough objects have a "
            "weight that is surely above zero."
        )
        return
    _curve(
        context, "Penalty", "penalty_curve", "Fits with several penalties, and predicts held-out "
        "trials.", "The curve shows how well more or fewer dimensions predict held-out trials. A "
        "fit without a set penalty chooses one by a tenth of the trials.",
    )


def _curve(
    context: DimensionsContext, title: str, task: str, about: str, promise: str
) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        st.header(title, anchor=False)
        run = context.result(context.method, task, about, newest=True)
    with picture:
        context.present_or_promise(
            run, promise=promise, title="The curve has not been computed",
        )


def _reproducibility(context: DimensionsContext) -> None:
    picture, side = st.columns([3, 1], gap="large")
    with side:
        st.header("Reproducibility", anchor=False)
        context.result(
            context.method, "dimension_reproducibility",
            "Fits again, and looks for each dimension in the new fits.",
        )
    with picture:
        is_known = fitted_again(context.shown(context.fit), context.fit, first=True)
        context.present_or_promise(
            *(context.again if is_known else ()), title="No other fits yet",
            promise="Compute shows which dimensions are found in halves of the data, or from "
            "other starts.",
        )
