"""How many dimensions there are: which are found again and what they cost; and one of them."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.models.dimensions.symmetric import SymmetricNMF
from tripletscope.dashboard.results.dimension_details import OneDimension
from tripletscope.dashboard.results.dimensions import fitted_again, number_said
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.naming import LONGEST, rename_dimension
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


@tab(PAGE, "One dimension", 2, needs=choose_fit)
def show_one(context: DimensionsContext) -> None:
    """A dimension with its name, its objects, their intervals, and a column beside it."""
    looked = _choose(context)
    context.look(looked)
    can_resample, resampled = hasattr(context.method, "penalty"), context.resampled
    is_there = resampled is not None and resampled.complete
    if can_resample and not is_there and not context.waiting:
        with st.columns(2)[1]:
            context.compute_button(
                f"{PAGE}.intervals.run", "Intervals",
                [(context.method, "bootstrap_dimensions", {})],
                "Fits to resampled trials, or people, from these dimensions.",
                label="Compute intervals",
            )
    if looked.column is None:
        st.caption(
            "The objects have no further columns. Add a table with one row per object, such as "
            "ratings or categories, on the page Data."
        )


def _choose(context: DimensionsContext) -> OneDimension:
    data = context.data
    place = f"{PAGE}.dimension@{context.fit.key}"
    with st.container(horizontal=True, vertical_alignment="bottom"):
        options = {k: data.title(k) for k in range(data.n_dimensions)}
        dimension = pick(context.session, place, "Dimension", options, width=260)
        context.steps(place, ("Previous", "Following"), dimension, len(options))
        name = data.names.get(dimension, "")
        key = context.session.key_following(f"{PAGE}.name@{context.fit.key}.{dimension}", name)
        typed = st.text_input(
            "Name", name, key=key, max_chars=LONGEST, width=260,
            placeholder="What do these have in common?",
            help="Kept with the data, and shown in all figures, tables and files.",
        )
        if " ".join((typed or "").split()) != name:
            rename_dimension(context.info, context.fit, dimension, typed or "")
            st.rerun()
        along = pick(context.session, f"{PAGE}.objects", "Objects", {
            "highest": "Highest weights", "along": "Evenly from highest to lowest",
        }, width=230)
        objects, column = context.triplets.objects, None
        if columns := [c for c in context.columns if len(objects[c].dropna().unique()) > 1]:
            column = pick(
                context.session, f"{PAGE}.column@{context.info.id}", "Column",
                {c: c for c in columns}, width=200, help="Plotted against the weights, below.",
            )
    return OneDimension(dimension, along == "along", column)
