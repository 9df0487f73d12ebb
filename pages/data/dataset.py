"""What an open data set holds, and how more is added to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from tripletscope.core.data.quadruples import Quadruples
from tripletscope.core.data.triplets import ANCHOR, FAR, NEAR, Answers
from tripletscope.core.reading import attach_objects, attach_pictures
from tripletscope.core.studies.quality import Cleaning, Exclusion
from tripletscope.core.writing import WRITERS, write_pairs
from tripletscope.dashboard.figures.answers import histogram
from tripletscope.dashboard.figures.theme import Canvas
from tripletscope.dashboard.files import export
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.results.drawing import Drawing
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.dataset import DatasetInfo
from tripletscope.dashboard.store.services import services
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.context import Context
from tripletscope.dashboard.ui.controls import button, picture_uploader, pressed
from tripletscope.dashboard.ui.dataset_actions import delete, rename
from tripletscope.dashboard.ui.dataset_words import about, answer_table
from tripletscope.dashboard.ui.elements import CHOOSE_ROWS, csv_button, errors_shown
from tripletscope.dashboard.ui.guide import page_title
from tripletscope.dashboard.ui.page import tab
from tripletscope.dashboard.ui.pictures import picture_addresses
from tripletscope.dashboard.ui.reading import read_file, read_pictures
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data.archive_form import take_away
from tripletscope.pages.data.excluding import exclude_and_show

PAGE = "data"
_GALLERY = 60


def show_head(current: Session, info: DatasetInfo, tab: str) -> None:
    """Name of a data set, with help on a tab, and what can be done with all of it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        page_title(panels.plain(info.name), PAGE, tab=tab)
        with st.popover("Download all", icon=":material/folder_zip:", key="away"):
            take_away(current, info)
        with st.popover("Rename or delete", icon=":material/edit:"):
            rename(info)
            if pressed(current, f"delete.{info.id}", "Delete", icon=":material/delete:"):
                delete(info)


def show_about(context: Context) -> None:
    """How often objects were asked about, how fast people answered, and how the file was read."""
    info, answers = context.info, context.answers
    left, right = st.columns(2)
    with left:
        _histogram(
            context, "Answers per object", answers.answers_per_object, "occurrence",
            alt="Histogram of the number of answers per object",
            table=lambda: _object_table(answers), title="answers per object", of="objects",
        )
    times = answers.answers.get("response_time")
    if times is not None and np.isfinite(times).any():
        with right:
            _histogram(
                context, "Response times", times.to_numpy(), "times",
                alt="Histogram of response times, logarithmic",
                table=lambda: pd.DataFrame({"response_time_s": times}),
                title="response time (s)", of="answers", logarithmic=True,
            )
    st.markdown("**How the file was read**")
    for line in info.report:
        st.markdown(f"- {panels.plain(line)}")
    _gallery(info, answers)


def _histogram(
    context: Context, heading: str, values: np.ndarray, name: str, *, alt: str,
    table: Callable[[], pd.DataFrame], **axis: Any,
) -> None:
    st.markdown(f"**{heading}**")
    drawing = Drawing(name, heading, "", alt, 260 / 560, lambda canvas: histogram(
        values, caption=about(context.info), canvas=canvas, **axis
    ), table)
    panels.figure_panel(
        context.session, drawing, key=f"data.{name}", canvas=Canvas(560.0, 260.0),
        name=f"{context.info.name}-{heading.lower().replace(' ', '-')}",
    )


def _gallery(info: DatasetInfo, answers: Answers) -> None:
    addresses = picture_addresses(info, answers.objects, 128)
    if not addresses:
        return
    st.markdown(f"**{count(len(addresses), 'picture')}**")
    with st.container(horizontal=True, vertical_alignment="center"):
        for i in list(addresses)[:_GALLERY]:
            file = info.pictures[answers.objects["image"][i]]
            try:
                path = services().workspace.picture(file, 128)
            except WorkspaceError as error:
                st.error(panels.plain(f"{answers.labels[i]}: {error}"))
                continue
            st.image(str(path), width=72, caption=panels.plain(answers.labels[i]), alt="")
    if len(addresses) > _GALLERY:
        st.caption(f"and {len(addresses) - _GALLERY:,} more")


def _object_table(answers: Answers) -> pd.DataFrame:
    table = answers.objects
    if isinstance(answers, Quadruples):
        table["answers"] = answers.answers_per_object
        return table
    for name, role in (("as anchor", ANCHOR), ("as nearer", NEAR), ("as farther", FAR)):
        table[name] = np.bincount(answers.rows[:, role], minlength=answers.n_objects)
    return table


