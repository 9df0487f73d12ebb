"""Whether it is enough: the error of the map as it comes, and the rule that was chosen before."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.live import (
    FEWEST,
    CollectedError,
    collected_error,
    collected_map,
)
from tripletscope.core.studies.experiment.results import AnswerRecord, experiment_objects
from tripletscope.dashboard.collecting.answer_log import CollectingState
from tripletscope.dashboard.figures.collecting import error_as_it_comes
from tripletscope.dashboard.figures.map import embedding_map
from tripletscope.dashboard.figures.points import MapData, MapStyle
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.keeping.looks import (
    KeptLook,
    KeptMap,
    keep_look,
    keep_map,
    kept_looks,
    kept_map,
)
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.results.maps import coordinates
from tripletscope.dashboard.views.collect.context import PAGE, CollectContext
from tripletscope.dashboard.wording.formats import count, interval
from tripletscope.dashboard.working.pool import pool

_FLAT, _MAP = 0.37, 0.63
#: The error is looked at anew when such a share of the answers, and so many, are new or gone.
_SHARE, _MORE = 0.1, 50


def look_when_due(context: CollectContext, records: Sequence[AnswerRecord]) -> None:
    """Compute the error in the background, where there are clearly other answers than before."""
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
    """The rule, how it stands, what looking does to it; and every look as a figure."""
    looks = kept_looks(context.folder)
    for sentence in verdict(context.experiment, found, looks):
        st.markdown(panels.plain(sentence))
    if len(looks) < 2:
        return
    table = pd.DataFrame([
        {"answers": look.found.n_answers, "error": look.found.error, "low": look.found.low,
         "high": look.found.high, "looked at": look.at} for look in looks
    ])
    unit = looks[-1].found.unit
    text = (
        f"{context.experiment.title}: error of predicting held-out random questions, with 95 % "
        f"intervals over {unit}. Participants who were stopped are left out."
    )
    context.figure(Drawing(
        "error-as-it-comes", "Error as answers come in", text, text, _FLAT,
        lambda canvas: error_as_it_comes(
            table, enough=context.experiment.enough_error, caption=text, canvas=canvas
        ), lambda: table,
    ))


def show_map_so_far(context: CollectContext) -> None:
    """The newest map, as it lay at the look before."""
    found, experiment = kept_map(context.folder), context.experiment
    if found is None or len(found.positions) != len(experiment.objects):
        return
    objects = experiment_objects(experiment)
    data = MapData(found.positions, objects)
    style = MapStyle(marks="labels", colour="color" if "color" in objects else None)
    text = (
        f"{experiment.title}: {DEFAULT_EMBEDDING.title} map in two dimensions of "
        f"{count(found.n_answers, 'answer')} so far. Participants who were stopped are left out."
    )
    if not kept_looks(context.folder):
        text += " How well it predicts further answers is not known yet."
    context.figure(Drawing(
        "map-so-far", "Map so far", text, text, _MAP, lambda canvas: embedding_map(
            data, style, caption=text, revision=context.slug, canvas=canvas
        ), lambda: coordinates(objects[["id", "label"]], found.positions),
    ))


def verdict(
    experiment: Experiment, found: CollectingState, looks: Sequence[KeptLook]
) -> list[str]:
    """How the rule stands that was chosen beforehand, and what looking does to it.

    Silent on: an error that may be above
    (tests/dashboard/views/test_collect_run.py::test_the_rule_that_was_chosen_beforehand_decides).
    """
    people = f"{found.n_finished:,} of {experiment.most_people:,} participants have finished"
    target = experiment.enough_error
    if target is None:
        rule = (
            "Enough? Not yet" if found.n_finished < experiment.most_people else "Enough"
        ) + f", by the number of participants: {people}."
        return [rule, (  # the number may have been changed since the first answer
            "Looking changes nothing about this plan, as long as nobody stops earlier, or goes on, "
            "because of what is seen."
        )]
    chosen = f"an error of {target:.3g}, as chosen beforehand"
    if not looks:
        return [
            f"Enough? Not known yet, by {chosen}: it is computed when at least {FEWEST} different "
            f"questions have been answered that no answers had chosen. {people}.",
        ]
    last = looks[-1].found
    stands = f"{interval(last.error, last.low, last.high)} at {count(last.n_answers, 'answer')}"
    if last.high <= target:
        rule = f"Enough, by {chosen}: all of {stands} is below it."
    elif last.error <= target:
        rule = f"Nearly, by {chosen}: {stands}. It is enough when all of the interval is below."
    else:
        rule = f"Enough? Not yet, by {chosen}: {stands}. {people}."
    return [rule, (
        f"This was looked at {count(len(looks), 'time')}. Each look is one more chance to stop by "
        "luck, so that the error at which one stops is a little too low on average. Report the "
        "rule and the number of looks, or measure the error on answers that come afterwards."
    )]
