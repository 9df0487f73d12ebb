"""Plan: the analyses of a plan, or of other data, in one click, and what differs from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.triplets import Answers
from tripletscope.core.engine.method import Method, make_method
from tripletscope.core.engine.progress import Progress
from tripletscope.core.studies.preregistration.analysis_plan import MAP, AnalysisPlan, PlannedStep
from tripletscope.core.studies.preregistration.deviations import Standing
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.queue import Step
from tripletscope.dashboard.results.preregistration import (
    deviations_said,
    planned_table,
    question_said,
    standing_said,
    step_said,
)
from tripletscope.dashboard.results.presentation import Numbers
from tripletscope.dashboard.store import plans
from tripletscope.dashboard.store.dataset import AS_PLANNED, DatasetInfo, state_of
from tripletscope.dashboard.store.description import MAP_CHOSEN, PLAN
from tripletscope.dashboard.store.feature_tables import free_name
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import analysis, panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import doing, pick, pressed
from tripletscope.dashboard.ui.elements import COMPUTED, errors_shown, run_button
from tripletscope.dashboard.ui.opened_map import choice_of, choose_method, opened_map
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.plans import pick_plan, plan_files, show_plan_text
from tripletscope.dashboard.words import words
from tripletscope.pages.data.findings import PAGE, lacking, show_refusals
from tripletscope.pages.data.other_analyses import (
    OtherAnalyses,
    other_analyses,
    plan_of,
    show_other,
)

_PLACE = f"{PAGE}.plan"


def _has_plan(info: DatasetInfo) -> bool:
    return (PLAN in info.extra or bool(plans.kept_plans(services().workspace))
            or next(other_analyses(info), None) is not None)


@tab(PAGE, "Plan", 1.5, slot=_PLACE, when=_has_plan)
def show_plan(context: Context) -> None:
    """What was planned, what has become of it, and the button that analyses as planned."""
    picture, side = context.picture_and_side()
    plan = standing = other = None
    with side, errors_shown(DataError, WorkspaceError):
        plan, other = _choose(context)
        if plan is not None:
            standing = _standing(context, plan)
            _analyse(context, plan, standing)
            if plan.frozen:
                plan_files(plan, _PLACE)
            other = _beside(context, plan, other)
    with picture:
        show_refusals(context.job)
        if problem := plans.plan_problem(context.info):
            st.error(panels.plain(problem), icon=":material/error:")
        elif plan is None:
            context.empty("No plan is chosen", "Freeze a plan on Simulate, or upload its file.")
        if plan is None:
            return
        is_plan = standing is not None or plan.frozen
        if not is_plan:
            st.markdown(panels.plain(
                f"No plan yet: the analyses of {other.name} can be made of these answers, too."
            ))
        if other is not None:
            show_other(context, plan, other)
        if standing is not None:
            st.caption(panels.plain(f"Of the view “{context.info.view}”."))
            _show(context, standing)
        elif is_plan:
            st.markdown("These answers do not follow the plan yet.")
            show_plan_text(plan)
            return
        if box := panels.folded("The plan", f"{_PLACE}.words"):
            with box:
                show_plan_text(plan)


def _standing(context: Context, plan: AnalysisPlan) -> Standing | None:
    """What has become of a plan; None if the data set does not follow it."""
    opened = opened_map(context.info)
    found = plans.standing_of(
        services().workspace, context.info, opened=opened.key if opened else ""
    )
    return found if found is not None and found.plan == plan else None


def _choose(context: Context) -> tuple[AnalysisPlan | None, OtherAnalyses | None]:
    """Ask for a plan: the followed one, one that is kept or uploaded, or the analyses of others."""
    current, workspace = context.session, services().workspace
    place = f"{_PLACE}@{context.info.id}"
    followed = None if plans.plan_problem(context.info) else plans.followed(context.info)
    with st.popover("Upload a plan", icon=":material/upload:", width="stretch"):
        file = st.file_uploader("Plan (JSON)", type="json", key=f"{_PLACE}.file")
        if file is not None and current.drafts.get(f"{place}.file") != file.file_id:
            with errors_shown():
                plan = AnalysisPlan.from_json(file.getvalue(), file.name)
                current.drafts[place] = plans.keep_plan(workspace, plan).sha256
                current.drafts[f"{place}.file"] = file.file_id
    kept = [one.plan for one in plans.kept_plans(workspace) if one.plan]
    others = {one.place: one for one in other_analyses(context.info)}
    chosen = pick_plan(current, place, [followed, *kept] if followed else kept,
                       {place: f"As in {one.name}" for place, one in others.items()})
    if isinstance(chosen, str):
        return plan_of(context.info, others[chosen]), others[chosen]
    return chosen, None


def _beside(
    context: Context, plan: AnalysisPlan, other: OtherAnalyses | None
) -> OtherAnalyses | None:
    """Ask with which results of other answers those of a plan are compared."""
    if other is not None:
        return other
    others = {one.place: one for one in other_analyses(context.info)}
    if not others:
        return None
    names = {"": "None"} | {place: one.name for place, one in others.items()}
    chosen = pick(context.session, f"{_PLACE}.beside@{context.info.id}", "Beside", names,
                  help="Held-out errors and maps of the same analyses of other answers.")
    return others.get(chosen)


def _show(context: Context, standing: Standing) -> None:
    """Planned analyses, deviations, and exploratory results."""
    st.markdown(panels.marked(" ".join(standing_said(standing))))
    table = partial(planned_table, standing)
    context.numbers(Numbers(words("plan column question"), table, is_small=True))
    for name, asked in QUESTIONS.items():
        run = standing.done.get((name, asked.task))
        title = question_said(name, standing.plan.questions.get(name, ()))
        if run is not None and (box := panels.folded(title, f"{_PLACE}.{name}")):
            with box:
                context.present(run)
    deviations, exploratory = deviations_said(
        standing, services().workspace.cleaning(context.info)
    )
    title = words("plan deviations" if deviations else "plan as planned")
    for heading, said in ((title, deviations), (words("plan exploratory"), exploratory)):
        if said or heading == title:
            st.markdown(f"**{heading}**")
            st.markdown("\n".join(f"- {panels.marked(text)}" for text in said))


def _analyse(context: Context, plan: AnalysisPlan, standing: Standing | None) -> None:
    """The button that follows the plan; with other exclusions one that makes its analyses here."""
    info, workspace = context.info, services().workspace
    is_here = plans.planned_view(
        replace(info, views={info.view: info.exclusions}), plan
    ) is not None
    why = COMPUTED if standing is not None and all(standing.done.values()) else ""
    is_asked = run_button(
        context.session, f"{_PLACE}.run", "Analyse as planned", why=why if is_here else "",
        help="Freezes the plan if it is new, makes its exclusions as a view of the answers, and "
        "computes its results. Nothing is forbidden: what differs is listed.",
    )
    if not (is_here and why):
        st.caption(panels.plain(_what_changes(info, is_here)))
    is_asked_here = False
    if not is_here:
        is_asked_here = pressed(
            context.session, f"{_PLACE}.otherwise", "With these exclusions",
            icon=":material/play_arrow:", width="stretch", why=why,
            help="Computes the planned results for the view in use, which differs from the plan.",
        )
    _way_back(context, is_here)
    if standing is not None and pressed(
        context.session, f"{_PLACE}.leave", "Follow no plan", icon=":material/link_off:",
        width="stretch", help="A plan that is followed later lists this one as followed before.",
    ):
        plans.follow(workspace, info, None)
        st.rerun()
    refused: Sequence[Step] = ()
    if is_asked or (is_asked_here and standing is None):
        with doing(context.session, st.spinner("Following the plan")):
            plan = plans.keep_plan(workspace, plan)
            context.session.drafts[f"{_PLACE}@{info.id}"] = plan.sha256
            if is_asked:
                info, refused = excluded_as_planned(info, plan)
            plans.follow(workspace, info, plan)
    if is_asked or is_asked_here:
        _note_before(context, plan)
        info = workspace.dataset(info.id)
        context.begin_steps(f"As planned: {info.name}", [*refused, *_steps(info, plan)])
        st.rerun()


def _what_changes(info: DatasetInfo, is_here: bool) -> str:
    """What a press changes on other pages."""
    view = "" if is_here else "the view with the planned exclusions, and "
    return (f"All pages change to {view}to the planned map once it is computed. “{info.view}” and "
            "its results stay, and a button here leads back from what has changed.")


def _before(info: DatasetInfo) -> str:
    """Where the session notes exclusions and map of before a plan was followed."""
    return f"{_PLACE}.before@{info.id}"


def _note_before(context: Context, plan: AnalysisPlan) -> None:
    """Note exclusions and map, unless this plan has changed those that are noted."""
    info, drafts = context.info, context.session.drafts
    view, _, why = _noted(context)
    if why != plan.sha256 or not view:
        state = state_of(info.exclusions, None)
        drafts[_before(info)] = [state, info.extra.get(MAP_CHOSEN), plan.sha256]


def _noted(context: Context) -> tuple[str, Mapping[str, Any] | None, str]:
    """View, map and plan that are noted; a view by its exclusions, as it may have been renamed."""
    state, method, why = context.session.drafts.get(_before(context.info), (None, None, ""))
    views = (name for name, steps in context.info.views.items() if state_of(steps, None) == state)
    return next(views, ""), method, why


def _way_back(context: Context, is_here: bool) -> None:
    """The button that leads back to view and map of before a plan was followed."""
    info, workspace = context.info, services().workspace
    view, method, _ = _noted(context)
    is_changed = is_here if view != info.view else method != info.extra.get(MAP_CHOSEN)
    if view and is_changed and pressed(
        context.session, f"{_PLACE}.back", f"Back to “{view}”", icon=":material/undo:",
        width="stretch", help="And to the map that was seen there. Planned results stay.",
    ):
        with doing(context.session, st.spinner("Changing the view")):
            workspace.use_view(info, view)
            choose_method(info, method and make_method(method))
        del context.session.drafts[_before(info)]
        st.rerun()


def excluded_as_planned(info: DatasetInfo, plan: AnalysisPlan) -> tuple[DatasetInfo, list[Step]]:
    """The data set with the view of the planned exclusions in use, and rules that cannot be made.

    A view with the same exclusions is that view.
    """
    workspace, refused = services().workspace, []
    cleaning = replace(workspace.cleaning(info), exclusions=())
    for rule in plan.exclusions:
        try:
            cleaning = cleaning.excluding(rule)
        except DataError as error:
            refused.append(_refused(rule.title, str(error)))
    state = state_of(cleaning.log(), info.gold)
    if state == info.state:
        return info, refused
    for view, steps in info.views.items():
        if state_of(steps, info.gold) == state:
            return workspace.use_view(info, view), refused
    view = free_name(AS_PLANNED, {*info.views})
    return workspace.update_dataset(info, cleaning, view=view), refused


def _refused(title: str, why: str) -> Step:
    return Step(f"Exclusion: {title}", lambda progress: why, 0.0, 0.0)


def _steps(info: DatasetInfo, plan: AnalysisPlan) -> Sequence[Step]:
    """What is computed: errors by which dimensions are chosen, then everything in these."""
    answers, choose = services().workspace.answers(info), choice_of(info)
    compared = plan.compared if len(plan.dimensions) > 1 else {}
    return [
        *(_step(info, answers, plan, step, choose, d) for d, step in compared.items()),
        *(_step(info, answers, plan, step, choose) for step in plan.steps),
    ]


def _step(
    info: DatasetInfo, answers: Answers, plan: AnalysisPlan, step: PlannedStep,
    choose: Callable[[Method], None], d: int | None = None,
) -> Step:
    """A step in d dimensions, or in as many as the plan's rule chooses once it is at work.

    choose: Makes the planned map that of all pages, unless another was chosen meanwhile.
    """
    workspace = services().workspace
    title = f"{question_said(step.question)} {step_said(step)}"

    def work(progress: Progress) -> str | None:
        chosen, alpha = plans.dimensions_of(workspace, info, plan)
        if d is None and chosen is None:
            return "the number of dimensions could not be chosen"
        filled = step.filled(d or chosen, alpha)
        try:
            method = filled.method_about(answers)
        except ValueError as error:
            return str(error)
        if why := lacking(step.task, method, step.options, answers):
            return why
        piece = method, step.task, step.options
        computed = analysis.forgiving(analysis.step_of(
            info, answers, piece, analysis.describe(method), title
        ))
        if (refused := computed.work(progress)) is None and (
            (step.question, step.task) == (MAP, "fit")
        ):
            choose(analysis.settled(info, method))
        return refused

    return Step(title if d is None else f"{title}, {d}", work,
                seconds=analysis.seconds_of(answers, step.task))
