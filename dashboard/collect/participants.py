"""Participants as a table: one row for each, with all that is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from tripletscope.core.data.question_kinds import UNANSWERED
from tripletscope.core.studies.experiment.conduct import conduct_table
from tripletscope.core.studies.experiment.experiment import Experiment
from tripletscope.core.studies.experiment.results import AnswerRecord, questionnaire_answers
from tripletscope.dashboard.collect.answer_log import CollectedPerson

#: Columns that a parameter of an address must not replace.
_OURS = (
    "participant", "state", "began", "finished", "minutes", "answered", "questions", *UNANSWERED,
    "checks", "failed", "repeats", "consistent", "median_time", "window", "touch", "browser",
    "code",
)
STATES = {
    "going_on": "going on", "finished": "finished", "excluded": "stopped",
    "unanswered": "answered nothing",
}


def participants_table(
    people: Sequence[CollectedPerson], records: Iterable[AnswerRecord]
) -> pd.DataFrame:
    """A row for every participant, in the order of arrival.

    ``participant``, ``state``; parameters of the address; ``began`` and ``finished``, ``minutes``;
    ``answered`` of ``questions``, also by skipping; numbers of `conduct_table`; ``window`` (CSS
    pixels), ``touch`` and ``browser``; ``code`` of who finished; and the questionnaire.
    """
    records = [*records]
    rows = [
        {
            "participant": one.name, "state": STATES[one.state], **_given(one),
            "began": one.began, "finished": one.finished or None,
            "minutes": None if one.seconds is None else one.seconds / 60,
            "answered": one.n_answers, "questions": one.n_questions,
        }
        for one in people
    ]
    last = [
        {
            "participant": one.name, "window": _window(one.device),
            "touch": one.device.get("touch"), "browser": one.device.get("agent"),
            # Who is paid by this table has been shown it.
            "code": one.code if one.state == "finished" else None,
        }
        for one in people
    ]
    table = pd.DataFrame(rows, columns=None if rows else ["participant", "state", "began"])
    for name in {"began", "finished"} & {*table}:
        table[name] = pd.to_datetime(table[name], utc=True)
    conduct = conduct_table(records).drop(columns="answers")
    for more in (conduct, pd.DataFrame(last), questionnaire_answers(records)):
        if len(more) and len(table):
            table = table.merge(more, "left", "participant", suffixes=("", " (asked)"))
    return table


def _given(person: CollectedPerson) -> dict[str, str]:
    """Parameters of the address, under other names than those of our columns."""
    return {
        f"{name} (address)" if name in _OURS else name: value
        for name, value in person.parameters.items()
    }


def conditions(people: Iterable[CollectedPerson], experiment: Experiment) -> pd.DataFrame:
    """``participant``, and parameters of the address that several of them share, but not all.

    The id, and a parameter with a value for each, such as that of a session, say nothing of
    answers.
    """
    table = pd.DataFrame([{"participant": one.name, **_given(one)} for one in people])
    shared = [
        name for name in table.columns.drop(["participant", *experiment.parameters[:1]],
                                            errors="ignore")
        if 1 < table[name].nunique() < table[name].count()
    ]
    return table.reindex(columns=["participant", *shared])


def _window(device: dict[str, object]) -> str | None:
    sizes = [device.get("width"), device.get("height")]
    return None if None in sizes else " × ".join(f"{size:.0f}" for size in sizes)
