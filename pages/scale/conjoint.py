"""Conjoint measurement of uploaded comparisons, without a map."""

from __future__ import annotations

import streamlit as st

from tripletscope.core.run import key
from tripletscope.core.scales import MLCM, ConjointComparisons
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import RunInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui.choosing import choose_run
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import parameter_form
from tripletscope.dashboard.ui.elements import CHOOSE, COMPUTED, errors_shown, run_button
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.reading import read_file
from tripletscope.pages.scale.context import PAGE

_PLACE = f"{PAGE}.conjoint"


def show_conjoint_alone(current: Session) -> None:
    """The same where no data set is open, which such scales do not need."""
    st.header("Conjoint measurement", anchor=False)
    show_conjoint(Context(current, None, PAGE, _PLACE, None))


@tab(PAGE, "Conjoint", 7, slot=_PLACE)
def show_conjoint(context: Context) -> None:
    """What each of several properties contributes to a judgement."""
    dataset = context.info.id if context.info else None
    place = f"{_PLACE}.shown@{dataset or ''}"
    picture, side = context.picture_and_side()
    with side:
        listed = services().workspace.runs(dataset, "fit", MLCM.kind)
        chosen = choose_run(
            context.session, listed, place, "these scales", lost=" with its comparisons"
        ) if listed else None
        shown = services().workspace.run(dataset, chosen.key) if chosen else None
        given = _comparisons(context, chosen and shown.fitted().comparisons)
        method = MLCM(**parameter_form(context.session, MLCM, _PLACE))
        _fit(context, method, given, listed, place)
    with picture:
        if shown is not None:
            context.present(shown)
        else:
            context.empty(
                "No comparisons yet",
                "Upload comparisons of stimuli that vary in two or more properties: the levels of "
                "both stimuli, such as gloss1, gloss2, bumps1 and bumps2, and resp, 1 where the "
                "first was chosen, else 0; then press Fit.",
            )


def _comparisons(
    context: Context, before: ConjointComparisons | None
) -> ConjointComparisons | None:
    """Those of an uploaded file; without one, those of the shown result."""
    file = st.file_uploader("Comparisons", key=_PLACE)
    if file is None:
        return before
    with errors_shown(file=file.name):
        read = read_file(context.session, _PLACE, file, "conjoint", words="Reading the file")
        return ConjointComparisons(read[0], file.name, read[1])
    return None


def _fit(
    context: Context, method: MLCM, given: ConjointComparisons | None, listed: list[RunInfo],
    place: str,
) -> None:
    wanted = given and key("fit", method, given)
    is_there = wanted in {run.key for run in listed if run.complete}
    why = CHOOSE if given is None else COMPUTED if is_there else ""
    if run_button(context.session, f"{_PLACE}.run", "Fit", why=why):
        context.session.drafts[place] = wanted
        context.computing_with(given).submit(
            f"Comparisons: {given.source}", [(method, "fit", {})], [given.source]
        )
        st.rerun()
