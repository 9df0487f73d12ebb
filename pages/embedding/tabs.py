"""What is computed for a map: its calibration, typicality, and directions of columns."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.inference.uncertainty.calibration import calibrate
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import parameter_form
from tripletscope.dashboard.ui.looks import Result, look_of
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.uncertain_map import PAGE, UncertaintyContext, choose_map

#: Settings that real and simulated responses share.
_SHARED = ("source", "unit", "spread", "seed")


@tab("embedding", "Calibration", 3, needs=choose_map, slot=PAGE)
def show_trust(context: UncertaintyContext) -> None:
    """Reliability of the probabilities on real responses; beside it, what a simulation says."""
    picture, side = context.drawer()
    with side:
        options = parameter_form(context.session, calibrate, f"{PAGE}.calibrate")
        real = context.result(
            context.method, "reliability", "Predicts held-out responses of your participants, and "
            "counts how often it is right.", label="Real responses", newest=True,
            options={name: options[name] for name in _SHARED},
        )
        simulated = context.result(
            context.method, "calibrate", "Simulates answers like yours from true positions, and "
            "counts how often ellipses and order certainty are right.", label="Simulated answers",
            newest=True, options=options,
        )
    with picture:
        st.header("Real responses", anchor=False)
        context.present_or_promise(
            real, promise="“Real responses” predicts every response from the others, and compares "
            "predicted probabilities with real answers.",
            title="Real responses have not been predicted yet",
        )
        st.header("Simulated answers", anchor=False)
        context.present_or_promise(
            simulated, promise="“Simulated answers” simulates data sets with your objects, "
            "questions and noise, and counts how often the true position lies inside its ellipse.",
            title="Nothing has been simulated yet",
        )


@tab("embedding", "Typicality", 2.6, needs=choose_map, slot=PAGE)
def show_typicality(context: UncertaintyContext) -> None:
    """Depths of objects among each other, in the answers and on the map."""
    picture, side = context.drawer()
    with side:
        run = context.result(
            context.method, "typicality", "Counts how often each object is odd or near among the "
            "others, allows for its company, and compares this with the map.",
            options=context.options("typicality"),
        )
    with picture:
        context.present_or_promise(
            run, promise="Compute shows which objects are typical and which are odd, in the "
            "answers alone and on the map, if objects differ at all.",
        )


@tab("embedding", "Directions", 2.5, needs=choose_map, slot=PAGE)
def show_directions(context: UncertaintyContext) -> None:
    """The map with an arrow for each column that grows in one direction."""
    if context.fitted.n_components == 1:
        panels.empty("One dimension has no directions", "Choose a map of two dimensions or more.")
        return
    if not context.columns:
        panels.empty(
            "Nothing is known of the objects",
            "Add a table of the objects on the page Data: a column of numbers gets a direction.",
        )
        return
    picture, side = context.drawer()
    with side:
        options = context.options("directions", columns={"objects": context.columns})
        run = context.result(
            context.method, "directions", "Predicts columns of the objects from their places, on "
            "the map and on maps of resampled answers.", options=options,
        ) if options["columns"] else None
    with picture:
        result = Result(context.info, context.triplets, context.fit, None, None)
        context.present_or_promise(
            run, promise="Compute shows in which direction each column of the objects grows on the "
            "map, if it does, and how certain that direction is.",
            looks={"": look_of(context.session, result)},
        )
