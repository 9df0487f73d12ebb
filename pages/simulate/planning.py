"""How many answers, which design, which method: curves of simulated experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import product
from typing import Any

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import key
from tripletscope.core.studies.design.plan import objection, plan
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
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, pressed, several
from tripletscope.dashboard.ui.elements import COMPUTED, run_button
from tripletscope.dashboard.ui.handover import choose_design
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.simulate import setting
from tripletscope.pages.simulate.setting import PAGE, SHOWN
from tripletscope.pages.simulate.tabs import too_many


@tab(PAGE, "Sample size", 1, slot=f"{PAGE}.plan")
def show_planning(context: Context) -> None:
    """Ask what to simulate, and show the plans."""
    current = context.session
    picture, side = context.picture_and_side()
    with side:
        scenario = setting.scenario_form(current, "plan")
        _compute(context, _pieces(current, scenario))
        target = _target(current)
    with picture:
        if advice := setting.advice_at_hand(current):
            st.markdown(panels.plain(advice))
        _plans(context, target)


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


def _compute(context: Context, pieces: Sequence[analysis.Piece]) -> None:
    """The button that computes what is missing; pressed of itself on the first visit of all."""
    current, workspace = context.session, services().workspace
    keys = [key(task, method, None, options) for method, task, options in pieces]
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


def _plans(context: Context, target: Mapping[str, float | None]) -> None:
    """Plans that are shown, the choice of others, and what they say."""
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
    if len(runs) == 1:
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
