"""Tables of SPSS, Stata and R -> columns of texts or numbers.

A column shows its value labels if all of its values have one: the values say nothing by themselves.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.archive import damaged
from tripletscope.core.io.formats.r import RValue, frames_in, is_r, read_r, texts_of
from tripletscope.core.io.formats.spss import read_spss
from tripletscope.core.io.names import listing

#: Beginnings of Stata's files: since version 13, and before.
_STATA, _EARLIER = b"<stata_dta>", (105, 108, 110, 111, 112, 113, 114, 115)
_SPSS = (b"$FL2", b"$FL3")
#: Errors after a wrong byte: unexpected types, lengths and positions.
_BROKEN = (
    ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RecursionError,
    StopIteration, TypeError, ValueError, struct.error, zlib.error,
)
#: Most labels of columns in a note.
_NAMED = 8


@dataclass(frozen=True)
class LabelledTable:
    """Columns of a statistics program.

    columns: Arrays of numbers or of texts (None if missing), by name.
    notes: About labels, and tables that were left out.
    """

    columns: dict[str, np.ndarray]
    notes: list[str]


def labelled_table(data: bytes, name: str) -> LabelledTable | None:
    """The table of an unpacked SPSS, Stata or R file; None for others."""
    is_stata = data.startswith(_STATA) or (
        data[:1] and data[0] in _EARLIER and data[1:4] in (b"\1\1\0", b"\2\1\0")
    )
    program, read = (
        ("SPSS", _of_spss) if data.startswith(_SPSS) else ("Stata", _of_stata) if is_stata
        else ("R", _of_r) if is_r(data) else ("", None)
    )
    if read is None:
        return None
    try:
        return read(data, name)
    except DataError:
        raise
    except _BROKEN as error:
        raise damaged(f"the file of {program}", name) from error


def _of_spss(data: bytes, name: str) -> LabelledTable:
    variables = read_spss(data, name)
    return _labelled(
        {one.name: one.values for one in variables}, {one.name: one.labels for one in variables},
        {one.name: one.title for one in variables}, ["SPSS."],
    )


def _of_stata(data: bytes, name: str) -> LabelledTable:
    with pd.io.stata.StataReader(io.BytesIO(data), convert_categoricals=False) as reader:
        titles, sets = reader.variable_labels(), reader.value_labels()
        frame = reader.read()
        labels = {
            column: sets[of] for column, of in zip(frame, reader._lbllist, strict=True)
            if of in sets
        }
    columns = {column: frame[column].to_numpy() for column in frame}
    return _labelled(columns, labels, titles, ["Stata."])


def _of_r(data: bytes, name: str) -> LabelledTable:
    result = [
        table for own, value in read_r(data, name).items()
        for table in frames_in(value, own, _is_table)
    ]
    if not result:
        raise DataError("there is no table in this file of R", file=name,
                        remedy="Save a data frame or a matrix with saveRDS or save.")
    title, frame = max(result, key=lambda table: _n_rows(table[1]))
    others = [own for own, _ in result if own != title]
    notes = [f"R: {title} is read" + (f"; {listing(others)} not." if others else ".")]
    if "dim" in frame.attributes:
        return LabelledTable(_of_matrix(frame), notes)
    values, labels = {}, {}
    for column, value in frame.named.items():
        if not isinstance(value, RValue) or not _is_column(value.content):
            continue
        about = value.attributes
        values[column] = _dated(value)
        levels = texts_of(about.get("levels"))
        if levels:
            labels[column] = dict(enumerate(levels, 1))
        elif isinstance(about.get("labels"), RValue):
            labels[column] = {code: text for text, code in about["labels"].named.items()}
    titles = {
        column: next(iter(texts_of(value.attributes.get("label"))), "")
        for column, value in frame.named.items() if isinstance(value, RValue)
    }
    return _labelled(values, labels, titles, notes)


def _is_column(content: Any) -> bool:
    """Whether a value of R has numbers or texts."""
    if isinstance(content, list):
        return all(one is None or isinstance(one, str) for one in content)
    return content is not None


def _dated(value: RValue) -> np.ndarray:
    """Numbers or texts; dates and moments, which are numbers in R, in ISO 8601."""
    content = np.asarray(value.content, dtype=object if isinstance(value.content, list) else None)
    units = {"Date": ("D", 1), "POSIXct": ("ms", 1000)}
    unit = next((units[one] for one in value.classes if one in units), None)
    if unit is None or content.dtype == object:
        return content
    finite = np.isfinite(content.astype(float))
    whole = np.where(finite, content, 0.0) * unit[1]
    moments = whole.round().astype("int64").astype(f"datetime64[{unit[0]}]")
    return np.where(finite, np.datetime_as_string(moments), None)


def _is_table(value: Any) -> bool:
    if not isinstance(value, RValue):
        return False
    dims = value.attributes.get("dim")
    is_matrix = isinstance(dims, RValue) and len(dims.content) == 2
    return "data.frame" in value.classes or (is_matrix and isinstance(value.content, np.ndarray))


def _n_rows(frame: RValue) -> int:
    if "dim" in frame.attributes:
        return int(frame.attributes["dim"].content[0])
    return max((len(one.content) for one in frame.content if isinstance(one, RValue)
                and one.content is not None), default=0)


def _of_matrix(matrix: RValue) -> dict[str, np.ndarray]:
    """Columns of a matrix, and one of the names of its rows."""
    shape = tuple(matrix.attributes["dim"].content.astype(int).tolist())
    values = matrix.content.reshape(shape, order="F")
    names = matrix.attributes.get("dimnames")
    rows, columns = (texts_of(one) for one in names.content) if names else ([], [])
    first = {"": np.array(rows, dtype=object)} if rows else {}
    titles = columns or [f"column {k}" for k in range(1, shape[1] + 1)]
    return first | dict(zip(titles, values.T, strict=True))


def _labelled(
    columns: Mapping[str, np.ndarray], labels: Mapping[str, Mapping[Any, str]],
    titles: Mapping[str, str | None], notes: list[str],
) -> LabelledTable:
    """Columns by their value labels, if these name every value."""
    shown, by_label, partly = {}, [], []
    for column, values in columns.items():
        names = labels.get(column) or {}
        present = [value for value in dict.fromkeys(values.tolist()) if not _is_missing(value)]
        if names and all(value in names for value in present):
            by_label.append(column)
            values = np.array(
                [None if _is_missing(v) else str(names[v]) for v in values.tolist()], dtype=object
            )
        elif names:
            partly.append(f"{column}: " + ", ".join(f"{k:g} {v}" if isinstance(k, float)
                                                    else f"{k} {v}" for k, v in names.items()))
        shown[column] = values
    if by_label:
        notes.append(f"Shown by their value labels: {listing(by_label, _NAMED)}.")
    if partly:
        notes.append(f"Some values have labels: {listing(partly, _NAMED)}.")
    titled = [f"{column}: {title}" for column, title in titles.items()
              if title and title != column]
    if titled:
        notes.append(f"Labels of columns: {listing(titled, _NAMED)}.")
    return LabelledTable(shown, notes)


def _is_missing(value: Any) -> bool:
    return value is None or value != value or value == ""
