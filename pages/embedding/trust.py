"""Whether probabilities hold for real responses, and ellipses for simulated ones."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.inference.uncertainty.calibration import calibrate
from tripletscope.dashboard.ui.controls import parameter_form
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
