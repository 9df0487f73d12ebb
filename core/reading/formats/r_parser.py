"""Parses files of R by rdata, with what its parsers lack; nothing is evaluated."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rdata.parser import DEFAULT_ALTREP_MAP, RData, RObject, RObjectInfo
from rdata.parser import RObjectType as Kind
from rdata.parser._ascii import ParserASCII
from rdata.parser._binary import ParserBinary
from rdata.parser._xdr import ParserXDR

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.archive import too_large

#: Beginnings of workspaces.
_WORKSPACES = (b"RDX", b"RDB", b"RDA")
#: Items that rdata does not parse: bytes, references that may end, namespaces and packages,
#: and two without content.
_WEAK, _NAMED_ENVIRONMENTS = 23, (248, 250)
_UNKNOWN = (Kind.RAW.value, _WEAK, *_NAMED_ENVIRONMENTS, 247, 252)
_HAS_ATTRIBUTES = 0x200
_ORDERS = {">": "big", "<": "little"}
#: Most values of a vector that is written as its first one, its step and its length.
_LONGEST = 50_000_000
#: Most values in lists, for which rdata needs ten seconds; those in vectors are not counted.
_MOST = 500_000
#: Depth of a workspace of so many objects: each is inside of the one before.
_DEEPEST = 200_000


def parse_r(data: bytes, name: str) -> RData:
    """What rdata makes of a file, a workspace or a single object."""
    with _deep():
        return _parsed(data, name)


def is_workspace(data: bytes) -> bool:
    return data.startswith(_WORKSPACES)


@contextmanager
def _deep() -> Iterator[None]:
    """Lets Python's functions call themselves as often as a workspace has objects.

    There is no search for garbage: of all that is parsed there is none, and it takes most time.
    """
    limit, collects = sys.getrecursionlimit(), gc.isenabled()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    gc.disable()
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
        if collects:
            gc.enable()


class _Whole:
    """What rdata's parsers leave out: bytes, kinds of environments, and the end of the file."""

    _ahead: int | None = None
    _count = 0

    def parse_int(self) -> int:
        ahead, self._ahead = self._ahead, None
        return super().parse_int() if ahead is None else ahead

    def parse_R_object(
        self, reference_list: list[RObject] | None = None,
        bytecode_rep_list: list[RObject | None] | None = None, info_int: int | None = None,
    ) -> RObject:
        self._count += 1
        if self._count > _MOST:
            raise DataError(f"it has more than {_MOST:,} values in lists",
                            remedy="Save the table alone, with saveRDS.")
        known = [] if reference_list is None else reference_list
        if info_int is None:
            flags = self.parse_int()
            if flags & 0xFF in _UNKNOWN:
                return self._unknown(flags, known)
            self._ahead = flags
        return super().parse_R_object(known, bytecode_rep_list, info_int)

    def _unknown(self, flags: int, known: list[RObject]) -> RObject:
        is_raw = flags & 0xFF == Kind.RAW.value
        result = RObject(_info(Kind.RAW if is_raw else Kind.NIL), None, None)
        if flags & 0xFF in _NAMED_ENVIRONMENTS:
            self.parse_int()
            self._parse_vector_value(known)
        if flags & 0xFF in (*_NAMED_ENVIRONMENTS, _WEAK):
            known.append(result)
        if is_raw:
            result.value = self._bytes(self.parse_int())
        if flags & _HAS_ATTRIBUTES:
            result.attributes = self.parse_R_object(known)
        return result

    def _bytes(self, length: int) -> bytes:
        return self.parse_string(length)

    def _parse_array_values(self, dtype: Any, length: int) -> np.ndarray:
        if length < 0:  # the mark of more than 2³¹
            raise ValueError("too long")
        values = super()._parse_array_values(dtype, length)
        if len(values) < length:
            raise EOFError
        return values


class _Ascii(_Whole, ParserASCII):
    """Text, also with hexadecimal numbers."""

    def _parse_array_values(self, dtype: Any, length: int) -> np.ndarray:
        if np.dtype(dtype).kind != "f":
            return super()._parse_array_values(dtype, length)
        lines = (self._readline() for _ in range(length))
        return np.array([
            np.nan if line == "NA" else float.fromhex(line) if "0x" in line else float(line)
            for line in lines
        ])

    def _bytes(self, length: int) -> bytes:
        return bytes.fromhex("".join(self._readline() for _ in range(length)))


