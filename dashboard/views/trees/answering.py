"""A person who answers the questions of a tree at the screen, one after the other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.tree import ComparisonTree
from tripletscope.core.tree.oracle import AnswersOracle, Unanswered
from tripletscope.dashboard import export
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pressed
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.keeping.catalogue import WorkspaceError
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.trees.grove import PAGE, Grove, Planting, given_answers

_PICTURE = 320


def show_answering(grove: Grove, plan: Planting) -> None:
    """The next question with its pictures, and what has been answered so far."""
    given = given_answers(grove)
    waiting, n_known = _next(grove, plan, given)
    if waiting is None:
        st.success(
            f"All {count(n_known, 'question')} of this tree are answered.",
            icon=":material/check:",
        )
    else:
        _ask(grove, waiting, len(given))
    _take_away(grove, given)


def _next(
    grove: Grove, plan: Planting, given: list[list[int]]
) -> tuple[np.ndarray | None, int]:
    """The questions that can be asked now, and how many decisions are answered."""
    oracle = AnswersOracle(Triplets.from_array(np.reshape(given, (-1, 3)), grove.info.n_objects))
    tree = ComparisonTree(metric=oracle, **dict(plan.settings))
    classes = None
    if plan.colour:
        column = grove.triplets.objects[plan.colour].astype("str").fillna("")
        classes = column.to_numpy(dtype=object)[list(plan.objects)]
    try:
        tree.fit(np.array(plan.objects), classes)
    except Unanswered as stopped:
        return stopped.questions, oracle.n_answered
    return None, oracle.n_answered


def _ask(grove: Grove, waiting: np.ndarray, n_given: int) -> None:
    # Sides are drawn by lot, and the same whenever this question is shown.
    rng = np.random.default_rng(n_given)
    x, p, q = (int(i) for i in waiting[0])
    left, right = (p, q) if rng.random() < 0.5 else (q, p)
    labels = grove.triplets.labels
    with st.container(border=True):
        st.markdown(
            f"**Is {panels.plain(labels[x])} more like {panels.plain(labels[left])} or "
            f"{panels.plain(labels[right])}?**"
        )
        st.caption(
            f"{count(n_given, 'answer')} so far; {count(len(waiting), 'question')} at this level "
            "of the tree. Answers are kept when you leave the page."
        )
        columns = st.columns(3)
        for column, i in zip(columns, (left, x, right), strict=True):
            _show(grove, column, i)
        for column, side, near, far in (
            (columns[0], "Left", left, right), (columns[2], "Right", right, left)
        ):
            with column:
                if pressed(
                    grove.session, f"{PAGE}.answer.{side}", panels.plain(labels[near]),
                    width="stretch", shortcut=side, help=f"Shortcut: {side.lower()} arrow key.",
                ):
                    _keep(grove, [*given_answers(grove), [x, near, far]])
        with columns[1]:
            if pressed(
                grove.session, f"{PAGE}.undo", "Undo the last", width="stretch",
                type="tertiary", disabled=not n_given, icon=":material/undo:",
            ):
                _keep(grove, given_answers(grove)[:-1])


def _keep(grove: Grove, given: list[list[int]]) -> None:
    grove.session.remember(f"{PAGE}.given@{grove.info.id}", given)
    st.rerun()


def _show(grove: Grove, column: st.delta_generator.DeltaGenerator, i: int) -> None:
    label, info, objects = grove.triplets.labels[i], grove.info, grove.triplets.objects
    name = objects["image"].iloc[i] if "image" in objects else None
    if isinstance(name, str) and name in info.pictures:
        try:
            file = services().workspace.picture(info.pictures[name], _PICTURE)
        except WorkspaceError as error:
            column.error(panels.plain(str(error)))
        else:
            column.image(str(file), alt=label, width="stretch")
            return
    column.markdown(f"### {panels.plain(label)}")


def _take_away(grove: Grove, given: list[list[int]]) -> None:
    if not given:
        return
    with st.container(horizontal=True):
        ids = np.array(grove.triplets.ids, dtype=object)
        table = pd.DataFrame(ids[np.array(given)], columns=["anchor", "near", "far"])
        st.download_button(
            "Download the answers", lambda: export.csv(table),
            f"{export.file_name(grove.info.name, 'answers')}.csv", "text/csv",
            key=f"{PAGE}.given.csv", on_click="ignore", icon=":material/download:",
        )
        if pressed(
            grove.session, f"{PAGE}.given.keep", "Keep as a data set",
            icon=":material/library_add:",
            help="The answers become a data set of the same objects, on the start page.",
        ):
            workspace = services().workspace
            name = f"{grove.info.name}, answered here"
            workspace.add_dataset(
                Triplets(given, grove.triplets.objects, None, name),
                origin=f"answers at the screen about {grove.info.name}",
                pictures=workspace.pictures(grove.info),
                report=[f"{count(len(given), 'answer')}, given to the questions of a tree."],
            )
            st.toast("It is on the start page, under Recent.")
        if pressed(grove.session, f"{PAGE}.given.forget", "Start over", icon=":material/delete:"):
            panels.ask_to_delete(
                "these answers", f"{count(len(given), 'answer')} given here will be deleted.",
                lambda: grove.session.remember(f"{PAGE}.given@{grove.info.id}", []),
            )
