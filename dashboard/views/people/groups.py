"""Groups of people that nobody named."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.individuals import LatentClassMap, PeopleComparison
from tripletscope.core.individuals.comparing import ONE, groups_model
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, pick
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.people.context import (
    PAGE,
    PeopleContext,
    percent,
    with_people,
)

_MOST = 10


@tab(PAGE, "Groups", 3, needs=with_people)
def show_groups(context: PeopleContext) -> None:
    """How many groups held-out answers support, who belongs to them, and their maps."""
    current = context.session
    with context.side:
        method = context.model("model")
        compared = context.compared(method)
        found = compared.result() if compared else None
        n_groups = int(number(
            current, f"{PAGE}.groups@{context.info.id}", "Groups", 1, _MOST,
            max(found.n_groups, 2) if found else 2,
            help="Held-out answers say how many are worth it: compute the tab Weights first.",
        ) or 2)
        differ = pick(
            current, f"{PAGE}.differ", "Groups differ in",
            {"maps": "Maps", "weights": "Weights of one map"},
        )
        mixture = LatentClassMap(
            n_groups=n_groups, differ=differ, n_components=method.n_components, by=method.by,
            response=method.response, prior=method.prior, seed=method.seed,
        )
        context.compute_button(
            f"{PAGE}.groups.run", "Groups", context.missing([(mixture, "fit", {})]),
            "Finds groups of people, their maps, and who belongs to which.",
        )
    fit = context.find(mixture, "fit")
    with context.picture:
        st.markdown(f"**{panels.plain(_verdict(found))}**")
        if fit is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute finds groups of people who answer alike, whether or not they are worth "
                "it.",
            )
            return
        if not fit.fitted().converged_:
            st.caption("The search has not converged: memberships may still change.")
        if found is None or found.n_groups < 2:
            return
        context.draw(fit)


def _verdict(found: PeopleComparison | None) -> str:
    """How many groups held-out answers support.

    Silent on: people who are alike (tests/dashboard/views/test_people.py::test_nobody_is_told_of).
    """
    if found is None or groups_model(2) not in found.models:
        return (
            "How many groups there are has not been tested on held-out answers: compute the tab "
            "Weights. None are shown before: groups can always be made."
        )
    chosen = found.n_groups
    if chosen == 1:
        gain = found.gain(groups_model(2))
        return (
            "One group: two groups do not predict held-out answers better (probability of an "
            f"answer {percent(gain[0])}, 95 % interval {percent(gain[1])} to {percent(gain[2])}). "
            "None are shown: groups can always be made."
        )
    gain = found.gain(groups_model(chosen), ONE)
    return (
        f"{count(chosen, 'group')} predict held-out answers best: the probability of an answer "
        f"rises by {percent(gain[0])} over one map (95 % interval {percent(gain[1])} to "
        f"{percent(gain[2])})."
    )
