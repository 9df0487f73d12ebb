"""Participants of a running experiment: how they answer, and what is kept of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import streamlit as st

from tripletscope.core.data.question_kinds import UNANSWERED
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collect import answer_log
from tripletscope.dashboard.collect.answer_log import CollectedPerson
from tripletscope.dashboard.collect.following import forget_states
from tripletscope.dashboard.collect.participants import participants_table
from tripletscope.dashboard.collect.writer import NotKept
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.ui import panels
from tripletscope.dashboard.ui.controls import pick, pressed
from tripletscope.dashboard.ui.elements import show_error
from tripletscope.pages.collect.context import PAGE, CollectContext

_PROBLEM = f"{PAGE}.people.problem"
#: Columns of the table that are shown; all are in the file.
_SHOWN = (
    "participant", "state", "answered", "questions", *UNANSWERED, "failed checks",
    "consistent repeats", "median_time", "minutes", "began",
)


def show_people_of(
    context: CollectContext, people: Sequence[CollectedPerson], records: Sequence[AnswerRecord]
) -> None:
    """How every participant answers, the last one first."""
    table, column = participants_table(people, records)[::-1], st.column_config
    for name, part, whole in (
        ("failed checks", "failed", "checks"), ("consistent repeats", "consistent", "repeats")
    ):
        if part in table:
            table[name] = [
                f"{some:.0f} of {of:.0f}" if of > 0 else ""
                for some, of in zip(table[part], table[whole], strict=True)
            ]
    st.markdown("**Participants**")
    st.dataframe(
        table, hide_index=True, placeholder="", key=f"{PAGE}.people.{context.slug}",
        height=min(38 + 35 * max(len(table), 1), 320),
        column_order=[
            name for name in _SHOWN if name in table
            and (name not in UNANSWERED or name in context.experiment.unanswered)
        ],
        column_config={
            "participant": column.Column(pinned=True),
            "answered": column.Column(help="With those that were skipped or not in time."),
            "skipped": column.Column(help="Questions about objects answered by “Cannot say”."),
            "late": column.Column(help="Questions about objects whose time was over."),
            "failed checks": column.Column(help="Catch and gold questions with a wrong answer."),
            "consistent repeats": column.Column(
                help="Repeated questions with the same answer as before."
            ),
            "median_time": column.NumberColumn(
                "median time (s)", format="%.2f", help="Response time, practice aside."
            ),
            "minutes": column.NumberColumn(format="%.1f"),
            "began": column.DatetimeColumn(format="D MMM, HH:mm"),
        },
    )


def ask_for_one(context: CollectContext, people: Sequence[CollectedPerson]) -> None:
    """What is kept of one participant, to be handed out or deleted."""
    current, slug = context.session, context.slug
    problem = current.drafts.pop(_PROBLEM, "")
    if problem:
        show_error(problem)
    if not people or not (box := panels.folded("Participants’ data", f"{PAGE}.person.{slug}")):
        return
    with box:
        by_name = {person.name: person for person in people}
        names = short_people([*by_name])
        person = by_name[pick(current, f"{PAGE}.person.{slug}", "Participant", names)]
        if person.person:
            st.download_button(
                "All data kept (JSON)", partial(_kept, context.folder, person.name),
                f"participant-{person.number + 1}.json", "application/json",
                key=f"{PAGE}.person.kept.{slug}", on_click="ignore", width="stretch",
                icon=":material/download:",
            )
            if pressed(
                current, f"{PAGE}.person.delete.{slug}", "Delete this participant",
                icon=":material/delete:", width="stretch",
            ):
                panels.ask_to_delete(
                    "this participant", f"{person.name}, with all answers, for good. A data set "
                    "made from the answers keeps them until you press Open the answers again.",
                    partial(
                        _delete, current, answer_log.delete_person, context.folder, person.name
                    ),
                )
        if pressed(
            current, f"{PAGE}.purge.{slug}", "Remove all ids", icon=":material/person_off:",
            width="stretch",
            help="Removes ids, parameters of addresses and devices; answers stay. People who have "
            "not finished cannot go on.",
        ):
            panels.ask_to_delete(
                "all ids", "Ids, parameters of addresses and devices of everybody, for good. "
                "Answers stay. People who have not finished cannot go on.",
                partial(_delete, current, answer_log.purge, context.folder),
            )


def _kept(folder: Path, person: str) -> bytes:
    kept = answer_log.personal_data(folder, person)
    return json.dumps(kept, indent=1, ensure_ascii=False).encode()


def _delete(current: Session, delete: Callable[..., object], *arguments: Any) -> None:
    try:
        delete(*arguments)
    except (NotKept, OSError) as error:
        current.drafts[_PROBLEM] = str(error)
    forget_states()
