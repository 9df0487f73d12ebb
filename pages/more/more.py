"""More analyses: those that only some data have a use for."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.state import Session, session
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.guide import page_title
from tripletscope.dashboard.ui.navigation import fits_data, pin, pinned
from tripletscope.dashboard.ui.page import open_page
from tripletscope.dashboard.ui.page_table import PAGES, TABS, PageEntry


def main() -> None:
    current = session()
    page_title("More analyses", "more")
    for place in PAGES.values():
        if place.fits is not None:
            _row(current, place)
    for (page, tab), (title, about, needs) in TABS.items():
        words, button = st.columns([4, 1], vertical_alignment="center")
        words.markdown(f"**{title}**  \n{about} Needs {needs}.")
        with button:
            if pressed(current, f"more.{tab}", "Open", icon=":material/arrow_forward:",
                       type="tertiary"):
                open_page(page, tab)


def _row(current: Session, place: PageEntry) -> None:
    words, buttons = st.columns([4, 1], vertical_alignment="center")
    words.markdown(f"**{place.title}**  \n{place.about} Needs {place.needs}.")
    with buttons.container(horizontal=True, vertical_alignment="center"):
        st.page_link(place.path, label="Open", icon=":material/arrow_forward:", width="content")
        if place.name in pinned(current):
            st.button(
                "Unpin", key=f"more.unpin.{place.name}", icon=":material/keep_off:",
                type="tertiary", on_click=lambda: pin(current, place.name, wanted=False),
                help="Removes it from the navigation where the data have no use for it.",
            )
        elif not fits_data(current, place):
            st.button(
                "Pin", key=f"more.pin.{place.name}", icon=":material/keep:",
                type="tertiary", on_click=lambda: pin(current, place.name, wanted=True),
                help="Adds it to the navigation, for any data.",
            )


main()
