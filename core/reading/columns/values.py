"""What the values of a column are: the evidence on which kinds of tables rest."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from tripletscope.core.data.cells import plain_number
from tripletscope.core.data.lazy import cached_property
from tripletscope.core.reading.columns.guess import SAMPLE_ROWS, plain_texts
from tripletscope.core.reading.languages import UNANSWERED_CELLS
from tripletscope.core.reading.names import is_picture_name
from tripletscope.core.reading.table import Table

T = TypeVar("T")

#: Columns beyond these are not looked at.
MOST_COLUMNS = 200
#: Share of rows that a statement about a column has to hold for: files have slips.
NEARLY_ALL = 0.95
_CLOCK = re.compile(r"\d{4}-\d{2}-\d{2}[T ]?|\d{1,2}[:.]\d{2}([:.]\d{2})?$")


@dataclass(frozen=True, eq=False)
class ColumnCells:
    """A column, as a sample of its rows shows it.

    texts (n,): ColumnCells, whole numbers without a fraction, "" for empty ones.
    values: Its different cells.
    numbers (n,): NaN where a cell is no number.
    """

    name: str
    texts: np.ndarray
    values: frozenset[str]
    numbers: np.ndarray

    @cached_property
    def written(self) -> np.ndarray:
        """(n,) bool, cells that are not empty."""
        return self.texts != ""

    @cached_property
    def keys(self) -> np.ndarray:
        """(n,) int64, equal for equal cells of any columns: texts are slow to compare."""
        # A text knows its own, and a long one that is repeated is gone through once.
        return np.fromiter(map(hash, self.texts), np.int64, len(self.texts))

    @cached_property
    def n_written(self) -> int:
        return int(np.count_nonzero(self.written))

    @cached_property
    def is_numeric(self) -> bool:
        """Whether nearly all that is written are numbers."""
        return bool(
            self.n_written and np.isfinite(self.numbers).sum() >= NEARLY_ALL * self.n_written
        )

    @cached_property
    def is_whole(self) -> bool:
        numbers = self.numbers[np.isfinite(self.numbers)]
        return self.is_numeric and bool((numbers == np.round(numbers)).all())

    @property
    def is_measure(self) -> bool:
        """Whether these are numbers with a fraction, which count or scale and name nothing."""
        return self.is_numeric and not self.is_whole

    @property
    def is_constant(self) -> bool:
        return len(self.values) <= 1

    @property
    def is_unique(self) -> bool:
        """Whether every row has another value."""
        return self.n_written > 1 and len(self.values) == self.n_written

    @property
    def counts_rows(self) -> bool:
        """Whether these are 0, 1, 2 ... or 1, 2, 3 ..."""
        steps = np.diff(self.numbers)
        return bool(len(steps) and self.numbers[0] in (0, 1) and (steps == 1).all())

    @property
    def is_clock(self) -> bool:
        written = [text for text in self.values if text]
        return bool(written) and all(_CLOCK.match(text) for text in written[:20])

    @property
    def are_pictures(self) -> bool:
        return bool(self.values) and all(map(is_picture_name, self.values))

    def without(self, values: Set[str]) -> ColumnCells:
        """The column whose cells with some values are empty."""
        if not self.values & values:
            return self
        gone = np.isin(self.texts, [*values])
        return replace(
            self, texts=np.where(gone, "", self.texts), values=self.values - values,
            numbers=np.where(gone, np.nan, self.numbers),
        )

    def spelt(self, names: Mapping[str, str]) -> ColumnCells:
        """The column with names in place of other texts for them."""
        if not names:
            return self
        texts = np.array([names.get(text, text) for text in self.texts], dtype=object)
        values = frozenset(names.get(one, one) for one in self.values)
        return replace(self, texts=texts, values=values)

    @property
    def responses(self) -> ColumnCells:
        """The column without cells that say that there was no response."""
        return self.without({one for one in self.values if one.casefold() in UNANSWERED_CELLS})

    @property
    def can_name(self) -> bool:
        """Whether the values may be names of several objects."""
        return len(self.values) > 1 and not self.is_measure and not self.is_clock


class Columns:
    """The columns of a table, by name, as a sample of rows shows them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.sample = table.head(SAMPLE_ROWS)
        self._known: dict[str, ColumnCells] = {}
        self._found: dict[Hashable, Any] = {}

    def once(self, what: Hashable, find: Callable[[], T]) -> T:
        """What was found in these columns, which several kinds of tables ask for."""
        if what not in self._found:
            self._found[what] = find()
        return self._found[what]

    @property
    def names(self) -> list[str]:
        return self.table.columns[:MOST_COLUMNS]

    def __getitem__(self, name: str) -> ColumnCells:
        if name not in self._known:
            texts = plain_texts(self.sample, name)
            self._known[name] = ColumnCells(
                name, texts, frozenset(texts) - {""}, self.sample.numbers(name)
            )
        return self._known[name]

    def __iter__(self) -> Iterator[ColumnCells]:
        return (self[name] for name in self.names)

    def spelled(self, name: str) -> np.ndarray:
        """(n,) cells in which NA and None are names, too."""
        return self.sample.codes(name, {""}).each(plain_number, "", object)

    def named_by(self, column: ColumnCells) -> bool:
        """Whether each row has another name in a column, which is not one of measures."""
        names = self.spelled(column.name)
        return not column.is_measure and "" not in names and len({*names}) == len(names) > 1

    def but(self, *taken: str | None) -> list[ColumnCells]:
        return [self[name] for name in self.names if name not in taken]


def share(one: ColumnCells, other: ColumnCells) -> float:
    """Share of the values of the column with fewer that the other has, too."""
    fewer = min(len(one.values), len(other.values))
    return len(one.values & other.values) / fewer if fewer else 0.0


def differ(columns: Sequence[ColumnCells]) -> float:
    """Share of rows with a cell in each of the columns in which all of them differ."""
    whole = np.logical_and.reduce([column.written for column in columns])
    if not whole.any():
        return 0.0
    ordered = np.sort(np.array([column.keys for column in columns])[:, whole], axis=0)
    return float(np.mean((ordered[1:] != ordered[:-1]).all(axis=0)))


def coincidences(columns: Sequence[ColumnCells]) -> tuple[int, float]:
    """How often two columns have the same cell in a row, and how often they would by chance."""
    found, expected = 0, 0.0
    for one, other in combinations(columns, 2):
        written = one.written & other.written
        first, second = one.keys[written], other.keys[written]
        found += int(np.count_nonzero(first == second))
        (some, often), (others, again) = (
            np.unique(part, return_counts=True) for part in (first, second)
        )
        _, at, there = np.intersect1d(some, others, assume_unique=True, return_indices=True)
        expected += float(often[at] @ again[there]) / max(len(first), 1)
    return found, expected


def names_one_of(column: ColumnCells, columns: Iterable[ColumnCells]) -> float:
    """Share of the written cells that are in one of the other columns of their row."""
    same = np.logical_or.reduce([column.keys == other.keys for other in columns])
    return float(same[column.written].mean()) if column.n_written else 0.0
