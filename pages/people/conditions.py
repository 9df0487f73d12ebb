"""Attention under different instructions, contexts or sessions."""

from __future__ import annotations

from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.people.context import PAGE, PeopleContext, with_people

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
                "No column of these answers has only a few values, such as instruction, context or "
                "session. Keep such a column when the file is read.",
            )
        return
    with context.side:
        by = pick(
            context.session, f"{PAGE}.condition@{context.info.id}", "Condition",
            {name: name for name in columns},
            help="Column of the answers: instruction, context, session, group.",
        )
        method = context.model(by=by)
        options = context.options("compare_conditions")
        compared, fit = context.results(
            "conditions", "Conditions",
            [(method, "compare_conditions", options), (method, "fit", {})],
            "Predicts held-out answers from one map, and from weights or maps of each condition, "
            "and permutes the conditions.",
        )
    shown = (compared, fit) if compared else ()
    with context.picture:
        context.present_or_promise(
            *shown, promise="Compute shows whether attention differs between conditions."
        )
