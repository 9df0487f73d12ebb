"""Which view of its answers a data set shows: chosen in the sidebar, on every page."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.panels import plain


def view_switch(current: Session, info: DatasetInfo) -> None:
    """The views of a data set, where it has more than all answers, and what this one excludes."""
    if len(info.views) < 2:
        return
    key = current.key_following("view in use", (info.id, info.view, [*info.views]))
    st.selectbox(
        "View", [*info.views], index=[*info.views].index(info.view), key=key,
        on_change=_use, args=(info, key),
        help="Answers that all pages use. Results of other views are kept and return with them. "
        "Make views on the page Data, under Exclusions.",
    )
    if info.left_out:
        st.caption(plain(info.left_out))


def _use(info: DatasetInfo, key: str) -> None:
    """Before the page is drawn: it shows the view that was chosen, unless that is gone."""
    workspace = services().workspace
    now = workspace.dataset(info.id)
    try:
        if now is not None and widgets()[key] in now.views:
            workspace.use_view(now, widgets()[key])
    except (DataError, WorkspaceError) as error:
        widgets()[key] = info.view
        st.toast(plain(str(error)), icon=":material/error:")
