"""How an uploaded file is going to be read, before it is kept."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import cycle
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
import streamlit as st

from tripletscope.core.engine.progress import Progress
from tripletscope.core.reading import (
    CHOICE_CODINGS,
    INDEX_BASES,
    RESPONSE_TIME_UNITS,
    ROLES,
    TASKS,
    Reading,
    can_be_kept,
)
from tripletscope.core.reading.columns.reading import ROW_ROLES
from tripletscope.core.reading.formats.encoding import ENCODINGS, GUESSED
from tripletscope.dashboard.sandbox.records import Album, Look, Opened, Sheet
from tripletscope.dashboard.state import Session, widgets
from tripletscope.dashboard.store.feature_tables import LONGEST
from tripletscope.dashboard.store.uploads import Upload
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import doing, picture_uploader, pressed
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.ui.first_look import look_first
from tripletscope.dashboard.ui.page import open_page
from tripletscope.dashboard.upload import ingest, waiting_upload
from tripletscope.dashboard.words import distinct
from tripletscope.dashboard.words.formats import count
from tripletscope.pages.data.asking import assigned_values, exchanged_options, show_question
from tripletscope.pages.data.direction import show_direction

T = TypeVar("T")

_NONE = "—"
_BY_VALUE = "assigned"
_COPIES = {None: "count once, and are mentioned", False: "count once",
           True: "are answers of their own"}
_APART = {None: "is one person, and is mentioned", True: "is another person in each",
          False: "is one person"}
_FEW = 3  # files that are left out, each with a message of its own
_FEW_COLUMNS = 12  # without a role, which are listed without being asked for
_DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", " ": "space"}


def show_reading(current: Session, upload: Upload) -> None:
    """Sentences, report and the form to change the reading; Keep or Discard."""
    st.title(f"Reading {panels.plain(upload.name)}", anchor=False)
    opened = _answered(lambda progress: waiting_upload.opened(upload, progress=progress))
    if opened is None:
        _decide(current, upload, None)
        return
    _files(opened.sheet)
    picture, form = st.columns([3, 2], gap="large")
    with form:
        upload = _form(current, upload, opened)
    with picture:
        look = _answered(lambda progress: waiting_upload.look(upload, progress))
        if look is not None:
            if upload.asked:
                show_question(current, upload, _emphasised)
            else:
                _sentences(current, upload, opened, look)
                st.markdown(f"**{panels.plain(look.report[0])}**")
                for line in look.report[1:]:
                    st.markdown(f"- {panels.plain(line)}")
        _decide(current, upload, look)
        _companions(current, upload, opened, look)
        st.header("The file", anchor=False)
        st.caption(panels.plain(" ".join(opened.sheet.notes)))
        st.dataframe(opened.sheet.preview(), height=240, key="preview")


def _answered(ask: Callable[[Progress], T]) -> T | None:
    """What is read, or None, having said why not."""
    with errors_shown(), panels.reporting("Reading") as progress:
        return ask(progress)


def _changed(current: Session, upload: Upload, **changes: Any) -> Upload:
    """The upload with changes, which hold on this page even where the disk is full."""
    with errors_shown(show=st.warning, icon="hard_drive"):
        return waiting_upload.change(current.id, upload, **changes)
    return replace(upload, **changes)


def _files(table: Sheet) -> None:
    """Of several files: which are read, and which are not."""
    n = len(table.refused)
    if n > _FEW:
        st.warning(
            f"{n:,} of {n + len(table.files):,} files were omitted.", icon=":material/draft:"
        )
        if box := panels.folded("Which, and why", "import.refused"):
            box.dataframe(
                pd.DataFrame(table.refused.items(), columns=["file", "because"]), hide_index=True
            )
    else:
        for path, why in table.refused.items():
            st.warning(panels.plain(f"{path} was omitted: {why}."), icon=":material/draft:")
    title = f"{count(len(table.files), 'file')} read as one table"
    if table.files and (box := panels.folded(title, "import.together")):
        box.caption(panels.plain(", ".join(table.files)))


def _sentences(current: Session, upload: Upload, opened: Opened, look: Look) -> None:
    st.header("Is this what participants responded?", anchor=False)
    show_direction(current, upload)
    for sentence in look.sentences:
        with st.container(border=True):
            st.markdown(_emphasised(sentence.text))
            if any(picture is not None for picture in sentence.pictures):
                columns = st.columns(5)
                for column, picture, part in zip(
                    columns, sentence.pictures, sentence.parts, strict=False
                ):
                    if picture is not None:
                        column.image(io.BytesIO(picture), caption=part)
            st.caption(f"Row {sentence.row:,} of {'its' if opened.sheet.files else 'the'} file")


def _emphasised(text: str) -> str:
    """The sentence with its objects in italics, and nothing else interpreted."""
    return "".join(
        f"*{panels.plain(part)}*" if i % 2 and part else panels.plain(part)
        for i, part in enumerate(text.split("*"))
    ) + "."


def _decide(current: Session, upload: Upload, look: Look | None) -> None:
    # The buttons are of this upload: another tab may have replaced it since they were drawn.
    # In view wherever the page is: what decides is looked at, and may be long.
    row = st.bottom.form("keep", border=False).container(
        horizontal=True, vertical_alignment="bottom"
    )
    with row:
        name = st.text_input(
            "Name of the data set", ingest.suggested_name(upload.name), max_chars=LONGEST, width=320
        )
        kept = pressed(
            current, f"keep.go.{upload.id}", "Keep this data set", kind=st.form_submit_button,
            type="primary", icon=":material/check:", shortcut="Mod+Enter",
            why="Say first what the file is." if upload.asked else
            "The file cannot be read like this." if look is None else "",
        )
        dropped = pressed(
            current, f"keep.not.{upload.id}", "Discard", kind=st.form_submit_button,
            icon=":material/close:",
        )
    if kept and look is not None and not upload.asked:
        with errors_shown():
            with doing(current, panels.reporting("Keeping")) as progress:
                info = ingest.accept(current.id, upload, name.strip() or upload.name, progress)
                current.open(info.id)
                current.arrived = info.id
            look_first(info)
    elif dropped:
        waiting_upload.discard(current.id, upload)
        open_page("start")


def _companions(current: Session, upload: Upload, opened: Opened, look: Look | None) -> None:
    with st.expander("Add stimulus metadata or pictures", key="import.companions"):
        st.caption(
            "A table with one row per object (ids, labels, categories, a physical value), and "
            "pictures named after the objects. Both can also be added later."
        )
        table = st.file_uploader("Stimulus metadata", key="import.objects")
        if table is not None and table.file_id != widgets().get("import.objects.seen"):
            _add(current, upload, "objects", [table], table.file_id, file=table.name)
        files = picture_uploader("import.pictures")
        fresh = {file.file_id for file in files}
        if fresh and fresh != widgets().get("import.pictures.seen"):
            _add(current, upload, "pictures", files, fresh, words="Reading the pictures")
        if about := opened.objects:
            st.caption(panels.plain(
                f"{about.name}: {count(about.n_objects, 'object')} with columns "
                f"{', '.join(about.columns)}."
            ))
        if opened.album:
            _matched(opened.album, look)


def _add(
    current: Session, upload: Upload, kind: str, files: list[Any], identity: Any, *,
    file: str = "", words: str = "Reading",
) -> None:
    """Take files along, once; the page runs anew where they could be read."""
    contents = [(each.name, each.getvalue()) for each in files]
    with errors_shown(file=file):
        with panels.reporting(words) as progress:
            waiting_upload.add(current.id, upload, kind, contents, progress)
        widgets()[f"import.{kind}.seen"] = identity
        st.rerun()


def _matched(album: Album, look: Look | None) -> None:
    """Which objects have no picture, and which pictures belong to no object."""
    st.caption(panels.plain(" ".join([f"{count(len(album), 'picture')} added.", *album.lines])))
    if look is None:
        return
    for items, title in (
        (look.missing, "Objects without a picture"),
        (look.unused, "Pictures that belong to no object"),
    ):
        if items:
            st.dataframe(
                pd.DataFrame({f"{title} ({len(items):,})": items}), hide_index=True,
                height=min(35 * len(items) + 38, 180),
            )


def _form(current: Session, upload: Upload, opened: Opened) -> Upload:
    """Ask how the file is read; the upload with what was said."""
    st.header("How the file is read", anchor=False)
    upload = _layout(current, upload)
    task = _select(
        "Task", {name: task.title for name, task in TASKS.items()}, upload.reading.task,
        f"task.{upload.version}", _explained(TASKS.values()),
    )
    reading = replace(upload.reading, task=task)
    names = _roles(reading, upload.version)
    # What no column was taken for is folded away.
    needed, found = names.index("participant"), upload.readings[upload.chosen].roles
    shown = [name for k, name in enumerate(names) if k <= needed or found.get(name)]
    roles = {name: reading.roles.get(name) for name in names}
    roles |= _columns(reading, opened.sheet, shown, st, upload.version)
    further = [name for name in names if name not in shown]
    if further and (box := panels.folded("Other columns", "import.roles")):
        roles |= _columns(reading, opened.sheet, further, box, upload.version)
    reading = replace(reading, roles={name: column for name, column in roles.items() if column})
    reading = replace(reading, keep=_kept(opened.sheet, reading, upload.version))
    reading = _codings(upload, opened, reading)
    if reading != upload.reading:
        upload = _changed(current, upload, reading=reading, asked=(), others=())
    if box := panels.folded("Rows and columns", "import.shape"):
        with box:
            _shape(current, upload, opened.sheet)
    if box := panels.folded("Save or load how a file is read", "import.reading"):
        with box:
            _keep(current, upload)
    return upload


def _layout(current: Session, upload: Upload) -> Upload:
    titles = distinct(reading.title for reading in upload.readings)
    if len(titles) > 1:
        chosen = st.selectbox(
            "Layout", range(len(titles)), upload.chosen, format_func=lambda k: titles[k],
            key=f"layout.{upload.version}",
            help="The possible layouts of the file, the most probable first.",
        )
        if chosen != upload.chosen:
            upload = _changed(current, upload, **upload.begun_from(upload.readings[chosen]))
    else:
        st.markdown(f"Layout: **{panels.plain(upload.reading.title)}**")
    st.caption(panels.plain(" ".join(upload.reading.reasons)))
    return upload


def _explained(options: Iterable[Any]) -> str:
    return "\n\n".join(f"**{option.title}**: {option.help}" for option in options)


def _roles(reading: Reading, version: str) -> list[str]:
    """Roles that the form asks for."""
    if TASKS[reading.task].objects != TASKS["nearer"].objects or reading.is_counted:
        return list(reading.asked)
    coded = st.radio(
        "Each row contains", [True, False], index=0 if reading.is_coded else 1,
        format_func=lambda c: "two options and the response" if c else "the nearer and the farther",
        key=f"coded.{version}", horizontal=True,
    )
    chosen, hidden = ("left", "right", "choice"), ("near", "far", *ROW_ROLES)
    if not coded:
        chosen, hidden = hidden, chosen
    return [
        role for role in ROLES if role in chosen or (role in reading.asked and role not in hidden)
    ]


def _columns(
    reading: Reading, table: Sheet, roles: Sequence[str], box: Any, version: str
) -> dict[str, str | None]:
    """Ask for the columns of roles, two in a row."""
    chosen = {}
    for role, place in zip(roles, cycle(box.columns(2)), strict=False):
        with place:
            chosen[role] = _role(reading, table, role, version)
    return chosen


def _role(reading: Reading, table: Sheet, role: str, version: str) -> str | None:
    options = [_NONE, *table.candidates(role)]
    present = reading.roles.get(role, _NONE)
    if present not in options:
        options.append(present)
    chosen = st.selectbox(
        ROLES[role].title, options, index=options.index(present), help=ROLES[role].help,
        key=f"role.{role}.{version}",
    )
    return None if chosen == _NONE else chosen


def _kept(table: Sheet, reading: Reading, version: str) -> tuple[str, ...]:
    """Further columns that go along with the answers."""
    options = can_be_kept(table, reading)
    kept = tuple(c for c in reading.keep if c in options)
    place: Any = st
    if len(options) > _FEW_COLUMNS:  # a list of so many hides the rest of the form
        place = panels.folded(f"{len(options):,} further columns", "import.kept")
    if not options or place is None:
        return kept
    return tuple(place.multiselect(
        "Response metadata", options, kept, key=f"keep.{version}", placeholder="None",
        help="Further columns to keep, such as a condition. Those whose values recur can be "
        "compared on the pages Scale and Compare.",
    ))


def _codings(upload: Upload, opened: Opened, reading: Reading) -> Reading:
    changes: dict[str, Any] = {}
    version = upload.version
    if "choice" in reading.roles:
        codings = CHOICE_CODINGS.values()
        by_value = not isinstance(reading.choice_coding, str | None)
        coding = _select(
            "Response coding",
            {None: _NONE, **{c.name: c.title for c in codings}, _BY_VALUE: "Value by value"},
            _BY_VALUE if by_value else reading.choice_coding, f"coding.{version}",
            _explained(codings),
        )
        if coding == _BY_VALUE:
            reading = assigned_values(upload, reading, version)
        else:
            changes["choice_coding"] = coding
        reading = exchanged_options(upload, reading, version)
    if "response_time" in reading.roles:
        changes["response_time_unit"] = _select(
            "Unit of the response time", {None: "from the values", **RESPONSE_TIME_UNITS},
            reading.response_time_unit, f"unit.{version}",
        )
    changes["copies"] = _select(
        "Rows that repeat another one", _COPIES, reading.copies, f"copies.{version}",
        "Rows that are equal in all columns: an export that was appended to itself, or a file "
        "that was given twice, would make everything look surer than it is.",
    )
    if opened.sheet.files and "participant" in reading.roles:
        changes["apart"] = _select(
            "The same id in several files", _APART, reading.apart, f"apart.{version}",
            "Whether participants of several files who have the same id are the same people.",
        )
    if opened.objects is not None:
        changes["index_base"] = _select(
            "Object numbers are", INDEX_BASES, reading.index_base, f"base.{version}",
            "Whether the numbers in the answers are ids, or row numbers of the table of objects.",
        )
    return replace(reading, **changes)


def _select(label: str, options: dict, present: Any, key: str, text: str | None = None) -> Any:
    # By number, because a selectbox takes an option that is None for no choice at all.
    values, labels = list(options), list(options.values())
    chosen = st.selectbox(
        label, range(len(values)), index=values.index(present), key=key, help=text,
        format_func=lambda k: labels[k],
    )
    return values[chosen]


def _shape(current: Session, upload: Upload, table: Sheet) -> None:
    if table.encoding is None:
        st.caption("The file format itself defines rows and columns.")
        return
    before = {
        "header": table.header, "delimiter": table.delimiter, "encoding": None, **upload.shape
    }
    shape = {**before, "header": st.toggle("Header row", before["header"], key="header")}
    if table.delimiter is not None:
        shape["delimiter"] = _select(
            "Columns are separated by", _DELIMITERS, before["delimiter"], "delimiter"
        )
    if not table.encoding.startswith("utf"):
        before["encoding"] = before["encoding"] or table.encoding
        names = dict.fromkeys((*GUESSED, before["encoding"]))
        shape["encoding"] = _select(
            "Encoding", {name: ENCODINGS.get(name, name) for name in names}, before["encoding"],
            "encoding", "How letters are stored. It was guessed from the names: choose another "
            "one if they look wrong.",
        )
        if table.examples:
            st.caption(panels.plain(f"Names as read: {', '.join(table.examples)}"))
    # What was asked for is compared, not what came of it, or there would be no end.
    if shape != before:
        with errors_shown():
            with panels.reporting("Reading") as progress:
                waiting_upload.cut(current.id, upload, shape, progress)
            st.rerun()


def _keep(current: Session, upload: Upload) -> None:
    st.caption(
        "Each data set stores how its file was read and offers it for the next file with the same "
        "columns. Saved as a file, it can be used on another computer."
    )
    st.download_button(
        "Download", json.dumps(upload.reading.to_dict(), indent=2),
        f"{Path(upload.name).stem}-reading.json", "application/json", on_click="ignore",
        icon=":material/download:",
    )
    file = st.file_uploader("Load", type="json", key="import.reading")
    if file is not None and file.file_id != widgets().get("import.reading.seen"):
        widgets()["import.reading.seen"] = file.file_id
        with errors_shown():
            waiting_upload.load_reading(current.id, upload, file.name, file.getvalue())
            st.rerun()
