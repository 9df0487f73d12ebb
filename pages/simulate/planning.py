"""How many answers, which design, which method: curves of simulated experiments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import TASKS, key
from tripletscope.core.studies.design.plan import objection, plan, why_not_varied
from tripletscope.core.studies.design.scenario import SampleSizes, Scenario
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.listed_designs import asked_as, n_possible
from tripletscope.dashboard.results.planning import (
    SCENARIO,
    VARYING,
    PlanLook,
    Simulation,
    answers_to_collect,
    names_of,
    varied_in,
)
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, choosing, panels
from tripletscope.dashboard.ui.choosing import choose_run
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, pick_method, pressed, several
from tripletscope.dashboard.ui.elements import COMPUTED, run_button
from tripletscope.dashboard.ui.handover import choose_design
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.simulate import setting
from tripletscope.pages.simulate.setting import PAGE, SHOWN


@tab(PAGE, "Sample size", 1, slot=f"{PAGE}.plan")
def show_planning(context: Context) -> None:
    """Ask what to simulate, and show the plans."""
    current = context.session
    picture, side = context.picture_and_side()
    with side:
        scenario = setting.scenario_form(current, "plan")
        pieces = _pieces(current, scenario)
        keys = [key(task, method, None, options) for method, task, options in pieces]
        _compute(context, pieces, keys)
        target = _target(current)
    with picture:
        if advice := setting.advice_at_hand(current):
            st.markdown(panels.plain(advice))
        _plans(context, target, keys)


def _pieces(current: Session, scenario: Scenario) -> list[analysis.Piece]:
    """What the form asks for: every method with every design."""
    classes, begin = setting.simulated_methods(), setting.beginning(current)
    chosen = several(
        current, f"{setting.prefix(current)}.methods", "Methods",
        {name: method.title for name, method in classes.items()},
        default=begin.get("methods", [DEFAULT_EMBEDDING.name]),
        help="Two or more are compared on the same simulations. MLDS is for scales; k1 and k2 "
        "predict without a map.",
    )
    methods = [setting.method_settings(current, classes[name]) for name in chosen]
    spec = next(p.spec for p in parameters(plan) if p.name == "design")
    designs = several(
        current, f"{setting.prefix(current)}.designs", spec.label, spec.options,
        default=begin.get("designs", ["random"]), help=spec.help,
    )
    options = setting.simulation_form(current, plan, "plan", hidden=(*SCENARIO, *VARYING, "design"))
    if refused := too_many(options):
        st.warning(refused)
        return []
    sizes = SampleSizes(**{name: options[name] for name in ("most", "fewest", "points")}).n_answers
    st.caption(
        f"{words.listing([f'{n:,}' for n in sizes.tolist()])} answers, "
        f"{count(options['repeats'], 'simulation')} of each."
    )
    pieces: list[analysis.Piece] = []
    objections: dict[str, None] = {}  # each once, in their order
    for method, design in product(methods, designs):
        why = objection(method, scenario, design, options["repeated"])
        if why is None:
            pieces.append((method, "plan", {**asdict(scenario), **options, "design": design}))
        else:
            objections[why] = None
    for why in objections:
        st.caption(panels.plain(f"Omitted: {why}."))
    return pieces


def _compute(context: Context, pieces: Sequence[analysis.Piece], keys: list[str]) -> None:
    """The button that computes what is missing; pressed of itself on the first visit of all."""
    current, workspace = context.session, services().workspace
    runs = [workspace.run(None, name) for name in keys]
    missing = [
        piece for piece, run in zip(pieces, runs, strict=True) if run is None or not run.complete
    ]
    if run_button(
        current, f"{PAGE}.run", "Compute",
        why="" if missing or current.drafts.get(SHOWN) != keys else COMPUTED,
        help="Simulates experiments with increasing numbers of answers.",
    ) or (context.job is None and missing and not _kept()):
        current.drafts[SHOWN] = keys
        if missing:
            names = [Simulation(method, options).name for method, _, options in missing]
            context.submit("Simulating experiments", missing, names)
        st.rerun()


def _kept() -> list[RunInfo]:
    """Plans by the number of answers."""
    return [
        run for run in services().workspace.runs(None, "plan")
        if varied_in(run.record["options"]) == "answers"
    ]


def _target(current: Session) -> dict[str, float | None]:
    """Ask what the user wants to reach."""
    with st.expander("Target", key=f"{PAGE}.wanted"):
        accuracy = number(
            current, f"{PAGE}.wanted.accuracy", "Accuracy (%)", 50.0, 100.0, None,
            step=1.0, format="%.0f", placeholder="e.g. 85",
            help="Percentage of further answers to predict. Noise sets a limit: the dashed line.",
        )
        ellipse = number(
            current, f"{PAGE}.wanted.ellipse", "Radius of the ellipses", 0.01, 10.0, None,
            placeholder="e.g. 0.3",
            help="Radius of 95 % ellipses, relative to the root mean square distance of the "
            "objects from their centre.",
        )
    return {"accuracy": accuracy / 100 if accuracy is not None else None, "ellipse": ellipse}


def _plans(
    context: Context, target: Mapping[str, float | None], asked: Sequence[str]
) -> None:
    """Plans that are shown, the choice of others, and what they say.

    asked: Keys of those that the form asks for.
    """
    current, workspace = context.session, services().workspace
    listed = {run.key: run for run in _kept()}
    if not listed:
        context.empty(
            "Nothing has been simulated yet",
            "Compute simulates observers who judge objects at true positions, and shows how "
            "accuracy and precision of the map improve with the number of answers.",
        )
        return
    noted = current.drafts.get(SHOWN) or [next(iter(listed))]
    shown = [name for name in noted if name in listed]
    runs = [workspace.run(None, name) for name in shown]
    labels = choosing.names_of([*listed.values()]) | dict(
        zip(shown, names_of([*map(Simulation.of, runs)]), strict=True)
    )
    with st.popover(f"{count(len(shown), 'plan')} of {len(listed):,}"):
        key = current.key_following(SHOWN, tuple(shown))
        st.multiselect(
            "Plans shown", list(listed), shown, key=key, format_func=labels.__getitem__,
            placeholder="Choose kept plans", on_change=current.note_choice, args=(SHOWN, key),
        )
        if pressed(
            current, f"{PAGE}.delete", "Delete", icon=":material/delete:",
            why="" if shown else "No plan is shown.", help="Deletes the plans that are shown.",
        ):
            panels.ask_to_delete(
                "these plans", f"{count(len(shown), 'plan')} will be deleted. They can be computed "
                "again.", partial(_delete, [listed[name].id for name in shown]),
            )
    is_old = bool(shown and not {*asked} & {*shown})
    if is_old and not context.waiting:
        sizes = {Simulation.of(run).scenario.n_objects for run in runs}
        number = count(sizes.pop(), "object") if len(sizes) == 1 else "other numbers of objects"
        st.info(
            f"Shown is an earlier simulation, of {number}, not what the settings ask for: press "
            "Compute.", icon=":material/history:",
        )
    if len(runs) == 1 and not is_old:
        _lists_for(current, Simulation.of(*runs), target)
    context.present_or_promise(
        *runs, title="No plan is shown", promise="Choose some above, or press Compute.",
        looks={"": PlanLook(target)},
    )


def _lists_for(
    current: Session, planned: Simulation, target: Mapping[str, float | None]
) -> None:
    """The way to lists of as many questions as a plan says, for as many people as the data have."""
    number = answers_to_collect(planned.plan, target)
    if number is None:
        return
    info, scenario, people = current.dataset, planned.scenario, 1
    task = {"task": "triad"} if planned.options["design"] == "triads" else {}
    values: dict[str, Any] = {"objects": "numbers", "n": scenario.n_objects, **task}
    if setting.is_followed(info, current) and scenario.n_objects == info.n_objects:
        values, task = {"objects": "open"}, asked_as(current.answers())
        people = setting.beginning(current)["participants"]
    stimuli = tuple(Stimulus(str(k), "text", str(k)) for k in range(scenario.n_objects))
    possible = n_possible(Experiment(title="", objects=stimuli, **task))
    each = min(-(-number // people), possible)  # further answers need further people
    people = -(-number // each)
    st.button(
        f"Questions for {count(number, 'answer')}", key=f"{PAGE}.lists",
        icon=":material/checklist:", on_click=choose_design, args=(current,),
        kwargs={**values, "n_questions": each, "lists": people},
        help=f"{count(people, 'list')} of {count(each, 'question')}, on the tab Questions.",
    )


def _delete(runs: Sequence[int]) -> None:
    for run in runs:
        services().workspace.delete_run(run)


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
