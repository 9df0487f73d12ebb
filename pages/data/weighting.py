"""Weights of people by their lapse rates, beside leaving out those who guess."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.lapses import LapseFit
from tripletscope.core.people.treatments import person_weights
from tripletscope.core.studies.quality import Exclusion
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.controls import doing, pressed
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data.context import QualityContext
from tripletscope.pages.data.excluding import ask_for_reason, next_view, show_effect

_ABOUT = (
    "Weights reduce the influence of participants who often seem to guess, and leave nobody out. A "
    "map by STE estimates them: errors where its distances are clear count as guesses, if there "
    "are more of them than expected. In simulations, weights did as well as the exclusion of "
    "participants who clearly guess, not better."
)


def show_weights(context: QualityContext) -> None:
    """Lapse rates of all people, what weights do beside exclusion, and a button that sets them."""
    st.markdown(_ABOUT)
    if any(step.rule == WEIGHTS for step in context.cleaning.exclusions):
        st.info("These answers are weighted. Undo that to estimate again.", icon=":material/info:")
        return
    method = _method(context)
    piece = (method, "with_lapses", {})
    run = context.find(*piece)
    watch(context.job)
    if context.waiting:
        return
    if run is None:
        context.compute_button(
            "exclusions.lapses.run", "Lapse rates", [piece],
            f"Fits {analysis.describe(method)} with a lapse rate of every participant.",
            label="Estimate lapse rates",
        )
        return
    context.present(run)
    lapses = run.result()
    if lapses.rates_are_trustworthy:
        _compared(context, method, lapses)
        _decide(context, lapses)


def _method(context: QualityContext) -> OrdinalEmbedding:
    """STE in the dimensions of the open map: other methods expect errors in clear cases."""
    method = context.method
    if isinstance(method, STE):
        return method
    if isinstance(method, OrdinalEmbedding):
        return STE(n_components=method.n_components)
    return STE()


def _compared(context: QualityContext, method: OrdinalEmbedding, lapses: LapseFit) -> None:
    """Held-out error, answers and map of exclusion and of weights, side by side."""
    data, kept, whom = _exclusion(context, lapses)
    if kept.all():
        st.caption("Nobody stands out and nothing is excluded: there is nothing to compare.")
        return
    show_effect(
        context, data, kept, method, weighted=True, key="exclusions.treatments",
        title=f"Weights or exclusion: {whom}", label="Compare with exclusion",
        about="Predicts the same held-out answers in three ways: from all answers alike, after "
        f"exclusion ({whom}), and with weights learned from the other answers.",
    )


def _exclusion(context: QualityContext, lapses: LapseFit) -> tuple[Any, np.ndarray, str]:
    """Answers, which of them exclusion keeps, and whom it leaves out, in words."""
    cleaning = context.cleaning
    if cleaning.exclusions and not cleaning.kept.all():
        return cleaning.raw, cleaning.kept, "the exclusions made so far"
    weights = person_weights(context.answers, lapses.participants, 1.0 - lapses.stand_out)
    return context.answers, weights > 0, "leaving out those who clearly guess more often"


def _decide(context: QualityContext, lapses: LapseFit) -> None:
    reason = ask_for_reason(context.session, context.cleaning, "exclusions.weights.reason")
    if pressed(
        context.session, "exclusions.weights.go",
        f"Weight {count(len(lapses.participants), 'participant')}", type="primary",
        icon=":material/balance:", help="The imported data stay unchanged; weights can be undone.",
    ):
        weights = np.clip(lapses.person_weight, 0.0, 1.0).round(4).tolist()
        people = tuple(lapses.participants.tolist())
        exclusion = Exclusion(WEIGHTS, {"weights": weights}, people, (), reason)
        with doing(context.session, st.spinner("Weighting")):
            weighted = context.cleaning.excluding(exclusion)
            services().workspace.update_dataset(
                context.info, weighted, view=next_view(context.info)
            )
        st.rerun()
