"""Simulate: how many answers an experiment needs, and the questions for it."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.state import session
from tripletscope.dashboard.views.simulate.page import show_simulate


def main() -> None:
    st.title("Simulate", anchor=False)
    show_simulate(session())


main()
