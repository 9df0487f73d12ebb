"""Make: what is shown, what is asked, and what participants read."""

from __future__ import annotations

from dataclasses import asdict, fields
from functools import partial

import pandas as pd
import streamlit as st

from tripletscope.core.data.errors import DataError
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.dashboard.collecting.following import (
    has_answers,
    restart_server,
    stop_server,
)
from tripletscope.dashboard.collecting.running import NotStarted
from tripletscope.dashboard.collecting.texts import page_texts
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pressed
from tripletscope.dashboard.keeping.dataset import WorkspaceError
from tripletscope.dashboard.keeping.experiments import (
    copy_experiment,
    delete_experiment,
    experiment_folder,
    keep_experiment,
    kept_experiments,
    load_experiment,
)
from tripletscope.dashboard.keeping.services import services
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.collect.context import (
    PAGE,
    choose_experiment,
    chosen_experiment,
    note_unsaved,
    picture_beside_side,
)
from tripletscope.dashboard.views.collect.expecting import expected_of
from tripletscope.dashboard.views.collect.forms import (
    ExperimentForm,
    ask_for_appearance,
    ask_for_checks,
    ask_for_ending,
    ask_for_questionnaires,
    ask_for_questions,
    ask_for_recruitment,
    drafted_experiment,
    line,
)
from tripletscope.dashboard.views.collect.objects import (
    GivenObjects,
    ask_for_objects,
    with_pictures,
)
from tripletscope.dashboard.views.collect.shown import example_of, question_as_shown
from tripletscope.dashboard.views.collect.texts import ask_for_texts, text_as_html
from tripletscope.dashboard.views.context import Context
from tripletscope.dashboard.views.page import go_to, tab
from tripletscope.dashboard.wording.formats import count

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
    listed = kept_experiments(workspace)
    kept = None
    problem = current.drafts.pop(_PROBLEM, "")
    if problem:
        st.error(panels.plain(problem), icon=":material/error:")
    with context.row:
        slug = chosen_experiment(current, listed, new=True)
        if slug:
            try:
                kept = load_experiment(workspace, slug)
            except WorkspaceError as error:
                st.error(panels.plain(str(error)), icon=":material/error:")
            _more(current, slug, kept)
    if slug and kept is None:
        return
    picture, side = picture_beside_side(context, (5, 2))
    place = f"{PAGE}.{slug or 'new'}.{'' if slug else current.drafts.get(_TURN, 0)}"
    begin = vars(kept) if kept else {}
    material = draft = None
    problem = ""
    with side:
        button = st.container()
        asked = ExperimentForm(current, place, begin)
        default = begin.get("title") or _suggested(current)
        asked.values["title"] = line(current, f"{place}.title", "Title", default, max_chars=120)
        try:
            material = ask_for_objects(current, place, kept, slug)
        except (DataError, WorkspaceError) as error:
            problem = str(error)
        ask_for_questions(asked)
        with st.expander("Checks and practice"):
            ask_for_checks(asked, "fails")
        with st.expander("Questionnaires"):
            ask_for_questionnaires(asked)
        with st.expander("Appearance"):
            ask_for_appearance(asked)
        with st.expander("Recruitment"):
            ask_for_recruitment(asked)
        with st.expander("More settings"):
            ask_for_ending(asked)
    with picture:
        top = st.container()
        with st.expander("Texts that participants read"):
            texts, shown_text, preview = ask_for_texts(current, place, asked.values, begin)
            if material is not None:
                material = with_pictures(current, place, material, kept)
    if material is not None:
        try:
            draft = drafted_experiment(asked.values, material.stimuli, begin, texts)
            expected_of(draft)  # that every question can be asked, such as with few landmarks
        except ValueError as error:  # of which DataError is one
            draft, problem = None, str(error)
    with top:
        if problem:
            st.warning(panels.plain(_sentence(problem)), icon=":material/edit:")
        if draft is not None:
            _show(current, draft, material)
    if draft is not None:
        with preview:
            st.html(text_as_html(draft, shown_text, material.address))
        with picture:
            _objects(draft, material)
    with button:
        _save(current, slug, kept, draft, material)


def _suggested(current: Session) -> str:
    return f"{current.dataset.name}, new" if current.dataset else "My experiment"


def _sentence(problem: str) -> str:
    problem = f"{problem[:1].upper()}{problem[1:]}"
    return problem if problem.endswith(".") else f"{problem}."


