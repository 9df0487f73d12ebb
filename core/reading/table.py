"""A table as in the file: columns of text, with a spreadsheet's row numbers."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from tripletscope.core.data.cells import MISSING, bare, composed, writable
from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.numerals import floats, plain_floats

#: Whole numbers that are numbers of rows or trials, as they are written, exact in float64.
_INTEGER = r"^(0|-?[1-9][0-9]{0,14})?$"


def _no_rows() -> np.ndarray:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class Codes:
    """A column of names as numbers: cell t is ``values[codes[t]]``; -1 is an empty cell."""

    codes: np.ndarray
    values: list[str]

    def each(self, of: Callable[[str], Any], empty: Any, dtype: Any = None) -> np.ndarray:
        """`of` each cell, and `empty` for empty cells."""
        return np.array([*map(of, self.values), empty], dtype=dtype)[self.codes]

    def spelt(self, values: Sequence[str | None]) -> pa.DictionaryArray:
        """The column with others in place of its values, null for None."""
        codes, known = pd.factorize(np.array([*values, None], dtype=object))
        return decoded(codes[self.codes], known.tolist())


@dataclass(frozen=True, eq=False)
class Table:
    """Cells of a file, without their meaning."""

    name: str  # of the file
    #: Cells as text, dictionary-encoded if values repeat; from Parquet also columns of numbers.
    data: pa.Table
    header: bool  # whether the file names its columns
    #: Excel has no delimiter, Parquet neither.
    delimiter: str | None
    encoding: str | None
    notes: list[str]  # how the file was read, as sentences
    first_row: int  # number of the first row below the header; the file begins with row 1
    skipped: np.ndarray = field(default_factory=_no_rows)  # rows with a wrong number of cells
    blank: np.ndarray = field(default_factory=_no_rows)  # rows without any content
    #: (n_rows,): rows of the file, unless consecutive: of several files, or if one row of the file
    #: becomes several of the table.
    rows: np.ndarray | None = None
    files: tuple[str, ...] = ()  # names, if there are several
    refused: Mapping[str, str] = field(default_factory=dict)  # files that were left out, and why
    omitted: tuple[str, ...] = ()  # notes on what the file has and this table has not

    @property
    def columns(self) -> list[str]:
        """Names of the columns, unique."""
        return self.data.column_names

    @property
    def n_rows(self) -> int:
        return self.data.num_rows

    def row_numbers(self, positions: Any) -> np.ndarray:
        """Rows of the file, as a spreadsheet counts them, at `positions` of this table."""
        positions = np.asarray(positions, dtype=np.int64)
        if self.rows is not None:
            return self.rows[positions]
        absent = np.sort(np.concatenate([self.skipped, self.blank]))
        before = absent - self.first_row - np.arange(len(absent))
        return positions + self.first_row + np.searchsorted(before, positions, side="right")

    def row_number(self, position: int) -> int:
        return int(self.row_numbers([position])[0])

    def refuse(self, wrong: np.ndarray, problem: Callable[[int], str], remedy: str) -> None:
        """Raise DataError about the first of the `wrong` rows (n_rows,), if there is any."""
        if wrong.any():
            row = int(np.argmax(wrong))
            raise DataError(
                problem(row), file=self.name, row=self.row_number(row), remedy=remedy
            )

    def head(self, most: int) -> Table:
        return replace(self, data=self.data.slice(0, most))

    def take(self, positions: np.ndarray) -> Table:
        """Only the rows at some positions, numbered from 0."""
        none = _no_rows()
        return replace(
            self, data=self.data.take(pa.array(positions)), rows=np.arange(len(positions)),
            skipped=none, blank=none,
        )

    def only(self, positions: np.ndarray, *notes: str) -> Table:
        """Only the rows at some positions, numbered as in the file."""
        return replace(
            self, data=self.data.take(pa.array(positions)), rows=self.row_numbers(positions),
            notes=[*self.notes, *notes],
        )

    def with_columns(self, columns: Mapping[str, pa.ChunkedArray | pa.Array], *notes: str) -> Table:
        """The same table with more columns, unless they exist."""
        data = self.data
        for name, column in columns.items():
            if name not in data.column_names:
                data = data.append_column(name, column)
        return replace(self, data=data, notes=[*self.notes, *notes])

    def holding(self, data: pa.Table) -> Table:
        """The same rows with other cells."""
        return replace(self, data=data)

    def melted(
        self, columns: Sequence[str], kept: Mapping[str, str], labels: Mapping[str, Sequence[str]],
        value: str, notes: Sequence[str],
    ) -> Table:
        """A row for each cell of some columns, which are then one, called `value`.

        kept: Columns that are repeated, by their new names.
        labels: What `columns` are about, by the names of further columns.
        """
        n, k, data = self.n_rows, len(columns), {}
        for name, column in kept.items():
            coded = self.codes(column)
            data[name] = decoded(np.repeat(coded.codes, k), coded.values)
        for name, texts in labels.items():
            codes, values = pd.factorize(np.array([*texts], dtype=object))
            data[name] = decoded(np.tile(codes, n), values.tolist())
        cells = [self.codes(column).each(str, None, object) for column in columns]
        data[value] = encoded(np.column_stack(cells).ravel())
        return replace(
            self, data=pa.table(data), notes=[*self.notes, *notes],
            rows=np.repeat(self.row_numbers(np.arange(n)), k),
        )

    def stacked(
        self, fields: Mapping[str, Sequence[str]], labels: Mapping[str, Sequence[str]],
        notes: Sequence[str],
    ) -> Table:
        """A row for each of several columns of every field; other columns are repeated.

        fields: Columns of each new column, equally many.
        labels: What the columns are about, by the names of further columns.
        """
        gone = {column for columns in fields.values() for column in columns}
        kept = {column: column for column in self.columns if column not in gone}
        made: Table | None = None
        for name, columns in fields.items():
            one = self.melted(columns, kept, labels, name, notes)
            made = one if made is None else made.with_columns({name: one.data.column(name)})
        return made

    def spread(self, columns: Iterable[str], most: int, *, by_lot: bool = False) -> Table:
        """Some columns of about `most` rows from all parts of the table, evenly or by lot."""
        columns = list(columns)
        if self.n_rows <= most:
            return self.holding(self.data.select(columns))
        rows = np.linspace(0, self.n_rows - 1, most).astype(np.int64)
        if by_lot:
            rows = np.sort(np.random.default_rng(0).choice(self.n_rows, most, replace=False))
        made = {}
        for column in columns:
            data, start, parts = self.data.column(column), 0, []
            for chunk in data.chunks:
                at = rows[(rows >= start) & (rows < start + len(chunk))] - start
                part = chunk.take(pa.array(at))
                is_coded = pa.types.is_dictionary(part.type)
                parts.append(part.dictionary_decode() if is_coded else part)
                start += len(chunk)
            made[column] = pa.chunked_array(parts)
        return self.holding(pa.table(made))

    def preview(self, k: int = 10) -> pd.DataFrame:
        """The first `k` rows as text, labelled with their rows in the file."""
        cells = {name: as_texts(self.data.column(name).slice(0, k)) for name in self.columns}
        rows = self.row_numbers(np.arange(min(k, self.n_rows)))
        return pd.DataFrame(cells, index=rows, dtype="str")

    def codes(self, column: str, missing: Container[str] = MISSING) -> Codes:
        """A column of names, stripped of white space, as numbers; empty cells and NA are -1.

        Letters with accents in one character or in several are the same.
        """
        data = self.data.column(column)
        if pa.types.is_dictionary(data.type):
            data = data.unify_dictionaries().combine_chunks()
        else:  # chunks that are encoded together need no unifying, which is slow
            data = data.combine_chunks().dictionary_encode()
        chunk = data.chunk(0) if isinstance(data, pa.ChunkedArray) else data
        indices = pc.fill_null(chunk.indices, len(chunk.dictionary)).to_numpy()
        # The dictionary of a `head` has the values of the whole table.
        used = np.flatnonzero(np.bincount(indices, minlength=1)[: len(chunk.dictionary)])
        texts = [composed(bare(text)) for text in as_texts(chunk.dictionary.take(pa.array(used)))]
        values = list(dict.fromkeys(t for t in texts if t.casefold() not in missing))
        place = {text: i for i, text in enumerate(values)}
        lookup = np.full(len(chunk.dictionary) + 1, -1, dtype=np.int32)
        lookup[used] = [place.get(text, -1) for text in texts]
        return Codes(lookup[indices], values)

    def n_different(self, column: str) -> int:
        """Number of distinct cells of a column, white space included; fast for millions."""
        used = [
            chunk.dictionary.take(chunk.indices.unique())
            if pa.types.is_dictionary(chunk.type) else chunk
            for chunk in self.data.column(column).chunks
        ]
        return pc.count_distinct(pa.chunked_array(used).cast(pa.string())).as_py() if used else 0

    def n_values_at_most(self, column: str) -> int:
        """A number that the distinct cells of a column do not exceed; no cell is looked at."""
        data = self.data.column(column)
        if pa.types.is_dictionary(data.type):
            return min(sum(len(chunk.dictionary) for chunk in data.chunks) + 1, self.n_rows)
        return self.n_rows

    def is_blank(self, column: str) -> bool:
        """Whether nothing is written in a column."""
        if self.data.column(column).null_count == self.n_rows:
            return True
        alone = self.holding(self.data.select([column]))
        return not any(part.codes(column).values for part in (alone.head(1_000), alone))

    def texts(self, column: str) -> np.ndarray:
        """(n_rows,) strings, "" for empty cells; for a `head`, not for millions."""
        return self.codes(column).each(str, "", object)

    def names(self, column: str) -> np.ndarray:
        """(n_rows,) texts in which NA, None and null are names of objects, too."""
        return self.codes(column, {""}).each(str, "", object)

    def numbers(self, column: str) -> np.ndarray:
        """(n_rows,) float64; NaN where a cell is no number; see `numerals`."""
        data = self.data.column(column)
        if pa.types.is_floating(data.type):
            return data.to_numpy().astype(np.float64)
        if not pa.types.is_dictionary(data.type):
            plain = plain_floats(data)
            return floats(data, self.delimiter) if plain is None else plain
        # Without unifying, which is slow for as many values as rows.
        texts = [chunk.dictionary for chunk in data.chunks]
        parsed = [plain_floats(one) for one in texts]
        if any(one is None for one in parsed):
            own = floats(pa.chunked_array(texts, pa.string()), self.delimiter)
            parsed = np.split(own, np.cumsum([len(one) for one in texts])[:-1])
        chunks = [np.zeros(0)]
        for chunk, values in zip(data.chunks, parsed, strict=True):
            indices = pc.fill_null(chunk.indices, len(chunk.dictionary))
            chunks.append(np.append(values, np.nan)[indices.to_numpy(zero_copy_only=False)])
        return np.concatenate(chunks)

    def integers(self, column: str) -> np.ndarray | None:
        """(n_rows,) whole numbers, NaN in empty cells; None unless texts are those of numbers."""
        data = self.data.column(column)
        if pa.types.is_floating(data.type):
            return None
        plain = (pc.match_substring_regex(part, _INTEGER) for part in _texts_of(data))
        if not all(pc.all(one).as_py() is not False for one in plain):
            return None
        numbers = self.numbers(column)
        return numbers if np.isnan(numbers).any() else numbers.astype(np.int64)

    def has_commas(self, column: str) -> bool:
        """Whether cells of a column have commas."""
        data = self.data.column(column)
        return any(pc.any(pc.match_substring(part, ",")).as_py() for part in _texts_of(data))

    def moments(self, column: str) -> np.ndarray:
        """(n_rows,) datetime64 in microseconds, UTC; NaT where a cell is no moment by ISO 8601."""
        coded = self.codes(column)
        texts = pd.Series([*coded.values, None], dtype="str")
        result = pd.to_datetime(texts, errors="coerce", format="ISO8601", utc=True)
        # 23-01-05 is a date of the year 23, which nanoseconds cannot express.
        return result.dt.tz_localize(None).to_numpy().astype("datetime64[us]")[coded.codes]


def _texts_of(data: pa.ChunkedArray) -> list[pa.Array]:
    """The texts of a column, those of a dictionary once for each chunk."""
    is_coded = pa.types.is_dictionary(data.type)
    return [chunk.dictionary if is_coded else chunk for chunk in data.chunks]


def decoded(codes: np.ndarray, values: list[str]) -> pa.DictionaryArray:
    """A column of texts: cell t is ``values[codes[t]]``, null for code -1."""
    indices = pa.array(codes.astype(np.int32), mask=codes < 0)
    try:
        texts = pa.array(values, pa.string())
    except UnicodeEncodeError:  # JSON can have lone surrogates
        texts = pa.array([writable(text) for text in values], pa.string())
    return pa.DictionaryArray.from_arrays(indices, texts)


def encoded(texts: Iterable[str | None]) -> pa.DictionaryArray:
    """A column of texts, null for None."""
    codes, values = pd.factorize(np.array([*texts], dtype=object))
    return decoded(codes, values.tolist())


def as_cells(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Numbers with a fraction unchanged, everything else as dictionary-encoded text."""
    if pa.types.is_floating(column.type):
        finite = column.drop_null()
        if pc.any(pc.not_equal(finite, pc.floor(finite))).as_py():
            return column.cast(pa.float64())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    chunks = []
    for chunk in column.chunks:
        texts = pa.array(as_texts(chunk.dictionary), pa.string())
        chunks.append(pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), texts))
    return pa.chunked_array(chunks, pa.dictionary(pa.int32(), pa.string()))


def as_texts(values: pa.Array | pa.ChunkedArray) -> list[str]:
    """Values as text: whole numbers without a fraction, missing ones empty."""
    if pa.types.is_string(values.type):
        return values.fill_null("").to_pylist()
    return [as_text(value) for value in values.to_pylist()]


def as_text(value: Any) -> str:
    match value:
        case None:
            return ""
        case float():
            return "" if value != value else repr(value).removesuffix(".0")
        case bytes():
            return value.decode(errors="replace")
        case _:
            return str(value)
