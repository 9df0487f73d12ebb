"""Where the keyboard focus goes when its element is gone."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.ui.chart import asset

_focus = st.components.v2.component(
    "tripletscope_focus", html="<span></span>", js=asset("focus.js"), isolate_styles=False,
)

_typed = st.components.v2.component(
    "tripletscope_typed", html="<span></span>", js=asset("typed.js"), isolate_styles=False,
)


def focus_on(target: str, turn: str, *, name: str, take: bool = False) -> None:
    """Put the focus on an element, once for every `turn`.

    target: CSS selector.
    name: Unique on the page.
    take: Whether to take it from another element; otherwise only a lost focus moves.
    """
    _focus(
        key=f"focus.{name}", height="content",
        data={"target": target, "turn": turn, "name": name, "take": take},
    )


def keep_typed() -> None:
    """Let the search's field have what is typed after Ctrl+K, before it is there."""
    _typed(key="typed", height="content", data={})
