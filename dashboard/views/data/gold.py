"""Questions whose right answer is known: uploaded, or obvious from a map."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Triplets
from tripletscope.core.io.names import listing
from tripletscope.core.studies.quality import Cleaning, gold_mistakes, obvious
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import number, pick, pressed
from tripletscope.dashboard.interface.reading import read_file
from tripletscope.dashboard.interface.theme import count
from tripletscope.dashboard.keeping.catalogue import DatasetInfo
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.choosing import names_of
from tripletscope.dashboard.views.opened_map import maps_of

_EXAMPLES = 5


def show_gold(
    current: Session, info: DatasetInfo, triplets: Triplets, cleaning: Cleaning
) -> None:
    """The gold questions of a data set, and two ways to have some."""
    if cleaning.gold is not None:
        _present(current, info, triplets, cleaning)
        return
    st.markdown(
        "Gold questions have an answer that every attentive participant gives. Participants who "
        "fail many of them can be excluded."
    )
    left, right = st.columns(2, gap="large")
    with left:
        _uploaded(current, info, triplets, cleaning)
    with right:
        _from_map(current, info, triplets, cleaning)


def _present(
    current: Session, info: DatasetInfo, triplets: Triplets, cleaning: Cleaning
) -> None:
    gold = cleaning.gold
    mistakes = gold_mistakes(triplets, gold)
    asked = int(np.isfinite(mistakes).sum())
    st.markdown(
        f"{count(len(gold), 'gold question')}; {count(asked, 'answer')} to them, of which "
        f"{count(int(np.nansum(mistakes)), 'is', 'are')} wrong."
    )
    _examples(gold)
    with st.expander("Use other gold questions", key="gold.others"):
        left, right = st.columns(2, gap="large")
        with left:
            _uploaded(current, info, triplets, cleaning)
        with right:
            _from_map(current, info, triplets, cleaning)
    if _consequences(cleaning, None) and pressed(
        current, "gold.forget", "Forget these gold questions"
    ):
        _change(info, cleaning, None)


def _consequences(cleaning: Cleaning, gold: Triplets | None) -> bool:
    """Say what other gold questions, or none, do to the exclusions; whether they are possible."""
    steps = cleaning.by_checks
    if not steps:
        return True
    numbers = listing([f"{step:,}" for step in steps])
    which = f"exclusion{'s' * (len(steps) > 1)} {numbers} on the tab Exclusions"
    case = "With these gold questions" if gold is not None else "Without gold questions"
    try:
        after = cleaning.with_gold(gold)
    except DataError as error:
        st.info(panels.plain(
            f"{case}, {which} cannot be applied again: {error.problem}. Undo back to it first."
        ), icon=":material/info:")
        return False
    st.caption(panels.plain(
        f"{case}, {which} and those after it are applied again: "
        f"{count(len(after.triplets), 'answer')} in use, now {len(cleaning.triplets):,}."
    ))
    return True


def _change(info: DatasetInfo, cleaning: Cleaning, gold: Triplets | None) -> None:
    with st.spinner("Applying the exclusions again"):
        services().workspace.update_dataset(info, cleaning.with_gold(gold))
    st.rerun()


def _examples(gold: Triplets) -> None:
    labels = np.array(gold.labels, dtype=object)[gold.rows[:_EXAMPLES]]
    st.markdown("\n".join(
        f"- **{panels.plain(a)}** is more similar to **{panels.plain(b)}** than to "
        f"**{panels.plain(c)}**" for a, b, c in labels.tolist()
    ))
    if len(gold) > _EXAMPLES:
        st.caption(f"and {len(gold) - _EXAMPLES:,} more")


def _uploaded(
    current: Session, info: DatasetInfo, triplets: Triplets, cleaning: Cleaning
) -> None:
    st.markdown("**Upload a list**")
    file = st.file_uploader(
        "Correct answers, in any layout", key="gold.file",
        help="For example a table with columns anchor, near and far.",
    )
    if file is None:
        return
    try:
        gold, how = read_file(current, "gold.file", file, "gold", about=triplets)
        mistakes = gold_mistakes(cleaning.raw, gold)
    except DataError as error:
        st.error(panels.plain(str(error.at(file.name))), icon=":material/error:")
        return
    st.markdown(panels.plain(how))
    _keep(current, info, cleaning, gold, mistakes, "gold.upload")


def _from_map(
    current: Session, info: DatasetInfo, triplets: Triplets, cleaning: Cleaning
) -> None:
    st.markdown("**Or use those that a map makes obvious**")
    workspace = services().workspace
    listed = maps_of(info)
    if not listed:
        st.caption("There is no map yet. Fit one on the page Embedding.")
        return
    chosen = pick(current, "gold.map", "Map", names_of(listed))
    ratio = number(
        current, "gold.ratio", "Min. ratio of the two distances", 1.5, 100.0, 4.0,
        step=0.5,
    ) or 4.0
    gold = obvious(workspace.run(info.id, chosen).fitted(), triplets, (ratio - 1) / (ratio + 1))
    if not len(gold):
        st.caption("No question is that obvious in this map.")
        return
    _keep(current, info, cleaning, gold, gold_mistakes(cleaning.raw, gold), "gold.map.keep")
    st.caption(
        "The map was fitted to these same answers: a participant who dominates the data set "
        "influences what is obvious."
    )


def _keep(
    current: Session, info: DatasetInfo, cleaning: Cleaning, gold: Triplets,
    mistakes: np.ndarray, key: str,
) -> None:
    asked = int(np.isfinite(mistakes).sum())
    if not asked:
        st.warning("None of these questions was asked in this data set.")
        return
    st.markdown(
        f"{count(len(gold), 'question')} with {count(asked, 'answer')}, "
        f"{np.nanmean(mistakes):.1%} of them wrong. For example:"
    )
    _examples(gold)
    if _consequences(cleaning, gold) and pressed(
        current, key, "Use as gold questions", type="primary"
    ):
        _change(info, cleaning, gold)
