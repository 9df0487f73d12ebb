"""Which number of dimensions an experiment could detect."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run, key
from tripletscope.core.studies.design.detection import Detection, detect_dimension
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard import analysis
from tripletscope.dashboard.figures.planning import detection_bars
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick, pressed
from tripletscope.dashboard.interface.theme import WIDE, Canvas, count
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.choosing import choose_run
from tripletscope.dashboard.views.page import Context, tab
from tripletscope.dashboard.views.simulate.setting import (
    PAGE,
    SCENARIO,
    beginning,
    method_settings,
    prefix,
    scenario_form,
    titled,
)

SLOT = f"{PAGE}.dimension"
_SHOWN = f"{PAGE}.detection"


@tab(PAGE, "How many dimensions?", 2, slot=SLOT)
def show_dimension(context: Context) -> None:
    """Ask what to simulate, and show how often the dimension was found."""
    current = context.session
    picture, side = context.picture_and_side()
    workspace = services().workspace
    with side:
        scenario = scenario_form(current)
        known = {name: method.title for name, method in methods("embedding").items()}
        name = pick(
            current, f"{prefix(current)}.dimension.method", "Method", known,
            default=DEFAULT_EMBEDDING.name,
        )
        method = method_settings(current, methods("embedding")[name])
        options = parameter_form(
            current, detect_dimension, f"{prefix(current)}.dimension", hidden=SCENARIO,
            defaults=beginning(current),
        )
        options = {**asdict(scenario), **options}
        wrong = options["fewest"] is not None and options["fewest"] > options["most"]
        if wrong:
            st.warning("Min. answers must not exceed max. answers.")
        found = None if wrong else analysis.find(None, None, method, "detect_dimension", options)
        if pressed(
            current, f"{SLOT}.run", "Compute", type="primary", icon=":material/play_arrow:",
            width="stretch", disabled=wrong or (found is not None and found.complete),
            help="Simulates answers and chooses the number of dimensions by cross-validation.",
        ):
            current.drafts[_SHOWN] = key("detect_dimension", method, None, options)
            words = f"{titled(method)}: {scenario.described}, up to {options['most']:,} answers"
            context.submit(
                "Estimating the number of dimensions", [(method, "detect_dimension", options)],
                [words],
            )
            st.rerun()
        listed = workspace.runs(None, "detect_dimension")
        if listed:
            st.subheader("Shown", anchor=False)
            shown = choose_run(current, listed, _SHOWN, "this simulation", lost="")
    with picture:
        if not listed:
            context.empty(
                "Nothing has been simulated yet",
                "Compute simulates answers about objects in a known number of dimensions and "
                "estimates it by cross-validation. It shows how many answers it takes to find "
                "the true number.",
            )
            return
        run = workspace.run(None, shown.key)
        scenario = Scenario(**{name: run.options[name] for name in SCENARIO})
        _show(current, run, f"{titled(run.fresh())}. {scenario.described}.")


def _show(current: Session, run: Run, about: str) -> None:
    found: Detection = run.result()
    st.markdown(f"**{panels.plain(found.recommendation)}**")
    text = (
        f"{about} {count(len(found.suggested), 'simulation')}. The number of dimensions suggested "
        "is the smallest whose cross-validated error is above the lowest by no more than one "
        "standard error, nor than one point."
    )

    def draw(canvas: Canvas) -> Any:
        return detection_bars(found, caption=text, canvas=canvas)

    panels.figure_panel(
        current, draw, key=f"{SLOT}.figure", alt=text, canvas=WIDE, caption=text,
        table=lambda: _table(found), name="plan-dimension",
        simulations={"dimension": run},
    )
    st.caption(
        "If participants differ, or responses are noisier than simulated, more answers are needed. "
        "The usual error is too few dimensions: a dimension with little variance is lost in noise."
    )


def _table(found: Detection) -> pd.DataFrame:
    most = max(int(found.suggested.max()), found.true)
    shares = {
        count(d, "dimension"): np.mean(found.suggested == d, axis=0) for d in range(1, most + 1)
    }
    return pd.DataFrame({"answers": found.n_answers, **shares})
