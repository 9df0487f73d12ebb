"""An analysis plan on a page: its text, and files for a registry."""

from __future__ import annotations

from collections.abc import Iterable

import streamlit as st

from tripletscope.core.studies.preregistration.plan import AnalysisPlan
from tripletscope.dashboard.files import export
from tripletscope.dashboard.results.preregistration import (
    BRIEF,
    heading,
    plan_said,
    plan_text,
    time_said,
)
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels


def name_of(plan: AnalysisPlan) -> str:
    """A frozen plan in a list."""
    return f"{plan.title}, {time_said(plan.frozen)}, {plan.sha256[:BRIEF]}"


def pick_plan(
    session: Session, place: str, offered: Iterable[AnalysisPlan], *, new: bool = False
) -> AnalysisPlan | None:
    """Ask for one of some frozen plans; None for none, or, with `new`, for a new one."""
    listed = ({"": None} if new else {}) | {plan.sha256: plan for plan in offered}
    if len(listed) < 1 + new:
        return None
    noted = session.drafts.get(place)
    shown = noted if noted in listed else next(iter(listed))
    key = session.key_following(place, (shown, *listed))
    st.selectbox(
        "Plan", [*listed], [*listed].index(shown), key=key, on_change=session.note_choice,
        format_func=lambda one: name_of(listed[one]) if one else "A new plan", args=(place, key),
    )
    return listed[shown]


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
