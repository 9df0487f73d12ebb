"""Plan: the analyses of a study, chosen and frozen before there are data."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.data.question_kinds import ABOUT_OBJECTS
from tripletscope.core.engine.declared import parameters
from tripletscope.core.engine.method import methods
from tripletscope.core.models.embedding.default import DEFAULT_EMBEDDING
from tripletscope.core.models.embedding.ordinal import OrdinalEmbedding
from tripletscope.core.studies.experiment.experiment import SOURCES, Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.core.studies.preregistration.analysis_plan import AnalysisPlan
from tripletscope.core.studies.preregistration.planned_questions import QUESTIONS
from tripletscope.core.studies.quality import RULES, Exclusion
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results.dividing import dividing_columns
from tripletscope.dashboard.results.planning import answers_to_collect
from tripletscope.dashboard.results.preregistration import question_said
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import experiments, plans
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import (
    doing,
    line,
    number,
    parameter_form,
    pick,
    pressed,
    several,
)
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.plans import name_of, pick_plan, plan_files, show_plan_text
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.simulate.setting import PAGE, SHOWN, beginning, method_settings, prefix

PLACE = f"{PAGE}.analysis"
#: Needs values of the data, which a plan does not have.
_NO_RULE = "other_values"
_LARGEST = 6  # dimensions
#: Of an experiment, for questions that people leave without an answer.
_CARE = ("skip", "time_limit")
_MOST = 10_000_000


@tab(PAGE, "Plan", 3.5, slot=None)
def show_plan(context: Context) -> None:
    """Ask for a plan, freeze it, and take it away; or show one that is frozen."""
    current, workspace = context.session, services().workspace
    picture, side = st.columns([5, 2], gap="large")
    kept = plans.kept_plans(workspace)
    with side, errors_shown(WorkspaceError, DataError):
        frozen = {one.plan.sha256: one for one in kept if one.plan}
        shown = pick_plan(current, PLACE, (one.plan for one in frozen.values()),
                          {"": "A new plan"})
        if shown:
            _use(current, frozen[shown.sha256])
        else:
            shown = _draft(current, kept)
    with picture:
        for one in kept:
            if one.problem:
                st.warning(panels.plain(one.problem), icon=":material/warning:")
        if shown is not None:
            show_plan_text(shown)


def _use(current: Session, kept: plans.KeptPlan) -> None:
    """What can be done with a frozen plan."""
    plan, workspace = kept.plan, services().workspace
    st.caption(panels.plain(f"Frozen {panels.ago(plan.frozen)}. SHA-256: {plan.sha256}."))
    plan_files(plan, PLACE)
    listed = [one for one in experiments.kept_experiments(workspace) if not one.problem]
    if listed:
        titles = {one.slug: one.title for one in listed}
        slug = pick(current, f"{PLACE}.experiment", "Experiment", titles)
        folder = next(one.folder for one in listed if one.slug == slug)
        before = plans.plan_of_experiment(folder)
        if before is not None and before != plan:
            st.caption(panels.plain(f"It follows another plan: {name_of(before)}."))
        if pressed(
            current, f"{PLACE}.give", "Collect under this plan", icon=":material/how_to_vote:",
            width="stretch", why="The experiment follows it." if before == plan else "",
            help="Keeps the plan in the folder of the experiment. The data set of its answers "
            "follows it.",
        ):
            plans.give_plan(workspace, folder, plan)
            st.rerun()
    if pressed(current, f"{PLACE}.delete", "Delete", icon=":material/delete:", width="stretch"):
        panels.ask_to_delete(
            "this plan", "It will be deleted from this list. Experiments and data sets that follow "
            "it keep their copies.", partial(plans.delete_plan, workspace, kept.path),
        )


def _draft(current: Session, kept: Sequence[plans.KeptPlan]) -> AnalysisPlan | None:
    """Ask for a new plan, with the button that freezes it."""
    button = st.container()
    values = {"title": line(current, f"{PLACE}.title", "Title", "My study", max_chars=120)}
    slug, design = _design(current)
    values |= design | {"exclusions": _exclusions(current), **_map(current),
                        "questions": _questions(current, slug)}
    draft, why = None, ""
    try:
        draft = AnalysisPlan(**values)
    except DataError as error:
        why = str(error)
    if draft and any(one.plan and one.plan.content == draft.content for one in kept):
        why = "This plan is frozen: choose it above."
    with button:
        if pressed(
            current, f"{PLACE}.freeze", "Freeze the plan", type="primary", why=why,
            icon=":material/lock:", width="stretch",
            help="Keeps it with the time and a hash (SHA-256). A frozen plan never changes: other "
            "settings make another plan. A registry such as OSF attests the time to others.",
        ):
            workspace = services().workspace
            with doing(current, st.spinner("Freezing")):
                plan = plans.keep_plan(workspace, draft)
                folder = experiments.experiment_folder(workspace, slug) if slug else None
                if folder is not None:
                    plans.give_plan(workspace, folder, plan)
                current.drafts[PLACE] = plan.sha256
            st.rerun()
    return draft


def _design(current: Session) -> tuple[str, dict[str, Any]]:
    """Ask for an experiment or for numbers: its folder, and the design."""
    kept = [one for one in experiments.kept_experiments(services().workspace) if not one.problem]
    slug = pick(
        current, f"{PLACE}.of", "Design of", {"": "No experiment yet"}
        | {one.slug: one.title for one in kept},
        help="An experiment of the page Collect has its numbers, and is collected under the plan.",
    ) if kept else ""
    if slug:
        experiment = experiments.load_experiment(services().workspace, slug)
        each = _asked(experiment, experiments.experiment_key(experiment))
        people = experiment.most_people
        st.caption(
            f"{count(people, 'participant')}, {count(each, 'answer')} each, about "
            f"{count(len(experiment.objects), 'object')}."
        )
        same = {name: getattr(experiment, name) for name in ("task", "source", *_CARE)}
        return slug, {"n_objects": len(experiment.objects), "n_participants": people,
                      "n_answers": people * each, **same}
    place, usual = f"{prefix(current)}.analysis", {"n_objects": 30, "participants": 40,
                                                   "n_answers": 4_000}
    usual |= beginning(current) | _simulated(current)

    def ask(name: str, label: str, **how: Any) -> int:
        key = f"{place}.{name}.{usual[name]}"  # another simulation begins with its own numbers
        return int(number(current, key, label, 1, _MOST, usual[name], **how) or usual[name])

    values = {
        "n_objects": ask("n_objects", "Objects"),
        "n_participants": ask("participants", "Participants"),
        "n_answers": ask(
            "n_answers", "Answers", help="Of all participants together, without checks. As many "
            "as the simulation on the tab Sample size says, if there is one.",
        ),
        "task": pick(current, f"{place}.task", "Task",
                     {name: asking.title for name, asking in ASKINGS.items()}),
        "source": pick(current, f"{place}.source", "Questions", SOURCES, default="random"),
    }
    if ASKINGS[values["task"]].has_care:
        values |= parameter_form(
            current, Experiment, f"{place}.care", folded="Questions without an answer",
            hidden=[one.name for one in parameters(Experiment) if one.name not in _CARE],
        )
    return "", values


def _simulated(current: Session) -> dict[str, int]:
    """Objects and answers of the simulation that Sample size shows; empty without any."""
    accuracy, ellipse = (
        current.remembered(f"{PAGE}.wanted.{name}", None) for name in ("accuracy", "ellipse")
    )
    wanted = {"accuracy": accuracy and accuracy / 100, "ellipse": ellipse}
    for key in current.drafts.get(SHOWN, [])[:1]:
        run = services().workspace.run(None, key)
        if run is not None and (needed := answers_to_collect(run.result(), wanted)):
            return {"n_objects": run.options["n_objects"], "n_answers": needed}
    return {}


@st.cache_data(max_entries=16, show_spinner=False)
def _asked(_experiment: Experiment, key: str) -> int:
    """Answers about objects by each participant."""
    questions = person_list(_experiment, 0).questions
    return sum(one is None or one.kind in ABOUT_OBJECTS for one in questions)


def _exclusions(current: Session) -> list[Exclusion]:
    """Ask for rules, in their order, with their limits."""
    rules = several(
        current, f"{PLACE}.rules", "Exclusion rules",
        {name: rule.title for name, rule in RULES.items() if name != _NO_RULE},
        help="In the order in which you choose them.",
    )
    made = []
    for name in rules:
        st.caption(panels.plain(RULES[name].help))
        made.append(Exclusion(name, parameter_form(
            current, RULES[name].find, f"{PLACE}.rule.{name}"
        )))
    return made


def _map(current: Session) -> dict[str, Any]:
    """Ask for the method of the map, and in which numbers of dimensions it is compared."""
    maps = {name: method for name, method in methods("embedding").items()
            if issubclass(method, OrdinalEmbedding)}
    name = pick(current, f"{PLACE}.method", "Method",
                {name: method.title for name, method in maps.items()},
                default=DEFAULT_EMBEDDING.name)
    dimensions = several(
        current, f"{PLACE}.dimensions", "Dimensions",
        {d: str(d) for d in range(1, _LARGEST + 1)}, default=[1, 2, 3],
        help="Of several, the fewest that predict held-out answers as well as the best are chosen. "
        "A single number is fixed.",
    )
    return {"method": method_settings(current, maps[name]), "dimensions": sorted(dimensions)}


def _questions(current: Session, slug: str) -> dict[str, list[str]]:
    """Ask for questions, and for the columns that they name."""
    chosen = several(
        current, f"{PLACE}.questions", "Tests",
        {name: name.capitalize() for name in QUESTIONS}, default=["clusters"],
        help="\n\n".join(f"**{name.capitalize()}**: {question_said(name)}" for name in QUESTIONS),
    )
    return {name: _columns(current, name, slug) if QUESTIONS[name].of else [] for name in chosen}


def _columns(current: Session, question: str, slug: str) -> list[str]:
    """Ask for columns: of the open data, of the experiment, or others by name."""
    place, asked = f"{PLACE}.columns.{question}", QUESTIONS[question]
    noted = current.remembered(place, [])
    names = [*_known_columns(current, asked.of, slug), *(noted if isinstance(noted, list) else [])]
    return several(
        current, place, f"{question.capitalize()}: column{'s' * asked.several}",
        {name: name for name in names}, accept_new_options=True,
        max_selections=None if asked.several else 1, placeholder="Choose, or type a name",
        help=f"Of the table of {asked.of}, as it will be called there.",
    )


def _known_columns(current: Session, of: str, slug: str) -> list[str]:
    names, info = [], current.dataset
    if info is not None and of == "objects":
        names += [name for name in services().workspace.objects(info).columns
                  if name not in ("id", "label", "image")]
    if info is not None and of == "answers":
        names += [name for name in dividing_columns(current.answers().answers)
                  if name != "participant"]
    if slug and of == "answers":
        experiment = experiments.load_experiment(services().workspace, slug)
        names += [*(one.name for one in (*experiment.before, *experiment.after)),
                  *experiment.parameters[1:]]
    return list(dict.fromkeys(names))
