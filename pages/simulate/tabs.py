"""What noise does, and which number of dimensions could be detected: a tab for each task."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from types import MappingProxyType
from typing import Any

import streamlit as st

from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import TASKS, key
from tripletscope.core.studies.design.plan import why_not_varied
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard.results.planning import SCENARIO, Simulation, varied_in
from tripletscope.dashboard.store.dataset import RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.choosing import choose_run
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick_method
from tripletscope.dashboard.ui.elements import COMPUTED, run_button
from tripletscope.dashboard.ui.page import tab
from tripletscope.pages.simulate import setting
from tripletscope.pages.simulate.setting import PAGE


def too_many(options: Mapping[str, Any]) -> str:
    """What is wrong with numbers of answers; empty if nothing is."""
    if options["fewest"] is not None and options["fewest"] > options["most"]:
        return "Min. answers must not exceed max. answers."
    return ""


def _cannot_vary(options: Mapping[str, Any]) -> str:
    if options["vary"] == "answers":
        return "The tab Sample size varies the number of answers: choose what else to vary."
    scenario = Scenario(**{name: options[name] for name in SCENARIO})
    why = why_not_varied(scenario, *(options[name] for name in ("vary", "lowest", "highest")))
    return f"{why[0].upper()}{why[1:]}." if why else ""


def _simulation_tab(
    title: str, order: float, task: str, *, name: str, kinds: Sequence[str], about: str,
    promise: str, refuse: Callable[[Mapping[str, Any]], str],
    defaults: Mapping[str, Any] = MappingProxyType({}),
    is_listed: Callable[[RunInfo], bool] = lambda run: True,
) -> None:
    """Declare a tab: a scenario and its settings beside the simulation that is chosen.

    kinds: Of methods that can be simulated.
    promise: What is seen once something is simulated.
    refuse: Says why options do not go together; empty if they do.
    defaults: Of options, where they are not those that are declared.
    is_listed: Whether a simulation of the task belongs to the tab.
    """
    place, shown = f"{PAGE}.{name}", f"{PAGE}.{name}.chosen"

    def ask(context: Context) -> None:
        current = context.session
        options = asdict(setting.scenario_form(current, name))
        followed = [*setting.beginning(current).get("methods", ()), DEFAULT_EMBEDDING.name]
        method = setting.method_settings(current, pick_method(
            current, kinds, f"{setting.prefix(current)}.{name}.method", "Method",
            next(one for one in followed if any(one in methods(kind) for kind in kinds)),
        ))
        options |= setting.simulation_form(
            current, TASKS[task].function, name, hidden=SCENARIO, defaults=defaults
        )
        refused = refuse(options)
        run = None if refused else context.find(method, task, options)
        if run_button(
            current, f"{place}.run", "Compute", help=about,
            why=refused or (COMPUTED if run is not None and run.complete else ""),
        ):
            current.drafts[shown] = key(task, method, None, options)
            names = [Simulation(method, options).name]
            context.submit(TASKS[task].words, [(method, task, options)], names)
            st.rerun()

    def show(context: Context) -> None:
        picture, side = context.picture_and_side()
        with side:
            ask(context)
            listed = [*filter(is_listed, services().workspace.runs(None, task))]
            if listed:
                st.header("Shown", anchor=False)
                chosen = choose_run(context.session, listed, shown, "this simulation", lost="")
        with picture:
            if listed:
                context.present(services().workspace.run(None, chosen.key))
            else:
                context.empty("Nothing has been simulated yet", promise)

    show.__name__ = f"show_{name}"
    tab(PAGE, title, order, slot=place)(show)


_simulation_tab(
    "Noise", 1.5, "plan", name="noise", kinds=("embedding", "scale"), refuse=_cannot_vary,
    defaults={"vary": "level", "participants": 50, "most": 2_000},
    is_listed=lambda run: varied_in(run.record["options"]) != "answers",
    about="Simulates answers at each level, with the same people and questions.",
    promise="Compute simulates the experiment with increasing noise, or increasing differences "
    "between observers, and shows accuracy and precision of the map.",
)
_simulation_tab(
    "Dimensions", 2, "detect_dimension", name="dimension", kinds=("embedding",),
    refuse=too_many,
    about="Simulates answers and chooses the number of dimensions by cross-validation.",
    promise="Compute simulates objects in a chosen number of dimensions and estimates that number "
    "by cross-validation. It shows how many answers are needed to recover it.",
)
