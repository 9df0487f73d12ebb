"""From an item of a paper, in Help, to the page that goes on with its answers and settings."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.presets import DOCUMENTS
from tripletscope.dashboard.results.findings import usual_tasks
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis
from tripletscope.dashboard.ui.elements import errors_shown, set_widgets
from tripletscope.dashboard.ui.handover import choose_design
from tripletscope.dashboard.ui.opened_map import choice_of
from tripletscope.dashboard.ui.page import go_to, open_page
from tripletscope.reproductions.continuations import CONTINUATIONS, Continuation
from tripletscope.reproductions.registry import items


def open_paper(current: Session, key: str) -> None:
    """Open the page that goes on with an item, or say which data it lacks."""
    there = CONTINUATIONS.get(key)
    if there is None:
        return
    info = None
    with errors_shown(DataError), st.spinner("Making the data set"):
        info = _dataset(key, there)
    if info is None:
        return
    current.open(info.id)
    if there.method is not None and not isinstance(there.method, ColumnMap):
        _begin(current, info, there.method)
    go_to(there.page, there.tab)
    if there.tab == "questions":
        choose_design(current, "uncertain")
    open_page(there.page)


def _dataset(key: str, there: Continuation) -> DatasetInfo:
    workspace, origin, item = services().workspace, f"paper:{key}", items()[key]
    for info in workspace.datasets():
        if info.origin == origin:
            return info
    is_of_features = isinstance(there.method, ColumnMap)
    return workspace.add_dataset(
        there.answers().renamed(f"{DOCUMENTS[item.document]}, {item.label}"), origin=origin,
        report=[f"Made for {item.label}: {item.title}."],
        extra={"features": there.method.columns} if is_of_features else None,
    )


def _begin(current: Session, info: DatasetInfo, method: Method) -> None:
    """Let the form of a method have its settings; a map is fitted, since pages begin with one."""
    values = {f"{method.kind}.method": method.name} | {
        f"{method.kind}.{method.name}.{p.name}": getattr(method, p.name)
        for p in parameters(type(method))
    }
    set_widgets(current, values)
    if isinstance(method, OrdinalEmbedding):
        answers = services().workspace.triplets(info)
        choose = choice_of(info, method)
        if not services().workspace.runs(info.id, "fit", "embedding"):
            choose()  # pages begin with it, and no map of before could come back
        analysis.start(current, info, answers, method, usual_tasks(answers), choose)
