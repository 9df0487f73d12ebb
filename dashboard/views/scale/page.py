"""The page Scale: how a physical stimulus looks to people, and how people differ."""

from __future__ import annotations

import streamlit as st

from tripletscope.dashboard.interface.controls import tabs
from tripletscope.dashboard.interface.watching import watch
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.scale.fitting import show_fit
from tripletscope.dashboard.views.scale.groups import show_groups
from tripletscope.dashboard.views.scale.observers import show_observers
from tripletscope.dashboard.views.scale.scales import show_scales
from tripletscope.dashboard.views.scale.space import show_space
from tripletscope.dashboard.views.scale.subject import (
    PAGE,
    Subject,
    ask_for_stimulus,
    pick_stimulus,
)

#: Views of a scale, which need a stimulus; and the one of people, which does not.
_SCALES = {
    "scale": ("Scale", show_scales),
    "space": ("Circle or helix", show_space),
    "fit": ("Goodness of fit", show_fit),
    "groups": ("Groups", show_groups),
}
_OBSERVERS = "observers"


def show_scale(current: Session, info: DatasetInfo) -> None:
    """The whole page for an open data set."""
    titles = {name: title for name, (title, _) in _SCALES.items()}
    job = services().jobs.latest(current.id, current.slot(PAGE))
    subject = Subject(current, info, current.answers(), job)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        view = tabs(current, f"{PAGE}.view", "View", {**titles, _OBSERVERS: "Observers"})
        physical = None if view == _OBSERVERS else pick_stimulus(subject)
    watch(job)
    if view == _OBSERVERS:
        show_observers(subject)
    elif physical is None:
        ask_for_stimulus()
    else:
        _SCALES[view][1](physical)
