"""Whether it is enough: the error of the map as it comes, and the rule that was chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.live import (
    FEWEST,
    CollectedError,
    collected_error,
    collected_map,
)
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collecting.answer_log import CollectingState
from tripletscope.dashboard.keeping.looks import (
    KeptMap,
    keep_look,
    keep_map,
    kept_looks,
    kept_map,
)
from tripletscope.dashboard.results.collecting import Collected, MapSoFar
from tripletscope.dashboard.views.collect.context import PAGE, CollectContext
from tripletscope.dashboard.working.pool import pool

#: The error is looked at anew when such a share of the answers, and so many, are new or gone.
_SHARE, _MORE = 0.1, 50


def look_when_due(context: CollectContext, records: Sequence[AnswerRecord]) -> None:
    """Compute the error in the background, where there are clearly other answers than before."""
    if ASKINGS[context.experiment.task].measured:
        return  # which are no triplets
    about = [one for one in records if one.is_about_objects]
    looks, place = kept_looks(context.folder), f"{PAGE}.looked.{context.slug}"
    # Also a look that found nothing counts, or there would be another one at once. Answers become
    # fewer where somebody is deleted or stopped.
    before = [context.session.drafts.get(place, 0), *(one.found.n_answers for one in looks[-1:])]
    if len(about) < FEWEST or context.waiting or not all(
        abs(len(about) - n) >= max(_MORE, _SHARE * n) for n in before
    ):
        return
    context.session.drafts[place] = len(about)
    context.begin(
        f"Map and its error: {context.experiment.title}", "Predicting held-out answers",
        partial(_look, context.folder, context.experiment, about),
    )
    st.rerun()


def _look(folder: Any, experiment: Experiment, about: list[AnswerRecord], progress: Progress) -> (
    CollectedError | None
):
    before = kept_map(folder)
    made = partial(collected_map, experiment, about, before=before and before.positions)
    keep_map(folder, KeptMap(pool().call(made), len(about)))
    found = pool().call(collected_error, experiment, about, progress=progress)
    if found is not None:
        keep_look(folder, found)
    return found


def show_enough(context: CollectContext, found: CollectingState) -> None:
    """Whether it is enough, and the newest map."""
    experiment, looks = context.experiment, kept_looks(context.folder)
    context.present(Collected(experiment, found.n_finished, {
        look.at: look.found for look in looks
    }))
    newest = kept_map(context.folder)
    if newest is not None and len(newest.positions) == len(experiment.objects):
        context.present(MapSoFar(experiment, newest.positions, newest.n_answers, bool(looks)))
