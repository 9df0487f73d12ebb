"""Analysis plans in a workspace, beside experiments, and of the data sets that follow them."""

from __future__ import annotations

import threading
from collections.abc import Container
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.files.contents import content_of
from tripletscope.dashboard.files.storage import whole_file
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.description import (
    DESIGN,
    FIRST_ANSWER,
    FORMER_PLANS,
    LOOKED_AT,
    MEASURED,
    PLAN,
    UPLOADED,
)
from tripletscope.dashboard.store.folder import PLANS
from tripletscope.dashboard.store.runs import is_about
from tripletscope.dashboard.store.workspace import Workspace

if TYPE_CHECKING:  # lists of data sets load nothing that computes
    from tripletscope.core.data.triplets import Answers
    from tripletscope.core.run import Run
    from tripletscope.core.studies.preregistration.analysis_plan import AnalysisPlan
    from tripletscope.core.studies.preregistration.deviations import Standing

#: In the folder of an experiment that follows a plan.
FILE = "plan.json"
_MOST = 2**20  # bytes
#: Two tabs that freeze the same plan freeze one.
_freezing = threading.Lock()


@dataclass(frozen=True)
class KeptPlan:
    """A file with a plan; `problem` is why it cannot be read."""

    path: Path
    plan: AnalysisPlan | None
    problem: str = ""


def kept_plans(workspace: Workspace) -> list[KeptPlan]:
    """The last frozen first; then what cannot be read."""
    kept = [_kept(path) for path in sorted((workspace.folder / PLANS).glob("*.json"))]
    return sorted(kept, key=lambda one: one.plan.frozen if one.plan else "", reverse=True)


def _kept(path: Path) -> KeptPlan:
    try:
        return KeptPlan(path, read_plan(path))
    except DataError as error:
        return KeptPlan(path, None, str(error))


def read_plan(path: Path) -> AnalysisPlan:
    """The plan of a file; `DataError` says what is wrong with it."""
    from tripletscope.core.studies.preregistration.analysis_plan import AnalysisPlan

    name = f"{path.parent.name}/{path.name}"
    try:
        return AnalysisPlan.from_json(content_of(path, _MOST), name)
    except DataError:
        raise
    except (OSError, ValueError) as error:
        raise DataError(f"the plan cannot be read ({error})", file=name,
                        remedy="Restore it from a backup, or upload its file again.") from error


def keep_plan(workspace: Workspace, plan: AnalysisPlan) -> AnalysisPlan:
    """Freeze and keep a plan; one that was frozen before with the same content is that one."""
    with workspace.explaining(writing=True), _freezing:
        for kept in kept_plans(workspace):
            same = kept.plan and (kept.plan == plan if plan.frozen else
                                  kept.plan.content == plan.content)
            if same:
                return kept.plan
        plan = plan.freeze()
        folder = workspace.folder / PLANS
        folder.mkdir(exist_ok=True)
        _write(folder / f"{plan.sha256[:16]}.json", plan)
    return plan


def delete_plan(workspace: Workspace, path: Path) -> None:
    """Throw the file away; experiments and data sets keep their copies."""
    with workspace.explaining(writing=True):
        if path.exists():
            workspace.trash.throw(path)


def give_plan(workspace: Workspace, experiment: Path, plan: AnalysisPlan) -> None:
    """Let an experiment follow a plan, which is kept in its folder."""
    with workspace.explaining(writing=True):
        _write(experiment / FILE, plan)


def plan_of_experiment(experiment: Path) -> AnalysisPlan | None:
    """The plan of an experiment; None if it has none."""
    return read_plan(experiment / FILE) if (experiment / FILE).exists() else None


def _write(path: Path, plan: AnalysisPlan) -> None:
    with whole_file(path) as file:
        file.write(plan.to_json().encode())


# Data sets -----------------------------------------------------------------------------------