@tab(PAGE, "Objects", 4, slot=None)
def show_objects(context: Context) -> None:
    """The table of objects."""
    current, info, answers = context.session, context.info, context.answers
    table = _object_table(answers)
    addresses = picture_addresses(info, answers.objects, 64)
    if addresses:
        table.insert(0, "picture", [addresses.get(i, "") for i in range(len(table))])
    rows = st.dataframe(
        table.drop(columns="image", errors="ignore"), key="data.objects", hide_index=True,
        height=520, on_select="rerun", selection_mode="multi-row",
        column_config={"picture": st.column_config.ImageColumn("", width="small")},
    ).selection.rows
    with st.container(horizontal=True, vertical_alignment="center"):
        button(
            "Select these objects", why="" if rows else CHOOSE_ROWS,
            on_click=current.select_positions, args=(rows,),
            help="Selected objects are marked on every page.",
        )
        csv_button("CSV", lambda: table.drop(columns="picture", errors="ignore"),
                   f"{info.name}-objects", "data.objects.csv")


@tab(PAGE, "Answers", 5, slot=None)
def show_answers(context: Context) -> None:
    """The answers in words, and in every layout that can be written."""
    current, info, answers = context.session, context.info, context.answers
    shown = min(len(answers), 100_000)
    if shown < len(answers):
        st.caption(f"The first {shown:,} of {len(answers):,} answers; a download has all.")
    rows = st.dataframe(
        answer_table(answers, np.arange(shown)), key="data.answers", height=520,
        on_select="rerun", selection_mode="multi-row",
    ).selection.rows
    with st.container(horizontal=True, vertical_alignment="center"):
        button(
            "Exclude these answers", icon=":material/filter_alt:", why="" if rows else CHOOSE_ROWS,
            on_click=exclude_rows, args=(current, info, rows),
            help="First shows what would be removed.",
        )
        if isinstance(answers, Quadruples):
            st.download_button(
                "CSV", lambda: write_pairs(answers),
                export.file_name(info.name, "answers.csv"), "text/csv", key="answers.pairs",
                on_click="ignore", icon=":material/download:",
                help="The columns of R's MLDS: resp, S1 to S4, and the response metadata.",
            )
            return
        with st.popover("Download", icon=":material/download:", key="answers.download"):
            for writer in WRITERS.values():
                problem = writer.problem(answers)
                button(
                    writer.title, partial(writer, answers),
                    export.file_name(info.name, f"answers{writer.suffix}"), writer.media_type,
                    key=f"answers.{writer.name}", on_click="ignore", width="stretch",
                    kind=st.download_button, why=problem, help=writer.help,
                )


def exclude_rows(current: Session, info: DatasetInfo, rows: list[int]) -> None:
    """Leave out answers by their rows among those in use."""
    kept = np.flatnonzero(services().workspace.cleaning(info).kept)
    exclude_and_show(current, info, Exclusion(answers=tuple(kept[rows].tolist())))


@tab(PAGE, "Add", 6, slot=None)
def show_additions(context: Context) -> None:
    """More about the objects: a table, pictures."""
    st.write(
        "Stimulus metadata can be added at any time: a table with one row per object, and pictures "
        "named after the objects. Existing maps stay valid."
    )
    left, right = st.columns(2, gap="large")
    with left:
        if table := st.file_uploader("Stimulus metadata", key="add.objects"):
            _add_table(context, table)
    with right:
        if files := picture_uploader("add.pictures"):
            _add_pictures(context, files)


def _add_table(context: Context, file: Any) -> None:
    with errors_shown(file=file.name):
        described = read_file(context.session, "add.objects", file, "objects")
        bases = {None: "ids", 0: "row numbers from 0", 1: "row numbers from 1"}
        base = st.selectbox(
            "Objects in the answers are", list(bases), format_func=lambda b: bases[b],
            key="add.base",
        )
        cleaning = services().workspace.cleaning(context.info)
        changed, match = attach_objects(cleaning.raw, described, base)
        _add(context, "objects", "columns", match.summary(), replace(cleaning, raw=changed))


def _add_pictures(context: Context, files: list) -> None:
    with errors_shown():
        pictures, notes = read_pictures(context.session, "add.pictures", files)
        cleaning = services().workspace.cleaning(context.info)
        changed, match = attach_pictures(cleaning.raw, pictures)
        lines = match.summary() + notes
        _add(context, "pictures", "pictures", lines, replace(cleaning, raw=changed), pictures)


def _add(
    context: Context, kind: str, what: str, lines: Sequence[str], cleaning: Cleaning,
    *pictures: Mapping[str, bytes],
) -> None:
    """What the files have of which objects, and the button that adds it."""
    for line in lines:
        st.markdown(f"- {panels.plain(line)}")
    if pressed(context.session, f"add.{kind}.go", f"Add these {what}", type="primary"):
        services().workspace.update_dataset(context.info, cleaning, *pictures)
        st.toast("Added.")
        st.rerun()
