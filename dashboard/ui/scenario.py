"""A scenario like the open data set, to simulate what further answers would bring."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.studies.design.scenario import Scenario, scenario_like
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.elements import errors_shown

#: Fewer answers say nothing of their noise.
_ENOUGH = 50


def can_follow(info: DatasetInfo | None) -> bool:
    """Whether a data set says anything of its noise."""
    return info is not None and info.n_answers >= _ENOUGH


def scenario_of(info: DatasetInfo) -> Scenario | None:
    """A scenario like a data set; None, having said why, where there is none."""
    with errors_shown(DataError, Stopped):
        return _like(info.fingerprint, services().workspace.triplets(info))


@st.cache_data(max_entries=8, show_spinner="Estimating the noise level")
def _like(fingerprint: str, _triplets: Triplets) -> Scenario:
    return scenario_like(_triplets)
