"""Answers are left out, wherever they were chosen; what that does to prediction."""

from __future__ import annotations

import joblib
import numpy as np
import streamlit as st

from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method
from tripletscope.core.people.treatments import KEPT
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import AFTER_EXCLUSIONS, ALL_ANSWERS, DatasetInfo
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pressed
from tripletscope.dashboard.ui.page import go_to
from tripletscope.dashboard.words.formats import count


def exclude(current: Session, info: DatasetInfo, exclusion: Exclusion, view: str = "") -> str:
    """Leave out answers, unless no answer would remain; what to say of it.

    view: See `Workspace.update_dataset`.
    """
    cleaning = services().workspace.cleaning(info)
    preview = cleaning.preview(exclusion)
    if preview.n_answers == len(cleaning.triplets):
        return "No answer would remain: nothing was excluded."
    services().workspace.update_dataset(
        info, cleaning.excluding(exclusion), view=view or next_view(info)
    )
    current.drafts["quality.people"] = []
    return f"Excluded {count(preview.n_answers, 'answer')}. The tab Exclusions can undo it."


def next_view(info: DatasetInfo) -> str:
    """Name of the view with the next exclusion: the one in use, unless that is to stay."""
    if info.view != ALL_ANSWERS and not plans.is_as_planned(info):
        return info.view
    return free_name(AFTER_EXCLUSIONS, {*info.views})


def exclude_and_show(current: Session, info: DatasetInfo, exclusion: Exclusion) -> None:
    """The same on a click; the tab of exclusions is shown then."""
    st.toast(exclude(current, info, exclusion))
    go_to("data", "exclusions")


def ask_for_reason(current: Session, cleaning: Cleaning, key: str, usual: str = "") -> str:
    """Ask why the next exclusion is made."""
    return st.text_input(
        "Reason", usual, key=current.key_following(key, (len(cleaning.exclusions), usual)),
        max_chars=300, placeholder="For the log and the methods section; optional",
    ).strip()


def show_effect(
    context: Context, answers: Answers, kept: np.ndarray, method: Method, *, weighted: bool,
    key: str, title: str, label: str, about: str,
) -> None:
    """What leaving answers out does to prediction, or the button that computes it.

    kept (T,): Which of the answers stay.
    title: Under which the result is kept.
    """
    content = (answers.fingerprint, joblib.hash(kept))
    context = context.computing_with(_marked(content, answers, kept))
    piece = (method, "compare_treatments", {"weighted": weighted})
    run = context.find(*piece)
    if run is not None:
        context.present(run)
    elif pressed(context.session, key, label, icon=":material/query_stats:", help=about):
        context.submit(f"{title}: {context.info.name}", [piece], [title])
        st.rerun()


@st.cache_resource(max_entries=4, show_spinner=False)
def _marked(content: tuple, _answers: Answers, _kept: np.ndarray) -> Answers:
    return _answers.with_columns({KEPT: _kept})
