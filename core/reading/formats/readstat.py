"""Tables of SPSS, Stata and SAS, by pyreadstat; it may end the process on a wrong byte."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyreadstat
from pyreadstat import ReadstatError

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.archive import check_size
from tripletscope.core.reading.formats.text import MAX_COLUMNS, too_wide
from tripletscope.core.reading.formats.variables import (
    StatisticsTable,
    Variable,
    dates,
    moments,
    months,
    table_of,
    value_text,
    weeks,
)

_READ: dict[str, Callable[..., Any]] = {
    "SPSS": pyreadstat.read_sav, "SPSS portable": pyreadstat.read_por,
    "Stata": pyreadstat.read_dta, "SAS": pyreadstat.read_sas7bdat,
    "SAS transport": pyreadstat.read_xport,
}
#: Those that tell which values are declared missing.
_DECLARE = ("SPSS", "Stata", "SAS")
#: Encodings of files whose own one is missing or wrong; every text is valid in the last one.
_WESTERN = ("WINDOWS-1252", "ISO-8859-1")
_WRONG_ENCODING, _UNKNOWN_ENCODING = "requested encoding", "character set"
#: Where a table begins in a file that SAS made for transport.
_TABLE = re.compile(rb"HEADER RECORD\*{7}MEMB(ER|V8)  HEADER RECORD")
#: Formats of dates and of moments, without their widths.
_SPSS = (r"[AEJS]?DATE|MOYR|QYR|WKYR", r"DATETIME|YMDHMS")
_STATA = (r"%-?t?d.*", r"%-?t[Cc].*")
_SAS = (
    r"DATE|JULIAN|MONYY|WEEKDAT[EX]|WORDDAT[EX]|(DDMMYY|MMDDYY|YYMMDD)[BCDNPS]?|(E|B|IS)8601DA",
    r"DATETIME|DATEAMPM|MDYAMPM|DTDATE|(E|B|IS)8601D[NTXZ]",
)
#: Which, the beginning of the calendar, and seconds of their units.
_CALENDARS = {
    "SPSS": (_SPSS, "1582-10-14", 1, 1), "Stata": (_STATA, "1960-01-01", 86_400, .001),
    "SAS": (_SAS, "1960-01-01", 86_400, 1),
}
#: Months of Stata's longer spans.
_MONTHS = {"%tm": 1, "%tq": 3, "%th": 6}


def read_labelled(data: bytes, program: str, name: str) -> StatisticsTable:
    """The variables of a file with their labels."""
    first, omitted = _first_table(data) if program == "SAS transport" else (data, [])
    values, about, notes = _decoded(first, program, name)
    variables = [
        _variable(column, title, values[column], about, program.split()[0])
        for column, title in zip(about.column_names, about.column_labels, strict=True)
    ]
    return table_of(variables, [f"{program}.", *notes], omitted)


def _first_table(data: bytes) -> tuple[bytes, list[str]]:
    """A file of SAS up to its second table, and a note if there is one: records have 80 bytes."""
    starts = [found.start() for found in _TABLE.finditer(data) if not found.start() % 80]
    if len(starts) < 2:
        return data, []
    return data[: starts[1]], [f"The first of {len(starts)} tables is read; the others are not."]


def _decoded(data: bytes, program: str, name: str) -> tuple[Mapping[str, list], Any, list[str]]:
    """Values by column and what belongs to them, in the file's encoding or a likely one."""
    for encoding in (None, *_WESTERN):
        try:
            values, about = _parsed(data, program, name, encoding)
        except ReadstatError as error:
            if _UNKNOWN_ENCODING in str(error):
                raise DataError(
                    "its texts are in an encoding that is not known here", file=name,
                    remedy="Save it again in Unicode, or save the answers as CSV.",
                ) from error
            if _WRONG_ENCODING not in str(error) or encoding == _WESTERN[-1]:
                raise
            continue
        notes = [] if encoding is None else [
            f"The texts are not in the encoding that the file states; they are read as {encoding}. "
            "Check that names look right."
        ]
        return values, about, notes
    raise AssertionError("every text is valid in the last encoding")


def _parsed(
    data: bytes, program: str, name: str, encoding: str | None
) -> tuple[Mapping[str, list], Any]:
    read = _READ[program]
    options: dict[str, Any] = {"output_format": "dict"}
    if encoding is not None:
        options["encoding"] = encoding
    _, about = read(io.BytesIO(data), metadataonly=True, **options)
    if about.number_columns > MAX_COLUMNS:
        raise too_wide(f"the table has {about.number_columns:,} columns", name)
    check_size(8 * (about.number_rows or 0) * about.number_columns, len(data), name)
    if program in _DECLARE:
        options["user_missing"] = True
    return read(io.BytesIO(data), disable_datetime_conversion=True, **options)


def _variable(name: str, title: str | None, values: list, about: Any, program: str) -> Variable:
    kind, labels = about.readstat_variable_types[name], about.variable_value_labels.get(name, {})
    values, missing = _without_missing(values, kind, about.missing_ranges.get(name, ()), labels)
    column = _array(values, kind)
    if kind != "string":
        column = _dated(column, about.original_variable_types[name] or "", program)
    return Variable(name, column, labels, title or "", missing)


def _without_missing(
    values: list, kind: str, ranges: Sequence[Mapping[str, Any]], labels: Mapping[Any, str]
) -> tuple[list, list[str]]:
    """Values with None for those that are declared missing, and texts of these.

    SPSS declares values and ranges; Stata and SAS have letters in place of numbers.
    """
    def is_missing(value: Any) -> bool:
        if kind != "string" and isinstance(value, str):
            return True
        return any(one["lo"] <= value <= one["hi"] for one in ranges)

    different = {value for value in values if value is not None}
    absent = {value for value in different if is_missing(value)}
    said = sorted(
        (f".{value}" if kind != "string" and isinstance(value, str) else value_text(value))
        + (f" {labels[value]}" if value in labels else "") for value in absent
    )
    return [None if value in absent else value for value in values] if absent else values, said


def _array(values: list, kind: str) -> pa.Array:
    if kind == "string":
        return pa.array(values, pa.string())
    if kind == "float":  # 0.1 of four bytes is no longer number of eight
        return pa.array(values, pa.float32()).cast(pa.string()).cast(pa.float64())
    return pa.array(values, pa.float64() if kind == "double" else pa.int64())


def _dated(values: pa.Array, shown: str, program: str) -> pa.Array:
    """Dates and moments, which are numbers in these programs, in ISO 8601."""
    (days, times), began, day, second = _CALENDARS[program]
    kind = re.sub(r"[\d.]+$", "", shown)
    if program == "Stata" and kind[:3] in _MONTHS:
        return months(values, _MONTHS[kind[:3]])
    if program == "Stata" and kind.startswith("%tw"):
        return weeks(values)
    if re.fullmatch(days, kind):
        return dates(values, began, day)
    return moments(values, began, second) if re.fullmatch(times, kind) else values
