"""JSON, JSON lines, arrays and Parquet -> `Table`."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.columns.object_columns import says_part
from tripletscope.core.reading.formats.archive import check_size, damaged
from tripletscope.core.reading.formats.arrays import decoded_texts
from tripletscope.core.reading.formats.halves import pairs_in
from tripletscope.core.reading.formats.text import MAX_COLUMNS, too_wide, unique_names
from tripletscope.core.reading.layouts import layouts
from tripletscope.core.reading.names import counted, listing
from tripletscope.core.reading.table import Table, as_cells, as_text, encoded

#: Rows of a Parquet file.
MAX_ROWS = 50_000_000


def is_json(data: bytes) -> bool:
    """Whether text begins as JSON does: with an object or a list."""
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"{"):
        return start[1:].lstrip()[:1] in (b'"', b"}")
    if start.startswith(b"[") and start[1:].lstrip()[:1] in (b"{", b"[", b'"', b"]"):
        return True
    # A list of numbers, as each line of JSON lines may be.
    return re.match(rb"\[[\s\d.,eE+-]*\d\s*(\]|$)", start) is not None


def from_json(data: bytes, name: str) -> Table:
    document = _parsed(data, name)
    try:
        return _from_document(document, name)
    except RecursionError as error:
        raise DataError(
            "the lists and records of this JSON are nested too deeply", file=name,
            remedy="Save the answers as one list of records, or as CSV.",
        ) from error


def _from_document(document: Any, name: str) -> Table:
    for layout in layouts().values():
        try:
            records = layout.unpack(document)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError):
            records = None  # it only looked like this layout
        if records:
            return _from_records(records, name, [f"JSON of {layout.title}.", *layout.told(records)])
    records = _records(_listed(document))
    if records is None:
        raise DataError(
            "this JSON contains no list of answers", file=name,
            remedy="It should be a list of objects with the same keys, or one object of lists.",
        )
    return _from_records(records, name, ["JSON: one row for each record."])


def _parsed(data: bytes, name: str) -> Any:
    text = data.decode()
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        try:
            lines = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
            lines = []
        if len(lines) > 1:
            lists = all(isinstance(line, list) for line in lines)
            nested = lists and all(isinstance(one, dict) for line in lines for one in line)
            return [one for line in lines for one in line] if nested else lines
        raise damaged("the JSON", name, getattr(error, "lineno", None)) from error


def _records(document: Any) -> list[Mapping[str, Any]] | None:
    """The list of objects, or of rows, that a document is or contains."""
    if isinstance(document, list):
        return _of_list(document)
    if not isinstance(document, dict):
        return None
    result = _of_columns(document) or _of_numbered_rows(document)
    inside = (_records(value) for value in document.values())
    return result or next((records for records in inside if records), None)


def _listed(value: Any) -> Any:
    """The same, with records that have keys of their own as lists: databases write them so.

    The key is the participant of a record that holds trials, or the part of the study.
    """
    if not isinstance(value, dict):
        return value
    inner = {key: _listed(one) for key, one in value.items()}
    if len(inner) > 1 and all(_is_list_of_records(one) for one in inner.values()) and (
        _share_keys([one[0].keys() for one in inner.values()])
    ):
        who = "block" if any(map(says_part, inner)) else "participant"
        return [{who: key, **record} for key, own in inner.items() for record in own]
    if not _are_records([*inner.values()]):
        return inner
    return [
        {"participant" if _holds_trials(one) else "key": key, **one} for key, one in inner.items()
    ]


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _holds_trials(record: Mapping[str, Any]) -> bool:
    return any(isinstance(one, dict | list) for one in record.values())


def _share_keys(own: Sequence[Iterable[str]]) -> bool:
    """Whether most keys are those of all, and number no rows."""
    shared, every = set.intersection(*map(set, own)), set().union(*own)
    return len(shared) >= 2 and 2 * len(shared) >= len(every) and not all(
        str(key).isdigit() for key in every
    )


def _are_records(values: Sequence[Any]) -> bool:
    """Whether these are objects of about the same keys, and no columns of a table.

    Values of a column are alike; those of a record are not, but the same in all records.
    """
    if len(values) < 2 or not all(isinstance(one, dict) and one for one in values):
        return False
    if not _share_keys([one.keys() for one in values]):
        return False
    if any(map(_holds_trials, values)):
        return True
    kinds = [{type(one[key]) for one in values if key in one} - {type(None)} for key in values[0]]
    return len({*map(frozenset, kinds)}) > 1 and all(len(kind) < 2 for kind in kinds)


def _of_list(document: list) -> list[Mapping[str, Any]] | None:
    """Records in a list of objects, of rows, or of lists of objects."""
    if not document:
        return None
    if all(isinstance(one, dict) for one in document):
        return _of_components(document) or document
    if not all(isinstance(one, list) for one in document):
        return None
    rows = [row for row in document if row]
    if rows and all(isinstance(cell, dict) for row in rows for cell in row):
        return [cell for row in rows for cell in row]
    return [{f"column {i}": v for i, v in enumerate(row, 1)} for row in rows] or None


def _of_components(document: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]] | None:
    """Trials in records of whole sessions, as JATOS writes them: a list somewhere inside of each.

    What a session says beside its trials is said of each of them.
    """
    inside: dict[str, list[Mapping[str, Any]]] = {}
    for session in document:
        for path, trials, beside in _lists_in(session, ""):
            inside.setdefault(path, []).extend({**beside, **trial} for trial in trials)
    most = max(inside.values(), key=len, default=[])
    return most if len(most) > 2 * len(document) else None


def _lists_in(
    session: Mapping[str, Any], before: str
) -> Iterator[tuple[str, list[Mapping[str, Any]], dict[str, Any]]]:
    """Path, trials and what stands beside them, of each list of records that has more to say."""
    beside = {key: value for key, value in session.items() if not isinstance(value, dict | list)}
    for key, value in session.items():
        if isinstance(value, dict) and before.count(".") < 4:
            for path, trials, more in _lists_in(value, f"{before}{key}."):
                yield path, trials, beside | more
        elif _is_list_of_records(value):
            plain = sum(not isinstance(one, dict | list) for one in value[-1].values())
            if plain > max(3, len(beside)):
                yield f"{before}{key}", value, beside


def _of_columns(document: dict) -> list[Mapping[str, Any]] | None:
    """Records in an object of several equally long lists: its columns."""
    lists = {key: value for key, value in document.items() if isinstance(value, list)}
    lengths = {len(value) for value in lists.values()}
    if len(lists) < 2 or len(lengths) > 1 or lengths == {0}:
        return None
    return [dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True)]


def _of_numbered_rows(document: dict) -> list[Mapping[str, Any]] | None:
    """Records in an object of objects whose keys number the rows, as pandas writes columns."""
    columns = list(document.values())
    if len(columns) < 2 or not all(isinstance(value, dict) and value for value in columns):
        return None
    rows = list(columns[0])
    if any(list(value) != rows for value in columns):
        return None
    return [{key: document[key][row] for key in document} for row in rows]


def _from_records(records: Sequence[Mapping[str, Any]], name: str, notes: list[str]) -> Table:
    cells: dict[str, dict[int, str]] = {}
    for i, record in enumerate(records):
        for key, value in _flat(record, ""):
            column = cells.setdefault(key, {})
            if len(cells) > MAX_COLUMNS:
                raise too_wide(f"the records have more than {MAX_COLUMNS:,} different keys", name)
            column[i] = value
    columns = [encoded(map(column.get, range(len(records)))) for column in cells.values()]
    header = not all(key.startswith("column ") for key in cells)
    data = pa.table(columns, unique_names(cells, notes))
    return Table(name, data, header, None, None, notes, first_row=1)


def _flat(value: Mapping[str, Any], before: str) -> list[tuple[str, str]]:
    """Keys and texts of a record; keys of inner objects follow a dot."""
    result = []
    for key, inner in value.items():
        if isinstance(inner, dict) and before.count(".") < 4:
            result += _flat(inner, f"{before}{key}.")
        else:
            result.append((f"{before}{key}", _text(inner)))
    return result


def _text(value: Any) -> str:
    return as_text(value) if isinstance(value, str | float | None) else json.dumps(value)


def from_arrays(arrays: Mapping[str, np.ndarray], name: str) -> Table:
    """A table of the arrays of equal length; of pairs of objects if they are squares or halves."""
    arrays = _unpacked_tensor(arrays)
    pairs = pairs_in(arrays)
    if pairs is not None:
        columns, said = pairs
        cells = pa.table([as_cells(pa.chunked_array([_arrow(one)])) for one in columns.values()],
                         unique_names(columns, []))
        return Table(name, cells, True, None, None, [said], first_row=0)
    columns, alone = _as_columns(_longest(_vectors(arrays)), name)
    shapes = [f"{key or name} {values.shape}" for key, values in arrays.items()]
    notes = [f"Arrays: {listing(shapes, 12)}."]
    try:
        cells = [as_cells(pa.chunked_array([_arrow(values)])) for values in columns.values()]
    except UnicodeError as error:
        raise damaged("the text in the arrays", name) from error
    data = pa.table(cells, unique_names(columns, notes))
    return Table(name, data, not alone, None, None, notes, first_row=0)


def _vectors(arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays and fields of structs that may be columns, with one axis where there is one."""
    parts: dict[str, np.ndarray] = {}
    for key, values in arrays.items():
        # MATLAB has no vectors; but one row alone is one answer.
        if values.ndim == 2 and (values.shape[1] == 1 or (len(values) == 1 < len(arrays))):
            values = values.ravel()
        fields = {key: values}
        if values.dtype.names and values.ndim == 1:
            fields = {field: values[field] for field in values.dtype.names}
        parts |= {field: part for field, part in fields.items() if _is_plain(part)}
    return parts


