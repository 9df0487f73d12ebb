"""Which row of a table of objects each object of the answers is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.names import counted, listing, stem_key, whole_number


@dataclass(frozen=True)
class MatchReport:
    """How objects were matched to rows of a table, or to pictures."""

    how: str  # what was compared, as a sentence
    n_matched: int  # objects that were found
    missing: list[str]  # ids of objects that were not
    unused: list[str]  # rows or pictures that belong to no object
    added: list[str]  # those of them that became objects without answers

    def summary(self) -> list[str]:
        """The report as sentences."""
        lines = [f"{counted(self.n_matched, 'object')} matched. {self.how}"]
        for items, what in (
            (self.missing, "without a match"), (self.unused, "unused"), (self.added, "added"),
        ):
            if items:
                lines.append(f"{len(items):,} {what}: {listing(items)}.")
        return lines


def match(
    objects: pd.DataFrame, table: pd.DataFrame, index_base: int | None, file: str | None = None
) -> tuple[np.ndarray, str]:
    """(n,) rows of `table` for the objects of the answers, -1 for none, and how they were found.

    Compared are the ids as they are; where that finds nothing, id, label and picture without
    path, extension and case; or positions, if the user says that numbers are positions.
    """
    ids = objects["id"].tolist()
    if index_base is not None:
        return _by_position(ids, len(table), index_base, file), (
            f"Numbers are rows of the table of objects, counted from {index_base}."
        )
    names = table["id"].tolist()
    places = _lookup(ids, names)
    how = "Objects were found by their ids."
    if (places < 0).any():
        stems = [stem_key(name) for name in names]
        for column in ("id", "label", "image"):
            if column not in objects:
                continue
            texts = objects[column].astype("str").fillna("")
            guess = _lookup([stem_key(text) for text in texts], stems)
            if np.any((places < 0) & (guess >= 0)):
                how = f"Objects were found by their {column}, without path, extension and case."
            places = np.where(places < 0, guess, places)
    _refuse_unclear_numbers(ids, names, places, file)
    return places, how


def _lookup(wanted: Sequence[str], names: Sequence[str]) -> np.ndarray:
    """Positions in `names`; -1 where a text is not there, or is there more than once."""
    place: dict[str, int] = {}
    for i, name in enumerate(names):
        place[name] = -1 if name in place else i
    return np.array([place.get(text, -1) for text in wanted], dtype=np.int64)


def _by_position(ids: list[str], n_rows: int, base: int, file: str | None) -> np.ndarray:
    numbers = [whole_number(text) for text in ids]
    if None in numbers:
        raise DataError(
            f"object {ids[numbers.index(None)]!r} is not a number, so it is not an index",
            file=file,
            remedy="Match objects by their names.",
        )
    places = np.array(numbers, dtype=np.int64) - base
    places[(places < 0) | (places >= n_rows)] = -1
    return places


def _refuse_unclear_numbers(
    ids: list[str], names: list[str], places: np.ndarray, file: str | None
) -> None:
    """Numbers that the table does not list may be its positions; that is for the user to say."""
    numbers = [whole_number(text) for text in ids]
    missing = np.flatnonzero(places < 0)
    if None in numbers or not len(missing):
        return
    low, high = min(numbers), max(numbers)
    listed = [whole_number(name) for name in names]
    answers = f"the answers number their objects from {low} to {high}"
    if None in listed:
        if len(missing) < len(ids):
            return
        fits = [base for base in (0, 1) if base <= low and high < len(names) + base]
        hint = f" Counting from {listing(list(map(str, fits)))} fits." if fits else ""
        raise DataError(
            f"{answers}, but the table of objects lists {counted(len(names), 'name')}: "
            f"{listing(names, 3)}", file=file,
            remedy="Say whether the numbers are rows of that table counted from 0 or from 1, or "
            f"give a table with the numbers in it.{hint}",
        )
    first, last = min(listed), max(listed)
    if {numbers[i] for i in missing} <= {first - 1, last + 1}:
        base = 0 if low == first - 1 else 1
        raise DataError(
            f"{answers}, but the table of objects from {first} to {last}", file=file,
            remedy="One of them probably counts from 0 and the other from 1. Say that the numbers "
            f"are rows of the table counted from {base}, or correct the table.",
        )
