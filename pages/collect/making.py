"""Make: what is shown, what is asked, and what participants read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from functools import partial
from pathlib import Path

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import Experiment, Stimulus
from tripletscope.core.studies.experiment.listed_designs import n_possible
from tripletscope.core.studies.experiment.question import ASKINGS
from tripletscope.dashboard.collect.following import has_answers, restart_server, stop_server
from tripletscope.dashboard.collect.running import NotStarted
from tripletscope.dashboard.collect.texts import page_texts
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store import experiments
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import doing, line, pressed
from tripletscope.dashboard.ui.elements import errors_shown, show_error
from tripletscope.dashboard.ui.experiment_form import ExperimentForm
from tripletscope.dashboard.ui.handover import choose_experiment
from tripletscope.dashboard.ui.page import go_to, tab
from tripletscope.dashboard.ui.stimuli import GivenObjects, ask_for_objects, with_pictures
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.collect.context import (
    PAGE,
    chosen_experiment,
    expected_of,
    note_unsaved,
    picture_beside_side,
)
from tripletscope.pages.collect.shown import example_of, question_as_shown
from tripletscope.pages.collect.texts import ask_for_texts, text_as_html

#: Counts new experiments, so that each begins with an empty form.
_TURN = f"{PAGE}.turn"
_EXAMPLE = f"{PAGE}.example"
_PROBLEM = f"{PAGE}.problem"
_LISTED = 200
#: What may be changed while people answer.
_FREE = ("title", "most_people", "return_address", "completion_code", "keep_until")


@tab(PAGE, "Make", 1, slot=None)
def show_making(context: Context) -> None:
    """Ask for everything, and show a question as it will be seen."""
    current, workspace = context.session, services().workspace
    kept = None
    if problem := current.drafts.pop(_PROBLEM, ""):
        show_error(problem)
    with context.row:
        slug = chosen_experiment(current, experiments.kept_experiments(workspace), new=True)
        if slug:
            with errors_shown(WorkspaceError):
                kept = experiments.load_experiment(workspace, slug)
            _more(current, slug, kept)
    if slug and kept is None:
        return
    picture, side = picture_beside_side(context, (5, 2))
    place = f"{PAGE}.{slug or 'new'}.{'' if slug else current.drafts.get(_TURN, 0)}"
    form = ExperimentForm(current, place, vars(kept) if kept else {})
    material = draft = None
    problem = ""
    with side:
        button = st.container()
        suggested = f"{current.dataset.name}, new" if current.dataset else "My experiment"
        title = form.begin.get("title") or suggested
        form.values["title"] = line(current, f"{place}.title", "Title", title, max_chars=120)
        try:
            material = ask_for_objects(current, place, kept, slug)
        except (DataError, WorkspaceError) as error:
            problem = str(error)
        _ask_further(form, material.stimuli if material else ())
    with picture:
        top = st.container()
        with st.expander("Texts that participants read", key=f"{PAGE}.texts"):
            texts, shown_text, preview = ask_for_texts(current, place, form.values, form.begin)
            if material is not None:
                material = with_pictures(current, place, material, kept)
    if material is not None:
        try:
            draft = form.experiment(material.stimuli, texts)
            expected_of(draft)  # that every question can be asked, such as with few landmarks
        except ValueError as error:  # of which DataError is one
            draft, problem = None, str(error)
    with top:
        if problem:
            problem = f"{problem[:1].upper()}{problem[1:].removesuffix('.')}."
            st.warning(panels.plain(problem), icon=":material/edit:")
        if draft is not None:
            _show(current, draft, material)
    if draft is not None:
        with preview:
            st.html(text_as_html(draft, shown_text, material.address))
        with picture:
            _objects(draft, material)
    with button:
        _save(current, slug, kept, draft, material, problem)


def _ask_further(form: ExperimentForm, stimuli: Sequence[Stimulus]) -> None:
    """Ask for all but title, objects and texts."""
    form.ask_for_questions(stimuli)
    with st.expander("Checks and practice", key=f"{PAGE}.checks"):
        form.ask_for_checks("fails")
    for title, ask in (
        ("Questionnaires", form.ask_for_questionnaires), ("Appearance", form.ask_for_appearance),
        ("Recruitment", form.ask_for_recruitment), ("More settings", form.ask_for_ending),
    ):
        with st.expander(title, key=f"{PAGE}.{title}"):
            ask()


def _more(current: Session, slug: str, kept: Experiment | None) -> None:
    """Copy and delete."""
    workspace = services().workspace
    with st.popover("More", icon=":material/more_horiz:"):
        if kept is not None and pressed(
            current, f"{PAGE}.copy.{slug}", "Copy", icon=":material/content_copy:",
            width="stretch", help="Everything but the answers.",
        ):
            choose_experiment(current, experiments.copy_experiment(workspace, slug))
            st.rerun()
        if pressed(
            current, f"{PAGE}.delete.{slug}", "Delete", icon=":material/delete:", width="stretch",
        ):
            panels.ask_to_delete(
                "this experiment", f"{kept.title if kept else slug} will be deleted, with all of "
                f"its answers. {workspace.trash.what_becomes}", partial(_delete, current, slug),
            )


def _delete(current: Session, slug: str) -> None:
    workspace = services().workspace
    folder = experiments.experiment_folder(workspace, slug)
    try:
        if folder is not None:
            stop_server(folder)
        experiments.delete_experiment(workspace, slug)
    except (NotStarted, WorkspaceError) as error:
        current.drafts[_PROBLEM] = str(error)
        return
    note_unsaved(current, slug, False)


def _show(current: Session, draft: Experiment, material: GivenObjects) -> None:
    """A question as participants see it, and how long they are at it."""
    turn = current.drafts.get(_EXAMPLE, 0)
    html, scale = question_as_shown(
        draft, page_texts(draft), example_of(draft, turn), material.address
    )
    st.html(html)
    expected = expected_of(draft)
    text = (
        f"{count(round(expected.n_asked), 'question')} for each participant, about "
        f"{max(expected.minutes, 1):.0f} min."
    )
    possible = draft.n_questions if ASKINGS[draft.task].is_table else n_possible(draft)
    if draft.n_questions > possible:
        text += f" There are {count(possible, 'different question')}: some are asked again."
    if scale < 1:
        text += f" Shown at {scale:.0%} of its size at most."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text, width="content")
        if pressed(current, f"{PAGE}.another", "Another question", type="tertiary"):
            current.drafts[_EXAMPLE] = turn + 1
            st.rerun()


def _objects(draft: Experiment, material: GivenObjects) -> None:
    """All objects as a table."""
    if not (box := panels.folded(count(len(draft.objects), "object"), f"{PAGE}.objects.table")):
        return
    with box:
        table = pd.DataFrame([
            {"picture": material.address(stimulus.content) if stimulus.medium == "picture" else
             None, **asdict(stimulus)} for stimulus in draft.objects[:_LISTED]
        ])
        if table["picture"].isna().all():
            table = table.drop(columns="picture")
        st.dataframe(
            table, hide_index=True, placeholder="", key=f"{PAGE}.objects.table", height=300,
            column_config={"picture": st.column_config.ImageColumn("", width="small")},
        )
        if len(draft.objects) > _LISTED:
            st.caption(f"The first {_LISTED:,} of {len(draft.objects):,}.")


def _save(
    current: Session, slug: str, kept: Experiment | None, draft: Experiment | None,
    material: GivenObjects | None, problem: str,
) -> None:
    """The button that keeps what the forms say."""
    changed = draft is not None and (draft != kept or bool(material.files))
    # What cannot be kept as it stands is not saved either.
    note_unsaved(current, slug, bool(slug) and (changed or draft is None))
    folder = experiments.experiment_folder(services().workspace, slug) if slug else None
    if slug and draft is not None and not changed:
        st.button(
            "Try it", key=f"{PAGE}.next", icon=":material/visibility:", width="stretch",
            on_click=go_to, args=(PAGE, "trying"), help="Everything is saved.",
        )
        return
    why = problem or "" if changed else "Nothing has changed."
    # Answers of before and after would be answers to different things.
    if changed and folder is not None and has_answers(folder) and any(
        getattr(kept, part.name) != getattr(draft, part.name)
        for part in fields(Experiment) if part.name not in _FREE
    ):
        why = "People have answered, so stimuli and questions can no longer change. Copy the " \
            "experiment to change them."
    if pressed(
        current, f"{PAGE}.save", "Save changes" if slug else "Make the experiment",
        type="primary", icon=":material/save:" if slug else ":material/add:", width="stretch",
        why=why,
    ):
        with errors_shown(WorkspaceError, NotStarted):
            _keep(current, slug, folder, draft, material)


def _keep(
    current: Session, slug: str, folder: Path | None, draft: Experiment, material: GivenObjects
) -> None:
    with doing(current, st.spinner("Saving")):
        new_slug = experiments.keep_experiment(
            services().workspace, draft, material.files, slug or None
        )
        if folder is not None:
            restart_server(folder)
        if not slug:
            current.drafts[_TURN] = current.drafts.get(_TURN, 0) + 1
            choose_experiment(current, new_slug)
    st.toast(f"Kept: {panels.plain(draft.title)}.")
    st.rerun()
