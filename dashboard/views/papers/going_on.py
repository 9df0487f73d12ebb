"""From the card of an item to the page of the program that goes on with its data and settings."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import Method
from tripletscope.core.models.embedding.features import ColumnMap
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.presets import DOCUMENTS
from tripletscope.core.run import key
from tripletscope.dashboard import analysis
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.results.findings import usual_tasks
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.elements import set_widgets
from tripletscope.dashboard.views.opened_map import place_of
from tripletscope.dashboard.views.page import go_to
from tripletscope.dashboard.views.papers.continuations import CONTINUATIONS, Continuation
from tripletscope.dashboard.views.simulate.questions import choose_design
from tripletscope.dashboard.views.simulate.setting import begin_with
from tripletscope.reproductions.item import Item


def go_on(current: Session, item: Item) -> None:
    """Open the page that goes on with an item, with its data set and settings."""
    there = CONTINUATIONS[item.key]
    if there.answers is not None:
        with st.spinner("Making the data set"):
            info = _dataset(item, there)
        current.open(info.id)
        if there.method is not None and not isinstance(there.method, ColumnMap):
            _begin(current, info, there.method)
    if there.begin:
        begin_with(current, there.begin)
    go_to(there.page, there.tab)
    if there.tab == "questions":
        choose_design(current, "uncertain")
    st.switch_page(f"../pages/{there.page}.py")


def _dataset(item: Item, there: Continuation) -> DatasetInfo:
    workspace, origin = services().workspace, f"paper:{item.key}"
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
        analysis.start(current, info, answers, method, usual_tasks(answers))
        current.drafts[place_of(info)] = key("fit", method, answers)
