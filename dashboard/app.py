"""The dashboard's entry script: navigation, sidebar, and the page."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from tripletscope.dashboard.files.errors import DamagedResult, WorkspaceError
from tripletscope.dashboard.state import Session, session
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.dataset_words import size_of
from tripletscope.dashboard.ui.focus import focus_on
from tripletscope.dashboard.ui.guide import help_link
from tripletscope.dashboard.ui.history import tidy_history
from tripletscope.dashboard.ui.navigation import navigation
from tripletscope.dashboard.ui.page_table import PAGES
from tripletscope.dashboard.ui.panels import plain
from tripletscope.dashboard.ui.search import search_button
from tripletscope.dashboard.ui.switching import view_switch
from tripletscope.dashboard.ui.unreadable import unreadable_results
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count

HERE = Path(__file__).resolve().parent
ASSETS = HERE / "ui" / "assets"
_SHOWN = 8  # labels of selected objects in the sidebar


def main() -> None:
    st.set_page_config("TripletScope", str(ASSETS / "icon.svg"), layout="wide")
    st.html(ASSETS / "page.css")
    st.logo(str(ASSETS / "logo.svg"), size="large", icon_image=str(ASSETS / "icon.svg"))
    try:
        services()
    except WorkspaceError as error:
        st.error(plain(str(error)))
        st.stop()
    current = session()
    current.follow_address()
    page = navigation(current)
    presses = current.begin_run()
    problem = services().workspace.problem_of(current.folder) if current.folder else ""
    if problem:
        st.error(plain(problem), icon=":material/error:")
    elif current.missing:
        st.warning(
            f"This address leads to the data set {plain(current.missing)}, which is not in this "
            "workspace: it was deleted, or belongs to somebody else. Ask for its archive, or open "
            "another one.", icon=":material/link_off:",
        )
    try:
        try:
            with services().workspace.snapshot():
                unreadable_results(current)
                page.run()
        except DamagedResult:  # the page begins again without it, and says so
            st.rerun()
        except WorkspaceError as error:  # a damaged file, a full disk: of this page alone
            st.error(plain(str(error)), icon=":material/error:")
        except Exception:  # what is open is seen beside a page that fails, too
            _beside(current)
            raise
        if not current.has_address:
            current.write_address()
        current.forget_presses(presses)
        current.forget_composing()
        _beside(current)
    finally:
        current.save()


def _beside(current: Session) -> None:
    with st.sidebar:
        search_button(current)
        _sidebar(current)
        _person()
        _foot()
        tidy_history()
        if current.arrived:
            focus_on('[data-testid="stMain"] h1', current.arrived, name="arrived")


def _sidebar(current: Session) -> None:
    info = current.dataset
    st.subheader("Data set", anchor=False)
    if info is None:
        st.caption("None is open.")
        return
    st.markdown(f"**{plain(info.name)}**")
    st.caption(size_of(info))
    view_switch(current, info)

    st.subheader("Selection", anchor=False)
    if not current.selection:
        st.caption("Nothing is selected. Draw a lasso around objects, or click on them.")
    else:
        try:
            triplets = current.triplets()
            labels = dict(zip(triplets.ids, triplets.labels, strict=True))
        except WorkspaceError:  # the page says so
            labels = {}
        names = [labels.get(i, i) for i in current.selection]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        st.caption(plain(f"{count(len(names), 'object')}: {', '.join(names[:_SHOWN])}{more}"))

    with st.container(horizontal=True):
        if current.selection:
            st.button("Clear", key="clear selection", on_click=current.select, args=([],))
        if current.can_undo_selection:
            st.button("Undo", key="undo selection", icon=":material/undo:",
                      on_click=current.undo_selection, help="Back to what was selected before.")

    jobs = [job for job in current.jobs() if job.id not in current.watched]
    if jobs:
        st.subheader("Running", anchor=False)
    for job in jobs:
        st.caption(plain(job.title))
        watch(job, "sidebar", narrow=True)


def _foot() -> None:
    """Links that do not depend on the data set."""
    with st.container(key="foot", gap=None):
        place = PAGES["computing"]
        st.page_link(place.path, label=place.title, icon=f":material/{place.icon}:")
        help_link()


def _person() -> None:
    person = st.user.get("person")
    if person:
        st.subheader("Signed in", anchor=False)
        st.caption(plain(person))
        st.button("Sign out", key="sign out", on_click=st.logout)


if __name__ == "__main__":
    main()
