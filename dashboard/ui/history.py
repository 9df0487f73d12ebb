"""The browser's history: one entry for every page and tab that was looked at."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.ui.chart import asset

_history = st.components.v2.component(
    "tripletscope_history", html="<span></span>", js=asset("history.js"), isolate_styles=False,
)


def tidy_history() -> None:
    """Let a step back in the browser undo one step of the user."""
    _history(key="history", height="content", data={})
