"""Results of our own experiments, also of their questions in other programs.

Only questions of the kinds in `ABOUT_OBJECTS` are answers about objects. If an experiment ran
elsewhere, response and time are in the columns of jsPsych, PsychoPy or Gorilla.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.question_kinds import (
    ABOUT_OBJECTS,
    CHECKS,
    N_ASKED,
    N_SILENT,
    N_UNANSWERED,
    UNANSWERED,
)
from tripletscope.core.reading.columns.guess import plain_texts, side_roles
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.interpretation.imported import Note
from tripletscope.core.reading.interpretation.trials import checks_of
from tripletscope.core.reading.layouts import Layout
from tripletscope.core.reading.layouts.programs import response_zones
from tripletscope.core.reading.names import counted, named
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import MOST_OPTIONS, TASKS

#: The task: every file of ours has this column, and no other.
TASK = "collect_task"
#: The purpose of a question.
KIND = "kind"
#: Why a question has no answer, of `UNANSWERED`; only where an experiment lets it have none.
UNANSWERED_BY = "unanswered"
#: Whether the response is right: 1 or 0, or empty without a right one.
CORRECT = "correct"
#: The right response, for other programs.
CORRECT_RESPONSE = ("correctresponse", "corrans")
_THREE = ("object_1", "object_2", "object_3")


@dataclass(frozen=True)
class CollectColumns:
    """Columns of a task."""

    task: str  # of `tripletscope.core.reading.tasks.TASKS`
    objects: tuple[str, ...]  # in the order of their positions
    choice: tuple[str, ...]  # chosen objects by name; pairs by number, 1 or 2


#: In triads the pairs have an object in common.
_PAIRS = CollectColumns("larger_pair", ("first_1", "first_2", "second_1", "second_2"), ("larger",))
#: By the tasks of experiments. Rankings have `RANKED` beside the options as shown.
COLUMNS = {
    "triplet": CollectColumns("nearer", ("anchor", "left", "right"), ("chosen",)),
    "odd_one_out": CollectColumns("odd_one_out", _THREE, ("odd",)),
    "similar_pair": CollectColumns("similar_pair", _THREE, ("pair_1", "pair_2")),
    "ranking": CollectColumns("most_similar", ("anchor",), ()),
    "pairs": _PAIRS, "triad": _PAIRS,
}
#: Columns of measurements, by the tasks of experiments, for `tripletscope.core.reading.measuring`.
#: Piles and arrangements have a row for each object.
MEASURED_COLUMNS = {
    "rating": ("item1", "item2", "rating"), "same_different": ("item1", "item2", "rating"),
    "piles": ("trial", "item", "pile"), "arrangement": ("trial", "item", "x", "y"),
}
#: Columns of rankings: the chosen options in order, then the others; their number; ranked or not.
RANKED, N_CHOSEN, IN_ORDER = "ranked_{}", "n_chosen", "in_order"
_OWN = {
    "participant": "participant", "response_time": "response_time_ms", "time": "time",
    "sampler": "source",
}
_KEPT = (KIND, "input", N_ASKED, *N_UNANSWERED, *N_SILENT)


def _propose(table: Table) -> list[Reading]:
    if not {TASK, KIND} <= set(table.columns):
        return []
    coded = table.codes(TASK)
    often = np.bincount(coded.codes[coded.codes >= 0], minlength=len(coded.values))
    tasks = [coded.values[k] for k in np.argsort(-often, kind="stable")]
    return [reading for name in tasks if name in COLUMNS and (reading := _reading(table, name))]


def _reading(table: Table, question: str) -> Reading | None:
    columns = COLUMNS[question]
    only = {TASK: (question,), KIND: ABOUT_OBJECTS}
    answered = _ranked(table) if question == "ranking" else _chosen(table, columns)
    if answered is None or not set(columns.objects) <= set(table.columns):
        return None
    roles, coding, where = answered
    if question != "ranking":
        names = TASKS[columns.task].objects
        roles = dict(zip(names, columns.objects, strict=True)) | roles
    usual = {role: name for role, name in _OWN.items() if name in table.columns}
    roles |= {role: name for role, name in usual.items() if role not in roles}
    more, reasons = side_roles(table, roles)
    roles = {role: column for role, column in more.items() if column not in _KEPT} | roles
    only |= response_zones(table)
    return LAYOUT.reading(
        table, roles,
        f"Column {TASK} identifies an experiment made here, and {KIND} the purpose of each "
        f"question: answers to practice, catch and gold questions are not used as answers about "
        f"objects.",
        where, *reasons, side={}, program=LAYOUT.title,
        task=columns.task, choice_coding=coding, only=only,
        response_time_unit="ms" if roles.get("response_time") == _OWN["response_time"] else None,
        keep=tuple(name for name in _KEPT if name in table.columns),
    )


#: Roles of the response, its coding, and its source in words.
_Answered = tuple[dict[str, str], str | None, str]


def _chosen(table: Table, columns: CollectColumns) -> _Answered | None:
    if set(columns.choice) <= set(table.columns):
        roles = dict(zip(("choice", "choice2"), columns.choice, strict=False))
        by_number = columns.task == "larger_pair"
        return roles, "position_1" if by_number else "item", "The answers are our own."
    response = named(table.columns, ("response",))
    of_two = len(TASKS[columns.task].outcomes) == 2
    if response and named(table.columns, ("trialtype", "trialindex")):
        return {"choice": response}, "position_0", f"jsPsych wrote the answers in {response}."
    keys = [column for column in table.columns if column.endswith(".keys")]
    if keys:  # of several keyboards the one with the most answers belongs to the trials
        keys.sort(key=lambda column: -int((table.codes(column).codes >= 0).sum()))
        timer = keys[0].removesuffix(".keys") + ".rt"
        roles = {"choice": keys[0]} | ({"response_time": timer} if timer in table.columns else {})
        coding = "side" if of_two else "position_1"
        return roles, coding, f"PsychoPy wrote the answers in {keys[0]}."
    if response and named(table.columns, ("zonetype", "responsetype")):
        by_name = columns.task in ("nearer", "odd_one_out")
        coding = "item" if by_name else "position_1"
        return {"choice": response}, coding, f"Gorilla wrote the answers in {response}."
    return None


def _ranked(table: Table) -> _Answered | None:
    items = {
        f"item{k}": name for k in range(1, MOST_OPTIONS + 1)
        if (name := RANKED.format(k)) in table.columns
    }
    if len(items) < 2 or N_CHOSEN not in table.columns:
        return None
    roles = {"anchor": "anchor", "n_chosen": N_CHOSEN} | items
    roles |= {"ranked": IN_ORDER} if IN_ORDER in table.columns else {}
    return roles, None, "The answers are our own."


def _checks(table: Table, reading: Reading) -> pd.DataFrame | None:
    """Catch and gold questions, and whether the answers were right."""
    if KIND not in table.columns:
        return None
    kind = plain_texts(table, KIND)
    checks = np.isin(kind, CHECKS)
    for column, values in reading.only.items():
        if column != KIND:
            checks &= np.isin(plain_texts(table, column), values)
    if CORRECT in table.columns:
        told = plain_texts(table, CORRECT)
        checkable, right = told != "", told == "1"
    elif (column := named(table.columns, CORRECT_RESPONSE)) and "choice" in reading.roles:
        told, response = plain_texts(table, column), plain_texts(table, reading.roles["choice"])
        checkable, right = (told != "") & (response != ""), told == response
    else:
        checkable = right = np.zeros(table.n_rows, dtype=bool)
    rows = np.flatnonzero(checks & checkable)
    return checks_of(table, rows, reading.roles.get("participant"), right[rows])


def _questions(table: Table) -> pd.DataFrame | None:
    """Of every row, who was asked about objects, and why there is no answer."""
    if not {TASK, UNANSWERED_BY, KIND} <= set(table.columns):
        return None
    why = table.texts(UNANSWERED_BY)
    who = table.texts("participant") if "participant" in table.columns else np.full(len(why), "")
    about = np.isin(table.texts(KIND), ABOUT_OBJECTS)
    if "key" in table.columns:  # downloads that overlap have the same questions
        same = pd.DataFrame({name: table.texts(name) for name in ("key", "trial", "time")
                             if name in table.columns}).assign(who=who)
        about &= ~same.duplicated().to_numpy()
    frame = pd.DataFrame({"who": who, N_ASKED: about})
    for name, one in zip(N_UNANSWERED, UNANSWERED, strict=True):
        frame[name] = about & (why == one)
    return frame


def with_silent(asked: pd.DataFrame) -> pd.DataFrame:
    """Numbers of questions of each participant, with `N_SILENT`."""
    is_silent = asked[[*N_UNANSWERED]].sum(axis=1) == asked[N_ASKED]
    left = asked.loc[is_silent, [*N_UNANSWERED]].sum()
    return asked.assign(**dict(zip(N_SILENT, left, strict=True)))


def unanswered_notes(table: Table) -> list[Note]:
    """How many questions about objects were skipped, or not answered in time."""
    asked = _questions(table)
    return [] if asked is None else [
        unanswered_note(why, int(asked[name].sum()), int(asked[N_ASKED].sum()))
        for name, why in zip(N_UNANSWERED, UNANSWERED, strict=True) if asked[name].any()
    ]


def unanswered_note(why: str, number: int, n_asked: int) -> Note:
    """One of `unanswered_notes`."""
    return Note(why, {
        "number": counted(number, "question"), "were": "was" if number == 1 else "were",
        "share": f"{100 * number / max(n_asked, 1):.0f} %",
    })


def once(table: Table) -> Table | None:
    """The table with every answer once: a page may send stored answers again.

    Each has an id of its own, beside the key of the question.
    """
    if not {TASK, KIND, "id", "key"} <= set(table.columns):
        return None
    ids = pd.Series(plain_texts(table, "id"))
    kept = np.flatnonzero(((ids == "") | ~ids.duplicated()).to_numpy())
    again = table.n_rows - len(kept)
    if not again:
        return None
    return table.only(kept, f"{again:,} of the answers were sent twice, and are read once.")


def _reshape(table: Table) -> Table | None:
    """Columns of the spreadsheet without the prefix of newer versions of Gorilla."""
    before = "Spreadsheet: "
    if before + TASK not in table.columns:
        whole = once(table) or table
        asked = _questions(whole)
        if asked is None:
            return once(table)
        people = with_silent(asked.groupby("who").sum())
        each = people.loc[asked["who"]]
        return whole.with_columns({name: pa.array(each[name].astype("str")) for name in each})
    return table.with_columns(
        {
            column.removeprefix(before): table.data.column(column)
            for column in table.columns if column.startswith(before)
        },
        "Columns of the spreadsheet keep their own names, too.",
    )


LAYOUT = Layout(
    "collect", "TripletScope Collect", 5, _propose, reshape=_reshape, checks=_checks,
    brings=unanswered_notes, in_places=True, certain=True,
)
