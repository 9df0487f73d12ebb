"""Weights of people by their lapse rates, beside leaving out those who guess."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.columns import sides_of
from tripletscope.core.engine.progress import Progress
from tripletscope.core.models.embedding import STE
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.people.careless import LOW, LapseFit
from tripletscope.core.people.treatments import (
    Treatments,
    compare_treatments,
    person_weights,
)
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.core.studies.quality.exclusion import WEIGHTS
from tripletscope.dashboard import analysis, export
from tripletscope.dashboard.figures.quality import MOST_RATES, lapse_rates
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pressed
from tripletscope.dashboard.interface.theme import Canvas, count
from tripletscope.dashboard.interface.watching import show_outcome, watch
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.choosing import short_people
from tripletscope.dashboard.views.data.quality import opened_method
from tripletscope.dashboard.views.page import Context
from tripletscope.dashboard.working.pool import pool

_WIDE = Canvas(760.0, 460.0)
_NAMED = 5  # people in a sentence
_SHARES = ("like guesses", "from", "to", "side from", "side to")
_ABOUT = (
    "Weights count answers of people who often seem to guess for less, and leave nobody out. They "
    "are estimated with a map by STE: whoever errs where its distances are clear is taken to "
    "guess, if the answers confirm that so many errors there are not to be expected. In "
    "simulations they served as well as excluding those who clearly guess, not better."
)


def show_weights(context: Context, cleaning: Cleaning) -> None:
    """Lapse rates of all people, what weights do beside exclusion, and a button that sets them."""
    st.markdown(_ABOUT)
    if any(step.rule == WEIGHTS for step in cleaning.exclusions):
        st.info("These answers are weighted. Undo that to estimate anew.", icon=":material/info:")
        return
    method = _method(context)
    piece = (method, "with_lapses", {})
    run = context.find(*piece)
    if context.waiting:
        watch(context.job)
        return
    if context.job is not None:
        show_outcome(context.job)
    if run is None:
        context.compute_button(
            "exclusions.lapses.run", "Lapse rates", [piece],
            f"Fits {analysis.describe(method)} with a lapse rate of every participant.",
            label="Estimate lapse rates",
        )
        return
    found = run.result()
    st.markdown(panels.plain(in_words(found)))
    if not found.told:
        return
    _figure(context, method, found)
    _compared(context, cleaning, method, found)
    _decide(context, cleaning, found)


def _method(context: Context) -> OrdinalEmbedding:
    """STE in the dimensions of the open map: other methods expect errors in clear cases."""
    method = opened_method(context.session, context.info)
    if isinstance(method, STE):
        return method
    if isinstance(method, OrdinalEmbedding):
        return STE(n_components=method.n_components)
    return STE()


def in_words(found: LapseFit) -> str:
    """Who seems to guess, and in how many trials; nobody whose interval allows for a low rate.

    Silent on: answers of t-STE (tests/dashboard/views/test_weighting.py::test_rates_are_withheld).
    """
    if found.heavier is None:  # the method is STE
        return "Lapse rates are withheld: the fit has not converged."
    if not found.told:
        return (
            "Lapse rates are withheld: these answers do not confirm that errors in clear cases are "
            "rare without guessing, so that guesses cannot be told from errors. Catch trials can "
            "tell them; “predicted by the others' map” (tab Quality) ranks people without "
            "any rate."
        )
    out = np.flatnonzero(found.stand_out)
    usual = f"The median person answers like guessing in {found.usual:.0%} of trials."
    if not len(out):
        return (
            f"{usual} Nobody clearly does so more often than that and than in {LOW:.0%} (corrected "
            f"for {count(len(found.participants), 'participant')})."
        )
    out = out[np.argsort(-found.lapse[out])]
    short = short_people(found.participants.tolist())
    said = [
        f"{short[str(found.participants[p])]} in {found.lapse[p]:.0%} [{found.low[p]:.0%}, "
        f"{found.high[p]:.0%}]" for p in out[:_NAMED]
    ]
    more = f" and {len(out) - _NAMED:,} more" if len(out) > _NAMED else ""
    return (
        f"{usual} Clearly more often, corrected for the number of participants: "
        f"{', '.join(said)}{more}."
    )


def _figure(context: Context, method: OrdinalEmbedding, found: LapseFit) -> None:
    short = short_people(found.participants.tolist())
    table = found.table.assign(who=[short[str(name)] for name in found.participants])
    shown = min(len(table), MOST_RATES)
    text = (
        f"{context.info.name}: proportion of answers that are like guesses, with 95 % intervals; "
        f"the {shown} highest of {count(len(table), 'participant')}. Clearly more often: than the "
        f"median person (line) and than in {LOW:.0%}, corrected for the number of participants. "
        f"{analysis.describe(method)}, with lapses."
    )
    panels.figure_panel(
        context.session,
        lambda canvas: lapse_rates(
            table.assign(participant=table["who"]), usual=found.usual, caption=text,
            canvas=canvas,
        ),
        key="exclusions.lapses", alt=text, canvas=_WIDE, caption=text,
        table=lambda: table.drop(columns="who"),
        name=export.file_name(context.info.name, "lapse-rates"),
    )
    with st.expander("Rates and weights of each participant"):
        side = next(iter(sides_of(context.answers)[1]), "")
        share = st.column_config.NumberColumn(format="percent")
        st.dataframe(
            _readable(table, side), hide_index=True, height=300, key="exclusions.lapses.table",
            placeholder="", column_config={
                **dict.fromkeys((*_SHARES, f"{side} when guessing"), share),
                "weight": st.column_config.NumberColumn(format="%.2f"),
            },
        )


def _readable(table: pd.DataFrame, side: str) -> pd.DataFrame:
    """Under the titles of a page; `side` is what the first side is called."""
    named = {
        "who": "participant", "answers": "answers", "lapse": "like guesses", "lapse_low": "from",
        "lapse_high": "to", "weight": "weight", "first": f"{side} when guessing",
        "first_low": "side from", "first_high": "side to",
    }
    shown = table.sort_values("lapse", ascending=False)[list(named)].rename(columns=named)
    return shown.dropna(axis=1, how="all")


def _compared(
    context: Context, cleaning: Cleaning, method: OrdinalEmbedding, found: LapseFit
) -> None:
    """Held-out error, answers and map of exclusion and of weights, side by side."""
    data, kept, whom = _exclusion(context, cleaning, found)
    place = f"{context.info.fingerprint} {context.info.state} {analysis.describe(method)}"
    results = [] if context.job is None else list(filter(None, context.job.results))
    done = [one for of, key, one in results if (of, key) == ("treatments", place)]
    if done:
        _side_by_side(done[0], whom)
    elif kept.all():
        st.caption("Nobody stands out, and nothing is excluded: there is nothing to compare with.")
    elif pressed(
        context.session, "exclusions.treatments", "Compare with exclusion",
        icon=":material/query_stats:",
        help="Predicts the same held-out answers from all answers alike, after exclusion, and "
        "with weights learned from the other answers.",
    ):
        def work(progress: Progress) -> tuple[str, str, Treatments]:
            one = pool().call(compare_treatments, method, data, kept, progress=progress)
            return "treatments", place, one

        context.begin(
            f"Weights or exclusion: {context.info.name}", "Predicting in three ways", work
        )
        st.rerun()


def _exclusion(
    context: Context, cleaning: Cleaning, found: LapseFit
) -> tuple[Any, np.ndarray, str]:
    """Answers, which of them exclusion keeps, and whom it leaves out, in words."""
    if cleaning.exclusions and not cleaning.kept.all():
        return cleaning.raw, cleaning.kept, "the exclusions made so far"
    standing = person_weights(context.answers, found.participants, 1.0 - found.stand_out)
    return context.answers, standing > 0, "leaving out those who clearly guess more often"


def _side_by_side(found: Treatments, whom: str) -> None:
    st.markdown(panels.plain(found.sentence))
    table = found.table
    st.dataframe(
        pd.DataFrame({
            "answers": table["treatment"],
            "held-out error": table["error"],
            "change": [
                "" if k == 0 else f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, "
                f"{100 * row.high:+.1f}]" for k, row in enumerate(table.itertuples())
            ],
            "error, everybody": table["everybody"],
            "effective answers": table["effective"].round(),
            "map moved": table["moved"],
        }), hide_index=True, placeholder="", key="exclusions.treatments.table", column_config={
            "held-out error": st.column_config.NumberColumn(format="percent"),
            "error, everybody": st.column_config.NumberColumn(format="percent"),
            "map moved": st.column_config.NumberColumn(format="percent"),
            "effective answers": st.column_config.NumberColumn(format="localized"),
        },
    )
    st.caption(panels.plain(
        f"Exclusion: {whom} ({count(found.n_excluded, 'participant')}). All three predict the same "
        f"{count(found.n_predicted, 'answer')} of the others; chance is 50 %. “Everybody” adds the "
        "answers of those excluded, of which nobody can predict guesses. Effective: answers of "
        "equal weight that tell as much (Kish). Map moved: variance of the map of all answers that "
        "the other leaves unexplained."
    ))


def _decide(context: Context, cleaning: Cleaning, found: LapseFit) -> None:
    reason = st.text_input(
        "Reason", key=f"exclusions.weights.reason.{len(cleaning.exclusions)}", max_chars=300,
        placeholder="For the log and the methods section; optional",
    )
    if pressed(
        context.session, "exclusions.weights.go",
        f"Weight {count(len(found.participants), 'participant')}", type="primary",
        icon=":material/balance:",
        help="The imported data stay unchanged; weights can be undone.",
    ):
        weights = np.clip(found.person_weight, 0.0, 1.0).round(4).tolist()
        done = cleaning.excluding(Exclusion(
            WEIGHTS, {"weights": weights}, tuple(found.participants.tolist()), (), reason.strip(),
        ))
        with st.spinner("Weighting"):
            services().workspace.update_dataset(context.info, done)
        st.rerun()
