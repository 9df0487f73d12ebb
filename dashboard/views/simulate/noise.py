"""What noise does to a map: quantities against its level, or against how observers differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.simulation.simulate import LEVELS
from tripletscope.core.run import Run, key
from tripletscope.core.studies.design.noise import VARIED, NoiseCurve, noise_curve
from tripletscope.core.studies.design.scenario import Scenario
from tripletscope.dashboard import analysis
from tripletscope.dashboard.figures.planning import NOISY, noise_curves
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form, pick, pressed
from tripletscope.dashboard.interface.theme import Canvas, count
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

SLOT = f"{PAGE}.noise"
_SHOWN = f"{PAGE}.noisy"
_HALF = Canvas(480.0, 400.0)
_MEANING = {
    "error": "Proportion of comparisons of the true positions that the map contradicts.",
    "disparity": "Proportion of the variance of the true positions that the map does not explain.",
    "mse": "Mean squared error of the scale, from 0 to 1, in the better direction.",
    "uncertainty": "Mean of 1 - π over the true comparisons, of 20 bootstrap maps: 0.5 where "
    "nothing is known.",
}


@tab(PAGE, "How much noise?", 1.5, slot=SLOT)
def show_noise(context: Context) -> None:
    """Ask what to simulate, and show what noise does."""
    picture, side = context.picture_and_side()
    with side:
        _ask(context)
        listed = services().workspace.runs(None, "noise_curve")
        if listed:
            st.subheader("Shown", anchor=False)
            shown = choose_run(context.session, listed, _SHOWN, "this simulation", lost="")
    with picture:
        if not listed:
            context.empty(
                "Nothing has been simulated yet",
                "Compute simulates the experiment with more and more noise, or with observers who "
                "differ more and more, and shows error and uncertainty of the map.",
            )
            return
        _show(context.session, services().workspace.run(None, shown.key))


def _ask(context: Context) -> None:
    current = context.session
    scenario = scenario_form(current)
    known = {
        name: method.title for kind in ("embedding", "scale")
        for name, method in methods(kind).items()
    }
    place = f"{prefix(current)}.noise"
    name = pick(current, f"{place}.method", "Method", known, default=DEFAULT_EMBEDDING.name)
    method = method_settings(current, {**methods("embedding"), **methods("scale")}[name])
    options = {**asdict(scenario), **parameter_form(
        current, noise_curve, place, hidden=SCENARIO, defaults=beginning(current),
    )}
    found, why = None, _objection(scenario, options)
    if why:
        st.warning(why)
    else:
        found = analysis.find(None, None, method, "noise_curve", options)
    if pressed(
        current, f"{SLOT}.run", "Compute", type="primary", icon=":material/play_arrow:",
        width="stretch", disabled=bool(why) or (found is not None and found.complete),
        help="Simulates answers at each level, with the same people and questions.",
    ):
        current.drafts[_SHOWN] = key("noise_curve", method, None, options)
        words = f"{titled(method)}: {_fixed(scenario, options)}, {_range(options)}"
        context.submit("Simulating noise", [(method, "noise_curve", options)], [words])
        st.rerun()


def _objection(scenario: Scenario, options: dict[str, Any]) -> str:
    """What is wrong with the options together; empty if nothing is."""
    if options["vary"] == "length_scale" and scenario.truth != "observer":
        return "Length scales are of observers: choose one scale per observer as truth."
    if options["vary"] == "level" and scenario.noise not in LEVELS:
        return "Without noise there is no level to vary: choose a kind of noise."
    if not options["lowest"] < options["highest"]:
        return "The lowest level must be below the highest."
    if options["fewest"] is not None and options["fewest"] > options["most"]:
        return "Min. answers must not exceed max. answers."
    return ""


def _fixed(scenario: Scenario, options: Mapping[str, Any]) -> str:
    """The scenario in a few words, without what is varied."""
    if options["vary"] == "level":
        return scenario.described.removesuffix(f" {scenario.level:.3g}")
    return scenario.described.replace(f", length scale {scenario.length_scale:g}", "")


def _range(options: dict[str, Any]) -> str:
    return (
        f"{VARIED.options[options['vary']].lower()} {options['lowest']:g} to "
        f"{options['highest']:g}"
    )


def _show(current: Session, run: Run) -> None:
    curve: NoiseCurve = run.result()
    scenario = Scenario(**{name: run.options[name] for name in SCENARIO})
    varied = VARIED.options[run.options["vary"]]
    about = (
        f"{titled(run.fresh())}. {_fixed(scenario, run.options)}, {_range(run.options)}; "
        f"{count(len(curve.error), 'simulation')}. Mean with 95 % band over simulations."
    )
    known = {name: NOISY[name] for name in _MEANING if not curve.band(name).empty}
    left, right = st.columns(2)
    with left, st.container(height=40, border=False, vertical_alignment="center"):
        st.markdown("**Comparisons wrong**")
    with right:
        second = pick(
            current, f"{SLOT}.second", "Second figure",
            {name: title for name, title in reversed(known.items()) if name != "error"},
            label_visibility="collapsed",
        )
    for column, quantity in ((left, "error"), (right, second)):
        text = f"{_MEANING[quantity]} {about}"
        with column:
            panels.figure_panel(
                current, partial(
                    _draw, curve=curve, quantity=quantity, varied=varied, text=text
                ),
                key=f"{SLOT}.{quantity}", alt=text, canvas=_HALF, caption=text,
                table=partial(curve.band, quantity), name=f"noise-{quantity}",
                simulations={"noise": run},
            )


def _draw(canvas: Canvas, *, curve: NoiseCurve, quantity: str, varied: str, text: str) -> Any:
    return noise_curves(curve.band(quantity), quantity, varied, caption=text, canvas=canvas)
