"""Whether ellipses and probabilities hold for data like the user's."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.uncertainty.calibration import Calibration
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.trust import coverage, reliability
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.uncertainty.context import (
    PAGE,
    UncertaintyContext,
    choose_map,
)

_HALF = Canvas(480.0, 400.0)


@tab(PAGE, "Calibration", 3, needs=choose_map)
def show_trust(context: UncertaintyContext) -> None:
    """Coverage of the ellipses and reliability of the probabilities, on simulated data."""
    picture, side = st.columns([3, 1], gap="large")
    with side:
        run = context.compute(
            "calibrate", "Calibration of the uncertainty",
            "Simulates answers like yours with known positions, and counts how often ellipses and "
            "probabilities are right.",
        )
    with picture:
        if run is None:
            panels.empty(
                "Nothing has been computed yet",
                "Compute simulates data sets with your objects, questions and noise, and counts "
                "how often the true position lies inside its ellipse.",
            )
            return
        found: Calibration = run.result()
        st.markdown(f"**{panels.plain(found.verdict)}**")
        about = (
            f"{analysis.describe(context.method)}, {context.sources[run.options['source']].lower()}"
            f". {count(len(found.coverage), 'simulated data set')} like {context.info.name}: "
            f"{count(context.info.n_objects, 'object')}, "
            f"{count(context.info.n_answers, 'answer')}, training error {found.error:.3f}."
        )
        left, right = st.columns(2)
        with left:
            _panel(context, "coverage", coverage, found, f"Ellipses. {about}", _covered(found))
        with right:
            _panel(context, "reliability", reliability, found, f"Probabilities. {about}",
                   _reliable(found))
    st.caption(
        f"Expected calibration error of the probabilities: {found.expected_error:.3f}. The "
        "simulation uses the method's own response model: if people respond differently, neither "
        "the ellipses nor this test of them are valid. The bootstrap by subsamples without "
        "correction, as published, is much too conservative; resampling with replacement is the "
        "default."
    )


def _panel(
    context: UncertaintyContext, name: str, figure: Any, found: Calibration, text: str,
    table: pd.DataFrame,
) -> None:
    panels.figure_panel(
        context.session, lambda canvas: figure(found, caption=text, canvas=canvas),
        key=f"trust.{name}", alt=text, canvas=_HALF, caption=text, table=lambda: table,
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
