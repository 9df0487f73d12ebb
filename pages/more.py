"""More analyses: those that only some data have a use for."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface.controls import pressed
from tripletscope.dashboard.interface.guide import page_title
from tripletscope.dashboard.state import Session, session
from tripletscope.dashboard.views.navigation import PLACES, TABS, PageEntry, is_of_use, pin, pinned
from tripletscope.dashboard.views.page import go_to


def main() -> None:
    current = session()
    page_title("More analyses", "more")
    for place in PLACES.values():
        if place.fits is not None:
            _row(current, place)
    for (page, tab), (title, about, needs) in TABS.items():
        words, button = st.columns([4, 1], vertical_alignment="center")
        words.markdown(f"**{title}**  \n{about} Needs {needs}.")
        with button:
            if pressed(current, f"more.{tab}", "Open", icon=":material/arrow_forward:",
                       type="tertiary"):
                go_to(page, tab)
                st.switch_page(PLACES[page].path)


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
        elif not is_of_use(current, place):
            st.button(
                "Pin", key=f"more.pin.{place.name}", icon=":material/keep:",
                type="tertiary", on_click=lambda: pin(current, place.name, wanted=True),
                help="Adds it to the navigation, for any data.",
            )


main()
