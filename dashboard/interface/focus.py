"""Where the keyboard goes on when what had the focus is gone."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface.chart import asset

_focus = st.components.v2.component(
    "tripletscope_focus", html="<span></span>", js=asset("focus.js"), isolate_styles=False,
)


def focus_on(target: str, turn: str, *, name: str, take: bool = False) -> None:
    """Put the focus on an element, once for every `turn`.

    target: CSS selector; the first element that it finds.
    turn: Another one whenever the focus is to move.
    name: Tells several on one page apart.
    take: Whether to take it from what has it; else it is put there only if it was lost.
    """
    _focus(
        key=f"focus.{name}", height="content",
        data={"target": target, "turn": turn, "name": name, "take": take},
    )
