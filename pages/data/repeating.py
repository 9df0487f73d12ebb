"""Repeat: the analyses of another data set, or of another view, on the open answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.geometry import map_disparity
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method, make_method
from tripletscope.core.features.feature_model import FeatureModel
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.run import TASKS
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo, state_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import pick
from tripletscope.dashboard.ui.elements import COMPUTED, run_button
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data.findings import PAGE, lacking, show_refusals

_PLACE = f"{PAGE}.repeat"


@dataclass(frozen=True)
class RepeatedAnalysis:
    """An analysis of other answers, and what becomes of it here.

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


def _others(info: DatasetInfo) -> Iterator[tuple[str, str, list[RunInfo]]]:
    """Other views, and other data sets, of which somebody computed something: id, name, results.

    An earlier reading of the same file comes first.
    """
    workspace = services().workspace
    every = workspace.runs(info.id, of_any_exclusions=True)
    others = [
        (f"view {view}", f"View “{view}”", [run for run in every if run.state == state])
        for view, steps in info.views.items()
        if (state := state_of(steps, info.gold)) != info.state
    ] + [
        (data.id, data.titled, workspace.runs(data.id))
        for data in sorted(workspace.datasets(), key=lambda data: data.origin != info.origin)
        if data.id != info.id
    ]
    yield from (other for other in others if not all(run.unasked for run in other[2]))


@tab(PAGE, "Repeat", 7, slot=_PLACE, when=_has_others)
def show_repeating(context: Context) -> None:
    """What was computed of other answers, and what the same gives here."""
    picture, side = context.picture_and_side()
    others = [*_others(context.info)]
    if not others:
        with picture:
            context.empty("There is nothing to repeat", "No other data set or view has results.")
        return
    with side:
        chosen = pick(
            context.session, f"{_PLACE}.of@{context.info.id}", "Analyses of",
            {place: name for place, name, _ in others},
        )
    runs = next(listed for place, _, listed in others if place == chosen)
    repeats = repeated(runs, context.info, context.answers)
    with picture:
        if not chosen.startswith("view "):
            _changes(context, services().workspace.dataset(chosen))
        st.dataframe(
            _table(context.info, repeats), hide_index=True, key=f"{_PLACE}.rows", placeholder="",
            column_config={
                name: st.column_config.NumberColumn(format="percent")
                for name in ("error there", "error here", "map moved")
            },
        )
        show_refusals(context.job)
    with side:
        missing = [each for each in repeats if each.method is not None and each.here is None]
        if run_button(
            context.session, f"{_PLACE}.run",
            f"Compute {count(len(missing), 'result')}" if missing else "Compute",
            why="" if missing else COMPUTED,
            help="With the same methods and settings, on the answers that are open. What exists is "
            "not computed again.",
        ):
            context.begin_steps(f"Repeating: {context.info.name}", [
                analysis.forgiving(analysis.step_of(
                    context.info, context.answers, each.piece, each.there.name, each.name
                )) for each in missing
            ])
            st.rerun()


def _changes(context: Context, earlier: DatasetInfo | None) -> None:
    """What was added since an earlier reading of the same file; its views can be taken over.

    A file that lacks most of the earlier answers is no update.
    """
    info, workspace = context.info, services().workspace
    if earlier is None or earlier.origin != info.origin:
        return
    before, after = workspace.cleaning(earlier).raw, workspace.cleaning(info).raw
    lost, new = added_answers(before, after)
    if 2 * lost > len(before):
        return
    people = n_participants(after)
    missing = f"{lost:,} of {len(before):,} earlier ones are missing"
    st.markdown(panels.plain(
        f"Update of “{earlier.name}”: {count(new, 'answer')} added, "
        f"{missing if lost else 'all earlier ones are here'}; "
        f"{count(people, 'participant')}, {people - n_participants(before):+,}."
    ))
    views = {view: [step for step in steps if not step["answers"]]
             for view, steps in earlier.views.items()}
    there, here = (
        {state_of(steps, None) for steps in some.values()} for some in (views, info.views)
    )
    if there - here and st.button(
        "Take over its views", key=f"{_PLACE}.views", icon=":material/filter_alt:",
        help="Their rules are applied to these answers when you choose the view. Exclusions of "
        "single answers are left out: their places may have changed.",
    ):
        workspace.add_views(info.id, views)
        st.rerun()


