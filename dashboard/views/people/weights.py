"""Weights of the axes of one map for every person."""

from __future__ import annotations

from tripletscope.core.people import compare_people
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.people.context import PAGE, PeopleContext, with_people


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
            "Fits the weights, and predicts each person's held-out answers from one map, weights, "
            "groups and a separate map.",
        )
    fit = context.find(method, "fit")
    compared = context.find(method, "compare_people", options) or context.compared(method)
    with context.picture:
        if fit is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute shows what each person attends to, and whether that predicts answers "
                "better than one map for all.",
            )
            return
        context.present(*filter(None, (compared, fit)))
