"""Try: the experiment as a participant sees it, and what simulated ones make of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.simulation.truth import known_truth
from tripletscope.core.run import Run
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.core.studies.experiment import simulated
from tripletscope.core.studies.experiment.conduct import conduct_table
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collect import answer_log, jspsych, running
from tripletscope.dashboard.collect.running import NotStarted
from tripletscope.dashboard.results.planning import PlanLook
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.experiments import experiment_key
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.controls import doing, joint_form, pick, pressed
from tripletscope.dashboard.ui.elements import COMPUTED, errors_shown, run_button, show_error
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.scenario import can_follow, scenario_of
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.collect.context import (
    PAGE,
    CollectContext,
    expected_of,
    picture_beside_side,
    with_experiment,
)

_REPEATS = 4


@tab(PAGE, "Try", 2, needs=with_experiment, slot=f"{PAGE}.try")
def show_trying(context: CollectContext) -> None:
    """Preview, what it takes, simulated participants, and what their map would be worth."""
    current, experiment = context.session, context.experiment
    picture, side = picture_beside_side(context)
    with side:
        _preview(context)
        button = st.container()
        scenario = _scenario(current)
        assumed, people = joint_form(current, [
            (simulated.experiment_cost, f"{PAGE}.expected", ()),
            (simulated.simulated_participants, f"{PAGE}.simulated", ("noise", "level")),
        ])
        piece, why = _piece(experiment, scenario)
        run = None if piece is None else context.find(*piece)
        is_missing = piece is not None and (run is None or not run.complete)
        place = f"{PAGE}.simulated.{context.slug}"
        settings = [experiment_key(experiment), people, asdict(scenario)]
        is_shown = current.drafts.get(place) == settings
        with button:
            if run_button(
                current, f"{PAGE}.simulate", f"Simulate {count(people['n_people'], 'participant')}",
                why=COMPUTED if is_shown and not is_missing else "",
            ):
                current.drafts[place] = settings
                if is_missing:
                    title = f"Expected accuracy: {experiment.title}"
                    context.submit(title, [piece], [experiment.title])
                st.rerun()
    with picture, errors_shown(show=st.warning, icon="edit"):
        _takes(experiment, assumed)
        if is_shown:
            _simulated(context, scenario, people)
            _accuracy(context, run, why)
        else:
            context.empty(
                "Nobody has been simulated",
                "Simulated participants answer the questions of this experiment. They show how "
                "many fail its checks, how consistent they are, and how well a map of all answers "
                "would predict.",
            )


def _preview(context: CollectContext) -> None:
    """The real page in a new tab; what is answered there is marked as simulated."""
    missing = jspsych.missing()
    if missing:
        show_error(missing)
        return
    server = running.running(context.folder)
    if server is None:
        if pressed(
            context.session, f"{PAGE}.preview.{context.slug}", "Start a preview",
            icon=":material/visibility:", width="stretch",
            help="Starts the experiment’s server, for this computer alone.",
        ):
            with errors_shown(NotStarted, OSError):
                with doing(context.session, st.spinner("Starting")):
                    running.start(context.folder)
                st.rerun()
        return
    base = context.session.drafts.get(f"{PAGE}.public.{context.slug}") or server.address
    base = f"{base.removesuffix('/')}/"
    key = answer_log.preview_key(context.folder)
    st.link_button(
        "Preview as participant", f"{base}?preview={key}", icon=":material/open_in_new:",
        width="stretch", help="In a new tab. No answer counts.",
    )
    st.link_button(
        "Watch a simulated one", f"{base}?simulate=visual&preview={key}",
        icon=":material/smart_toy:", width="stretch",
        help="In a new tab. The browser answers by itself, at random.",
    )


def _takes(experiment: Experiment, assumed: Mapping[str, float]) -> None:
    """What it takes of participants, and of money."""
    expected = expected_of(experiment, **assumed)
    facts = st.columns(4)
    facts[0].metric("Questions each", f"{expected.n_asked:,.0f}")
    facts[1].metric("Minutes each", f"{expected.minutes:.0f}")
    facts[2].metric("Cost of all", f"{expected.cost:,.0f}")
    facts[3].metric("Answers", f"{expected.n_answers:,}")
    each = "an object" if ASKINGS[experiment.task].is_table else "a question"
    fee = f" and a fee of {assumed['fee']:.0%}" if assumed["fee"] else ""
    st.caption(panels.plain(
        f"If {count(experiment.most_people, 'participant')} finish, at {assumed['seconds']:g} s "
        f"{each}, {assumed['seconds_before']:g} s before and after, {assumed['pay']:g} per hour"
        f"{fee}. Answers exclude checks and repeats."
    ))


def _scenario(current: Session) -> Scenario:
    """How people err: as usual, or as in the open data set."""
    ways = {"usual": "One answer in ten is flipped"}
    if can_follow(current.dataset):
        ways["open"] = "As in the open data set"
    way = pick(
        current, f"{PAGE}.like", "Noise", ways,
        help="This matters most. A pilot estimates it best.",
    )
    return (scenario_of(current.dataset) if way == "open" else None) or Scenario()


def _piece(experiment: Experiment, scenario: Scenario) -> tuple[Piece | None, str]:
    """What is computed for the expected accuracy, or why it cannot be."""
    try:
        planned, design, sizes = simulated.planned_as(experiment, scenario)
    except DataError as error:
        return None, str(error)
    options = {**asdict(planned), **asdict(sizes), "design": design, "repeats": _REPEATS, "seed": 0}
    return (STE(), "plan", options), ""


def _simulated(context: CollectContext, scenario: Scenario, people: Mapping[str, Any]) -> None:
    """How simulated participants answer."""
    experiment, key = context.experiment, experiment_key(context.experiment)
    try:
        table = conduct_table(_records(experiment, scenario, key, asdict(scenario), dict(people)))
    except ValueError as error:  # of which DataError is one
        show_error(error, st.warning, "edit")
        return
    stopped = int(np.sum(table["failed"] >= experiment.fails)) if experiment.fails else 0
    checks, again = int(table["checks"].sum()), int(table["repeats"].sum())
    words = [f"**{count(len(table), 'simulated participant')}**, of whom "
             f"{stopped:,} would be stopped after failed checks."]
    if again:
        words.append(f"Repeats are answered alike in {table['consistent'].sum() / again:.0%}.")
    if checks:
        words.append(f"{table['failed'].sum() / checks:.1%} of checks fail.")
    if experiment.time_limit:
        asked = table[["answers", "late"]].to_numpy().sum()
        words.append(f"{table['late'].sum() / max(asked, 1):.1%} of questions take too long.")
    st.markdown(" ".join(words))
    st.caption(
        f"Assumed of them: {people['careless']:.0%} press at random; response times are "
        "log-normal with a median of 2 s; objects are a cloud of points without clusters" + (
            "; nobody skips." if experiment.skip else "."
        )
    )
    if box := panels.folded("Each of them", f"{PAGE}.conduct"):
        rounded = table.assign(median_time=table["median_time"].round(2)).rename(
            columns={"median_time": "median time (s)"}
        )
        box.dataframe(rounded, hide_index=True, placeholder="", key=f"{PAGE}.conduct", height=260)


@st.cache_resource(max_entries=4, show_spinner="Simulating participants")
def _records(
    _experiment: Experiment, _scenario: Scenario, key: str, scenario: dict[str, Any],
    people: dict[str, Any],
) -> list[AnswerRecord]:
    positions, _ = known_truth(  # of any number of objects, which a scenario is not
        _scenario.truth, len(_experiment.objects), _scenario.n_components,
        np.random.default_rng(0), length_scale=_scenario.length_scale,
    )
    return simulated.simulated_participants(
        _experiment, positions, noise=_scenario.noise, level=_scenario.level, **people
    )


def _accuracy(context: CollectContext, run: Run | None, why: str) -> None:
    """What a map of all answers would be worth."""
    if why:
        st.info(panels.plain(f"No expected accuracy: {why}"), icon=":material/info:")
    elif run is not None:
        context.present(run, looks={"": PlanLook(is_fixed=True)})
        st.caption(
            "Assumed of these curves, unlike of the participants above: nobody presses at random, "
            "all questions are random ones, and every response counts as one triplet."
        )
