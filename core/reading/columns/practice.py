"""Rows of practice, which a file holds beside its trials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tripletscope.core.reading.columns.guess import SAMPLE_ROWS
from tripletscope.core.reading.columns.reading import Reading
from tripletscope.core.reading.languages import WORDS
from tripletscope.core.reading.names import normalised
from tripletscope.core.reading.table import Table

#: Most values of a column that says which part of a session a row is of.
_PARTS = 12
#: Practice is less than this share of the trials.
_MOST = 0.5
_NO, _YES = {"0", "false", "no", "f", "n"}, {"1", "true", "yes", "t", "y"}


@dataclass(frozen=True, eq=False)
class Practice:
    """A column that says which rows are practice: its cells that do, and (n,) rows of a sample."""

    column: str
    cells: frozenset[str]
    rows: np.ndarray


def practice_in(table: Table) -> list[Practice]:
    """Columns that say which rows are practice."""
    sample, found = table.head(SAMPLE_ROWS), []
    for column in table.columns:
        coded = sample.codes(column)
        if 2 <= len(coded.values) + bool((coded.codes < 0).any()) <= _PARTS:
            cells = {text for text in coded.values if _is_practice(column, text, coded.values)}
            rows = coded.each(cells.__contains__, False)
            found += [Practice(column, frozenset(cells), rows)] if cells else []
    return found


def trials_alone(
    table: Table, reading: Reading, practice: Sequence[Practice]
) -> Mapping[str, tuple[str, ...]]:
    """`Reading.only`, also without rows of practice, if a column says which these are."""
    taken = {column for role, column in reading.roles.items() if role != "block"}
    free = [one for one in practice if one.column not in taken]
    if reading.only or not free:
        return reading.only
    sample = table.head(SAMPLE_ROWS)
    objects = [reading.roles[role] for role in reading.objects if role in reading.roles]
    trial = np.all([sample.codes(column).codes >= 0 for column in objects], axis=0)
    for one in free:
        if 0 < np.count_nonzero(one.rows & trial) < _MOST * np.count_nonzero(trial):
            # Of the whole column: a part of the session may begin late.
            others = [text for text in table.codes(one.column).values if text not in one.cells]
            return {one.column: (*others, "")}
    return reading.only


def _is_practice(column: str, text: str, values: list[str]) -> bool:
    words = WORDS["beside"]["practice"]
    if any(word in normalised(column) for word in words):
        told = {value.casefold() for value in values}
        return told <= _NO | _YES and text.casefold() in _YES
    return any(word in normalised(text) for word in words)
