"""An analysis plan on a page: its text, and files for a registry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import streamlit as st

from tripletscope.core.studies.preregistration.analysis_plan import AnalysisPlan
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.preregistration import heading, plan_said, plan_text, time_said
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.words import distinct


def name_of(plan: AnalysisPlan) -> str:
    """A frozen plan in a list."""
    return f"{plan.title}, {time_said(plan.frozen).partition(' ')[0]}"


def pick_plan(
    session: Session, place: str, offered: Iterable[AnalysisPlan],
    others: Mapping[str, str] = MappingProxyType({}),
) -> AnalysisPlan | str | None:
    """Ask for one of some frozen plans, or of what makes another; None where there is none.

    others: What to choose it by, and its label.
    """
    listed = {plan.sha256: plan for plan in offered}
    labels = {one: name_of(plan) for one, plan in listed.items()} | dict(others)
    order = sorted(labels, key=bool)  # the new one first
    labels = dict(zip(order, distinct(map(labels.get, order)), strict=True))
    if not labels or not (listed or any(others)):
        return next(iter(others), None)
    noted = session.drafts.get(place)
    shown = noted if noted in labels else next(iter(labels))
    key = session.key_following(place, (shown, *labels))
    st.selectbox(
        "Plan", [*labels], [*labels].index(shown), key=key, on_change=session.note_choice,
        format_func=labels.get, args=(place, key),
    )
    return listed.get(shown, shown)


def show_plan_text(plan: AnalysisPlan) -> None:
    """All sentences of a plan under its headings; tests and criteria are folded away."""
    for name, said in plan_said(plan).items():
        st.markdown(f"**{heading(name)}**")
        for text in said:
            question, _, test = text.partition("? ")
            if name == "questions" and test:
                box = st.expander(panels.marked(f"{question}?"), key=f"plan.test.{question}")
                box.markdown(panels.marked(test))
            else:
                st.markdown(panels.marked(text))


def plan_files(plan: AnalysisPlan, place: str) -> None:
    """Downloads of a frozen plan."""
    name = export.file_name(plan.title, "plan")
    with st.container(horizontal=True):
        st.download_button(
            "Text", plan_text(plan), f"{name}.txt", "text/plain", key=f"{place}.text",
            on_click="ignore", icon=":material/article:",
            help="For the form of OSF Registries or AsPredicted, under the usual headings.",
        )
        st.download_button(
            "JSON", plan.to_json(), f"{name}.json", "application/json", key=f"{place}.json",
            on_click="ignore", icon=":material/data_object:",
            help="For this program, which analyses other data by it, and checks its hash.",
        )
