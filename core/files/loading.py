"""Bytes of CSV and its relatives, or of Parquet -> `Table`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from core.files.encoding import ENCODINGS, to_utf8
from core.files.names import counted
from core.files.parquet import from_parquet
from core.files.source import Source, table_bytes
from core.files.table import Table
from core.files.text import (
    MAX_ROW_BYTES,
    Shape,
    evenly_spaced,
    find_shape,
    row_too_long,
    unterminated_quote,
)
from core.triplets import DataError


def load(
    source: Source,
    name: str | None = None,
    *,
    header: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    member: str | None = None,
    least_columns: int = 3,
) -> Table:
    """Read a table of text from a file, without deciding what its columns mean.

    CSV and its relatives (comma, semicolon, tab or spaces; UTF-8, UTF-16 or Latin-1) and Parquet,
    also inside of gzip and zip.

    Parameters
    ----------
    source : path, bytes or binary file object
    name : str, optional
        Name of the file for messages; by default its own.
    header : bool, optional
        Whether the first row names the columns. By default the program decides and says so in
        the notes of the table; the same holds for `delimiter` and `encoding`.
    delimiter : {",", ";", tab, " "}, optional
    encoding : str, optional
        A name that Python knows.
    member : str, optional
        Which file of a zip archive to read, if it holds several tables.
    least_columns : int
        Fewer columns than this are an error.

    Raises
    ------
    DataError
        If the file cannot be read as a table; the message says what it looks like instead.
    """
    if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n\0'):
        raise ValueError(f"delimiter is {delimiter!r}; it must be a single character.")
    data, name = table_bytes(source, name, member)
    if data.startswith(b"PAR1"):
        return from_parquet(data, name, least_columns)
    data, encoding = to_utf8(data, encoding, name)
    shape = find_shape(data, name, header, delimiter, least_columns)
    if encoding != "utf-8":
        known = ENCODINGS.get(encoding, encoding)
        shape.notes.append(f"The text is {known}; check that names look right.")
    return _from_text(data, name, shape, encoding)


def _from_text(data: bytes, name: str, shape: Shape, encoding: str) -> Table:
    if shape.delimiter == " ":
        data = data[: shape.body] + evenly_spaced(data[shape.body :])
    malformed: list[tuple[int, int]] = []

    def skip(row: pyarrow.csv.InvalidRow) -> str:
        malformed.append((shape.first_row + row.number - 1, row.actual_columns))
        return "skip"

    try:
        cells = pyarrow.csv.read_csv(
            pa.BufferReader(pa.py_buffer(data).slice(shape.body)),
            # Rows are numbered only on a single thread, which is fast enough.
            pyarrow.csv.ReadOptions(
                column_names=shape.columns, use_threads=False, block_size=MAX_ROW_BYTES
            ),
            # Empty lines are kept until they are counted.
            pyarrow.csv.ParseOptions(
                delimiter=shape.delimiter, newlines_in_values=True, ignore_empty_lines=False,
                invalid_row_handler=skip,
            ),
            # Types are not inferred: 007 is not 7, and whoever is called 1e5 is no number.
            pyarrow.csv.ConvertOptions(column_types=_column_types(shape)),
        )
    except pa.ArrowInvalid as error:
        _refuse_open_quote(data, name, shape)
        raise _unreadable(name, str(error)) from error
    _refuse_open_quote(data, name, shape)
    cells, blank = _without_blank_rows(cells)
    if not cells.num_rows and not malformed:
        raise _no_rows(name)
    if len(malformed) > cells.num_rows:
        row, found = malformed[0]
        raise DataError(
            f"the row has {counted(found, 'cell')}, but there are "
            f"{counted(len(shape.columns), 'column')}, and most rows are like this one",
            file=name, row=row,
            remedy="Choose another sign between the cells, or correct the header.",
        )
    table = Table(
        name, cells, shape.header, shape.delimiter, encoding, shape.notes, shape.first_row,
        skipped=np.array([row for row, _ in malformed], dtype=np.int64),
    )
    # As long as the blank rows are not taken out, they are positions of the table.
    return replace(table, blank=table.row_numbers(np.flatnonzero(blank)))


def _column_types(shape: Shape) -> dict[str, pa.DataType]:
    """Dictionary-encoded text, or plain text where hardly any value comes twice."""
    types = {}
    for i, column in enumerate(shape.columns):
        values = [row[i] for row in shape.sample if i < len(row)]
        unique = len(values) >= 1000 and len(set(values)) > len(values) / 2
        types[column] = pa.string() if unique else pa.dictionary(pa.int32(), pa.string())
    return types


def _without_blank_rows(cells: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """The table without rows of empty cells only, and (rows,) bool where these were."""
    blank = np.ones(cells.num_rows, dtype=bool)
    for column in cells.columns:
        if not blank.any():
            break
        parts = [_is_blank(chunk) for chunk in column.chunks]
        blank &= np.concatenate(parts) if parts else blank
    if blank.any():
        cells = cells.filter(pa.array(~blank))
    return cells, blank


def _is_blank(chunk: pa.Array) -> np.ndarray:
    if not pa.types.is_dictionary(chunk.type):
        lengths = pc.binary_length(pc.utf8_trim_whitespace(chunk))
        return lengths.to_numpy(zero_copy_only=False) == 0
    empty = [i for i, text in enumerate(chunk.dictionary.to_pylist()) if not text.strip()]
    return np.isin(chunk.indices.to_numpy(), empty)


def _unreadable(name: str, message: str) -> DataError:
    if "straddling" in message:
        return row_too_long(name)
    if "Empty CSV" in message:
        return _no_rows(name)
    return DataError(
        f"the table cannot be read ({message})", file=name, remedy="Save it again as CSV."
    )


def _refuse_open_quote(data: bytes, name: str, shape: Shape) -> None:
    row = unterminated_quote(data, shape.body, shape.delimiter)
    if row is not None:
        raise DataError(
            "a quotation mark is opened in this row and never closed", file=name,
            row=shape.first_row + row, remedy="Close or remove the quotation mark.",
        )


def _no_rows(name: str) -> DataError:
    return DataError(
        "there is a header but no row below it", file=name,
        remedy="Check that the answers were saved; if the first row is an answer, switch the "
        "header off.",
    )
