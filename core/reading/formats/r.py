"""Tables in .rds and .RData, parsed by rdata without evaluating anything.

rdata's own conversion loses row names, equal names, `dist` and 64-bit integers; tables are made of
what it has parsed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from rdata.parser import CharFlags, RObject
from rdata.parser import RObjectType as Kind

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.r_parser import is_workspace, parse_r
from tripletscope.core.reading.formats.text import MAX_COLUMNS, too_wide
from tripletscope.core.reading.formats.variables import (
    StatisticsTable,
    Variable,
    dates,
    moments,
    table_of,
)
from tripletscope.core.reading.names import listing

#: Depth of lists in which tables are looked for.
_DEEPEST_TABLE = 20
_NUMBERS = (Kind.LGL, Kind.INT, Kind.REAL)
_LARGE_MISSING = -(2**63)
_WESTERN = "cp1252"
#: What a value that is no column is called.
_OTHERS = {Kind.CPLX: "complex numbers", Kind.RAW: "raw bytes", Kind.VEC: "lists"}


def read_r(data: bytes, name: str) -> StatisticsTable:
    """The longest table of a file."""
    parsed = parse_r(data, name)
    texts = _Texts(parsed.extra.encoding)
    values = [(name, parsed.object)]
    if is_workspace(data):
        values = _pairs(parsed.object, texts)
    result = [table for own, value in values for table in _tables_in(value, own, texts)]
    if not result:
        raise DataError("there is no table in this file of R", file=name,
                        remedy="Save a data frame, a matrix or a dist with saveRDS or save.")
    longest = max(result, key=lambda table: table.n_rows)
    others = [table.title for table in result if table is not longest]
    title = f"R: {longest.title} is read"
    omitted = [f"{title}; {listing(others, len(others))} not."] if others else []
    variables = list(islice(longest.variables(omitted), MAX_COLUMNS + 1))
    if len(variables) > MAX_COLUMNS:
        raise too_wide(f"the table has more than {MAX_COLUMNS:,} columns", name)
    return table_of(variables, [*([] if others else [f"{title}."]), *texts.notes()], omitted)


# Values ------------------------------------------------------------------------------------------


class _Texts:
    """Decodes texts; each may say how it is encoded.

    native: Encoding of those that do not.
    """

    def __init__(self, native: str | None) -> None:
        self._native = native or "utf-8"
        self._guessed: dict[str, None] = {}

    def of(self, char: RObject) -> str | None:
        if char.value is None:
            return None
        if char.info.gp & CharFlags.UTF8:
            return self._decoded(char.value, ("utf-8",))
        if char.info.gp & CharFlags.LATIN1:  # which is Windows-1252 to R
            return self._decoded(char.value, (_WESTERN,), certain=True)
        return self._decoded(char.value, (self._native, "utf-8"))

    def _decoded(self, raw: bytes, encodings: Sequence[str], certain: bool = False) -> str:
        for encoding in encodings:
            try:
                return raw.decode(encoding)
            except (UnicodeError, LookupError):
                continue
        try:
            text = raw.decode(_WESTERN)
        except UnicodeError:  # five of its bytes mean nothing
            text = raw.decode("latin-1")
        if not certain:
            self._guessed[text] = None
        return text

    def notes(self) -> list[str]:
        if not self._guessed:
            return []
        return ["Texts of unknown encoding are read as Windows-1252; check that names look right, "
                f"such as {listing([*self._guessed])}."]


def _pairs(pairs: RObject | None, texts: _Texts) -> list[tuple[str, RObject]]:
    """Names and values of a pairlist."""
    result = []
    while pairs is not None and pairs.info.type is Kind.LIST:
        tag = pairs.tag
        while tag is not None and tag.referenced_object is not None:
            tag = tag.referenced_object
        name = None if tag is None else texts.of(tag.value)
        value, pairs = pairs.value
        result.append((name or f"[{len(result) + 1}]", value))
    return result


def _attributes(value: RObject, texts: _Texts) -> dict[str, RObject]:
    return dict(_pairs(value.attributes, texts))


def _strings(value: RObject | None, texts: _Texts) -> list[str | None]:
    """Texts of a vector of texts; none of any other."""
    if value is None or value.info.type is not Kind.STR:
        return []
    known = {id(char): char for char in value.value}
    decoded = {key: texts.of(char) for key, char in known.items()}
    return [decoded[id(char)] for char in value.value]


def _array(value: RObject, texts: _Texts) -> pa.Array | None:
    """Numbers, truth values or texts of a vector; None of any other."""
    if value.info.type is Kind.STR:
        return pa.array(_strings(value, texts), pa.string())
    if value.info.type not in _NUMBERS:
        return None
    numbers = np.asarray(value.value)
    return pa.array(numbers, mask=np.ma.getmaskarray(value.value) | np.isnan(numbers))


# Tables ------------------------------------------------------------------------------------------


@dataclass
class _Table:
    """A data frame, matrix or `dist`, whose columns are made when they are asked for."""

    title: str
    n_rows: int
    variables: Callable[[list[str]], Iterator[Variable]]


def _tables_in(value: RObject, title: str, texts: _Texts, depth: int = 0) -> Iterator[_Table]:
    """Tables that a value is, or has in its lists."""
    table = _table(value, title, texts)
    if table is not None:
        yield table
    elif value.info.type is Kind.VEC and depth < _DEEPEST_TABLE:
        names = _strings(_attributes(value, texts).get("names"), texts)
        for place, inner in enumerate(value.value):
            own = names[place] if place < len(names) and names[place] else f"[{place + 1}]"
            yield from _tables_in(inner, f"{title}${own}", texts, depth + 1)


def _table(value: RObject, title: str, texts: _Texts) -> _Table | None:
    about = _attributes(value, texts)
    classes = _strings(about.get("class"), texts)
    if "data.frame" in classes and value.info.type is Kind.VEC:
        rows = _row_names(about.get("row.names"), texts)
        return _Table(title, len(rows), lambda omitted: _frame(value, about, rows, texts, omitted))
    if "dist" in classes and "Size" in about:
        size = int(about["Size"].value[0])
        return _Table(title, size, lambda omitted: _distances(value, about, size, texts))
    shape = about["dim"].value if "dim" in about else ()
    if len(shape) == 2 and value.info.type in (*_NUMBERS, Kind.STR):
        return _Table(title, int(shape[0]), lambda omitted: _matrix(value, about, texts))
    return None


def _row_names(names: RObject | None, texts: _Texts) -> Sequence[Any]:
    """Names of rows; a range if R has numbered them."""
    if names is None:
        return range(0)
    if names.info.type is Kind.STR:
        return _strings(names, texts)
    numbers = np.ma.filled(names.value, 0)
    if len(numbers) == 2 and np.ma.getmaskarray(names.value)[0]:
        return range(abs(int(numbers[1])))
    as_counted = (numbers == np.arange(1, len(numbers) + 1)).all()
    return range(len(numbers)) if as_counted else numbers.tolist()


def _frame(
    frame: RObject, about: Mapping[str, RObject], rows: Sequence[Any], texts: _Texts,
    omitted: list[str],
) -> Iterator[Variable]:
    names = _strings(about.get("names"), texts)
    names += [""] * (len(frame.value) - len(names))
    of_rows = [] if isinstance(rows, range) else [Variable("row names", pa.array(rows))]
    is_square = bool(of_rows) and list(rows) == names  # whose names are read from the first column
    if is_square:
        yield from of_rows
    for name, value in zip(names, frame.value, strict=False):
        for one in _columns(name or "", value, texts, omitted):
            if len(one.values) == len(rows):
                yield one
            else:
                omitted.append(f"Column {one.name!r} has {len(one.values):,} values for "
                             f"{len(rows):,} rows and was omitted.")
    if not is_square:
        yield from of_rows


def _columns(name: str, value: RObject, texts: _Texts, omitted: list[str]) -> Iterator[Variable]:
    """The column of a vector; those of a table inside of a table, by the names that R prints."""
    inner = _table(value, name, texts)
    if inner is None:
        yield from filter(None, [_column(name, value, texts, omitted)])
        return
    for one in inner.variables(omitted):
        one.name = f"{name}.{one.name.removeprefix('column ')}"
        yield one


def _column(name: str, value: RObject, texts: _Texts, omitted: list[str]) -> Variable | None:
    """A column of a data frame; None, and a note, if it is no vector of numbers or texts."""
    about = _attributes(value, texts)
    classes = _strings(about.get("class"), texts)
    values = _whole_numbers(value) if "integer64" in classes else _array(value, texts)
    if values is None:
        kind = _OTHERS.get(value.info.type, "values that are neither numbers nor texts")
        omitted.append(f"Column {name!r} contains {kind} and was omitted.")
        return None
    title = next(iter(_strings(about.get("label"), texts)), None)
    if title is None and "difftime" in classes:
        title = next(iter(_strings(about.get("units"), texts)), None)
    if "levels" in about:
        return Variable(name, _of_levels(values, about["levels"], texts), title=title or "")
    labels = about.get("labels")
    return Variable(name, _of_class(values, classes), {} if labels is None else dict(
        zip(_array(labels, texts).to_pylist(),
            _strings(_attributes(labels, texts).get("names"), texts), strict=False)
    ), title or "")


def _of_levels(codes: pa.Array, levels: RObject, texts: _Texts) -> pa.Array:
    """The texts of a factor."""
    known = _array(levels, texts).cast(pa.string())
    return known.take(pc.subtract(codes.cast(pa.int64()), 1))


def _whole_numbers(value: RObject) -> pa.Array:
    """64-bit integers, which R keeps in the bytes of its numbers."""
    whole = np.ascontiguousarray(value.value, float).view(np.int64)
    return pa.array(whole, mask=whole == _LARGE_MISSING)


def _of_class(values: pa.Array, classes: Sequence[str | None]) -> pa.Array:
    """Dates and moments, which are numbers in R, in ISO 8601."""
    if "Date" in classes:
        return dates(values, "1970-01-01", 86_400)
    return moments(values, "1970-01-01", 1) if "POSIXct" in classes else values


def _matrix(matrix: RObject, about: Mapping[str, RObject], texts: _Texts) -> Iterator[Variable]:
    """Columns of a matrix, after one of the names of its rows."""
    n_rows, n_columns = map(int, about["dim"].value)
    values = _array(matrix, texts)
    if len(values) != n_rows * n_columns:
        raise ValueError("values are missing")
    names = about["dimnames"].value if "dimnames" in about else ()
    rows, columns = (_strings(one, texts) for one in names) if len(names) == 2 else ([], [])
    if rows:
        yield Variable("", pa.array(rows, pa.string()))
    for k in range(n_columns):
        title = columns[k] if columns else None
        yield Variable(title or f"column {k + 1}", values.slice(k * n_rows, n_rows))


def _distances(
    dist: RObject, about: Mapping[str, RObject], size: int, texts: _Texts
) -> Iterator[Variable]:
    """The square matrix of a `dist`, which has the half below the diagonal, column by column."""
    if len(dist.value) != size * (size - 1) // 2:
        raise ValueError("values are missing")
    square = np.zeros((size, size))
    square[np.triu_indices(size, 1)] = dist.value
    square += square.T
    names = _strings(about.get("Labels"), texts)
    if names:
        yield Variable("", pa.array(names, pa.string()))
    for k, column in enumerate(square):
        yield Variable(names[k] if names else f"column {k + 1}", pa.array(column))