class _Binary(_Whole):
    """Equal texts are parsed into one object: rdata's own way takes seconds for a long column."""

    def parse_int(self) -> int:
        if self._ahead is not None:
            return super().parse_int()
        raw = self.file.read(4)
        if len(raw) < 4:
            raise EOFError
        return int.from_bytes(raw, _ORDERS[self.byteorder], signed=True)

    def _parse_vector_value(
        self, reference_list: list[RObject] | None,
        bytecode_rep_list: list[RObject | None] | None = None,
    ) -> list[RObject]:
        length = self.parse_int()
        if length < 0:
            raise ValueError("too long")
        values = self._texts(length)
        for _ in range(length - len(values)):
            values.append(self.parse_R_object(reference_list, bytecode_rep_list))
        return values

    def _texts(self, most: int) -> list[RObject]:
        """The texts that come next, `most` of them, up to the first value that is none."""
        data, order = self.file.getbuffer(), _ORDERS[self.byteorder]
        known: dict[bytes, RObject] = {}
        values, at = [], self.file.tell()
        while len(values) < most:
            head = bytes(data[at : at + 8])
            length = int.from_bytes(head[4:], order, signed=True)
            own = bytes(data[at : at + 8 + max(length, 0)])
            if own not in known:
                flags = int.from_bytes(head[:4], order)
                if flags & 0xFF != Kind.CHAR.value or len(own) < 8 + length:
                    break
                known[own] = RObject(
                    RObjectInfo(Kind.CHAR, False, False, False, flags >> 12 & 0xFFFF, 0),
                    None if length < 0 else own[8:], None,
                )
            values.append(known[own])
            at += len(own)
        self.file.seek(at)
        return values


class _Xdr(_Binary, ParserXDR):
    byteorder = ">"


class _Native(_Binary, ParserBinary):
    pass


def _parsed(data: bytes, name: str) -> RData:
    def sequence(kind: Kind) -> Callable[[RObject], tuple[RObjectInfo, Any]]:
        def made(state: RObject) -> tuple[RObjectInfo, Any]:
            n, first, step = state.value
            if not 0 <= n <= _LONGEST:
                raise too_large(name)
            values = first + step * np.arange(int(n))
            return _info(kind), values.astype(np.int32 if kind is Kind.INT else float)
        return made

    options = {"expand_altrep": True, "altrep_constructor_dict": {
        **DEFAULT_ALTREP_MAP, b"wrap_list": DEFAULT_ALTREP_MAP[b"wrap_string"],
        b"compact_intseq": sequence(Kind.INT), b"compact_realseq": sequence(Kind.REAL),
        b"deferred_string": _texts_of_numbers,
    }}
    body = data[5:] if data.startswith(_WORKSPACES) else data
    start = body[: body.index(b"\n") + 1]
    parser = {b"X\n": _Xdr, b"B\n": _Native}.get(start, _Ascii)
    return parser(memoryview(body)[len(start) :], **options).parse_all()


def _info(kind: Kind) -> RObjectInfo:
    return RObjectInfo(kind, False, False, False, 0, 0)


def _texts_of_numbers(state: RObject) -> tuple[RObjectInfo, Any]:
    """Numbers that R has still to turn into texts: of 15 digits, in the shorter notation."""
    numbers, more = state.value[0], int(state.value[1].value[0])
    mask = np.ma.getmaskarray(numbers.value)

    def text(number: Any) -> bytes | None:
        if numbers.info.type is Kind.INT:
            return b"%d" % number
        if not np.isfinite(number):
            return {np.inf: b"Inf", -np.inf: b"-Inf"}.get(number, b"NaN")
        number = float(f"{number:.15g}")
        fixed = np.format_float_positional(number, trim="-")
        short = np.format_float_scientific(number, trim="-", exp_digits=2)
        return (short if len(fixed) > len(short) + more else fixed).encode()

    chars = _info(Kind.CHAR)
    return _info(Kind.STR), [
        RObject(chars, None if absent else text(number), None)
        for number, absent in zip(np.asarray(numbers.value), mask, strict=True)
    ]
