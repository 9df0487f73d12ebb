"""Groups of people that nobody named."""

from __future__ import annotations

from tripletscope.core.people import LatentClassMap
from tripletscope.dashboard.results.people import groups_said
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import number, pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.people.context import PAGE, PeopleContext, with_people


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
