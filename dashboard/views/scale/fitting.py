"""Whether the model of difference scaling describes the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from sklearn.base import clone

from tripletscope.core.inference.evaluation.units import n_participants
from tripletscope.core.scale import MLDS, ScaleDiagnostics, diagnose
from tripletscope.core.scale.binomial import LAPSES
from tripletscope.dashboard import export
from tripletscope.dashboard.figures.diagnostics import residual_curve, simulated_against
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import parameter_form
from tripletscope.dashboard.interface.theme import Canvas, count, number
from tripletscope.dashboard.state import widgets
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.views.scale.context import (
    MLDS_FORM,
    PAGE,
    StimulusContext,
    choose_stimulus,
)
from tripletscope.dashboard.views.scale.lapses import about_lapses

_HALF = Canvas(480.0, 340.0)
#: Probabilities below this one are called unlikely, as in most papers.
_UNLIKELY = 0.05
#: Of the residuals 5 % lie outside of their envelope where the model holds.
_MANY_OUTSIDE = 0.10


@tab(PAGE, "Goodness of fit", 3, needs=choose_stimulus)
def show_fit(context: StimulusContext) -> None:
    """Deviance, residuals, runs and six-point test, each with what it means."""
    picture, side = context.picture_and_side()
    with side:
        method = context.mlds()
        options = parameter_form(context.session, diagnose, f"{PAGE}.diagnose")
        pieces = [(method, "fit", {}), (method, "diagnose", options)]
        context.compute_missing(
            "diagnose", pieces, "Fits the scale and simulates answers from the fitted model."
        )
    fit, run = (context.find(*piece) for piece in pieces)
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
        about = (
            f"{context.describe(method)}. {context.size} "
            f"{count(len(found.simulated_runs), 'simulation')} from the fitted model."
        )
        _figures(context, found, about)
        sentences = [*_verdicts(found), *about_lapses(fitted, found)]
        st.markdown("\n".join(f"- {sentence}" for sentence in sentences))
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


def _figures(context: StimulusContext, found: ScaleDiagnostics, about: str) -> None:
    n = len(found.residuals)
    left, right = st.columns(2)
    with left:
        _panel(
            context, "residuals",
            lambda text, canvas: residual_curve(found, caption=text, canvas=canvas),
            f"Distribution of the deviance residuals. {about}",
            lambda: pd.DataFrame({
                "share below": (np.arange(n) + 0.5) / n, "residual": found.residuals,
                "low": found.low, "high": found.high,
            }),
        )
    with right:
        _panel(
            context, "runs",
            lambda text, canvas: simulated_against(
                found.simulated_runs, found.runs, title="number of runs", caption=text,
                canvas=canvas,
            ),
            "Number of runs (sign changes) of the residuals, in the order of the fitted "
            f"probabilities. {about}",
            lambda: pd.DataFrame({"simulated": found.simulated_runs, "answers": found.runs}),
        )
    if found.six_point is not None:
        with left:
            _panel(
                context, "six-point",
                lambda text, canvas: simulated_against(
                    found.simulated_six_point, found.six_point, title="log-likelihood",
                    caption=text, canvas=canvas,
                ),
                f"Six-point test: log-likelihood of the answers in "
                f"{count(found.n_six_points, 'six-point condition')}. {about}",
                lambda: pd.DataFrame({
                    "simulated": found.simulated_six_point, "answers": found.six_point,
                }),
            )


def _panel(
    context: StimulusContext, name: str, draw: Callable[[str, Canvas], Any], text: str,
    table: Callable[[], pd.DataFrame],
) -> None:
    panels.figure_panel(
        context.session, lambda canvas: draw(text, canvas), key=f"{PAGE}.{name}", alt=text,
        canvas=_HALF, caption=text, table=table,
        name=export.file_name(context.info.name, name),
    )


def _verdicts(found: ScaleDiagnostics) -> list[str]:
    """What each test found, and what that means.

    Silent on: answers by the model
    (tests/dashboard/views/test_scale.py::test_the_model_is_seldom_denied).
    """
    outside = found.outside
    sentences = [
        f"**Residuals**: {100 * outside:.0f} % lie outside of their envelope, where 5 % would if "
        "the model held. "
        + ("Many answers are less, or more, probable than the model predicts: see below whether "
           "lapses explain it; else look for groups of observers, or try another link."
           if outside > _MANY_OUTSIDE else
           "No departure from the model is seen."),
        f"**Runs**: {found.runs:,} sign changes; as few under the model with "
        f"{_p(found.runs_p)}. "
        + ("The residuals are serially dependent: the scale has a shape that the model cannot "
           "follow, or the stimulus has another dimension." if found.runs_p < _UNLIKELY else
           "No serial dependence is seen."),
    ]
    if found.six_point is None:
        sentences.append(
            "**Six-point test**: not possible; it needs matching triples of comparisons of pairs "
            "without a common object."
        )
    else:
        p = found.six_point_p
        sentences.append(
            f"**Six-point test**: {count(found.n_six_points, 'condition')}, log-likelihood "
            f"{panels.plain(number(found.six_point, 5))}; as low under the model with "
            f"{_p(p)}. "
            + ("Differences are not additive: the answers do not follow from differences on a "
               "single scale."
               if p < _UNLIKELY else "Nothing speaks against a single scale.")
        )
    return sentences


def _p(p: float) -> str:
    return panels.plain(f"p = {p:.3f}" if p >= 0.001 else "p < 0.001")
