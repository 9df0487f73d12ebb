"""Tables of SPSS: .sav and .zsav.

The format is that of "System File Format" in the manual of PSPP. Libraries for it are written in C
and end the process on a wrong byte.
"""

from __future__ import annotations

import codecs
import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.io.formats.archive import check_size
from tripletscope.core.io.formats.text import MAX_COLUMNS

_HEADER = 176
#: The missing value; bytes of a segment of a long text.
_NONE, _SEGMENT = -np.finfo(float).max, 255
#: Kinds of further records: character code, long names, very long texts, and encoding.
_MACHINE, _NAMES, _LONG, _ENCODING = 3, 13, 14, 20
#: Formats of dates and of moments, in seconds since the beginning of the Gregorian calendar.
_DATES, _MOMENTS, _BEGAN = (20, 23, 24, 38, 39), (22, 41), np.datetime64("1582-10-14")


@dataclass
class SpssColumn:
    """A variable.

    width: Bytes of a text; 0 of a number.
    values: Numbers (NaN if missing) or texts (None if missing), once they are read.
    """

    name: str
    width: int
    title: str
    format: int
    missing: tuple[int, list[bytes]]
    labels: dict[Any, str] = field(default_factory=dict)
    values: np.ndarray | None = None


def read_spss(data: bytes, name: str) -> list[SpssColumn]:
    """The variables with their values, labels and value labels."""
    return _File(data, name).columns()