def _more(current: Session, slug: str, kept: Experiment | None) -> None:
    """Copy and delete."""
    with st.popover("More", icon=":material/more_horiz:"):
        if kept is not None and pressed(
            current, f"{PAGE}.copy.{slug}", "Copy", icon=":material/content_copy:",
            width="stretch", help="Everything but the answers.",
        ):
            choose_experiment(current, copy_experiment(services().workspace, slug))
            st.rerun()
        if pressed(
            current, f"{PAGE}.delete.{slug}", "Delete", icon=":material/delete:", width="stretch",
        ):
            _ask_to_delete(current, slug, kept)


def _ask_to_delete(current: Session, slug: str, kept: Experiment | None) -> None:
    workspace = services().workspace
    title = kept.title if kept else slug
    panels.ask_to_delete(
        "this experiment", f"{title} will be deleted, with all of its answers. "
        f"{workspace.trash.what_becomes}", partial(_delete, current, slug),
    )


def _delete(current: Session, slug: str) -> None:
    workspace = services().workspace
    folder = experiment_folder(workspace, slug)
    try:
        if folder is not None:
            stop_server(folder)
        delete_experiment(workspace, slug)
    except (NotStarted, WorkspaceError) as error:
        current.drafts[_PROBLEM] = str(error)
        return
    note_unsaved(current, slug, False)


def _show(current: Session, draft: Experiment, material: GivenObjects) -> None:
    """A question as participants see it, and how long they are at it."""
    turn = current.drafts.get(_EXAMPLE, 0)
    shown, scale = question_as_shown(
        draft, page_texts(draft), example_of(draft, turn), material.address
    )
    st.html(shown)
    takes = expected_of(draft)
    about = (
        f"{count(round(takes.n_asked), 'question')} for each participant, about "
        f"{max(takes.minutes, 1):.0f} min."
    )
    if scale < 1:
        about += f" Shown at {scale:.0%} of its size at most."
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(about, width="content")
        if pressed(current, f"{PAGE}.another", "Another question", type="tertiary"):
            current.drafts[_EXAMPLE] = turn + 1
            st.rerun()


def _objects(draft: Experiment, material: GivenObjects) -> None:
    """All objects as a table."""
    with st.expander(count(len(draft.objects), "object")):
        rows = [
            {"picture": material.address(one.content) if one.medium == "picture" else None,
             **asdict(one)} for one in draft.objects[:_LISTED]
        ]
        table = pd.DataFrame(rows)
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
    material: GivenObjects | None,
) -> None:
    """The button that keeps what the forms say."""
    changed = draft is not None and (draft != kept or bool(material.files))
    # What cannot be kept as it stands is not saved either.
    note_unsaved(current, slug, bool(slug) and (changed or draft is None))
    folder = experiment_folder(services().workspace, slug) if slug else None
    if slug and draft is not None and not changed:
        st.button(
            "Try it", key=f"{PAGE}.next", icon=":material/visibility:", width="stretch",
            on_click=go_to, args=(PAGE, "trying"), help="Everything is saved.",
        )
        return
    held = changed and folder is not None and has_answers(folder) and _of_answers(kept, draft)
    if held:
        st.info(
            "People have answered, so stimuli and questions can no longer change. Copy the "
            "experiment to change them.", icon=":material/lock:",
        )
    wanted = pressed(
        current, f"{PAGE}.save", "Save changes" if slug else "Make the experiment",
        type="primary", icon=":material/save:" if slug else ":material/add:", width="stretch",
        disabled=held or not changed,
    )
    if not wanted or held or not changed:
        return
    try:
        made = keep_experiment(services().workspace, draft, material.files, slug or None)
        if folder is not None:
            with st.spinner("Saving"):
                restart_server(folder)
    except (WorkspaceError, NotStarted) as error:
        st.error(panels.plain(str(error)), icon=":material/error:")
        return
    if not slug:
        current.drafts[_TURN] = current.drafts.get(_TURN, 0) + 1
        choose_experiment(current, made)
    st.toast(f"Kept: {panels.plain(draft.title)}.")
    st.rerun()


def _of_answers(kept: Experiment, draft: Experiment) -> bool:
    """Whether a change would make answers of before and after it answers to different things."""
    return any(
        getattr(kept, one.name) != getattr(draft, one.name)
        for one in fields(Experiment) if one.name not in _FREE
    )