def _longest(parts: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Those of the length that most columns have."""
    lengths = Counter()
    for values in parts.values():
        lengths[len(values)] += values.shape[1] if values.ndim == 2 else 1
    length = max(lengths, key=lambda n: (lengths[n], n), default=0)
    return {
        key: values for key, values in parts.items()
        if len(values) == length and (values.ndim == 1 or values.shape[1] <= MAX_COLUMNS)
    }


def _as_columns(taken: Mapping[str, np.ndarray], name: str) -> tuple[dict[str, np.ndarray], bool]:
    """Columns by name, and whether they are those of one array, which have none."""
    n_columns = sum(1 if values.ndim == 1 else values.shape[1] for values in taken.values())
    if n_columns > MAX_COLUMNS:
        raise too_wide(f"the arrays have {n_columns:,} columns in all", name)
    columns: dict[str, np.ndarray] = {}
    alone = len(taken) == 1
    for key, values in taken.items():
        if values.ndim == 1:
            columns[key or "column 1"] = values
            continue
        for i, column in enumerate(values.T, 1):
            columns[f"column {i}" if alone else f"{key}[{i}]"] = column
    return columns, alone


def _is_plain(values: np.ndarray) -> bool:
    return values.dtype.kind in "biufSU" and values.ndim in (1, 2) and values.size > 0


def _arrow(values: np.ndarray) -> pa.Array:
    values = decoded_texts(values)
    if values.dtype.kind == "f" and values.itemsize not in (4, 8):
        values = values.astype(np.float64)  # Arrow computes with no others
    # Arrow takes native byte order only.
    return pa.array(np.ascontiguousarray(values, values.dtype.newbyteorder("=")))


def _unpacked_tensor(arrays: Mapping[str, np.ndarray]) -> Mapping[str, np.ndarray]:
    """Answers in a sparse n x n x n tensor of the package sparse.

    Entry (i, j, k) is 1 for "j is nearer to i than k", -1 for the opposite, possibly times a number
    of answers, and 0 for no answer.
    """
    if not {"coords", "data", "shape"} <= set(arrays):
        return arrays
    places, values, shape = arrays["coords"], arrays["data"], arrays["shape"]
    if places.ndim != 2 or len(places) != 3 or shape.size != 3 or values.ndim != 1:
        return arrays
    return {"triplet": np.ascontiguousarray(places.T), "response": values}


def from_columns(
    columns: pa.Table, name: str, notes: list[str], omitted: Sequence[str] = ()
) -> Table:
    """A table of columns of numbers or texts, whose names may occur twice."""
    if not columns.num_rows:
        raise DataError("the table has no rows", file=name, remedy="Check that it was saved.")
    names = unique_names(columns.column_names, notes)
    cells = pa.table([as_cells(column) for column in columns.columns], names)
    return Table(name, cells, True, None, None, notes, first_row=1, omitted=tuple(omitted))


# Parquet -------------------------------------------------------------------------------------


def from_parquet(data: bytes, name: str) -> Table:
    try:
        columns, notes = _columns_of(data, name)
        return from_columns(columns, name, notes, [*notes])
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        raise damaged("the Parquet file", name) from error


def _columns_of(data: bytes, name: str) -> tuple[pa.Table, list[str]]:
    schema = pyarrow.parquet.read_schema(pa.BufferReader(data))
    nested = [field.name for field in schema if pa.types.is_nested(field.type)]
    # ParquetFile finds no columns by a name that they share.
    plain = [field for field in schema if field.name not in nested]
    columns = [field.name for field in plain]
    # A small file may repeat a long text many times; dictionaries keep it once.
    file = pyarrow.parquet.ParquetFile(pa.BufferReader(data), read_dictionary=columns)
    about = file.metadata
    if about.num_rows > MAX_ROWS or about.num_columns > MAX_COLUMNS:
        raise DataError(
            f"the table has {counted(about.num_rows, 'row')} and "
            f"{counted(about.num_columns, 'column')}", file=name,
            remedy=f"At most {MAX_ROWS:,} rows and {MAX_COLUMNS:,} columns are read.",
        )
    unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    # Repeated values take no room in the file, but do in a table.
    in_a_row = sum(_width(field.type) for field in plain)
    check_size(max(unpacked, about.num_rows * in_a_row), len(data), name)
    notes = [f"Column {column!r} contains lists and was omitted." for column in nested]
    return file.read(columns), notes


def _width(kind: pa.DataType) -> int:
    """Bytes of a cell; of a text, those of its code."""
    try:
        return -(-kind.bit_width // 8)
    except ValueError:
        return 4
