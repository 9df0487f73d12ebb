"""Tables in memory, such as data frames and lists of rows -> `Table`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.source import Source, named_source
from tripletscope.core.reading.records import from_arrays, from_columns
from tripletscope.core.reading.table import Table

#: Whatever holds a table: a file, files that belong together, or a table itself.
TableSource = Source | pd.DataFrame | np.ndarray | Sequence[Any]

#: Of tables without one.
NAME = "table"


def files_in(source: Any) -> list[tuple[str, Source]] | None:
    """Names and files, if the source is a list of files; None if it is anything else."""
    if not isinstance(source, list | tuple) or not source:
        return None
    if not all(isinstance(each, str | Path | bytes) or hasattr(each, "read") for each in source):
        return None
    return [(named_source(each, f"file {number}"), each) for number, each in enumerate(source, 1)]


def are_rows(source: Any) -> bool:
    """Whether these are rows in memory whose columns nobody has named."""
    if isinstance(source, pd.DataFrame):
        return isinstance(source.columns, pd.RangeIndex)
    if isinstance(source, np.ndarray):
        return source.dtype.names is None
    return isinstance(source, list | tuple) and files_in(source) is None and not any(
        isinstance(row, Mapping) for row in source
    )


def given_table(source: Any, name: str | None) -> Table | bytes | None:
    """A table in memory; rows of cells as CSV, whose header is yet to be found; None for a file."""
    name = name or NAME
    if isinstance(source, pd.DataFrame):
        return _of_frame(source, name)
    if isinstance(source, np.ndarray):
        return from_arrays({"": source}, name)
    if not isinstance(source, list | tuple):
        return None
    if source and all(isinstance(row, Mapping) for row in source):
        return _of_frame(pd.DataFrame(source), name)
    if source and all(isinstance(row, list | tuple | np.ndarray) for row in source):
        return _as_csv(source)
    raise DataError(
        "this list is neither of rows nor of files", file=name,
        remedy="Give rows of the same form, such as (anchor, near, far), or paths of files.",
    )


def _of_frame(frame: pd.DataFrame, name: str) -> Table | bytes:
    if any(level is not None for level in frame.index.names):
        frame = frame.reset_index()
    if isinstance(frame.columns, pd.RangeIndex):  # nobody has named them
        return _as_csv(frame.astype(object).where(frame.notna(), None).to_numpy())
    if frame.columns.astype(str).duplicated().any():
        twice = frame.columns[frame.columns.astype(str).duplicated()][0]
        raise DataError(
            f"two columns are named {str(twice)!r}", file=name, remedy="Rename one of them."
        )
    columns = {str(column): _values(frame.iloc[:, i]) for i, column in enumerate(frame.columns)}
    return from_columns(pa.table(columns), name, [])


def _values(column: pd.Series) -> pa.Array:
    """Values as they are; as texts where they are of several types, or lists."""
    values = column.to_numpy()
    if values.dtype.kind in "biuf":
        return pa.array(values)
    cells = column.astype(object).where(column.notna(), None).tolist()
    try:
        made = pa.array(cells, from_pandas=True)
        if not pa.types.is_nested(made.type):
            return made
    except pa.ArrowException:
        pass
    return pa.array([None if cell is None else str(cell) for cell in cells])


def _as_csv(rows: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()
