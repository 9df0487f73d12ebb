"""Questions whose right answer is known: uploaded, or obvious from a map."""

from __future__ import annotations

from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.reading.names import listing
from tripletscope.core.studies.quality import Cleaning, gold_mistakes, obvious
from tripletscope.dashboard.results.exclusions import GoldQuestions
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.choosing import names_of
from tripletscope.dashboard.ui.controls import doing, number, pick, pressed
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.opened_map import maps_of
from tripletscope.dashboard.ui.reading import read_file
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data.context import QualityContext


def show_gold(context: QualityContext) -> None:
    """The gold questions of a data set, and two ways to have some."""
    gold = context.cleaning.gold
    if gold is None:
        st.markdown(
            "Gold questions have an answer that every attentive participant gives. Participants "
            "who fail many of them can be excluded."
        )
        _two_ways(context)
        return
    context.present(GoldQuestions(gold, gold_mistakes(context.answers, gold)))
    with st.expander("Use other gold questions", key="gold.other"):  # drawn, or an upload is lost
        _two_ways(context)
    _change(context, None, "gold.forget", "Forget these gold questions")


def _two_ways(context: QualityContext) -> None:
    left, right = st.columns(2, gap="large")
    with left:
        _uploaded(context)
    with right:
        _from_map(context)


def _change(
    context: QualityContext, gold: Triplets | None, key: str, label: str, **further: Any
) -> None:
    """A button for other gold questions, or none, where the exclusions allow them."""
    if _is_possible(context.cleaning, gold) and pressed(context.session, key, label, **further):
        with doing(context.session, st.spinner("Applying the exclusions again")):
            services().workspace.update_dataset(context.info, context.cleaning.with_gold(gold))
        st.rerun()


def _is_possible(cleaning: Cleaning, gold: Triplets | None) -> bool:
    """Say what other gold questions, or none, do to the exclusions; whether they are possible."""
    steps = cleaning.by_checks
    if not steps:
        return True
    case = "With these gold questions" if gold is not None else "Without gold questions"
    case += f", exclusion{'s' * (len(steps) > 1)} {listing([f'{step:,}' for step in steps])}"
    case += " on the tab Exclusions"
    try:
        after = cleaning.with_gold(gold)
    except DataError as error:
        st.info(panels.plain(
            f"{case} cannot be applied again: {error.problem}. Undo back to it first."
        ), icon=":material/info:")
        return False
    st.caption(panels.plain(
        f"{case} and those after it are applied again: "
        f"{count(len(after.triplets), 'answer')} in use, now {len(cleaning.triplets):,}."
    ))
    return True


def _uploaded(context: QualityContext) -> None:
    st.markdown("**Upload a list**")
    file = st.file_uploader(
        "Correct answers, in any layout", key="gold.file",
        help="For example a table with columns anchor, near and far.",
    )
    if file is None:
        return
    with errors_shown(file=file.name):
        gold, how = read_file(context.session, "gold.file", file, "gold", about=context.answers)
        mistakes = gold_mistakes(context.cleaning.raw, gold)
        st.markdown(panels.plain(how))
        _offer(context, GoldQuestions(gold, mistakes), "gold.upload")


def _from_map(context: QualityContext) -> None:
    st.markdown("**Or use questions that a map makes obvious**")
    current, info = context.session, context.info
    listed = maps_of(info)
    if not listed:
        st.caption("There is no map yet. Fit one on the page Embedding.")
        return
    chosen = pick(current, "gold.map", "Map", names_of(listed))
    ratio = number(
        current, "gold.ratio", "Min. ratio of the two distances", 1.5, 100.0, 4.0, step=0.5
    ) or 4.0
    fitted = services().workspace.run(info.id, chosen).fitted()
    gold = obvious(fitted, context.answers, (ratio - 1) / (ratio + 1))
    if not len(gold):
        st.caption("No question is that obvious in this map.")
        return
    mistakes = gold_mistakes(context.cleaning.raw, gold)
    _offer(context, GoldQuestions(gold, mistakes), "gold.map.keep")
    st.caption(
        "The map was fitted to these same answers: a participant who dominates the data set "
        "influences what is obvious."
    )


def _offer(context: QualityContext, gold: GoldQuestions, key: str) -> None:
    if not gold.n_answers:
        st.warning("None of these questions was asked in this data set.")
        return
    context.present(gold)
    _change(context, gold.questions, key, "Use as gold questions", type="primary")
