"""Rows of a table as questions about objects, and why some of them cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from core.files.names import counted, natural_order, plain_number
from core.files.reading import CHOICE_CODINGS, Coding, Reading
from core.files.report import Omission
from core.files.table import Codes, Table
from core.triplets import DataError

#: Instead of an object: the cell is empty, or the table of objects does not list it.
NO_OBJECT, UNKNOWN_OBJECT = -1, -2
#: Longest name of an object.
MAX_NAME = 1_000
#: Instead of 0 for the first and 1 for the second option.
UNANSWERED, NOT_OFFERED = -1, -2


@dataclass(frozen=True, eq=False)
class Questions:
    """What was asked and answered in each of the N rows of a table.

    Attributes
    ----------
    ids : list of str
        The objects, in natural order.
    anchor, first, second : ndarray of int32, shape (N,)
        Positions in `ids`, or `NO_OBJECT`.
    chosen : ndarray of int8, shape (N,)
        0 or 1, the option that is nearer, or `UNANSWERED` or `NOT_OFFERED`.
    """

    ids: list[str]
    anchor: np.ndarray
    first: np.ndarray
    second: np.ndarray
    chosen: np.ndarray

    def moved(self, places: np.ndarray, ids: list[str]) -> Questions:
        """The same questions with object i at position ``places[i]`` of `ids`; -1: not there."""
        lookup = np.append(np.where(places < 0, UNKNOWN_OBJECT, places), NO_OBJECT)
        lookup = lookup.astype(np.int32)
        return Questions(
            ids, lookup[self.anchor], lookup[self.first], lookup[self.second], self.chosen
        )

    def rows(self, usable: np.ndarray) -> np.ndarray:
        """(T, 3) int32: anchor, near and far of the usable rows."""
        rows = np.empty((int(usable.sum()), 3), dtype=np.int32)
        first, second = self.first[usable], self.second[usable]
        rows[:, 0] = self.anchor[usable]
        first_is_near = self.chosen[usable] == 0
        rows[:, 1] = np.where(first_is_near, first, second)
        rows[:, 2] = np.where(first_is_near, second, first)
        return rows

    def catch_trials(self, table: Table, participant: str | None) -> pd.DataFrame:
        """Rows whose anchor is one of two different options: was the anchor chosen?"""
        anchor, first, second = self.anchor, self.first, self.second
        catch = (anchor >= 0) & (first != second) & (self.chosen >= 0) & (second != NO_OBJECT)
        catch &= ((anchor == first) | (anchor == second)) & (first != NO_OBJECT)
        rows = np.flatnonzero(catch)
        chosen = np.where(self.chosen[rows] == 0, first[rows], second[rows])
        trials = {"row": table.row_numbers(rows)}
        if participant is not None:
            coded = table.codes(participant)
            trials["participant"] = pd.Categorical.from_codes(coded.codes[rows], coded.values)
        return pd.DataFrame({**trials, "correct": chosen == anchor[rows]})


def questions_of(table: Table, reading: Reading) -> Questions:
    """Decode the rows of a table.

    Raises
    ------
    DataError
        If the name of an object runs over several lines, or is longer than `MAX_NAME`.
    """
    roles = reading.roles
    options = ("left", "right") if reading.is_coded else ("near", "far")
    columns = [table.codes(roles[role]) for role in ("anchor", *options)]
    ids = natural_order({plain_number(text) for column in columns for text in column.values})
    place = {text: i for i, text in enumerate(ids)}
    anchor, first, second = (_positions(column, place) for column in columns)
    _refuse_impossible_names(table, ids, (anchor, first, second))
    if not reading.is_coded:
        chosen = np.zeros(table.n_rows, dtype=np.int8)
    elif reading.choice_coding == "item":
        chosen = _chosen_by_name(_positions(table.codes(roles["choice"]), place), first, second)
    else:
        chosen = _chosen_by_word(
            table.codes(roles["choice"]), CHOICE_CODINGS[reading.choice_coding]
        )
    return Questions(ids, anchor, first, second, chosen)


def sort_out(
    table: Table, reading: Reading, questions: Questions
) -> tuple[np.ndarray, list[Omission]]:
    """Tell usable rows from others.

    Returns
    -------
    usable : ndarray of bool, shape (N,)
    omissions : list of Omission
        A row is listed under the first reason that applies to it.

    Raises
    ------
    DataError
        If no row is usable, or more than half of the rows that might be fail in a way that a
        wrong reading would explain.
    """
    omissions = []
    if len(table.skipped):
        omissions.append(Omission(
            "the number of cells is not the number of columns",
            "Look for a missing or superfluous sign between the cells.", table.skipped,
        ))
    usable = np.ones(table.n_rows, dtype=bool)
    for flaw, wrong in _flaws(table, reading, questions):
        wrong &= usable
        count = int(np.count_nonzero(wrong))
        if not count:
            continue
        rows = table.row_numbers(np.flatnonzero(wrong))
        if flaw.misread and count > np.count_nonzero(usable) / 2:
            raise DataError(
                f"{flaw.reason}, here and in {counted(count, 'row')} of {table.n_rows:,}",
                file=table.name, row=int(rows[0]), remedy=flaw.cure,
            )
        usable &= ~wrong
        omissions.append(Omission(flaw.reason, flaw.remedy, rows))
    if not usable.any():
        most = max(omissions, key=lambda omission: omission.count)
        raise DataError(
            f"no row can be used; in {counted(most.count, 'row')} {most.reason}",
            file=table.name, row=int(most.rows[0]),
            remedy="Check which column plays which role.",
        )
    return usable, omissions


@dataclass(frozen=True)
class _Flaw:
    """Why rows are unusable.

    `remedy` helps if it concerns some rows; `cure` if it is most of them, because that means that
    the table is misread.
    """

    reason: str
    remedy: str
    misread: bool = False
    cure: str = ""


_WRONG_COLUMNS = "Check which columns are the anchor and the options."


def _flaws(
    table: Table, reading: Reading, questions: Questions
) -> Iterator[tuple[_Flaw, np.ndarray]]:
    """Every kind of flaw, with the rows that have it."""
    anchor, first, second = questions.anchor, questions.first, questions.second
    chosen = questions.chosen
    lowest = np.minimum(np.minimum(anchor, first), second)
    yield _Flaw(
        "an object is missing", "Fill the empty cells in if they are answers.",
    ), (anchor == NO_OBJECT) | (first == NO_OBJECT) | (second == NO_OBJECT)
    yield _Flaw("no answer was given", "Nothing needs to be done."), chosen == UNANSWERED
    yield _Flaw(
        "an object is not in the table of objects", "Add it there.", True,
        "Choose another table of objects, or another column of it as the id.",
    ), lowest == UNKNOWN_OBJECT
    yield _Flaw(
        "the same object stands there twice", "Correct it if it is a mistake.", True,
        _WRONG_COLUMNS,
    ), first == second
    yield _Flaw(
        "the anchor is one of the options (a catch trial)",
        "It tells who paid attention, not what is similar.", True, _WRONG_COLUMNS,
    ), (anchor == first) | (anchor == second)
    yield _not_offered(reading), chosen == NOT_OFFERED
    if "weight" in reading.roles:
        weight = table.numbers(reading.roles["weight"])
        yield _Flaw(
            "the weight is not a number from 0 up", "Correct it.", True,
            "Choose another column of weights, or none.",
        ), ~(np.isfinite(weight) & (weight >= 0))


def _not_offered(reading: Reading) -> _Flaw:
    coding = CHOICE_CODINGS[reading.choice_coding or "item"]
    words = ", ".join([*coding.first, *coding.second])
    return _Flaw(
        f"the choice is none of the words {words}" if words
        else "the choice is none of the two options",
        "Correct the choice.", True,
        "Choose how the choice is coded, or check which columns are the options.",
    )


def _positions(column: Codes, place: dict[str, int]) -> np.ndarray:
    """Positions of the objects that a column names; what is nowhere an object is unknown."""
    values = [place.get(plain_number(text), UNKNOWN_OBJECT) for text in column.values]
    return np.array([*values, NO_OBJECT], dtype=np.int32)[column.codes]


def _chosen_by_name(choice: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    chosen = np.full(len(choice), NOT_OFFERED, dtype=np.int8)
    chosen[choice == second] = 1
    chosen[choice == first] = 0
    chosen[choice == NO_OBJECT] = UNANSWERED
    return chosen


def _chosen_by_word(choice: Codes, coding: Coding) -> np.ndarray:
    meaning = dict.fromkeys(coding.first, 0) | dict.fromkeys(coding.second, 1)
    words = [plain_number(text).casefold() for text in choice.values]
    values = [meaning.get(word, NOT_OFFERED) for word in words]
    return np.array([*values, UNANSWERED], dtype=np.int8)[choice.codes]


def _refuse_impossible_names(
    table: Table, ids: list[str], columns: tuple[np.ndarray, ...]
) -> None:
    for i, text in enumerate(ids):
        wrong = None
        if "\n" in text or "\r" in text:
            wrong = "runs over several lines"
        elif len(text) > MAX_NAME:
            wrong = f"is longer than {MAX_NAME:,} characters"
        if wrong:
            position = min(int(np.argmax(column == i)) for column in columns if i in column)
            raise DataError(
                f"the name of an object {wrong}", file=table.name, row=table.row_number(position),
                remedy="Look for a quotation mark that is opened and not closed, or choose "
                "another column.",
            )
