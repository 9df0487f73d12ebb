"""A person answers questions at the screen: those that make a tree, or those that a search asks.

The questions are a fragment of the page: the next one is there before everything else would be.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.trees.oracle import AnswersOracle, Unanswered
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import button, pressed
from tripletscope.dashboard.ui.elements import csv_button, errors_shown
from tripletscope.dashboard.ui.focus import focus_on
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.trees.tree_context import (
    PAGE,
    TreeContext,
    TreeSettings,
    fitted_tree,
    given_answers,
)

_PICTURE = 320
_CARD, _ANSWERED = f"{PAGE}.asked", f"{PAGE}.answered"
#: What asks: it is given the answers of a person as an oracle, and raises `Unanswered`.
Asking = Callable[[AnswersOracle], Any]


def show_answering(context: TreeContext, plan: TreeSettings) -> None:
    """The questions that make a tree; the page shows the tree anew with each of its levels."""
    _converse(context, partial(fitted_tree, context, plan), "tree", "at this level of the tree")


def show_searching(context: TreeContext, search: Asking) -> bool:
    """The questions of a search; whether all are answered."""
    _converse(context, search, "search", "")
    return _next(context, search)[0] is None


@st.fragment
def _converse(context: TreeContext, asking: Asking, of: str, level: str) -> None:
    """The next question with its pictures, and what has been answered so far."""
    waiting, n_known = _next(context, asking)
    answered = context.session.take_press(_ANSWERED)
    if answered and (waiting is None or context.session.take_press(f"{_ANSWERED}.level")):
        st.rerun()
    if waiting is None:
        st.success(
            f"All {count(n_known, 'question')} of this {of} are answered.",
            icon=":material/check:",
        )
    else:
        _ask(context, waiting, level)
    _take_away(context, given_answers(context))


def _next(context: TreeContext, asking: Asking) -> tuple[np.ndarray | None, int]:
    """The questions that can be asked now, and how many decisions are answered."""
    oracle = person(context)
    try:
        asking(oracle)
    except Unanswered as stopped:
        return stopped.questions, oracle.n_answered
    return None, oracle.n_answered


def person(context: TreeContext) -> AnswersOracle:
    """What a person has answered at this screen, and nothing else."""
    rows = np.reshape(given_answers(context), (-1, 3))
    return AnswersOracle(Triplets.from_array(rows, context.info.n_objects))


def _ask(context: TreeContext, waiting: np.ndarray, level: str) -> None:
    n_given = len(given_answers(context))
    # Sides are drawn by lot, and the same whenever this question is shown.
    rng = np.random.default_rng(n_given)
    x, p, q = (int(i) for i in waiting[0])
    left, right = (p, q) if rng.random() < 0.5 else (q, p)
    labels = context.triplets.labels
    with st.container(border=True, key=_CARD):
        st.markdown(
            f"**Is {panels.plain(labels[x])} more like {panels.plain(labels[left])} or "
            f"{panels.plain(labels[right])}?**"
        )
        st.caption(
            f"{count(n_given, 'answer')} so far"
            + (f"; {count(len(waiting), 'question')} {level}" if level else "")
            + ". Answer with ← and →."
        )
        columns = st.columns(3)
        for column, i in zip(columns, (left, x, right), strict=True):
            _show(context, column, i)
        for column, side, near, far in (
            (columns[0], "Left", left, right), (columns[2], "Right", right, left)
        ):
            with column:
                st.button(
                    panels.plain(labels[near]), key=f"{PAGE}.answer.{side}", width="stretch",
                    shortcut=side, on_click=_answer,
                    args=(context, n_given, [x, near, far], len(waiting) == 1 and bool(level)),
                )
        with columns[1]:
            button(
                "Undo the last", key=f"{PAGE}.undo", width="stretch", type="tertiary",
                why="" if n_given else "Nothing is answered yet.", icon=":material/undo:",
                on_click=_undo, args=(context, n_given),
            )
    # The arrow keys would still move through the box in which the person was chosen.
    card = f".st-key-{_CARD.replace('.', '-')}"
    focus_on(card, f"{context.info.id} {x}", name="asked", take=True)


# A second click, and one in another tab, may come when the question has been answered.
def _answer(context: TreeContext, n_given: int, answer: list[int], ends_level: bool) -> None:
    given = given_answers(context)
    if len(given) != n_given:
        return
    _keep(context, [*given, answer])
    context.session.press(_ANSWERED)
    if ends_level:
        context.session.press(f"{_ANSWERED}.level")


def _undo(context: TreeContext, n_given: int) -> None:
    given = given_answers(context)
    if len(given) != n_given:
        return
    _keep(context, given[:-1])
    context.session.press(_ANSWERED)
    context.session.press(f"{_ANSWERED}.level")


def _keep(context: TreeContext, answers: list[list[int]]) -> None:
    context.session.remember(f"{PAGE}.given@{context.info.id}", answers)
    context.session.save()  # of a fragment nobody else does it


def _show(context: TreeContext, column: st.delta_generator.DeltaGenerator, i: int) -> None:
    label, file = context.triplets.labels[i], None
    with errors_shown(WorkspaceError, show=column.error):
        file = context.picture_of(i, _PICTURE)
    if file is None:
        column.markdown(f"### {panels.plain(label)}")
    else:
        column.image(file, alt=label, width="stretch")


def _take_away(context: TreeContext, answers: list[list[int]]) -> None:
    if not answers:
        return
    with st.container(horizontal=True):
        ids = np.array(context.triplets.ids, dtype=object)
        table = pd.DataFrame(ids[np.array(answers)], columns=["anchor", "near", "far"])
        csv_button("Download the answers", lambda: table,
                   export.file_name(context.info.name, "answers"), f"{PAGE}.given.csv")
        if pressed(
            context.session, f"{PAGE}.given.keep", "Keep as a data set",
            icon=":material/library_add:",
            help="Makes a data set of the same objects, on the start page.",
        ):
            workspace = services().workspace
            name = f"{context.info.name}, answered here"
            workspace.add_dataset(
                Triplets(answers, context.triplets.objects, None, name),
                origin=f"answers at the screen about {context.info.name}",
                pictures=workspace.pictures(context.info),
                report=[f"{count(len(answers), 'answer')}, given to the questions of a tree."],
            )
            st.toast("It is on the start page, under Recent.")
        if pressed(context.session, f"{PAGE}.given.forget", "Start over", icon=":material/delete:"):
            panels.ask_to_delete(
                "these answers", f"{count(len(answers), 'answer')} given here will be deleted.",
                lambda: context.session.remember(f"{PAGE}.given@{context.info.id}", []),
            )
