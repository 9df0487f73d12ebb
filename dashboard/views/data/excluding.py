"""Answers are left out, wherever they were chosen."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.studies.quality import Exclusion
from tripletscope.dashboard.keeping.dataset import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.page import go_to
from tripletscope.dashboard.wording.formats import count


def exclude(
    current: Session, info: DatasetInfo, exclusion: Exclusion, view: str = ""
) -> None:
    """Leave out answers; nothing is done where no answer would remain.

    view: See `Workspace.update_dataset`.
    """
    cleaning = services().workspace.cleaning(info)
    preview = cleaning.preview(exclusion)
    if preview.n_answers == len(cleaning.triplets):
        st.toast("No answer would remain: nothing was excluded.", icon=":material/warning:")
        return
    services().workspace.update_dataset(info, cleaning.excluding(exclusion), view=view)
    current.drafts["quality.people"] = []
    st.toast(f"Excluded {count(preview.n_answers, 'answer')}. The tab Exclusions can undo it.")


def exclude_and_show(current: Session, info: DatasetInfo, exclusion: Exclusion) -> None:
    """The same on a click; the tab of exclusions is shown then."""
    exclude(current, info, exclusion)
    go_to("data", "exclusions")
