"""Several tables as one: one file per participant, or answers and their code book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.text import unique_names
from tripletscope.core.reading.names import counted, file_name, listing, normalised, stem
from tripletscope.core.reading.table import Table, decoded

#: Column with the file of each row, and its name if the files have such a column.
FILE, _OTHERWISE = "file", "file of the row"


def file_column(table: Table) -> str | None:
    """The column with the file of each row, of a table of several files."""
    if len(table.files) < 2:
        return None
    return next((name for name in (_OTHERWISE, FILE) if name in table.columns), None)


def together(tables: Sequence[Table], name: str) -> Table:
    """One table of all rows.

    Tables with mostly the same columns follow each other, with a column that names the file. A
    table with a unique value of one column in each row, which explains that column of the others,
    is a code book: its columns are added to theirs.
    """
    if len(tables) == 1:
        return tables[0]
    book = _code_book(tables)
    if book is not None:
        number, key = book
        others = [table for i, table in enumerate(tables) if i != number]
        return _joined(together(others, name), tables[number], key)
    if not _fit(tables):
        raise DataError(
            f"there are {len(tables):,} different tables: "
            f"{listing([file_name(table.name) for table in tables])}", file=name,
            remedy="Upload the one with the answers on its own.",
        )
    return _stacked(tables, name)


def alike(tables: Sequence[Table]) -> tuple[list[Table], list[Table]]:
    """The tables that fit together, and the others.

    If not all fit, those fit whose columns are mostly those of most tables, or, of two equally
    frequent kinds, of the longest table.
    """
    if _fit(tables) or _code_book(tables) is not None:
        return list(tables), []
    kinds = Counter(frozenset(table.columns) for table in tables)
    usual = max(tables, key=lambda table: (kinds[frozenset(table.columns)], table.n_rows))
    fitting = [table for table in tables if table is usual or _fit([usual, table])]
    return fitting, [table for table in tables if table not in fitting]


def _fit(tables: Sequence[Table]) -> bool:
    common = set.intersection(*(set(table.columns) for table in tables))
    widest = max(len(table.columns) for table in tables)
    return len(common) >= 3 and len(common) >= 0.6 * widest


def _stacked(tables: Sequence[Table], name: str) -> Table:
    parts = []
    for table in tables:
        coded = {column: table.codes(column, {""}) for column in table.columns}
        parts.append(pa.table({c: decoded(one.codes, one.values) for c, one in coded.items()}))
    data = pa.concat_tables(parts, promote_options="default")
    files = [stem(table.name) for table in tables]
    if len(set(files)) < len(files):
        files = unique_names([table.name for table in tables], [])
    column = FILE if FILE not in data.column_names else _OTHERWISE
    number = np.repeat(np.arange(len(tables)), [table.n_rows for table in tables])
    data = data.append_column(column, decoded(number, files))
    first = tables[0]
    files_read = counted(len(tables), "file")
    notes = [f"{files_read} one after the other; column {column!r} names them."]
    return replace(
        first, name=name, data=data, notes=[*notes, *first.notes],
        skipped=np.concatenate([table.skipped for table in tables]),
        blank=np.concatenate([table.blank for table in tables]),
        rows=np.concatenate([table.row_numbers(np.arange(table.n_rows)) for table in tables]),
    )


def _code_book(tables: Sequence[Table]) -> tuple[int, str] | None:
    """Number of the code book among the tables, and the column that it explains."""
    names = [{normalised(column): column for column in table.columns} for table in tables]
    fewest = min(table.n_rows for table in tables)
    # A code book has columns that no other table has.
    held_by = Counter(name for one in names for name in one)
    for i, (book, own_names) in enumerate(zip(tables, names, strict=True)):
        fresh = sum(held_by[name] == 1 for name in own_names)
        if len(tables) < 2 or fresh < 2 or book.n_rows > fewest:
            continue
        for name, column in own_names.items():
            keys = book.codes(column)
            if held_by[name] < len(tables) or len(keys.values) < book.n_rows:
                continue
            used = [
                set(table.codes(theirs[name]).values)
                for j, (table, theirs) in enumerate(zip(tables, names, strict=True)) if j != i
            ]
            if all(values and values <= set(keys.values) for values in used):
                return i, column
    return None


def _joined(table: Table, book: Table, key: str) -> Table:
    book_keys = book.codes(key)
    column = next(c for c in table.columns if normalised(c) == normalised(key))
    keys = table.codes(column)
    row = {book_keys.values[code]: i for i, code in enumerate(book_keys.codes)}
    places = np.array([*(row.get(text, -1) for text in keys.values), -1])[keys.codes]
    added = {}
    for other in book.columns:
        if other not in table.columns and other != key:
            cells = book.codes(other, {""})  # an object may be called NA
            codes = np.append(cells.codes, -1)[places]
            added[other] = decoded(codes, cells.values)
    return table.with_columns(
        added, f"Columns {listing(list(added))} come from {file_name(book.name)}, by {column}."
    )
