"""Whether it is enough: the error of the map as it comes, and the rule that was chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.studies.experiment import live
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.jobs.pool import pool
from tripletscope.dashboard.results.collecting import Collected, MapSoFar
from tripletscope.dashboard.store.looks import KeptMap, keep_look, keep_map, kept_looks, kept_map
from tripletscope.pages.collect.context import PAGE, CollectContext

#: The error is looked at anew when such a share of the answers, and so many, are new or gone.
_SHARE, _MORE = 0.1, 50


def look_when_due(context: CollectContext, records: Sequence[AnswerRecord]) -> None:
    """Compute the error in the background, where there are clearly other answers than before."""
    if ASKINGS[context.experiment.task].measured:
        return  # which are no triplets
    answers = [record for record in records if record.is_about_objects]
    place = f"{PAGE}.looked.{context.slug}"
    # Also a look that found nothing counts, or there would be another one at once. Answers become
    # fewer where somebody is deleted or stopped.
    before = [context.session.drafts.get(place, 0),
              *(look.found.n_answers for look in kept_looks(context.folder)[-1:])]
    if len(answers) < live.FEWEST or context.waiting or not all(
        abs(len(answers) - n) >= max(_MORE, _SHARE * n) for n in before
    ):
        return
    context.session.drafts[place] = len(answers)
    context.begin(
        f"Map and its error: {context.experiment.title}", "Predicting held-out answers",
        partial(_look, context.folder, context.experiment, answers),
    )
    st.rerun()


def _look(
    folder: Path, experiment: Experiment, answers: list[AnswerRecord], progress: Progress
) -> live.CollectedError | None:
    before = kept_map(folder)
    mapped = partial(live.collected_map, experiment, answers, before=before and before.positions)
    keep_map(folder, KeptMap(pool().call(mapped), len(answers)))
    error = pool().call(live.collected_error, experiment, answers, progress=progress)
    if error is not None:
        keep_look(folder, error)
    return error


def show_enough(context: CollectContext, n_finished: int) -> None:
    """Whether it is enough, and the newest map."""
    experiment, looks = context.experiment, kept_looks(context.folder)
    context.present(Collected(experiment, n_finished, {look.at: look.found for look in looks}))
    newest = kept_map(context.folder)
    if newest is not None and len(newest.positions) == len(experiment.objects):
        context.present(MapSoFar(experiment, newest.positions, newest.n_answers, bool(looks)))
