"""Variables of statistics programs: values with labels, dates -> columns, and what is said of them.

A column shows its value labels if each of its values has one of its own: the values say nothing by
themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from tripletscope.core.reading.names import listing

#: Most labels of columns in a note.
_NAMED = 8
#: Seconds between 1970 and the years 1 and 10000.
_FIRST, _LAST = np.array(["0001", "10000"], "datetime64[s]").astype(np.int64)
_MOST_SPANS = 1e15  # milliseconds of Stata, in 10,000 years


@dataclass
class Variable:
    """A column as a program keeps it.

    values: Numbers, truth values or texts; null if missing.
    labels: Of values.
    missing: Values that the file declares missing, as texts; they are null.
    """

    name: str
    values: pa.Array
    labels: Mapping[Any, str] = field(default_factory=dict)
    title: str = ""
    missing: Sequence[str] = ()


@dataclass(frozen=True)
class StatisticsTable:
    """Columns of a statistics program; names may occur twice.

    notes: About labels, and on all that was left out.
    omitted: The latter.
    """

    columns: pa.Table
    notes: list[str]
    omitted: list[str]


def table_of(
    variables: Sequence[Variable], notes: Sequence[str], omitted: Sequence[str] = ()
) -> StatisticsTable:
    """Columns by their value labels, if these name every value.

    notes, omitted: What the program's reader says.
    """
    columns, by_label, partly = [], [], []
    for one in variables:
        shown = _labelled(one)
        if shown is not None:
            by_label.append(one.name)
        elif one.labels:
            partly.append(f"{one.name}: " + ", ".join(
                f"{value_text(value)} {label}" for value, label in one.labels.items()
            ))
        columns.append(one.values if shown is None else shown)
    titled = [f"{one.name}: {one.title}" for one in variables if one.title not in ("", one.name)]
    missing = [f"{one.name}: {listing(one.missing)}" for one in variables if one.missing]
    omitted = [*omitted, *_said(
        ("Empty, because the file declares these values missing", missing, len(missing)),
    )]
    return StatisticsTable(pa.table(columns, [one.name for one in variables]), [
        *notes, *omitted, *_said(
            ("Shown by their value labels", by_label, _NAMED),
            ("Some values have labels", partly, _NAMED), ("Labels of columns", titled, _NAMED),
        ),
    ], omitted)


def _said(*about: tuple[str, Sequence[str], int]) -> list[str]:
    """Sentences of what, columns, and how many of these are named."""
    return [f"{what}: {listing(which, most)}." for what, which, most in about if which]


def _labelled(one: Variable) -> pa.Array | None:
    """The labels of all values; None if there are none, or if two values would look alike."""
    if not one.labels:
        return None
    coded = one.values.dictionary_encode()
    values = coded.dictionary.to_pylist()
    labels = [str(one.labels.get(value, "")) for value in values]
    named = [label for value, label in zip(values, labels, strict=True) if value != ""]
    if "" in named or len(set(named)) < len(named):
        return None
    return pa.DictionaryArray.from_arrays(coded.indices, labels).cast(pa.string())


def value_text(value: Any) -> str:
    """A value in a note."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def dates(values: pa.Array, began: str, seconds: float) -> pa.Array:
    """Numbers of spans since a date, as dates in ISO 8601."""
    return moments(values, began, seconds, "D")


def moments(values: pa.Array, began: str, seconds: float, unit: str | None = None) -> pa.Array:
    """Numbers of spans since a date, in ISO 8601, with milliseconds if there are any."""
    start = np.datetime64(began, "s").astype(int)
    return _written(values, lambda spans: start + spans * seconds, unit)


def months(values: pa.Array, each: int) -> pa.Array:
    """Numbers of months, quarters or halves since 1960, as the dates of their first days."""
    def seconds(spans: np.ndarray) -> np.ndarray:
        firsts = np.datetime64("1960-01") + (spans * each).astype("timedelta64[M]")
        return firsts.astype("datetime64[s]").astype(float)

    return _written(values, seconds, "D")


def weeks(values: pa.Array) -> pa.Array:
    """Numbers of Stata's weeks since 1960, 52 to a year, as the dates of their first days."""
    def seconds(spans: np.ndarray) -> np.ndarray:
        years = np.datetime64("1960") + (spans // 52).astype("timedelta64[Y]")
        return years.astype("datetime64[s]").astype(float) + spans % 52 * 7 * 86_400

    return _written(values, seconds, "D")


def _written(
    values: pa.Array, seconds: Callable[[np.ndarray], np.ndarray], unit: str | None = None
) -> pa.Array:
    """Dates or moments; numbers if one is not in the years 1 to 9999.

    seconds: From spans to seconds since 1970.
    """
    numbers = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    missing = ~np.isfinite(numbers)
    spans = np.where(missing, 0.0, numbers)
    if (np.abs(spans) > _MOST_SPANS).any():
        return values
    since = seconds(spans)
    if ((since < _FIRST) | (since >= _LAST)).any():
        return values
    exact = np.round(since * 1000).astype("int64")
    unit = unit or ("ms" if (exact % 1000).any() else "s")
    texts = np.datetime_as_string(exact.astype("datetime64[ms]"), unit=unit, casting="unsafe")
    return pa.array(texts.astype(object), pa.string(), mask=missing)


def as_bytes(columns: pa.Table) -> bytes:
    """Columns in Arrow's format, which runs no code when it is read."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, columns.schema) as stream:
        stream.write_table(columns)
    return sink.getvalue().to_pybytes()


def from_bytes(data: bytes) -> pa.Table:
    """The columns of `as_bytes`."""
    columns = pa.ipc.open_stream(data).read_all()
    columns.validate(full=True)
    return columns
