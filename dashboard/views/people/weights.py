"""Weights of the axes of one map for every person."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.individuals import WeightedEuclidean, compare_people
from tripletscope.dashboard import analysis
from tripletscope.dashboard.drawing.people import weights_table
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.people.context import (
    NOT_TOLD,
    PAGE,
    PeopleContext,
    about_axes,
    verdict,
    with_people,
)

#: Rows of the table that are seen at once.
_ROWS = 8


@tab(PAGE, "Weights", 1, needs=with_people)
def show_weights(context: PeopleContext) -> None:
    """Whether weights predict people better, and what they are."""
    with context.side:
        method = context.model("model")
        options = parameter_form(context.session, compare_people, f"{PAGE}.compare_people")
        pieces: list[analysis.Piece] = [
            (method, "fit", {}), (method, "compare_people", options),
        ]
        context.compute_button(
            f"{PAGE}.weights.run", "People", context.missing(pieces),
            "Fits the weights, and predicts held-out answers of each person from one map, from "
            "weights, from groups and from a map of their own.",
        )
    fit = context.find(method, "fit")
    compared = context.find(method, "compare_people", options) or context.compared(method)
    with context.picture:
        if fit is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows whether people see the objects alike: what each attends to, and "
                "whether that predicts their answers better than one map for all.",
            )
            return
        fitted: WeightedEuclidean = fit.fitted()
        found = compared.result() if compared else None
        if found is not None:
            st.markdown(f"**{panels.plain(verdict(found, method.by))}**")
        st.markdown(panels.plain(about_axes(fitted, found)))
        if compared is not None:
            context.draw(compared)
        if found is None or not found.weights_differ:
            st.caption(NOT_TOLD)
            return
        context.draw(fit)
        st.markdown("**Who differs most**")
        st.dataframe(
            weights_table(fitted), hide_index=True, key=f"{PAGE}.weights.table", placeholder="",
            height=38 + 35 * min(len(fitted.people_), _ROWS),
            column_config={
                name: st.column_config.NumberColumn(format="%.2f")
                for name in weights_table(fitted).columns[2:]
            },
        )
