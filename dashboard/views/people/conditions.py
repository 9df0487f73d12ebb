"""Attention under different instructions, contexts or sessions."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.individuals import ConditionComparison, compare_conditions
from tripletscope.core.individuals.comparing import CONSISTENCY, ONE, WEIGHTS
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.people.context import (
    PAGE,
    SAID,
    PeopleContext,
    percent,
    with_people,
)

#: Columns with more values than this are no conditions.
_MOST = 12
#: Columns that say something else of an answer.
_NOT = ("participant", "split", "sampler")


@tab(PAGE, "Conditions", 4, needs=with_people)
def show_conditions(context: PeopleContext) -> None:
    """Whether a column of the answers changes what people attend to."""
    answers = context.answers.answers
    columns = [c for c in context.groups if c != "participant" and answers[c].nunique() <= _MOST]
    columns.sort(key=lambda name: name in _NOT)
    if not columns:
        with context.picture:
            context.empty(
                "No conditions",
                "These answers have no column with a few values, such as an instruction, a context "
                "or a session. Keep such a column when the file is read.",
            )
        return
    with context.side:
        by = pick(
            context.session, f"{PAGE}.condition@{context.info.id}", "Condition",
            {name: name for name in columns},
            help="Column of the answers: instruction, context, session, group.",
        )
        method = context.model("model", by=by)
        options = parameter_form(
            context.session, compare_conditions, f"{PAGE}.compare_conditions"
        )
        pieces: list[analysis.Piece] = [
            (method, "compare_conditions", options), (method, "fit", {}),
        ]
        context.compute_button(
            f"{PAGE}.conditions.run", "Conditions", context.missing(pieces),
            "Predicts held-out answers from one map, and from weights or maps of each condition, "
            "and permutes the conditions.",
        )
    compared = context.find(method, "compare_conditions", options)
    fit = context.find(method, "fit")
    with context.picture:
        if compared is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows whether people attend to other things under other conditions.",
            )
            return
        st.markdown(f"**{panels.plain(verdict(compared.result(), by))}**")
        context.draw(compared)
        if not compared.result().weights_differ:
            st.caption("Weights of the conditions are not shown: that they differ is not seen.")
        elif fit is not None:
            context.draw(fit)


def verdict(found: ConditionComparison, by: str) -> str:
    """What the test and held-out answers say.

    Silent on: people who vary (tests/core/individuals/test_conditions.py::test_people_vary).
    """
    unit = "participants" if found.unit == "participants" else "parts of the answers"
    gain = found.gain(WEIGHTS, CONSISTENCY)
    said = _SAID[found.attention].format(by=by)
    if found.attention == "unseen" and found.chosen not in (ONE, CONSISTENCY):
        said += (
            f" Answers of these people are predicted best by {_OF_CONDITIONS[found.chosen]}, as "
            "they may be where people vary without a common direction."
        )
    if found.attention != "unseen":
        said += " Guessing under one condition alone can look like this."
    return (
        f"{said} {found.permuted.split()[0].capitalize()}-{found.permuted.split()[1][:-1]} "
        f"permutation test that all weight the map alike: p = {found.p:.3g}. Weights of the "
        f"conditions change the probability of held-out answers by {percent(gain[0])} over "
        f"consistency alone (95 % interval over {unit} {percent(gain[1])} to {percent(gain[2])})."
    )


_SAID = {
    "seen": "What is attended to differs between the conditions of {by}.",
    "stretched": "The conditions of {by} stretch the map differently, by too little for held-out "
                 "answers to be predicted better.",
    "unseen": "It is not seen that what is attended to differs between the conditions of {by}.",
}
_OF_CONDITIONS = {**SAID, WEIGHTS: "weights of each", "own maps": "a map of each"}
