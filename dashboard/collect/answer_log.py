"""Reads and edits an experiment's log outside its server; readers and the server never wait."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.participant import normal_id, shown_id
from tripletscope.core.studies.experiment.question import Question
from tripletscope.dashboard.collect.people import PREVIEW, hashed
from tripletscope.dashboard.collect.writer import (
    n_rows,
    now,
    overwrite,
    reading,
    set_setting,
    setting,
    writing,
)

if TYPE_CHECKING:  # slow to load, and the server makes no tables
    from tripletscope.core.studies.experiment.results import AnswerRecord

STATES = ("open", "paused", "closed")
#: Tables with personal data.
_OF_PEOPLE = ("people", "tokens", "questions", "answers", "events", "refused")


@dataclass(frozen=True)
class CollectedPerson:
    """A person in the log.

    number: By arrival; simulated people begin at a million.
    person: The id as it is stored, which may be a hash; empty after a purge.
    name: In data sets: the id, or ``anonymous`` and a number; see `_names`.
    state: ``going_on``, ``finished``, ``excluded``, or ``unanswered`` of who left all open.
    began, seen, finished: By the computer's clock; `finished` may be empty.
    seconds: From beginning to end, by the steady clock.
    """

    number: int
    person: str
    name: str
    state: str
    simulated: bool
    parameters: dict[str, str]
    device: dict[str, Any]
    code: str
    began: str
    seen: str
    finished: str
    seconds: float | None
    n_answers: int
    n_questions: int


@dataclass(frozen=True)
class CollectingState:
    """State and counts of an experiment, without simulated people.

    n_refused: Includes refusals that are only counted.
    n_queued: Adaptive questions that are ready.
    sources: Answers by the source of their questions.
    is_overdue: Whether personal data outlive their day of deletion.
    """

    state: str = "open"
    n_people: int = 0
    n_finished: int = 0
    n_excluded: int = 0
    n_unanswered: int = 0
    n_answers: int = 0
    n_last_minute: int = 0
    n_refused: int = 0
    n_queued: int = 0
    sources: dict[str, int] = field(default_factory=dict)
    is_overdue: bool = False


# Reading ----------------------------------------------------------------------------------------


def records(folder: Path, *, simulated: bool = False) -> list[AnswerRecord]:
    """All answers of real or else simulated people, in order of confirmation."""
    with reading(folder) as log:
        rows = log.execute(
            "SELECT a.*, q.place, q.record FROM answers AS a JOIN questions AS q "
            "USING (number, key) JOIN people AS p USING (number) WHERE p.simulated = ? "
            "ORDER BY a.serial", (simulated,),
        ).fetchall()
        names = _names(log, simulated)
    return [_record(row, names[row["number"]]) for row in rows]


def _record(row: sqlite3.Row, name: str) -> AnswerRecord:
    from tripletscope.core.studies.experiment.results import AnswerRecord

    question = Question.from_record(json.loads(row["record"]))
    return AnswerRecord.of(
        question, name, row["place"], json.loads(row["chosen"]), rt_ms=row["rt_ms"],
        shown_ms=row["shown_ms"], answered_at=row["received_at"], input=row["input"],
    )


def _names(log: sqlite3.Connection, simulated: bool) -> dict[int, str]:
    """Names of people in data sets, by number and unique, also in logs of earlier versions."""
    ids = dict(log.execute("SELECT number, person FROM people WHERE simulated = ?", (simulated,)))
    names = {
        number: shown_id(normal_id(person)) if person else f"anonymous {number + 1}"
        for number, person in ids.items()
    }
    while True:
        often = Counter(names.values())
        unclear = [
            number for number, name in names.items() if often[name] > 1 or shown_id(name) != name
        ]
        if not unclear:
            return names
        names |= {number: f"{names[number]} (no. {number + 1})" for number in unclear}


def n_answers(folder: Path) -> int:
    """Number of answers, including those of simulated people."""
    with reading(folder) as log:
        return n_rows(log, "answers")


def people(folder: Path) -> list[CollectedPerson]:
    """Everybody who began, by number."""
    with reading(folder) as log:
        rows = log.execute(
            "SELECT p.*, a.n AS n_answers, a.latest, q.n AS n_questions FROM people AS p LEFT JOIN "
            "(SELECT number, count(*) AS n, max(received_at) AS latest FROM answers GROUP BY "
            "number) AS a USING (number) LEFT JOIN (SELECT number, count(*) AS n FROM questions "
            "GROUP BY number) AS q USING (number) ORDER BY number"
        ).fetchall()
        names = _names(log, False) | _names(log, True)
    return [
        CollectedPerson(
            row["number"], row["person"] or "", names[row["number"]], row["state"],
            bool(row["simulated"]),
            json.loads(row["parameters"]), json.loads(row["device"]), row["code"], row["began"],
            max(row["seen"], row["latest"] or ""), row["finished"] or "",
            None if row["finished_ms"] is None else (row["finished_ms"] - row["began_ms"]) / 1000,
            row["n_answers"] or 0, row["n_questions"] or 0,
        )
        for row in rows
    ]


def state(folder: Path) -> CollectingState:
    """State and counts of the experiment."""
    keep_until = Experiment.load(folder).keep_until
    with reading(folder) as log:
        by_state = dict(log.execute(
            "SELECT state, count(*) FROM people WHERE NOT simulated GROUP BY state"
        ).fetchall())
        sources = dict(log.execute(
            "SELECT json_extract(q.record, '$.source') AS source, count(*) FROM answers AS a JOIN "
            "questions AS q USING (number, key) JOIN people AS p USING (number) WHERE NOT "
            "p.simulated GROUP BY source"
        ).fetchall())
        minute_ago = (datetime.now(UTC) - timedelta(minutes=1)).isoformat(timespec="milliseconds")
        recent = (
            "answers AS a JOIN people AS p USING (number) WHERE NOT p.simulated AND "
            "a.received_at > ?"
        )
        is_past = bool(keep_until) and date.today().isoformat() > keep_until
        return CollectingState(
            state=setting(log, "state", "open"), n_people=sum(by_state.values()),
            n_finished=by_state.get("finished", 0), n_excluded=by_state.get("excluded", 0),
            n_unanswered=by_state.get("unanswered", 0),
            n_answers=sum(sources.values()), n_last_minute=n_rows(log, recent, minute_ago),
            n_refused=n_rows(log, "refused") + setting(log, "not_logged", 0),
            n_queued=n_rows(log, "queue WHERE taken_by IS NULL"), sources=sources,
            is_overdue=is_past and n_rows(log, "people WHERE person IS NOT NULL") > 0,
        )


def refusals(folder: Path) -> list[dict[str, Any]]:
    """Refusals in order: number of the person or None, request, reason, value and time."""
    with reading(folder) as log:
        return [dict(row) for row in log.execute(
            "SELECT number, what, why, given, received_at FROM refused ORDER BY serial"
        )]


def preview_key(folder: Path) -> str:
    """Key in the addresses of previews and simulated people; empty before a server ran."""
    with reading(folder) as log:
        return str(setting(log, PREVIEW))


# Changing ---------------------------------------------------------------------------------------


def set_state(folder: Path, to: str) -> None:
    """Open, pause or close an experiment; answers to questions on screens are still taken."""
    if to not in STATES:
        raise ValueError(f"{to!r} is no state; use {', '.join(STATES)}")
    with writing(folder) as log:
        set_setting(log, "state", to)


def add_to_queue(
    folder: Path, questions: Iterable[tuple[Sequence[str], str]], n_answers_then: int
) -> None:
    """Replace the adaptive questions that wait, the best one first.

    questions: Ids of the objects shown, and the source, as of `Question`.
    n_answers_then: Number of answers from which they were chosen; later they are old.
    """
    moment = now()
    rows = [(json.dumps([*shown]), source, moment, n_answers_then) for shown, source in questions]
    with writing(folder) as log:
        log.execute("DELETE FROM queue WHERE taken_by IS NULL")
        log.executemany(
            "INSERT INTO queue (shown, source, made_at, n_answers_then) VALUES (?, ?, ?, ?)", rows
        )


# Personal data ----------------------------------------------------------------------------------


def personal_data(folder: Path, person: str) -> dict[str, Any]:
    """All rows about one person, by table.

    person: The id in the address, its hash, or the name in data sets; ids that look the same match.
    """
    with reading(folder) as log:
        numbers = _numbers(log, folder, person)
        return {
            table: rows for table in _OF_PEOPLE
            if (rows := [
                dict(row) for number in numbers for row in
                log.execute(f"SELECT * FROM {table} WHERE number = ?", (number,))
            ])
        }


def delete_person(folder: Path, person: str) -> bool:
    """Remove one person with all answers from the log's files; whether there was one.

    person: As of `personal_data`.
    """
    with writing(folder) as log:
        numbers = _numbers(log, folder, person)
        for number in numbers:
            for table in _OF_PEOPLE:
                log.execute(f"DELETE FROM {table} WHERE number = ?", (number,))
            log.execute("UPDATE queue SET taken_by = -1 WHERE taken_by = ?", (number,))
    overwrite(folder)  # also after an attempt that a reader of the file prevented
    return bool(numbers)


def purge(folder: Path) -> None:
    """Remove ids, parameters and devices; people who have not finished cannot go on."""
    with writing(folder) as log:
        log.execute("UPDATE people SET person = NULL, parameters = '{}', device = '{}', tab = '', "
                    "code = ''")
        log.execute("DELETE FROM tokens")
        log.execute("UPDATE refused SET given = ''")
    overwrite(folder)


def _numbers(log: sqlite3.Connection, folder: Path, person: str) -> list[int]:
    salt, normal = Experiment.load(folder).salt, normal_id(person)
    names = _names(log, False) | _names(log, True)
    kept = {person, hashed(person, salt), hashed(normal, salt)}
    return [
        row["number"] for row in log.execute("SELECT number, person FROM people ORDER BY number")
        if names[row["number"]] == person or (
            row["person"] and (row["person"] in kept or normal_id(row["person"]) == normal)
        )
    ]
