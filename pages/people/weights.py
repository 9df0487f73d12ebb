"""Weights of the axes of one map for every person."""

from __future__ import annotations

from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.people.context import PAGE, PeopleContext, with_people


@tab(PAGE, "Weights", 1, needs=with_people)
def show_weights(context: PeopleContext) -> None:
    """Whether weights predict people better, and what they are."""
    with context.side:
        method = context.model()
        options = context.options("compare_people")
        fit, compared = context.results(
            "weights", "People", [(method, "fit", {}), (method, "compare_people", options)],
            "Fits the weights, and predicts each person's held-out answers from one map, weights, "
            "groups and a separate map.",
        )
    shown = (compared or context.compared(method), fit) if fit else ()
    with context.picture:
        context.present_or_promise(
            *shown, promise="Compute shows what each person attends to, and whether that predicts "
            "answers better than one map for all.",
        )
