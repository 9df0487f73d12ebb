"""Whether the model of difference scaling describes the answers."""

from __future__ import annotations

from typing import Any

import streamlit as st
from sklearn.base import clone

from tripletscope.core.inference.evaluation.units import n_participants
from tripletscope.core.scale import MLDS, diagnose
from tripletscope.core.scale.binomial import LAPSES
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import count, number
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import (
    MLDS_FORM,
    PAGE,
    StimulusContext,
    choose_stimulus,
)
from tripletscope.dashboard.views.scale.lapses import about_lapses


@tab(PAGE, "Goodness of fit", 3, needs=choose_stimulus)
def show_fit(context: StimulusContext) -> None:
    """Deviance and the other measures, the tests of the model, and what lapses are."""
    picture, side = context.picture_and_side()
    with side:
        method = context.mlds()
        options = parameter_form(context.session, diagnose, f"{PAGE}.diagnose")
        pieces = [(method, "fit", {}), (method, "diagnose", options)]
        fit, run = context.results(
            "diagnose", "Scale", pieces,
            "Fits the scale and simulates answers from the fitted model.",
        )
    with picture:
        if fit is None or run is None:
            context.empty(
                "Nothing has been computed yet",
                "Compute tests whether the model could have produced these answers: it simulates "
                "answers from the fitted scale and noise, and compares.",
            )
            return
        fitted, found = fit.fitted(), run.result()
        _measures(fitted)
        context.present(run)
        for said in about_lapses(fitted, found):
            st.markdown(said)
        if found.advises_lapses:
            rates = "each" if n_participants(context.answers) > 1 else "one"
            st.button(
                "Estimate lapses", key=f"{PAGE}.lapses", icon=":material/playlist_add:",
                on_click=_take_lapses, args=(context, method, options, rates),
                help=f"Fits the scale together with {LAPSES[rates].lower()}, here and on the "
                "other views.",
            )


def _take_lapses(
    context: StimulusContext, method: MLDS, options: dict[str, Any], rates: str
) -> None:
    """Set the form so, and compute."""
    widgets()[f"{MLDS_FORM}.lapses"] = context.session.remember(f"{MLDS_FORM}.lapses", rates)
    richer = clone(method).set_params(lapses=rates)
    context.submit(
        f"Scale: {context.info.name}", [(richer, "fit", {}), (richer, "diagnose", options)]
    )


def _measures(fitted: MLDS) -> None:
    facts = st.columns(4)
    facts[0].metric(
        "Deviance", number(fitted.deviance_, 5),
        help=f"-2 times the log-likelihood of {count(fitted.n_answers_, 'answer')}; that of "
        f"guessing is {number(fitted.null_deviance_, 5)}. Lower is better.",
    )
    facts[1].metric(
        "AIC", number(fitted.aic_, 5),
        help="Deviance plus twice the number of free scale values. Compare it between links or "
        "numbers of levels on the same answers: lower is better.",
    )
    facts[2].metric(
        "DAF", f"{100 * fitted.daf_:.1f} %",
        help="Deviance accounted for: 1 - deviance / deviance of guessing. 0 if the scale explains "
        "nothing, 100 % if it explains every single answer, which noise rules out.",
    )
    facts[3].metric(
        "Noise σ", number(fitted.sigma_),
        help="Standard deviation of the decision noise, on a scale from 0 to 1. With a link other "
        "than probit, its scale parameter.",
    )
