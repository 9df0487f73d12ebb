"""Simulated answers as a data set, to try everything on before there are people."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.inference.held_out.score import CHANCE
from tripletscope.core.models.optimise.loss import margins
from tripletscope.core.studies.design.scenario import Scenario, simulated_data
from tripletscope.core.writing import write_answers
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.map_recipe import MapLook, Placed
from tripletscope.dashboard.results.maps import GivenMap
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.dataset_words import answer_table
from tripletscope.dashboard.ui.elements import csv_button
from tripletscope.dashboard.ui.page import open_page, tab
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.simulate.setting import PAGE, scenario_form, simulation_form

_PREVIEW = 100
_NAMED = 40  # up to so many objects are shown with their names


@tab(PAGE, "Simulated answers", 4, slot=None)
def show_people(context: Context) -> None:
    """Ask what to simulate, and offer the answers."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        scenario = scenario_form(context.session, "data")
        options = simulation_form(context.session, simulated_data, "data")
    with picture:
        try:
            data = _simulated(asdict(scenario), options)
        except ValueError as error:
            st.warning(panels.plain(f"{str(error)[:1].upper()}{str(error)[1:]}."))
            return
        _show(context, scenario, data)


@st.cache_resource(max_entries=4, show_spinner="Simulating answers")
def _simulated(scenario: dict[str, Any], options: dict[str, Any]) -> Triplets:
    return simulated_data(Scenario(**scenario), **options)


def _show(context: Context, scenario: Scenario, data: Triplets) -> None:
    truth = true_positions_of(data)
    n_people = int(data.answers["participant"].nunique())
    facts = st.columns(4)
    facts[0].metric("Objects", f"{data.n_objects:,}")
    facts[1].metric("Answers", f"{len(data):,}")
    facts[2].metric("Participants", f"{n_people:,}")
    if truth is not None:
        wrong = np.mean(CHANCE - np.sign(margins(truth, data.rows)) / 2)
        facts[3].metric(
            "Noise ceiling", f"{100 * (1.0 - wrong):.1f} %",
            help="Proportion of the answers that agree with the true distances: no method is "
            "expected to predict them better.",
        )
    with st.container(horizontal=True):
        if pressed(
            context.session, f"{PAGE}.open", "Open as a data set", icon=":material/folder_open:",
            type="primary", help="Opens it on all pages.",
        ):
            info = services().workspace.add_dataset(
                data.renamed(f"Simulated: {scenario.described}"), origin="simulated",
                report=[f"Simulated, not collected: {scenario.described}."],
            )
            context.session.open(info.id)
            open_page("embedding")
        st.download_button(
            "Answers (CSV)", lambda: write_answers(data), "simulated-answers.csv", "text/csv",
            key=f"{PAGE}.answers.csv", on_click="ignore", icon=":material/download:",
        )
        csv_button(
            "Objects (CSV)", lambda: data.objects, "simulated-objects", f"{PAGE}.objects.csv",
            help="Stimulus metadata, with the true positions.",
        )
    if truth is not None:
        _truth(context, data, truth, f"The truth. {scenario.described}.")
    else:
        st.caption(
            f"Each of {count(n_people, 'participant')} has their own scale, so there is no common "
            "truth. Compare them on the page Compare, or by the column of participants."
        )
    st.caption(f"The first of {count(len(data), 'answer')}:")
    st.dataframe(
        answer_table(data, np.arange(min(_PREVIEW, len(data)))), hide_index=True,
        key=f"{PAGE}.answers.rows", height=300,
    )


def _truth(context: Context, data: Triplets, truth: np.ndarray, text: str) -> None:
    objects, shown = data.objects, truth
    if truth.shape[1] > 3:
        shown = truth[:, :2]
        text += " The first two dimensions."
    objects["label"] = objects["label"].str.replace(r"^object 0*", "", regex=True)
    look = MapLook(
        "labels" if len(truth) <= _NAMED else "points", flat=False, against="stimulus",
        # Not by the first column that describes objects: that is a true position.
        colour=next((name for name in ("group", "stimulus") if name in objects), ""),
    )
    where, key = Placed(shown, None, None), f"{data.name} {truth.shape}"
    drawn = GivenMap(objects, where, text, key, look)
    context.figure(
        Drawing("truth", "The truth", text, text, 0.5, drawn.draw, lambda: data.objects)
    )


def true_positions_of(data: Triplets) -> np.ndarray | None:
    """(n, d) true positions that a simulated data set carries, where they are the same for all."""
    positions = data.objects.filter(regex="^true ")
    return positions.to_numpy(dtype=float) if len(positions.columns) else None
