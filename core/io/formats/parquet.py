"""Parquet -> `Table`."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.archive import check_size, damaged
from tripletscope.core.io.formats.text import MAX_COLUMNS, unique_names
from tripletscope.core.io.names import counted
from tripletscope.core.io.table import Table, as_cells

MAX_ROWS = 50_000_000


def from_parquet(data: bytes, name: str, least_columns: int) -> Table:
    """Read the table from the bytes of a Parquet file."""
    try:
        cells, notes = _read(data, name)
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise damaged("the Parquet file", name) from error
    if cells.num_columns < least_columns:
        raise DataError(
            f"the table has {counted(cells.num_columns, 'column')}", file=name,
            remedy=f"At least {least_columns} columns are needed.",
        )
    if not cells.num_rows:
        raise DataError("the table has no rows", file=name, remedy="Check that it was saved.")
    return Table(name, cells, True, None, None, notes, first_row=1)


def _read(data: bytes, name: str) -> tuple[pa.Table, list[str]]:
    schema = pyarrow.parquet.read_schema(pa.BufferReader(data))
    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    # Columns may share a name, by which none of them is found.
    plain = [field for field in schema if field.name not in nested]
    columns = [field.name for field in plain]
    # A small file may hold a long text many times over; so it is never written out.
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(data), read_dictionary=columns)
    about = file.metadata
    if about.num_rows > MAX_ROWS or about.num_columns > MAX_COLUMNS:
        raise DataError(
            f"the table has {counted(about.num_rows, 'row')} and "
            f"{counted(about.num_columns, 'column')}", file=name,
            remedy=f"At most {MAX_ROWS:,} rows and {MAX_COLUMNS:,} columns are read.",
        )
    unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    # A value that is repeated takes no room in the file, but does in a table.
    in_a_row = sum(_width(field.type) for field in plain)
    check_size(max(unpacked, about.num_rows * in_a_row), len(data), name)
    notes = [f"Column {column!r} contains lists and was omitted." for column in nested]
    cells = file.read(columns)
    names = unique_names(cells.column_names, notes)
    return pa.table([as_cells(column) for column in cells.columns], names), notes


def _width(kind: pa.DataType) -> int:
    """Bytes that a cell takes; those of a text are only the number of its word."""
    try:
        return -(-kind.bit_width // 8)
    except ValueError:
        return 4
