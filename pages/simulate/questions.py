"""Questions: lists of every design, to take away or to run on the page Collect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from tripletscope.core.data.landmarks import recognise
from tripletscope.core.data.question_kinds import CHECKS
from tripletscope.core.run import Run
from tripletscope.core.studies.design.active import propose
from tripletscope.core.studies.experiment import listed_designs
from tripletscope.core.studies.experiment.experiment import STIMULI, Experiment
from tripletscope.core.studies.experiment.lists import person_list
from tripletscope.core.studies.experiment.question import ASKINGS, Question
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import experiments
from tripletscope.dashboard.store.dataset import edition_of
from tripletscope.dashboard.store.experiments import experiment_key
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.ceiling_advice import advice_of
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import number, parameter_form, pick, pressed
from tripletscope.dashboard.ui.elements import set_widgets, show_error
from tripletscope.dashboard.ui.experiment_form import ExperimentForm, with_gold
from tripletscope.dashboard.ui.handover import LIST, LISTS, QUESTIONS_OF, choose_experiment
from tripletscope.dashboard.ui.page import of_the_open_data, open_page, tab
from tripletscope.dashboard.ui.question_files import take_away
from tripletscope.dashboard.ui.stimuli import GivenObjects, ask_for_objects
from tripletscope.dashboard.ui.uncertain_map import PAGE as MAPS
from tripletscope.dashboard.ui.uncertain_map import UncertaintyContext, choose_map
from tripletscope.dashboard.ui.watching import watch
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.simulate.setting import PAGE, beginning

_PREVIEW = 8
_SECONDS = 3  # that a question takes, more or less
#: A list has no practice or checks of its own accord: the program that asks may have them.
_BEGIN = {"n_questions": 300, "n_practice": 0, "catch": 0.0}
#: What is to be known of a design before it is chosen.
_ABOUT = {
    "uncertain": "Selected by order certainty, not by response probability: an answer is most "
    "informative where the maps leave the order open. If two distances look alike, responses stay "
    "uncertain however often people are asked.",
    "gain": "Selected by the method's response probabilities for the anchor's possible positions: "
    "an answer is most informative where these predict different responses.",
} | dict.fromkeys(listed_designs.KERNELS, (
    "With such questions, triplet kernels find groups about as well as embeddings, in a tenth of "
    "the time or less. Embeddings also work with random questions, for which these kernels need "
    "very many answers."
))


@dataclass(frozen=True)
class _Draft:
    """What the form asks for: an experiment without its design, and what the design needs."""

    experiment: Experiment
    material: GivenObjects
    design: str
    n_lists: int
    options: dict[str, Any]
    landmarks: np.ndarray | None


@tab(PAGE, "Questions", 3, slot=MAPS)
def show_questions(context: Context) -> None:
    """Ask for objects, design and numbers, and show the list."""
    current = context.session
    picture, side = st.columns([5, 2], gap="large")
    try:
        with side:
            slug = _chosen_experiment(current)
            draft = None if slug else _form(context)
        with picture:
            if draft is None or draft.design not in listed_designs.FOLLOWING:
                watch(replace(context, info=current.dataset).job)
            if draft is None:
                _of_experiment(current, slug)
            elif draft.design in listed_designs.FOLLOWING:
                of_map = of_the_open_data(choose_map)(context)
                if of_map is not None:
                    _following(of_map, draft)
            else:
                _about(context, draft)
                _show(current, draft, listed_designs.designed(
                    draft.experiment, draft.design, draft.n_lists, draft.landmarks
                ))
    except (ValueError, WorkspaceError) as error:  # DataError is one of the first
        with picture:
            show_error(error, st.warning)


def _chosen_experiment(current: Session) -> str:
    """Ask for a kept experiment whose questions are listed; empty for new questions."""
    kept = experiments.kept_experiments(services().workspace)
    if not kept:
        return ""
    titles = {experiment.slug: experiment.title for experiment in kept}
    return pick(current, f"{LIST}.of", "For", {"": "New questions"} | titles)


def _form(context: Context) -> _Draft:
    """Ask for everything of new questions."""
    current, info = context.session, context.session.dataset
    material = ask_for_objects(current, LIST, numbered=beginning(current).get("n_objects", 30))
    answers = current.answers() if info is not None else None
    of_data = answers is not None and [each.id for each in material.stimuli] == answers.ids
    begin = _BEGIN | (listed_designs.asked_as(answers) if of_data else {})
    of_data = of_data and not info.has_only_pairs
    form = ExperimentForm(current, LIST, begin)
    form.ask_for_task()
    form.begin_with_possible(material.stimuli)
    designs = listed_designs.DESIGNS | (listed_designs.FOLLOWING if of_data else {})
    if form.values["task"] != "triplet":
        of_triplets = (*listed_designs.KERNELS, *listed_designs.FOLLOWING)
        designs = {name: title for name, title in designs.items() if name not in of_triplets}
    design = pick(
        current, f"{LIST}.design", "Design", designs,
        help="The last three continue from the answers of the open data set.",
    )
    landmarks, options = None, {}
    if design in listed_designs.KERNELS and of_data and len(current.selection) >= 3 and pick(
        current, f"{LIST}.landmarks.from", "Landmarks are",
        {"random": "Drawn at random", "selection": "The selected objects"},
    ) == "selection":
        landmarks = np.array(current.selected_positions(answers))
    elif design in ("landmark", *listed_designs.KERNELS):
        form.ask("n_landmarks")
    if design in listed_designs.FOLLOWING:
        options = parameter_form(
            current, propose, f"{MAPS}.propose", hidden=("strategy", "landmarks", "seed")
        )
    if design not in listed_designs.KERNELS:
        form.ask("n_questions")
    n_lists = int(number(
        current, f"{LIST}.lists", "Lists", 1, 10_000, 1,
        help="For example one per participant. Several people can answer the same list.",
    ) or 1)
    with st.expander("Checks and practice", key=f"{LIST}.checks"):
        form.ask_for_checks()
    form.ask("seed")
    title, gold = f"{info.name}, new" if info else "Questions", form.values.pop("gold")
    experiment = Experiment(
        title=title, objects=material.stimuli, most_people=n_lists, **form.values
    )
    return _Draft(with_gold(experiment, gold), material, design, n_lists, options, landmarks)


def _about(context: Context, draft: _Draft) -> None:
    """What is to be known of a design."""
    if draft.design in _ABOUT:
        st.caption(_ABOUT[draft.design])
    if draft.design in listed_designs.KERNELS and context.session.dataset is not None:
        for design in recognise(context.session.triplets()):
            st.markdown(
                f"The open answers follow a design for {design.kernel} with "
                f"{count(len(design.landmarks), 'landmark')}: {design.n_asked:,} of "
                f"{design.n_possible:,} questions were asked."
            )


def _of_experiment(current: Session, slug: str) -> None:
    """The lists of an experiment as the page Collect asks them."""
    workspace = services().workspace
    experiment = experiments.load_experiment(workspace, slug)
    folder = experiments.experiment_folder(workspace, slug)
    n_lists = int(number(
        current, f"{LIST}.{slug}.lists", "Lists, one for each participant", 1, 10_000,
        min(experiment.most_people, 20),
    ) or 1)
    _preview(experiment, n_lists)
    files = {name: folder / STIMULI / name for name in experiment.files}
    take_away(current, LIST, experiment, n_lists, experiment.title, files)


def _following(context: UncertaintyContext, draft: _Draft) -> None:
    """Questions for the next batch; a simulation of what they bring."""
    if advice := advice_of(context.info, context.triplets, context.method):
        st.markdown(advice)
    by_uncertainty = draft.design in _ABOUT
    samples = context.newest("bootstrap") if by_uncertainty else None
    if by_uncertainty and samples is None:
        st.markdown(
            "These questions are selected by the uncertainty of the map, which has not been "
            "computed yet."
        )
        context.compute_button(
            f"{MAPS}.bootstrap.run", "Uncertainty", [(context.method, "bootstrap", {})],
            "Computes plausible maps.",
        )
    else:
        _about(context, draft)
        options = draft.options | {"strategy": draft.design, "seed": draft.experiment.seed}
        rows = _proposed(
            (edition_of(context.fit), edition_of(samples)), options,
            draft.experiment.n_questions * draft.n_lists, context, samples,
        )
        _show(context.session, draft, listed_designs.listed(draft.experiment, rows, draft.n_lists))
    if by_uncertainty:
        _simulation(context)


def _simulation(context: UncertaintyContext) -> None:
    st.header("Adaptive against random questions", anchor=False)
    st.markdown(
        "In Lohaus, Hennig and von Luxburg (2019), questions selected by uncertainty improved the "
        "prediction of answers slightly over random ones, but not that of clusters or classes. "
        "Simulate it for your objects and noise first."
    )
    run = context.result(
        context.method, "compare_active", "Simulates answers like yours to adaptively selected "
        "and to random questions.", newest=True,
    )
    context.present_or_promise(
        run, promise="Compute shows how much further answers would improve the map, with "
        "adaptively selected and with random questions.",
    )


@st.cache_data(max_entries=16, show_spinner="Selecting questions")
def _proposed(
    key: tuple, options: dict[str, Any], n: int, _context: UncertaintyContext, _samples: Run | None
) -> np.ndarray:
    return propose(
        _context.method, _context.triplets, n, **options,
        samples=_samples.samples() if _samples else None,
    )


def _show(current: Session, draft: _Draft, experiment: Experiment) -> None:
    """The list, and where it can be taken."""
    files = draft.material.files
    _preview(experiment, draft.n_lists)
    take_away(current, LIST, experiment, draft.n_lists, experiment.title, files)
    if not {*experiment.files} <= {*files}:
        return
    if pressed(
        current, f"{LIST}.make", "Make an experiment", icon=":material/how_to_vote:",
        help="Makes an experiment with these questions on the page Collect.",
    ):
        slug = experiments.keep_experiment(services().workspace, experiment, files)
        choose_experiment(current, slug)
        open_page("collect", "making")
    ids = {*current.answers().ids} if current.dataset is not None else set()
    if ids.issuperset(stimulus.id for stimulus in experiment.objects) and pressed(
        current, f"{LIST}.model", "Let a model answer", icon=":material/smart_toy:",
        help="Features or a language model, on the page Features and models.",
    ):
        slug = experiments.keep_experiment(services().workspace, experiment, files)
        set_widgets(current, {QUESTIONS_OF: slug, LISTS: draft.n_lists})
        open_page("features", "observer")


@st.cache_data(max_entries=8, show_spinner="Balancing the list")
def _first_list(_experiment: Experiment, key: str) -> list[Question]:
    return person_list(_experiment, 0).questions


def _preview(experiment: Experiment, n_lists: int) -> None:
    """The first list in numbers, and its first questions."""
    fixed = experiment.changed(source="balanced") if experiment.is_adaptive else experiment
    questions = [
        question for question in _first_list(fixed, experiment_key(fixed)) if question.item is None
    ]
    kinds = [question.kind for question in questions]
    facts = st.columns(4)
    facts[0].metric("Questions", f"{kinds.count('question'):,}")
    facts[1].metric("Repeats", f"{kinds.count('repeat'):,}")
    facts[2].metric("Checks", f"{sum(kind in CHECKS for kind in kinds):,}")
    facts[3].metric(
        "Minutes", f"{len(questions) * _SECONDS / 60:.0f}", help=f"At {_SECONDS} seconds a "
        "question.",
    )
    if n_lists > 1:
        st.caption(f"In the first of {n_lists:,} lists.")
    if "question" not in kinds:
        return
    rows = [question.shown for question in questions if question.kind == "question"]
    st.markdown(f"Every object is {_roles(experiment, rows)}. For example:")
    st.markdown(_examples(experiment, rows[:_PREVIEW]))
    if not (box := panels.folded("All rows", f"{LIST}.rows")):
        return
    with box:
        names = [f"object {k}" for k in range(1, len(rows[0]) + 1)]
        st.dataframe(
            [dict(zip(names, question.shown, strict=True)) | {"kind": question.kind}
             for question in questions[:10_000]],
            hide_index=True, placeholder="", key=f"{LIST}.rows", height=400,
        )


def _roles(experiment: Experiment, rows: Sequence[Sequence[str]]) -> str:
    """How often every object is the anchor, and an option."""
    is_anchored = ASKINGS[experiment.task].is_anchored
    options = Counter(name for row in rows for name in row[is_anchored:])
    text = f"an option {_between(experiment, options)}"
    if is_anchored:
        text = f"the anchor {_between(experiment, Counter(row[0] for row in rows))} and {text}"
    return text


def _examples(experiment: Experiment, rows: Sequence[Sequence[str]]) -> str:
    """Questions as a list in Markdown."""
    labels = {
        stimulus.id: f"**{panels.plain(stimulus.label or stimulus.id)}**"
        for stimulus in experiment.objects
    }
    shown = [[labels[name] for name in row] for row in rows]
    if experiment.task == "triplet":
        return "\n".join(f"- Is {a} more similar to {b} or to {c}?" for a, b, c in shown)
    return f"{ASKINGS[experiment.task].question}\n\n" + "\n".join(
        f"- {' · '.join(row)}" for row in shown
    )


def _between(experiment: Experiment, times: Counter[str]) -> str:
    counts = [times[stimulus.id] for stimulus in experiment.objects]
    low, high = min(counts), max(counts)
    return count(low, "time") if low == high else f"{low:,} to {high:,} times"
