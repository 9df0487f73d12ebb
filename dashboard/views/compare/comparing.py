"""What the views of the page Compare share."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.evaluation.ceiling import Ceiling, noise_ceiling

PAGE = "compare"


def ceiling_of(triplets: Triplets) -> Ceiling:
    """The noise ceiling of the open answers, which is that of the view Quality."""
    return _ceiling(triplets.fingerprint_of("participant", "trial", "weight"), triplets)


@st.cache_data(max_entries=8, show_spinner=False)
def _ceiling(key: str, _triplets: Triplets) -> Ceiling:
    return noise_ceiling(_triplets)