def follow(workspace: Workspace, info: DatasetInfo, plan: AnalysisPlan | None) -> None:
    """Let a data set follow a frozen plan, kept in its description, which names those of before.

    plan: None for no plan any more.
    """
    with suppress(DataError):
        before = followed(info)
        if before is not None and before != plan:
            former = dict.fromkeys([*info.extra.get(FORMER_PLANS, []), _named(before)])
            workspace.note(info.id, FORMER_PLANS, [*former])
    workspace.note(info.id, PLAN, plan and plan.to_record())


def _named(plan: AnalysisPlan) -> str:
    frozen = f"{plan.frozen[:16].replace('T', ' ')} UTC"
    return f"“{plan.title}”, frozen {frozen}, SHA-256 {plan.sha256[:12]}"


def looked_at(workspace: Workspace, info: DatasetInfo) -> dict[str, list[str]]:
    """A note that planned tests were computed of the answers, before others take their place."""
    found = standing_of(workspace, info)
    made = [] if found is None else [
        run for one in (found, found.as_planned) if one is not None
        for (question, _), run in one.done.items() if question in one.plan.questions
    ]
    if not any(made):
        return {}
    noted = dict.fromkeys([*info.extra.get(LOOKED_AT, []), str(info.n_answers)])
    return {LOOKED_AT: [*noted]}


def followed(info: DatasetInfo) -> AnalysisPlan | None:
    """The plan that a data set follows; `DataError` if this version cannot read it."""
    from tripletscope.core.studies.preregistration.analysis_plan import AnalysisPlan

    record = info.extra.get(PLAN)
    return None if record is None else AnalysisPlan.from_record(record, f"{info.name}, plan")


def standing_of(
    workspace: Workspace, info: DatasetInfo, *, opened: str = "",
    told: Container[str] | None = None,
) -> Standing | None:
    """What has become of a plan on a data set; None if it follows none that can be read.

    opened: Key of the map that is shown.
    told: See `tripletscope.core.studies.preregistration.deviations.standing`.
    """
    with suppress(DataError):
        plan = followed(info)
        if plan is None:
            return None
        found = _standing(workspace, info, plan, opened, told)
        elsewhere = info if found.has_planned_exclusions else planned_view(info, plan)
        if elsewhere is None:
            return found
        found = replace(found, kept=workspace.cleaning(elsewhere).kept)
        if elsewhere is info:
            return found
        return replace(found, as_planned=_standing(workspace, elsewhere, plan, "", told))
    return None


def planned_view(info: DatasetInfo, plan: AnalysisPlan) -> DatasetInfo | None:
    """The data set in the view with exactly the planned exclusions, if there is one."""
    planned = [(rule.rule, rule.parameters) for rule in plan.exclusions]
    for view, steps in info.views.items():
        if [(step["rule"], step["parameters"]) for step in steps] == planned:
            return replace(info, view=view, exclusions=steps)
    return None


def is_as_planned(info: DatasetInfo) -> bool:
    """Whether the view in use has exactly the exclusions of the plan, and there are some."""
    with suppress(DataError):
        plan = followed(info)
        return plan is not None and bool(plan.exclusions) and planned_view(
            replace(info, views={info.view: info.exclusions}), plan
        ) is not None
    return False


