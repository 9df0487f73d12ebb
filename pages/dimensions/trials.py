"""Why a trial was answered so: what each dimension gives to the three pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.dashboard.results.dimension_details import OneTrial
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.description import MEASURED
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import embedded_pictures
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.dimensions.context import PICKED, DimensionsContext, choose_fit
from tripletscope.pages.dimensions.fitting import PAGE, asked_in

#: Trials in the table.
_LISTED = 200
_WHICH = {
    "surprising": "Most surprising", "expected": "Least surprising", "open": "Most undecided",
    "random": "At random",
}


@tab(PAGE, "Trials", 4, needs=choose_fit, when=lambda info: MEASURED not in info.extra)
def show_trials(context: DimensionsContext) -> None:
    """Trials to choose from, and what explains the one that is chosen."""
    rows, _ = context.trials
    if not len(rows):
        context.empty(
            "There are no odd-one-out trials",
            "A trial is explained by the three pairs of its objects. These answers compare two "
            "pairs each.",
        )
        return
    trials = _choose(context)
    if not len(trials):
        st.caption("No trial is about all of the selected objects.")
        return
    row = _list(context, _table(context, trials))
    _explain(context, int(trials[row]))


@st.cache_data(max_entries=8, show_spinner="Predicting the trials")
def _probabilities(key: tuple, _fitted: Any, _rows: np.ndarray) -> np.ndarray:
    return _fitted.probabilities(_rows)


def _of(context: DimensionsContext) -> np.ndarray:
    """(Q, 3) probability of each object of each trial to be the odd one."""
    key = (edition_of(context.fit), context.info.fingerprint)
    return _probabilities(key, context.fitted, context.trials[0])


def _choose(context: DimensionsContext) -> np.ndarray:
    """Positions of the trials that are listed, in order."""
    rows, _ = context.trials
    chosen = context.selected
    with st.container(horizontal=True, vertical_alignment="bottom"):
        how = pick(
            context.session, f"{PAGE}.which", "Trials", _WHICH, width=190,
            help="Surprising: the chosen object was improbable. Undecided: all three were about "
            "equally probable.",
        )
        about = chosen and pick(
            context.session, f"{PAGE}.about", "About",
            {"all": "All objects", "selected": "The selected objects"}, width=200,
        )
    among = np.arange(len(rows))
    if about == "selected":
        # Of up to three selected objects all are to be in the trial, of more any.
        hits = np.isin(rows, chosen).sum(axis=1)
        among = np.flatnonzero(hits >= (len(chosen) if len(chosen) <= 3 else 1))
    p = _of(context)[among]
    if how == "random":
        order = np.random.default_rng(0).permutation(len(among))
    else:
        by = {"surprising": p[:, 2], "expected": -p[:, 2], "open": p.max(axis=1)}[how]
        order = np.argsort(by, kind="stable")
    return among[order[:_LISTED]]


def _table(context: DimensionsContext, trials: np.ndarray) -> pd.DataFrame:
    rows, answer = context.trials
    labels, p = np.array(context.data.labels, dtype=object), _of(context)[trials]
    table = pd.DataFrame({
        "odd one": labels[rows[trials, 2]], "with": labels[rows[trials, 0]],
        "and": labels[rows[trials, 1]], "probability": 100 * p[:, 2],
        "expected": labels[rows[trials, np.argmax(p, axis=1)]],
    })
    answers = context.triplets.answers
    if "participant" in answers:
        table["participant"] = answers["participant"].to_numpy()[answer[trials]]
    return table


def _list(context: DimensionsContext, table: pd.DataFrame) -> int:
    n, (rows, _) = asked_in(context).odd_one_out, context.trials
    some = f" of {PICKED:,} drawn at random from {n:,}" if len(rows) < n else ""
    st.caption(
        f"The first {count(len(table), 'trial')}{some}. The figure explains the selected row, "
        "initially the first."
    )
    chosen = st.dataframe(
        table, hide_index=True, height=210, key=f"{PAGE}.trials", on_select="rerun",
        selection_mode="single-row", column_config={
            "odd one": st.column_config.TextColumn("chosen as odd"),
            "probability": st.column_config.ProgressColumn(
                "probability (%)", format="%.1f", min_value=0.0, max_value=100.0,
                help="Probability of the object chosen as odd. Chance is 33.3 %.",
            ),
            "expected": st.column_config.TextColumn("most probable odd one"),
        },
    ).selection.rows
    return chosen[0] if chosen and chosen[0] < len(table) else 0


def _explain(context: DimensionsContext, position: int) -> None:
    """The three objects, and what the dimensions say of them."""
    objects = tuple(int(i) for i in context.trials[0][position])
    pictures = embedded_pictures(context.info, context.data.objects)
    if all(i in pictures for i in objects):
        roles = ("stays", "stays", "chosen as odd")
        for column, i, role in zip(st.columns(6), objects, roles, strict=False):
            column.image(pictures[i], width=110)
            column.caption(panels.plain(f"{context.data.labels[i]}: {role}"))
    context.look(OneTrial(objects))
