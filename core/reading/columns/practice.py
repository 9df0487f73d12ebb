"""Rows of practice, which a file holds beside its trials."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tripletscope.core.reading.columns.guess import SAMPLE_ROWS
from tripletscope.core.reading.columns.object_columns import says_practice
from tripletscope.core.reading.columns.pair_columns import participant_of
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.columns.values import NEARLY_ALL, Columns
from tripletscope.core.reading.languages import FOREIGN_CELLS, WORDS
from tripletscope.core.reading.names import counted, listing, normalised
from tripletscope.core.reading.table import Table

#: Most values of a column that says which part of a session a row is of.
_PARTS = 12
#: So many different cells are not the same few values in other spellings.
_MANY = 1_000
#: Practice is less than this share of the trials.
_MOST = 0.5
_NO = {"0", "false", "no", "f", "n", *FOREIGN_CELLS["no"]}
_YES = {"1", "true", "yes", "t", "y", *FOREIGN_CELLS["yes"]}


@dataclass(frozen=True, eq=False)
class Practice:
    """A column that says which rows are practice: its cells that do, and (n,) rows of a sample."""

    column: str
    cells: frozenset[str]
    rows: np.ndarray


def practice_in(columns: Columns) -> list[Practice]:
    """Columns that say which rows are practice."""
    sample, found = columns.sample, []
    who = participant_of(columns).get("participant")
    person = sample.codes(who).codes if who else np.zeros(sample.n_rows, dtype=np.int32)
    for column in columns.names:
        if sample.n_different(column) > _MANY:
            continue
        coded = sample.codes(column)
        if 2 <= len(coded.values) + bool((coded.codes < 0).any()) <= _PARTS:
            cells = {text for text in coded.values if _is_practice(column, text, coded.values)}
            perhaps = {text for text in coded.values if _may_be_practice(text)}
            if not cells and perhaps and _come_first(
                coded.each(perhaps.__contains__, False), person, bool(who)
            ):
                cells = perhaps
            rows = coded.each(cells.__contains__, False)
            found += [Practice(column, frozenset(cells), rows)] if cells else []
    return found


def trials_alone(
    table: Table, reading: Reading, practice: Sequence[Practice]
) -> Mapping[str, tuple[str, ...]]:
    """`Reading.only`, also without rows of practice, if a column says which these are."""
    if reading.only:
        return reading.only
    for one, share in _shares_of(table, reading, practice):
        if 0 < share < _MOST:
            # Of the whole column: a part of the session may begin late.
            others = [text for text in table.codes(one.column).values if text not in one.cells]
            return {one.column: (*others, "")}
    return reading.only


def practice_kept(table: Table, reading: Reading) -> Practice | None:
    """What says that most trials are practice, which are then not left out unasked."""
    if reading.only:
        return None
    shares = _shares_of(table, reading, practice_in(Columns(table)))
    return next((one for one, share in shares if share >= _MOST), None)


def without_practice(table: Table, roles: Mapping[str, str]) -> Table:
    """The trials of a table of measurements, by the roles of its columns, and what was left out."""
    taken = {column for role, column in roles.items() if role != "trial"}
    objects = [column for role, column in roles.items() if role not in ("participant", "trial")]
    for one, share in _shares(table, taken, objects, practice_in(Columns(table))):
        said = f"{one.column} is {listing(sorted(one.cells))}"
        if share >= _MOST:
            note = f"Half of the rows or more are practice ({said}), so that they are kept."
            return table.with_columns({}, note)
        if share > 0:
            rows = np.flatnonzero(~table.codes(one.column).each(one.cells.__contains__, False))
            left_out = counted(table.n_rows - len(rows), "row")
            return table.only(rows, f"{left_out} of practice left out: {said}.")
    return table


def _shares_of(
    table: Table, reading: Reading, practice: Sequence[Practice]
) -> Iterator[tuple[Practice, float]]:
    taken = {column for role, column in reading.roles.items() if role != "block"}
    objects = [reading.roles[role] for role in reading.objects if role in reading.roles]
    return _shares(table, taken, objects, practice)


def _shares(
    table: Table, taken: Collection[str], objects: Sequence[str], practice: Sequence[Practice]
) -> Iterator[tuple[Practice, float]]:
    """The share of practice among trials by each column that is not taken.

    objects: Columns with a cell in each trial.
    """
    free = [one for one in practice if one.column not in taken]
    if not free:
        return
    sample = table.head(SAMPLE_ROWS)
    trial = np.all([sample.codes(column).codes >= 0 for column in objects], axis=0)
    for one in free:
        yield one, np.count_nonzero(one.rows & trial) / max(np.count_nonzero(trial), 1)


def _is_practice(column: str, text: str, values: list[str]) -> bool:
    if says_practice(column):
        told = {value.casefold() for value in values}
        return told <= _NO | _YES and text.casefold() in _YES
    return says_practice(text)


def _may_be_practice(text: str) -> bool:
    return any(word in normalised(text) for word in WORDS["beside"]["perhaps_practice"])


def _come_first(rows: np.ndarray, person: np.ndarray, known: bool) -> bool:
    """Whether nearly each person has such rows (n,) and others, and begins with these.

    known: Whether people are known; where they are not, each such run of rows begins another.
    """
    if not known:
        person = np.cumsum(np.diff(rows.astype(int), prepend=0) > 0)
        if not rows[:1].all() or (person.max(initial=0) < 2 and rows.mean() > _MOST / 2):
            return False
    begins = [
        own[0] and not own.all() and not own[np.argmin(own):].any()
        for own in (rows[person == one] for one in np.unique(person))
    ]
    return bool(np.mean(begins) > NEARLY_ALL)
