"""What a person has to say of a file: what it is, and which value means which option."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from tripletscope.core.reading import TASKS, Reading
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.store.uploads import Upload
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.elements import errors_shown
from tripletscope.dashboard.upload import waiting_upload

#: Values that are assigned one by one.
_FEW = 9
_NO_ANSWER = "no response"


def show_question(
    current: Session, upload: Upload, emphasised: Callable[[str], str]
) -> None:
    """Ask which reading is right, with the evidence and three answers under each."""
    st.header("What is this?", anchor=False)
    st.caption(
        "The file can be read in several ways, and neither its columns nor its responses say which "
        "is right. Keeping it waits for your choice."
    )
    readings = upload.readings[: len(upload.asked)]
    with errors_shown():
        examples = waiting_upload.examples(upload, readings)
        for k, (reading, why, lines) in enumerate(
            zip(readings, upload.asked, examples, strict=True)
        ):
            with st.container(border=True):
                st.markdown(f"**{panels.plain(reading.title)}**")
                st.caption(panels.plain(why))
                st.markdown("\n".join(f"- {emphasised(line)}" for line in lines))
                st.button(
                    "It is this", key=f"asked.{k}.{upload.version}", on_click=_choose,
                    args=(current, reading),
                )
    for other in upload.others:
        st.caption(panels.plain(f"Or something else: {other}"))
    st.caption("If it is none of these, choose the columns beside, or discard the file.")


def _choose(current: Session, reading: Reading) -> None:
    # The upload as it is when the button is pressed.
    if upload := waiting_upload.waiting(current.id):
        with errors_shown(show=st.warning, icon="hard_drive"):
            waiting_upload.use(current.id, upload, reading)


def assigned_values(upload: Upload, reading: Reading, version: str) -> Reading:
    """Which option each value of the response means."""
    options = _options(reading)
    with errors_shown():
        found = waiting_upload.values(upload, reading.roles["choice"])
        before = reading.choice_coding if isinstance(reading.choice_coding, dict) else {
            word: place for place, words in enumerate(
                reading.coding.words if reading.coding else (), 1
            ) for word in words
        }
        meanings: dict[str, int] = {}
        for value, count in found[:_FEW]:
            place = before.get(value.casefold(), 0)
            chosen = st.selectbox(
                f"{panels.plain(value)} ({count:,} rows) means", range(len(options) + 1),
                place if place <= len(options) else 0, key=f"value.{value}.{version}",
                format_func=lambda k: options[k - 1] if k else _NO_ANSWER,
            )
            if chosen:
                meanings[value] = chosen
        if len(found) > _FEW:
            st.caption(f"The column has {len(found):,} values; those not shown are no responses.")
        return replace(reading, choice_coding=meanings)
    return reading


def _options(reading: Reading) -> list[str]:
    """What can be chosen, in the order of the numbers of options."""
    task = TASKS[reading.task]
    names = [reading.roles.get(role, role) for role in reading.objects]
    if task.options:
        return [f"{names[k]}" for k in task.options]
    if len(names) == 4:
        return [f"{names[0]} and {names[1]}", f"{names[2]} and {names[3]}"]
    if len(task.outcomes) == 2:
        return [f"{names[0]} and {names[1]}", f"{names[1]} and {names[2]}"]
    return [f"{names[a]} and {names[b]}" for a, b in ((0, 1), (0, 2), (1, 2))]


def exchanged_options(upload: Upload, reading: Reading, version: str) -> Reading:
    """Participants, or files, whose displays had the options exchanged."""
    column = reading.roles.get("participant")
    if column is None or len(TASKS[reading.task].outcomes) != 2 or not reading.is_coded:
        return replace(reading, exchanged={})
    with errors_shown():
        people: list[Any] = [value for value, _ in waiting_upload.values(upload, column)]
        held = [one for one in reading.exchanged.get(column, ()) if one in people]
        chosen = st.multiselect(
            "Options were exchanged for", people, held, key=f"exchanged.{version}",
            placeholder="Nobody",
            help="Participants whose display, or keys, had the two options the other way round.",
        )
        return replace(reading, exchanged={column: tuple(chosen)} if chosen else {})
    return reading