def _standing(
    workspace: Workspace, info: DatasetInfo, plan: AnalysisPlan, opened: str,
    told: Container[str] | None,
) -> Standing:
    from tripletscope.core.data.columns import one_per_trial
    from tripletscope.core.inference.held_out.units import n_participants
    from tripletscope.core.studies.preregistration.deviations import Deviation, standing

    every, cleaning = _runs(workspace, info), workspace.cleaning(info)
    d, alpha = dimensions_of(workspace, info, plan)
    # What is measured is no number of answers.
    trials = None if MEASURED in info.extra else int(one_per_trial(cleaning.raw).sum())
    found = standing(
        plan, every, exclusions=cleaning.exclusions, n_components=d, alpha=alpha,
        n_answers=trials, n_participants=n_participants(cleaning.raw),
        n_objects=cleaning.raw.n_objects, design=_design(info), objects=cleaning.triplets.objects,
        since=info.extra.get(FIRST_ANSWER) or info.extra.get(UPLOADED) or info.created,
        is_collected=FIRST_ANSWER in info.extra, told=told,
        opened=next((run for run in every if run.key == opened), None),
    )
    whole = {place: run and workspace.run(info.id, run.key) for place, run in found.done.items()}
    further = [
        Deviation(code, made=made) for code, made in (
            ("followed before", [
                one for one in info.extra.get(FORMER_PLANS, []) if one != _named(plan)
            ]),
            ("looked before", info.extra.get(LOOKED_AT)),
            ("checks chosen", cleaning.gold is not None and any(
                one.rule == "failed_checks" for one in cleaning.exclusions
            )),
            ("other exclusions", _n_elsewhere(workspace, info, planned_view(info, plan))),
        ) if made
    ]
    return replace(found, done=whole, deviations=[*found.deviations, *further])


def _design(info: DatasetInfo) -> list[Any]:
    """Task, source, skipping and time limit of the questions, as far as they are known."""
    from tripletscope.core.studies.experiment.experiment import SOURCES
    from tripletscope.core.studies.experiment.question import ASKINGS

    task, source, *care = [*info.extra.get(DESIGN, []), "", ""][:4]
    if task not in ASKINGS or source not in SOURCES:
        return []
    known = [*map(type, care)] in ([bool, int], [bool, type(None)])  # not by versions of before
    return [task, source, *care * known]


def _n_elsewhere(workspace: Workspace, info: DatasetInfo, planned: DatasetInfo | None) -> int:
    """How many results there are of other exclusions than those in use, or planned."""
    return sum(
        one.complete and not one.unasked and not info.has(one)
        and (planned is None or not planned.has(one))
        for one in workspace.runs(info.id, of_any_exclusions=True)
    )


def _runs(workspace: Workspace, info: DatasetInfo, task: str | None = None) -> list[Run]:
    """Results of a view, without arrays: somebody may have chosen another one meanwhile."""
    from tripletscope.core.run import Run

    listed = workspace.runs(info.id, task, of_any_exclusions=True)
    runs = [Run(**one.record) for one in listed if info.has(one)]
    answers = workspace.cleaning(info).triplets
    return [run for run in runs if run.of_measured or run.table or _is_of(run, answers)]


def _is_of(run: Run, answers: Answers) -> bool:
    """Whether a result is of the objects' columns as they are: they may have been edited."""
    from tripletscope.core.run import TASKS

    if run.task not in TASKS or run.options.get("views") or run.holds_data:
        return True
    return is_about(run, answers)


def dimensions_of(
    workspace: Workspace, info: DatasetInfo, plan: AnalysisPlan
) -> tuple[int | None, float | None]:
    """The number of dimensions that a plan's rule chooses, and the tails of a data set.

    None where they are not known yet.
    """
    tails = workspace.runs(info.id, "choose_tail", of_any_exclusions=True)
    alpha = tails[-1].record["numbers"]["alpha"] if tails else None
    if len(plan.dimensions) == 1:
        return plan.dimensions[0], alpha
    listed, errors = _runs(workspace, info, "cross_validate"), {}
    for d, step in plan.compared.items():
        filled = step.filled(d, alpha)
        run = next((run for run in listed if run.complete and filled.same_as(run)), None)
        whole = run and workspace.run(info.id, run.key)
        if whole is None:
            return None, alpha
        errors[d] = whole.result()
    return plan.chosen(errors, workspace.cleaning(info).triplets), alpha


def plan_problem(info: DatasetInfo) -> str:
    """Why the plan that a data set follows cannot be read; empty if it can."""
    try:
        followed(info)
    except DataError as error:
        return str(error)
    return ""
