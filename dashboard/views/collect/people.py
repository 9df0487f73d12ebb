"""Participants of a running experiment: how they answer, and what is kept of each."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from tripletscope.core.studies.experiment.conduct import conduct_table
from tripletscope.core.studies.experiment.results import AnswerRecord
from tripletscope.dashboard.collecting import answer_log
from tripletscope.dashboard.collecting.answer_log import CollectedPerson
from tripletscope.dashboard.collecting.following import forget_states
from tripletscope.dashboard.collecting.writer import NotKept
from tripletscope.dashboard.figures.labels import short_people
from tripletscope.dashboard.interface import panels
from tripletscope.dashboard.interface.controls import pick, pressed
from tripletscope.dashboard.state import Session
from tripletscope.dashboard.views.collect.context import PAGE, CollectContext
from tripletscope.dashboard.views.elements import show_error

_STATES = {"going_on": "going on", "finished": "finished", "excluded": "stopped"}
_PROBLEM = f"{PAGE}.people.problem"


def _people_table(
    people: Sequence[CollectedPerson], records: Sequence[AnswerRecord]
) -> pd.DataFrame:
    """A row for every participant, the last one first."""
    conduct = {row["participant"]: row for row in conduct_table(records).to_dict("records")}
    rows = []
    for person in reversed(people):
        row = conduct.get(person.name, {"checks": 0, "repeats": 0, "median_time": None})
        rows.append({
            "participant": person.name, "state": _STATES[person.state],
            "answered": person.n_answers, "of": person.n_questions,
            "failed checks": f"{row['failed']} of {row['checks']}" if row["checks"] else "",
            "consistent": f"{row['consistent']} of {row['repeats']}" if row["repeats"] else "",
            "median_time": row["median_time"],
            "minutes": None if person.seconds is None else person.seconds / 60,
            "began": person.began,
        })
    return pd.DataFrame(rows)


def show_people_of(
    context: CollectContext, people: Sequence[CollectedPerson], records: Sequence[AnswerRecord]
) -> None:
    """How every participant answers."""
    table, column = _people_table(people, records), st.column_config
    st.markdown("**Participants**")
    st.dataframe(
        table, hide_index=True, placeholder="", key=f"{PAGE}.people.{context.slug}",
        height=min(38 + 35 * max(len(table), 1), 320),
        column_config={
            "participant": column.Column(pinned=True),
            "failed checks": column.Column(help="Catch and gold questions with a wrong answer."),
            "consistent": column.Column(help="Repeated questions with the same answer as before."),
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
