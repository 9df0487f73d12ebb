"""CSV and its relatives, or another container -> `Table`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped, part, silent
from tripletscope.core.reading.formats.arrays import arrays_in
from tripletscope.core.reading.formats.encoding import ENCODINGS, examples, to_utf8
from tripletscope.core.reading.formats.excel import is_workbook, sheet_as_csv, sheets_alike
from tripletscope.core.reading.formats.isolated import isolated_table
from tripletscope.core.reading.formats.several import alike, together
from tripletscope.core.reading.formats.source import Source, refuse_other_kinds, unpacked
from tripletscope.core.reading.formats.statistics import program_of
from tripletscope.core.reading.formats.survey import rows_of_columns
from tripletscope.core.reading.formats.text import (
    MAX_ROW_BYTES,
    Shape,
    evenly_spaced,
    find_shape,
    row_too_long,
    unterminated_quote,
)
from tripletscope.core.reading.formats.triangular import squared
from tripletscope.core.reading.formats.wrapped import unwrapped
from tripletscope.core.reading.given import NAME, TableSource, files_in, given_table
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.reading.names import counted, file_name, listing
from tripletscope.core.reading.records import (
    from_arrays,
    from_columns,
    from_json,
    from_parquet,
    is_json,
)
from tripletscope.core.reading.table import Table
from tripletscope.core.reading.tasks import MOST_OPTIONS


def load(
    source: TableSource, name: str | None = None, *, header: bool | None = None,
    delimiter: str | None = None, encoding: str | None = None, member: str | None = None,
    least_columns: int = 3, reshape: bool = True, tolerant: bool = False,
    progress: Progress = silent,
) -> Table:
    """Read a table of text, without deciding what its columns mean.

    CSV and its relatives (comma, semicolon, tab or spaces; UTF-8, UTF-16 or Latin-1), JSON and JSON
    lines, Excel, OpenDocument, Parquet, SPSS, Stata, SAS, R (.rds, .RData), NumPy, HDF5 and MATLAB,
    also inside gzip and zip. Also data frames, arrays, lists of rows, and lists of files.

    header, delimiter, encoding: By default recognised, and stated in the notes.
    member: The file to read of an archive; by default all, which must fit together.
    reshape: Whether to add columns for lists and codes in cells.
    tolerant: Whether files that do not fit are left out (see `Table.refused`).
    """
    if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n\0'):
        raise ValueError(f"delimiter is {delimiter!r}; it must be a single character.")
    files = files_in(source)
    if files is not None:
        return load_several(
            files, name, header=header, delimiter=delimiter, encoding=encoding, tolerant=tolerant,
            reshape=reshape, progress=progress,
        )
    given, notes, has_others = given_table(source, name), [], False
    if given is None:
        parts = unpacked(source, name, member)
        (data, own), *others = parts
        if not others and is_workbook(data, own):
            sheets, note, has_others = sheets_alike(data, own)
            parts, notes = sheets or parts, [note] if sheets else []
    else:
        parts, delimiter, encoding = [(given, name or NAME)], ",", "utf-8"
    least = least_columns if len(parts) == 1 else 1

    def read_part(data: bytes | Table, own: str, step: Progress) -> Table:
        if not isinstance(data, Table):
            data = _table(data, own, header, delimiter, encoding, least, step)
        return _wide_enough(data, least)

    whole = _gathered(parts, read_part, name or parts[0][1].split("/")[0], tolerant, progress)
    whole = replace(
        whole, notes=[*notes, *whole.notes],
        omitted=(*whole.omitted, *notes) if has_others else whole.omitted,
    )
    return reshaped(whole) if reshape else whole


def load_several(
    files: Iterable[tuple[str, Source]], name: str | None = None, *, reshape: bool = True,
    tolerant: bool = False, progress: Progress = silent, **options: Any,
) -> Table:
    """Read several files as one table: one per participant, or answers and their code book."""
    parts = [(source, own) for own, source in files]
    if not parts:
        raise DataError("there is no file", remedy="Choose at least one.")
    options = {"least_columns": 1, "reshape": False, "tolerant": tolerant} | options

    def read_part(source: Source, own: str, step: Progress) -> Table:
        return load(source, own, progress=step, **options)

    whole = _gathered(parts, read_part, name or parts[0][1], tolerant, progress)
    return reshaped(whole) if reshape else whole


def _gathered(
    parts: Sequence[tuple[Any, str]], read_part: Callable[[Any, str, Progress], Table], name: str,
    tolerant: bool, progress: Progress,
) -> Table:
    """One table of all files, or, if `tolerant`, of those that are readable and fit together."""
    tables: list[Table] = []
    refused: dict[str, str] = {}
    for i, (source, own) in enumerate(parts):
        try:
            step = part(progress, i / len(parts), (i + 1) / len(parts))
            tables.append(read_part(source, own, step))
        except DataError as error:
            if not tolerant or len(parts) == 1:
                raise
            refused[own] = error.problem
    if len(parts) == 1:
        return tables[0]
    if not tables:
        own, problem = next(iter(refused.items()))
        raise DataError(
            f"none of {len(parts):,} files can be read; of {file_name(own)}, {problem}",
            file=name, remedy="Upload one of them alone to see more.",
        )
    if tolerant:
        tables, others = alike(tables)
        refused |= {
            table.name: f"its columns are others: {listing(table.columns)}" for table in others
        }
    for table in tables:
        refused |= table.refused
    files = tuple(own for table in tables for own in table.files or [table.name])
    omitted = tuple(dict.fromkeys(note for table in tables for note in table.omitted))
    return replace(together(tables, name), files=files, refused=refused, omitted=omitted)


def reshaped(table: Table) -> Table:
    """The table with columns made from lists and codes in its cells."""
    table = unwrapped(unfolded(table))
    for layout in layouts().values():
        changed = layout.reshape(table)
        if changed is not None:
            return changed
    return rows_of_columns(table)


def _table(
    data: bytes, name: str, header: bool | None, delimiter: str | None, encoding: str | None,
    least_columns: int, progress: Progress,
) -> Table:
    refuse_other_kinds(data, name)
    if data.startswith(b"PAR1"):
        return from_parquet(data, name)
    program = program_of(data)
    if program is not None:
        table = isolated_table(data, program, name, progress)
        return from_columns(table.columns, name, table.notes, table.omitted)
    arrays = arrays_in(data, name)
    if arrays is not None:
        return from_arrays(arrays, name)
    is_sheet = is_workbook(data, name)
    if is_sheet:
        data, numbers, note, others = sheet_as_csv(data, name)
        delimiter = ","
    data, encoding = to_utf8(data, encoding, name)
    if is_json(data) and delimiter is None:
        return from_json(data, name)
    triangle = squared(data) if delimiter is None and header is None else None
    if triangle is not None:
        data, note = triangle
        delimiter, header = "\t", True
    shape = find_shape(data, name, header, delimiter, least_columns)
    if triangle is not None:
        shape.notes[:] = [note]
    if is_sheet:
        text = "Columns are separated"  # by commas that no sheet has
        shape.notes[:] = [note, *(said for said in shape.notes if not said.startswith(text))]
    if encoding != "utf-8":
        title = ENCODINGS.get(encoding, encoding)
        names = examples(data)
        such = f", such as {listing(names)}" if names else ""
        shape.notes.append(f"The text is {title}; check that names look right{such}.")
    table = _from_text(data, name, shape, encoding, progress)
    if not is_sheet:
        return table
    # Titles above the table may span several lines of CSV but one row.
    in_text = table.row_numbers(np.arange(table.n_rows)) - table.first_row
    below = numbers[len(numbers) - table.n_rows - len(table.blank) - len(table.skipped) :]
    none = np.zeros(0, dtype=np.int64)
    return replace(
        table, delimiter=None, rows=below[in_text], blank=none, skipped=none,
        omitted=(note,) if others else (),
    )


def _wide_enough(table: Table, least_columns: int) -> Table:
    if len(table.columns) < least_columns:
        about = f" ({table.notes[0].rstrip('.')})" if table.notes else ""
        raise DataError(
            f"the table has {counted(len(table.columns), 'column')}{about}", file=table.name,
            remedy=f"At least {least_columns} are needed: one row for each answer.",
        )
    return table


def _from_text(data: bytes, name: str, shape: Shape, encoding: str, progress: Progress) -> Table:
    if shape.delimiter == " ":
        data = data[: shape.body] + evenly_spaced(data[shape.body :])
    try:
        cells, malformed = _body(data, shape, progress)
    except pa.ArrowInvalid as error:
        _refuse_open_quote(data, name, shape)
        raise _unreadable(name, str(error)) from error
    _refuse_open_quote(data, name, shape)
    cells, blank = _without_blank_rows(cells)
    if not cells.num_rows and not malformed:
        raise _no_rows(name)
    if len(malformed) > cells.num_rows:
        row, result = malformed[0]
        raise DataError(
            f"the row has {counted(result, 'cell')}, but there are "
            f"{counted(len(shape.columns), 'column')}, as in most rows",
            file=name, row=row,
            remedy="Choose another separator, or correct the header.",
        )
    table = Table(
        name, cells, shape.header, shape.delimiter, encoding, shape.notes, shape.first_row,
        skipped=np.array([row for row, _ in malformed], dtype=np.int64),
    )
    # Before blank is set, positions count the blank rows, too.
    return replace(table, blank=table.row_numbers(np.flatnonzero(blank)))


def _body(data: bytes, shape: Shape, progress: Progress) -> tuple[pa.Table, list[tuple[int, int]]]:
    """The cells below the header; row and number of cells of rows with a wrong number of these."""
    malformed: list[tuple[int, int]] = []

    def skip(row: pyarrow.csv.InvalidRow) -> str:
        malformed.append((shape.first_row + row.number - 1, row.actual_columns))
        return "skip"

    reader = pyarrow.csv.open_csv(
        pa.BufferReader(pa.py_buffer(data).slice(shape.body)),
        # Rows have numbers only on a single thread, which is fast enough.
        pyarrow.csv.ReadOptions(
            column_names=shape.columns, use_threads=False, block_size=MAX_ROW_BYTES
        ),
        # Empty lines are kept until they are counted.
        pyarrow.csv.ParseOptions(
            delimiter=shape.delimiter, newlines_in_values=True, ignore_empty_lines=False,
            invalid_row_handler=skip,
        ),
        # Types are not inferred: 007 is not 7, and a participant called 1e5 is no number.
        pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(
            shape.columns, pa.dictionary(pa.int32(), pa.string())
        )),
    )
    batches = []
    for batch in reader:
        batches.append(batch)
        # The reader is far ahead of its batches; one batch is one block.
        if progress(min(len(batches) * MAX_ROW_BYTES / len(data), 1.0)):
            raise Stopped
    return pa.Table.from_batches(batches, reader.schema), malformed


def _without_blank_rows(cells: pa.Table) -> tuple[pa.Table, np.ndarray]:
    """The table without rows of empty cells, and (rows,) bool of these."""
    blank = np.ones(cells.num_rows, dtype=bool)
    for column in cells.columns:
        if not blank.any():
            break
        lengths = pc.binary_length(pc.utf8_trim_whitespace(column.cast(pa.string())))
        blank &= lengths.to_numpy() == 0
    if blank.any():
        cells = cells.filter(pa.array(~blank))
    return cells, blank


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


#: Rows that are searched for lists.
_LOOKED_AT = 20_000
#: A list of texts as Python writes it.
_PYTHON = re.compile(r"\['[^']*'(?:, '[^']*')*\]")


def unfolded(table: Table) -> Table:
    """The table with columns ``name[1]``, ``name[2]`` ... beside each column of JSON lists."""
    added: dict[str, pa.Array] = {}
    head = table.head(_LOOKED_AT)
    for column in table.columns:
        if pa.types.is_floating(table.data.column(column).type):
            continue
        sample = head.codes(column).values
        if not any(text.startswith("[") and text.endswith("]") for text in sample):
            continue
        coded = table.codes(column)
        parts = [_parts(text) for text in coded.values]
        width = max(map(len, parts), default=0)
        for k in range(width if width <= MOST_OPTIONS + 1 else 0):
            cells = [own[k] if k < len(own) else None for own in parts]
            added[f"{column}[{k + 1}]"] = coded.spelt(cells)
    if not added:
        return table
    return table.with_columns(added, f"Lists in cells are also columns: {listing(list(added))}.")


def _parts(text: str) -> list[str]:
    if not (text.startswith("[") and text.endswith("]")):
        return []
    if _PYTHON.fullmatch(text):
        return re.findall("'([^']*)'", text)
    try:
        return [
            value if isinstance(value, str) else json.dumps(value) for value in json.loads(text)
            if value is not None
        ]
    except (ValueError, RecursionError):
        return []
