"""Repeat: the analyses of another data set, on the open one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Judgements
from tripletscope.core.engine.declared import Column
from tripletscope.core.engine.method import Method, unfitted
from tripletscope.core.engine.progress import Progress
from tripletscope.core.features.combining import FeatureModel
from tripletscope.core.run import TASKS
from tripletscope.dashboard import analysis
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick
from tripletscope.dashboard.keeping.dataset import DatasetInfo, RunInfo
from tripletscope.dashboard.keeping.jobs import Step
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.data.findings import PAGE
from tripletscope.dashboard.views.page import tab
from tripletscope.dashboard.wording import distinct
from tripletscope.dashboard.wording.formats import count

_PLACE = f"{PAGE}.repeat"


@dataclass(frozen=True)
class RepeatedAnalysis:
    """An analysis of another data set, and what becomes of it here.

    method: None where it cannot be repeated; then `why` says so.
    here: Its result on the open data, if there is one.
    """

    there: RunInfo
    method: Method | None
    why: str
    here: RunInfo | None

    @property
    def piece(self) -> analysis.Piece:
        return self.method, self.there.task, self.there.record["options"]

    @property
    def name(self) -> str:
        words = TASKS[self.there.task].words if self.there.task in TASKS else self.there.task
        return f"{words}: {self.there.name}"


def _has_others(info: DatasetInfo) -> bool:
    return next(_others(info), None) is not None


def _others(info: DatasetInfo) -> Iterator[DatasetInfo]:
    """Other data sets of which somebody computed something."""
    workspace = services().workspace
    for one in workspace.datasets():
        if one.id != info.id and not all(run.unasked for run in workspace.runs(one.id)):
            yield one


@tab(PAGE, "Repeat", 7, slot=_PLACE, when=_has_others)
def show_repeating(context: Context) -> None:
    """What was computed of another data set, and what the same gives here."""
    picture, side = context.picture_and_side()
    others = [*_others(context.info)]
    if not others:
        with picture:
            context.empty("There is nothing to repeat", "No other data set has results yet.")
        return
    with side:
        chosen = pick(context.session, f"{_PLACE}.of@{context.info.id}", "Analyses of", dict(zip(
            (one.id for one in others), distinct(one.name for one in others), strict=True
        )))
    found = repeated(services().workspace.runs(chosen), context.info, context.answers)
    with picture:
        st.dataframe(
            _table(found), hide_index=True, key=f"{_PLACE}.rows", placeholder="",
            column_config={
                name: st.column_config.NumberColumn(format="percent")
                for name in ("error there", "error here")
            },
        )
        for message in dict.fromkeys(context.job.results if context.job else ()):
            if message:
                st.warning(panels.plain(message), icon=":material/error:")
    with side:
        missing = [one for one in found if one.method is not None and one.here is None]
        if st.button(
            f"Compute {count(len(missing), 'result')}" if missing else "Compute",
            key=f"{_PLACE}.run", type="primary", icon=":material/play_arrow:", width="stretch",
            disabled=not missing,
            help="With the same methods and settings, on the answers that are open. What exists is "
            "not computed again.",
        ):
            context.begin_steps(f"Repeating: {context.info.name}", [
                _forgiving(analysis.step_of(
                    context.info, context.answers, one.piece, one.there.name, one.name
                ), one.name) for one in missing
            ])
            st.rerun()


def repeated(
    listed: Sequence[RunInfo], info: DatasetInfo, answers: Judgements
) -> list[RepeatedAnalysis]:
    """What becomes of results of another data set on these answers, in the order of computing.

    Results that a page made because it was looked at are left out.
    """
    here = {run.key: run for run in services().workspace.runs(info.id)}
    found = []
    for run in reversed(listed):
        if run.unasked:
            continue
        method, why, key = None, "", None
        try:
            method = unfitted(run.record)
            why = _objection(run, method, answers)
            key = analysis.key(run.task, method, answers, run.record["options"]) if not why else ""
        except (DataError, ValueError, KeyError) as error:
            why = str(error)
        found.append(RepeatedAnalysis(run, None if why else method, why, here.get(key)))
    return found


def _objection(run: RunInfo, method: Method, answers: Judgements) -> str:
    """Why an analysis says nothing of other answers; empty if it does."""
    if isinstance(method, FeatureModel) or "distances" in run.record["options"]:
        return "it reads features or distances of the other data set"
    if run.task not in TASKS:
        return "this version does not compute it"
    known = {"objects": {*answers.objects.columns}, "answers": {*answers.answers.columns}}
    needed: dict[str, Any] = dict.fromkeys(method.answer_columns, "answers")
    for spec, value in TASKS[run.task]._set_to(method, run.record["options"]):
        if isinstance(spec, Column) and value is not None:
            needed |= dict.fromkeys(value if spec.several else [value], spec.of)
    lacking = [name for name, of in needed.items() if name not in known[of]]
    return f"there is no column {lacking[0]}" if lacking else ""


def _forgiving(step: Step, name: str) -> Step:
    """The step, whose failure is told and keeps none of the others from being computed."""
    def work(progress: Progress) -> str:
        try:
            step.work(progress)
        except (DataError, ValueError) as error:
            return f"{name}: {error}"
        return ""

    return replace(step, work=work)


def _table(found: Sequence[RepeatedAnalysis]) -> pd.DataFrame:
    """Analyses, what becomes of each, and held-out errors of both data sets."""
    def error_of(run: RunInfo | None) -> float | None:
        if run is None or run.task != "cross_validate":  # others call other things an error
            return None
        return run.record["numbers"].get("error")

    table = pd.DataFrame([{
        "analysis": one.name, "error there": error_of(one.there),
        "error here": error_of(one.here),
        "here": "computed" if one.here is not None else one.why or "not computed yet",
    } for one in found])
    return table.dropna(axis="columns", how="all")
