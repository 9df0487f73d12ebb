"""A scale for every participant or group, and how well each can be predicted."""

from __future__ import annotations

from tripletscope.core.people.groups import errors_by_group
from tripletscope.core.scales import MLDS, scales_by
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import parameter_form, several
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.watching import watch
from tripletscope.pages.scale.context import PAGE, StimulusContext, choose_stimulus


@tab(PAGE, "Groups", 4, needs=choose_stimulus)
def show_groups(context: StimulusContext) -> None:
    """Small multiples, and the error of every group and method."""
    if not context.groups:
        watch(context.job)
        panels.empty(
            "There are no groups",
            "These answers have no column such as participant, session or sampler. Choose one as "
            "response metadata when the file is read.",
        )
        return
    picture, side = context.picture_and_side()
    with side:
        names = several(
            context.session, f"{PAGE}.groups.methods@{context.info.id}", "Methods",
            context.methods(), default=[MLDS.name],
        )
        chosen = [context.method(name) for name in names]
        options = parameter_form(
            context.session, scales_by, f"{PAGE}.scales_by@{context.info.id}",
            hidden=("stimulus",), columns={"answers": context.groups},
        ) | {"stimulus": context.stimulus}
        folds = parameter_form(
            context.session, errors_by_group, f"{PAGE}.errors_by_group",
            hidden=("by", "most", "unit", "seed"),
        )
        errors = {
            **folds, "by": options["by"] or context.groups[0], "most": options["most"],
            # An interval by a formula is over participants or over answers.
            "unit": "participants" if options["unit"] == "both" else options["unit"],
        }
        tasks = (("scales_by", options), ("errors_by_group", errors))
        pieces = [
            *(piece for method in chosen
              for piece in context.comparing(method, options["by"], most=max(options["most"], 2))),
            *((method, *task) for task in tasks for method in chosen),
        ]
        runs = context.results(
            "groups", "Scale", pieces,
            "Tests whether observers share one scale; computes a scale and its held-out error for "
            "every group.",
        )
    with picture:
        context.present_or_promise(
            *runs, promise="Compute shows whether observers share one scale, and draws a scale for "
            "every group next to that of all answers, with its held-out error.",
        )
