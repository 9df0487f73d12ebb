"""Circles, helices, and whether difference scaling fits: a tab for each task."""

from __future__ import annotations

from functools import partial
from typing import Any

import streamlit as st
from sklearn.base import clone

from tripletscope.core.engine.method import Method
from tripletscope.core.inference.held_out.score import cross_validate
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.run import Run
from tripletscope.core.scales.binomial import LAPSES
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.ui.analysis import Piece
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import parameter_form, pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.task import is_soon, show_task
from tripletscope.pages.scale.context import MLDS_FORM, PAGE, StimulusContext, choose_stimulus


def _in_space(context: StimulusContext) -> Method:
    d = pick(
        context.session, f"{PAGE}.space.d", "Dimensions", {2: "2: a circle", 3: "3: a helix"}
    )
    name = pick(
        context.session, f"{PAGE}.space.method", "Method", context.embeddings(),
        default=DEFAULT_EMBEDDING.name,
    )
    return context.embedding(name, d)


def _on_stimulus(context: StimulusContext, method: Method) -> dict[str, Any]:
    """Where bands come from is asked of methods that have a posterior for such answers."""
    fixed = {"stimulus": context.stimulus, "n_components": method.n_components}
    is_asked = method.is_likelihood and not context.are_pairs
    return fixed if is_asked else fixed | {"source": "bootstrap"}


def _errors(context: StimulusContext, method: Method, band: dict[str, Any]) -> list[Piece]:
    folds = parameter_form(
        context.session, cross_validate, f"{PAGE}.folds", hidden=("repeats", "seed", "unit")
    )
    # Of participants and their answers, an error has an interval over the former only.
    folds |= {"unit": "participants" if band["unit"] == "both" else band["unit"]}
    line = clone(method).set_params(n_components=1)
    return [(method, "cross_validate", folds), (line, "cross_validate", folds)]


def _offer_lapses(context: Context, run: Run) -> None:
    """Take lapses into the scale, where its tests advise it."""
    if run.result().advises_lapses:
        rates = "each" if n_participants(context.answers) > 1 else "one"
        st.button(
            "Estimate lapses", key=f"{PAGE}.lapses", icon=":material/playlist_add:",
            on_click=_take_lapses, args=(context, run, rates),
            help=f"Fits the scale together with {LAPSES[rates].lower()}, here and on the "
            "other views.",
        )


def _take_lapses(context: Context, run: Run, rates: str) -> None:
    """Set the form so, and compute."""
    widgets()[f"{MLDS_FORM}.lapses"] = context.session.remember(f"{MLDS_FORM}.lapses", rates)
    richer = run.fresh().set_params(lapses=rates)
    context.submit(
        f"Scale: {context.info.name}", [(richer, "fit", {}), (richer, "diagnose", run.options)]
    )


@tab(PAGE, "Circle or helix", 2, needs=choose_stimulus)
def show_space(context: StimulusContext) -> None:
    """A map with a line along the stimulus."""
    show_task(
        context, "ordinal_scale", method=partial(_in_space, context),
        given=partial(_on_stimulus, context), beside=partial(_errors, context),
        at_once=is_soon(context, 1e-4),
        about="Computes bootstrap maps, aligned to the stimulus, and the held-out error beside "
        "that of a line.",
        promise="A one-dimensional scale cannot represent a stimulus whose ends look alike, as "
        "violet and red do. Compute draws a map with a line along the stimulus, and each object's "
        "angle around the centre.",
    )


@tab(PAGE, "Goodness of fit", 3, needs=choose_stimulus)
def show_fit(context: StimulusContext) -> None:
    """Whether difference scaling could have produced these answers."""
    show_task(
        context, "diagnose", method=context.mlds, beside=lambda method, _: [(method, "fit", {})],
        after=partial(_offer_lapses, context),
        about="Fits the scale and simulates answers from the fitted model.",
        promise="Compute tests whether the model could have produced these answers, by simulating "
        "from the fitted scale and noise.",
    )
