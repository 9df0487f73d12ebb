"""Whether probabilities hold for real responses, and ellipses for simulated ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.inference.uncertainty.calibration import Calibration, calibrate
from tripletscope.core.inference.uncertainty.reliability import SURE, Reliability
from tripletscope.core.run import Run
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.trust import (
    NAMES,
    coverage,
    reliability,
    response_reliability,
)
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count
from tripletscope.dashboard.views.opening import answers_of
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.uncertainty.context import (
    PAGE,
    UncertaintyContext,
    choose_map,
)

_HALF = Canvas(480.0, 400.0)


#: Settings that real and simulated responses share.
_SHARED = ("source", "unit", "spread", "seed")


@tab(PAGE, "Calibration", 3, needs=choose_map)
def show_trust(context: UncertaintyContext) -> None:
    """Reliability of the probabilities on real responses; beside it, what a simulation says."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        options = parameter_form(context.session, calibrate, f"{PAGE}.calibrate")
        real = context.computed(
            "reliability", {name: options[name] for name in _SHARED}, "Real responses",
            "Predicts held-out responses of your participants, and counts how often the "
            "predictions were right.", label="Real responses",
        )
        simulated = context.computed(
            "calibrate", options, "Calibration of the uncertainty",
            "Simulates answers like yours with known positions, and counts how often ellipses and "
            "order certainty are right.", label="Simulated answers",
        )
    with picture:
        _real(context, real)
        _simulated(context, simulated)


def _real(context: UncertaintyContext, run: Run | None) -> None:
    st.subheader("Real responses", anchor=False)
    if run is None:
        context.empty(
            "Real responses have not been predicted yet",
            "“Real responses” predicts every response from the others, and counts how often "
            "predictions of each probability were right. This is the test that counts.",
        )
        return
    found: Reliability = run.result()
    st.markdown(f"**{panels.plain(found.verdict)}**")
    people = None if found.n_people is None else count(found.n_people, "participant")
    text = (
        f"{analysis.describe(context.method)}, {context.sources[run.options['source']].lower()}. "
        f"{count(int(np.isfinite(found.response).sum()), 'held-out response')} of "
        f"{context.info.name}, {run.options['folds']}-fold cross-validation, 95 % intervals over "
        f"{people or context.triplets.grouped_by + 's'}."
    )
    _panel(context, "real", response_reliability, found, text, real_table(found), WIDE)
    low, high = found.error_interval()
    sure = found.sure("order")
    st.caption(
        f"Expected calibration error of response probability: {found.expected_error():.3f} (95 % "
        f"interval {low:.3f} to {high:.3f}; {found.error_by_chance():.3f} by chance alone), with a "
        f"lapse rate of {100 * found.lapse:.1f} %. Order certainty is off by "
        f"{found.expected_error('order'):.3f}: it is about the map, not about what people answer"
        + (f" (where it is {100 * SURE:.0f} % or more, {100 * sure.said:.1f} % on average, "
           f"{100 * sure.right:.1f} % were given)." if sure.count else ".")
    )


def real_table(found: Reliability) -> pd.DataFrame:
    """Both probabilities in classes, with what was given."""
    parts = []
    for which, name in NAMES.items():
        bins = found.bins(which)
        parts.append(pd.DataFrame({"probability": name, **vars(bins)}))
    return pd.concat(parts, ignore_index=True)


def _simulated(context: UncertaintyContext, run: Run | None) -> None:
    st.subheader("Simulated answers", anchor=False)
    if run is None:
        context.empty(
            "Nothing has been simulated yet",
            "“Simulated answers” simulates data sets with your objects, questions and noise, and "
            "counts how often the true position lies inside its ellipse.",
        )
        return
    found: Calibration = run.result()
    st.markdown(panels.plain(found.verdict))
    about = (
        f"{analysis.describe(context.method)}, {context.sources[run.options['source']].lower()}"
        f". {count(len(found.coverage), 'simulated data set')} like {context.info.name}: "
        f"{count(context.info.n_objects, 'object')}, "
        f"{answers_of(context.info)}, training error {found.error:.3f}."
    )
    left, right = st.columns(2)
    with left:
        _panel(context, "coverage", coverage, found, f"Ellipses. {about}", _covered(found))
    with right:
        _panel(context, "reliability", reliability, found, f"Order certainty. {about}",
               _reliable(found))
    st.caption(
        f"Expected calibration error of order certainty: {found.expected_error:.3f}, against the "
        "true order of distances. The simulation uses the method's own response model: if people "
        "respond differently, neither the ellipses nor this test of them are valid, and it says "
        "nothing of response probabilities. The bootstrap by subsamples without correction, as "
        "published, is much too conservative; resampling with replacement is the default."
    )


def _panel(
    context: UncertaintyContext, name: str, figure: Any, found: Calibration | Reliability,
    text: str, table: pd.DataFrame, canvas: Canvas = _HALF,
) -> None:
    panels.figure_panel(
        context.session, lambda canvas: figure(found, caption=text, canvas=canvas),
        key=f"trust.{name}", alt=text, canvas=canvas, caption=text, table=lambda: table,
        name=export.file_name(context.info.name, name),
    )


def _covered(found: Calibration) -> pd.DataFrame:
    table = pd.DataFrame(found.coverage, columns=[f"held by {100 * q:.0f} %" for q in found.levels])
    table.insert(0, "data set", range(1, len(table) + 1))
    return table


def _reliable(found: Calibration) -> pd.DataFrame:
    return pd.DataFrame({
        "said": found.confidence, "right": found.accuracy, "comparisons": found.counts,
    })