def added_answers(before: Answers, after: Answers) -> tuple[int, int]:
    """How many answers are in the first alone, and in the second alone, by objects and people."""
    n = len(before.ids)
    objects = pd.factorize(np.array([*before.ids, *after.ids], dtype=object))[0]
    people = pd.concat([
        data.answers.get("participant", pd.Series("", data.answers.index)).astype("str")
        for data in (before, after)
    ])
    rows = np.concatenate([objects[:n][before.rows], objects[n:][after.rows]])
    answers = pd.DataFrame(rows).assign(person=pd.factorize(people)[0])
    number = answers.groupby([*answers]).ngroup().to_numpy()
    first, second = (np.bincount(part, minlength=number.max() + 1)
                     for part in np.split(number, [len(before)]))
    change = second - first
    return int(-change.clip(max=0).sum()), int(change.clip(min=0).sum())


def repeated(
    listed: Sequence[RunInfo], info: DatasetInfo, answers: Answers
) -> list[RepeatedAnalysis]:
    """What becomes of results of other answers on these, in the order of computing.

    Results that a page made because it was looked at are left out.
    """
    here = {run.key: run for run in services().workspace.runs(info.id)}
    repeats = []
    for run in reversed([run for run in listed if not run.unasked]):
        method, key = None, ""
        try:
            method = make_method(run.record)
            why = _objection(run, method) or lacking(
                run.task, method, run.record["options"], answers
            )
            key = analysis.key(run.task, method, answers, run.record["options"]) if not why else ""
        except (ValueError, KeyError) as error:  # of which DataError is one
            why = str(error)
        repeats.append(RepeatedAnalysis(run, None if why else method, why, here.get(key)))
    return repeats


def _objection(run: RunInfo, method: Method) -> str:
    """Why an analysis says nothing of other answers; empty if it does."""
    if isinstance(method, FeatureModel) or run.table:
        return "it reads features or distances of the other data set"
    if run.task in TASKS and run.of_measured:
        return "it is of ratings, piles and the like of the other data set"
    if run.record["options"].get("views"):
        return "it compares views: see Multiverse"
    return "" if run.task in TASKS else "this version does not compute it"


def _table(info: DatasetInfo, repeats: Sequence[RepeatedAnalysis]) -> pd.DataFrame:
    """Analyses, what becomes of each, held-out errors of both, and how far maps have moved."""
    def error_of(run: RunInfo | None) -> float | None:
        if run is None or run.task != "cross_validate":  # others call other things an error
            return None
        return run.record["numbers"].get("error")

    table = pd.DataFrame([{
        "analysis": repeat.name,
        "here": "computed" if repeat.here is not None else repeat.why or "not computed yet",
        "error there": error_of(repeat.there), "error here": error_of(repeat.here),
        "map moved": _moved(info, repeat),
    } for repeat in repeats])
    return table.dropna(axis="columns", how="all")


def _moved(info: DatasetInfo, repeat: RepeatedAnalysis) -> float | None:
    """Variance of the map there that the map here leaves unexplained, for objects of both."""
    workspace, there = services().workspace, repeat.there
    if repeat.here is None or (there.task, there.record["kind"]) != ("fit", "embedding"):
        return None
    positions = []
    for data, run in ((workspace.dataset(there.dataset), there), (info, repeat.here)):
        fitted = workspace.run(run.dataset, run.key).fitted()
        ids = workspace.objects(data)["id"].astype(str).to_numpy()
        positions.append(pd.DataFrame(fitted.embedding_, ids)[fitted.placed_])
    first, second = positions[0].align(positions[1], join="inner", axis=0)
    return map_disparity(second.to_numpy(), first.to_numpy())