class _File:
    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._at, self._name = data, _HEADER, name
        (layout,) = struct.unpack_from("<i", data, 64)
        self._end = "<" if layout in (2, 3) else ">"
        self._packing, _, self._n_cases, self._bias = self._unpacked("iiid", 72)
        self._elements: list[SpssColumn | None] = []  # of eight bytes; None continues the last one
        self._further: dict[int, bytes] = {}
        self._labels: list[tuple[dict[bytes, bytes], list[int]]] = []
        self._codec = "latin-1"

    def columns(self) -> list[SpssColumn]:
        """Read the records, then the cases."""
        while (kind := self._whole()) != 999:
            if kind == 2:
                self._variable()
            elif kind == 3:
                self._value_labels()
            elif kind == 6:
                self._take(80 * self._whole())
            elif kind == 7:
                subtype, size, count = (self._whole() for _ in range(3))
                self._further[subtype] = self._take(size * count)
            else:
                raise ValueError(f"a record of kind {kind}")
        self._whole()
        self._decide_encoding()
        variables = [one for one in self._elements if one is not None]
        if len(variables) > MAX_COLUMNS:
            raise DataError(f"the table has {len(variables):,} columns", file=self._name,
                            remedy=f"At most {MAX_COLUMNS:,} are read.")
        cells = self._cells()
        starts = [k for k, one in enumerate(self._elements) if one is not None]
        ends = [*starts[1:], len(self._elements)]
        for one, start, end in zip(variables, starts, ends, strict=True):
            part = np.ascontiguousarray(cells[:, start:end])
            one.values = self._texts(one, part) if one.width else self._numbers(one, part)
        self._name_values()
        return self._joined(variables)

    # Records -------------------------------------------------------------------------------------

    def _variable(self) -> None:
        width, has_title, n_missing, shown, _ = (self._whole() for _ in range(5))
        short = self._take(8)
        title = b""
        if has_title:
            length = self._whole()
            title = self._take(-(-length // 4) * 4)[:length]
        missing = [self._take(8) for _ in range(abs(n_missing))]
        if width < 0:
            self._elements.append(None)
            return
        self._elements.append(SpssColumn(
            short.decode("latin-1").strip(), width, title.decode("latin-1"), shown >> 16 & 0xFF,
            (n_missing, missing),
        ))

    def _value_labels(self) -> None:
        labels = {}
        for _ in range(self._whole()):
            value, length = self._take(8), self._take(1)[0]
            labels[value] = self._take((length + 8) // 8 * 8 - 1)[:length]
        if self._whole() != 4:
            raise ValueError("value labels of no variable")
        self._labels.append((labels, [self._whole() - 1 for _ in range(self._whole())]))

    def _decide_encoding(self) -> None:
        named = self._further.get(_ENCODING, b"").decode("latin-1").strip()
        if not named and len(self._further.get(_MACHINE, b"")) >= 32:
            (page,) = struct.unpack_from(f"{self._end}i", self._further[_MACHINE], 28)
            named = {65001: "utf-8", 2: "ascii", 3: "ascii"}.get(page, f"cp{page}")
        try:
            codecs.lookup(named)
        except (LookupError, ValueError):
            return
        self._codec = named

    # Cases ---------------------------------------------------------------------------------------

    def _cells(self) -> np.ndarray:
        """(n, elements) cells of eight bytes."""
        body = self._data[self._at :]
        if self._packing == 2:
            body = self._inflated()
        if self._packing:
            body = self._expanded(body)
        width = len(self._elements)
        n = len(body) // (8 * width)
        if 0 <= self._n_cases < n:
            n = self._n_cases
        if n < self._n_cases:
            raise ValueError("cases are missing")
        return np.frombuffer(body, "V8", n * width).reshape(n, width)

    def _inflated(self) -> bytes:
        _, trailer, _ = self._unpacked("qqq", self._at)
        rest, parts, size = self._data[self._at + 24 : trailer], [], 0
        while rest:
            stream = zlib.decompressobj()
            while True:
                parts.append(stream.decompress(rest, 1 << 20))
                size += len(parts[-1])
                check_size(size, len(self._data), self._name)
                rest = stream.unconsumed_tail
                if stream.eof or not (rest or parts[-1]):
                    break
            if not stream.eof:
                raise ValueError("an open stream")
            rest = stream.unused_data
        return b"".join(parts)

    def _expanded(self, body: bytes) -> bytes:
        """Decode cells: small numbers, blanks, missing ones, or the next eight bytes."""
        cells = {
            code: struct.pack(f"{self._end}d", code - self._bias) for code in range(1, 252)
        } | {254: b" " * 8, 255: struct.pack(f"{self._end}d", _NONE)}
        made, at = [], 0
        while at < len(body):
            codes, at = body[at : at + 8], at + 8
            for code in codes:
                if code == 253:
                    made.append(body[at : at + 8])
                    at += 8
                elif code == 252:
                    return b"".join(made)
                elif code:
                    made.append(cells[code])
        return b"".join(made)

    def _numbers(self, one: SpssColumn, cells: np.ndarray) -> np.ndarray:
        values = cells[:, 0].copy().view(f"{self._end}f8").astype(float)
        number, missing = one.missing
        ends = [struct.unpack(f"{self._end}d", each)[0] for each in missing]
        absent = values == _NONE
        if number < 0:
            absent |= (values >= ends[0]) & (values <= ends[1])
            ends = ends[2:]
        values[absent | np.isin(values, ends)] = np.nan
        if one.format not in (*_DATES, *_MOMENTS):
            return values
        unit = "s" if one.format in _MOMENTS else "D"
        # Values beyond the year 9999 are no dates.
        is_date = np.isfinite(values) & (np.abs(values) < 3e11)
        moments = _BEGAN + np.where(is_date, values, 0).astype("int64").astype("timedelta64[s]")
        return np.where(is_date, np.datetime_as_string(moments, unit=unit), None)

    def _texts(self, one: SpssColumn, cells: np.ndarray) -> np.ndarray:
        raw = [row.tobytes()[: one.width] for row in cells]
        absent = {each.rstrip() for each in one.missing[1]}
        values = [None if each.rstrip() in absent else each for each in raw]
        return np.array([*values, None], dtype=object)[:-1]

    # What they are called ------------------------------------------------------------------------

    def _name_values(self) -> None:
        for labels, places in self._labels:
            for place in places:
                one = self._elements[place]
                if one is None:
                    raise ValueError("value labels of no variable")
                one.labels = {
                    self._text(value) if one.width
                    else struct.unpack(f"{self._end}d", value)[0]: self._text(label)
                    for value, label in labels.items()
                }

    def _joined(self, variables: list[SpssColumn]) -> list[SpssColumn]:
        """Variables by their long names; very long texts joined from their segments."""
        names, lengths = (
            dict(part.split("=", 1) for part in self._text(self._further.get(kind, b"")).split("\t")
                 if "=" in part) for kind in (_NAMES, _LONG)
        )
        joined, rest = [], iter(variables)
        for one in rest:
            width = int(lengths.get(one.name, "0").strip("\0 ") or 0)
            one.title = self._text(one.title.encode("latin-1"))
            segments = [one.values]
            for _ in range(-(-width // 252) - 1):
                segments.append(next(rest).values)
            if one.width:
                one.values = np.array([
                    None if None in row else self._text(b"".join(
                        each.ljust(_SEGMENT) if len(row) > 1 else each for each in row
                    )) or None
                    for row in zip(*segments, strict=True)
                ] + [None], dtype=object)[:-1]
            one.name = names.get(one.name, one.name)
            joined.append(one)
        return joined

    def _text(self, raw: bytes) -> str:
        return raw.decode(self._codec, "replace").rstrip(" \0")

    def _unpacked(self, kinds: str, at: int) -> tuple[Any, ...]:
        return struct.unpack_from(f"{self._end}{kinds}", self._data, at)

    def _whole(self) -> int:
        (number,) = self._unpacked("i", self._at)
        self._at += 4
        return number

    def _take(self, length: int) -> bytes:
        if not 0 <= length <= len(self._data) - self._at:
            raise ValueError("too short")
        self._at += length
        return self._data[self._at - length : self._at]
