"""Analyses of another data set, or of another view: as a plan, and beside those of the open one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.geometry import map_disparity
from tripletscope.core.data.triplets import Answers
from tripletscope.core.inference.held_out.units import n_participants
from tripletscope.core.run import TASKS, Run
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.preregistration.analysis_plan import (
    AnalysisPlan,
    PlannedStep,
    why_not_planned,
)
from tripletscope.core.studies.quality.exclusion import Exclusion
from tripletscope.dashboard.results.preregistration import step_said
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import DatasetInfo, RunInfo, state_of
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.words import words
from tripletscope.dashboard.words.formats import count

_PLACE = "data.plan"
_LONGEST = 200  # letters of a title


@dataclass(frozen=True)
class OtherAnalyses:
    """Results of another data set, or of another view of the open one.

    runs: That somebody asked for, the newest first, after the first map, which a page may have
        made.
    """

    info: DatasetInfo
    name: str
    runs: list[RunInfo]

    @property
    def place(self) -> str:
        return f"{self.info.id} {self.info.state}"


def other_analyses(info: DatasetInfo) -> Iterator[OtherAnalyses]:
    """Of other views, and of other data sets; an earlier reading of the same file comes first."""
    workspace = services().workspace
    every = workspace.runs(info.id, of_any_exclusions=True)
    others = [
        (replace(info, view=view, exclusions=steps), f"{info.name}, {view}",
         [run for run in every if run.state is not None and run.is_of(state)])
        for view, steps in info.views.items()
        if (state := state_of(steps, info.gold)) != info.state
    ] + [
        (data, f"{data.name}, {data.view}" if data.exclusions else data.name,
         workspace.runs(data.id))
        for data in sorted(workspace.datasets(), key=lambda data: data.origin != info.origin)
        if data.id != info.id and data.n_answers + data.n_pairs
    ]
    for data, name, runs in others:
        if asked := [run for run in runs if not run.unasked]:
            maps = [run for run in runs if (run.task, run.record["kind"]) == ("fit", "embedding")]
            unique = {run.id: run for run in maps[-1:] + asked}
            yield OtherAnalyses(data, name, [*unique.values()])


def plan_of(info: DatasetInfo, other: OtherAnalyses) -> AnalysisPlan:
    """The analyses of other answers as a plan, with their exclusions, or of a view with ours."""
    cleaning = services().workspace.cleaning(other.info)
    steps = info.exclusions if other.info.id == info.id else other.info.exclusions
    made = [Exclusion(step["rule"], step["parameters"], step["participants"], step["answers"])
            for step in steps]
    # A plan goes into archives, whose reader may not learn what other data sets are called.
    of = f"the view “{other.info.view}”" if other.info.id == info.id else "another data set"
    title = "".join(filter(str.isprintable, f"As in {of}"))[:_LONGEST]
    plan = AnalysisPlan.of_results(
        title, [Run(**run.record) for run in other.runs], cleaning.raw, exclusions=made,
    )
    if plan.exclusions and other.info.id == info.id:
        plan = replace(plan, title=f"{title}, excluding as in “{info.view}”"[:_LONGEST])
    task = (other.info.extra.get("reading") or {}).get("task")
    return replace(plan, task=task) if task in ASKINGS else plan


def show_other(context: Context, plan: AnalysisPlan, other: OtherAnalyses) -> None:
    """What was added since, both errors of each analysis, how far maps moved, and what is left."""
    if other.info.id != context.info.id:
        _changes(context, other.info)
    table = _table(context.info, plan, other)
    if len(table.columns) > 1:
        st.dataframe(table, hide_index=True, key=f"{_PLACE}.rows", placeholder="", column_config={
            name: st.column_config.NumberColumn(format="percent") for name in [*table.columns][1:]
        })
    if plan.frozen:
        return
    planned = [(one.rule, one.parameters) for one in plan.exclusions]
    for step in other.info.exclusions if other.info.id != context.info.id else ():
        if (step["rule"], step["parameters"]) not in planned:
            st.caption(panels.plain(f"Not in the plan: the exclusion “{step['reason']}”, which "
                                    "is no rule that others can apply."))
    known = [step for d in plan.dimensions for step in plan.steps_in(d)]
    for run in other.runs:
        made = Run(**run.record)
        why = why_not_planned(made) or "features" * (not any(s.same_as(made) for s in known))
        if why:
            task = TASKS[run.task].words if run.task in TASKS else run.task
            st.caption(panels.plain(
                f"Not in the plan: {task}: {run.name}, {words(f'not planned {why}')}."
            ))


def _changes(context: Context, earlier: DatasetInfo) -> None:
    """What was added since an earlier reading of the same file; its views can be taken over.

    A file that lacks most of the earlier answers is no update.
    """
    info, workspace = context.info, services().workspace
    if earlier.origin != info.origin:
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


def _table(info: DatasetInfo, plan: AnalysisPlan, other: OtherAnalyses) -> pd.DataFrame:
    """Held-out errors of both, and how far maps have moved, for each analysis that both have."""
    workspace = services().workspace
    here = [run for run in workspace.runs(info.id) if run.complete]
    d, alpha = plans.dimensions_of(workspace, info, plan)
    steps = [step for each in ([d] if d else plan.dimensions)
             for step in plan.steps_in(each, alpha) if step.task in ("fit", "cross_validate")]
    rows = []
    for step in steps:
        mine, theirs = (_result_of(step, runs) for runs in (here, other.runs))
        if theirs is not None:
            said = step_said(step)
            rows.append({"analysis": said if theirs.name in said else f"{said}: {theirs.name}",
                         "error there": _error_of(theirs), "error here": _error_of(mine),
                         "map moved": _moved(info, other.info, mine, theirs)})
    table = pd.DataFrame(rows, columns=["analysis", "error there", "error here", "map moved"])
    return table.drop_duplicates().dropna(axis="columns", how="all")


def _result_of(step: PlannedStep, runs: list[RunInfo]) -> RunInfo | None:
    return next((run for run in runs if step.same_as(Run(**run.record))), None)


def _error_of(run: RunInfo | None) -> float | None:
    if run is None or run.task != "cross_validate":  # others call other things an error
        return None
    return run.record["numbers"].get("error")


def _moved(
    info: DatasetInfo, other: DatasetInfo, mine: RunInfo | None, theirs: RunInfo
) -> float | None:
    """Variance of the map there that the map here leaves unexplained, for objects of both."""
    if mine is None or (theirs.task, theirs.record["kind"]) != ("fit", "embedding"):
        return None
    workspace, positions = services().workspace, []
    for data, run in ((other, theirs), (info, mine)):
        fitted = workspace.run(run.dataset, run.key).fitted()
        ids = workspace.objects(data)["id"].astype(str).to_numpy()
        positions.append(pd.DataFrame(fitted.embedding_, ids)[fitted.placed_])
    first, second = positions[0].align(positions[1], join="inner", axis=0)
    return map_disparity(second.to_numpy(), first.to_numpy())
