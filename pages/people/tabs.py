"""Weights, groups and conditions of people, each about one map for all."""

from __future__ import annotations

from sklearn.base import clone

from tripletscope.core.people import LatentClassMap, WeightedEuclidean
from tripletscope.core.run import Run
from tripletscope.dashboard.results.dividing import condition_columns
from tripletscope.dashboard.results.people import groups_said
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import number, pick, pressed
from tripletscope.dashboard.ui.handover import ask_for_conditions
from tripletscope.dashboard.ui.page import open_page, tab
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
            *shown, beside=_compared_conditions(context, method),
            promise="Compute shows what each person attends to, and whether that predicts answers "
            "better than one map for all.",
        )


def _compared_conditions(context: PeopleContext, method: WeightedEuclidean) -> list[Run]:
    """What is known of conditions, beside which weights of people are read."""
    columns = condition_columns(context.answers.answers)
    found = (context.find(clone(method).set_params(by=name), "compare_conditions")
             for name in columns if name != method.by)
    return [*filter(None, found)]


@tab(PAGE, "Groups", 3, needs=with_people)
def show_groups(context: PeopleContext) -> None:
    """How many groups held-out answers support, who belongs to them, and their maps."""
    with context.side:
        method = context.model()
        compared = context.compared(method)
        comparison = compared.result() if compared else None
        n_groups = int(number(
            context.session, f"{PAGE}.groups@{context.info.id}", "Groups", 1, 10,
            max(comparison.n_groups, 2) if comparison else 2,
            help="Held-out answers show how many groups improve prediction: compute the tab "
            "Weights first.",
        ) or 2)
        differ = pick(
            context.session, f"{PAGE}.differ", "Groups differ in",
            {"maps": "Maps", "weights": "Weights of one map"},
        )
        mixture = LatentClassMap(
            n_groups=n_groups, differ=differ, n_components=method.n_components, by=method.by,
            response=method.response, precise=True, prior=method.prior, seed=method.seed,
        )
        (fit,) = context.results(
            "groups", "Groups", [(mixture, "fit", {})],
            "Estimates groups of people, their maps and memberships.",
        )
    with context.picture:
        if fit is None:
            panels.sentences([groups_said(comparison)])
            context.empty(
                "The groups have not been computed yet",
                "Compute finds the members and maps of groups of people who answer alike, and "
                "shows whether groups improve prediction.",
            )
            return
        context.present(fit, beside=[compared] if compared else [])


@tab(PAGE, "Conditions", 4, needs=with_people)
def show_conditions(context: PeopleContext) -> None:
    """Whether a column of the answers changes what people attend to."""
    columns = condition_columns(context.answers.answers)
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
            *shown, promise="Compute shows whether attention differs between conditions: whether "
            "dimensions of similarity are weighted differently.",
        )
        if not context.info.has_only_pairs and pressed(
            context.session, f"{PAGE}.maps", f"Map of each {by}", type="tertiary",
            icon=":material/arrow_forward:",
        ):
            ask_for_conditions(context.session, context.info, by)
            open_page("embedding", "maps")
