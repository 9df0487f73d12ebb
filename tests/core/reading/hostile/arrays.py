"""Arrays of NumPy and MATLAB that are hostile."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np

from tests.core.reading.hostile.making import Files, bomb
from tests.core.reading.raw import arrays as raw
from tests.core.reading.raw.archive import Member, archive
from tests.core.reading.raw.arrays import array_header, compressed, element, matlab, matrix, numbers

_BODY = np.arange(9).tobytes()
_NINE = numbers(range(9))


def _npy(descr: str = "'<i8'", shape: str = "(3, 3)", order: str = "False") -> bytes:
    return raw.npy(array_header(descr, shape, order), _BODY)


def _headed(header: str | bytes, **options) -> bytes:
    return raw.npy(header, _BODY, **options)


def _objects() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}, [1], "x"] * 3, dtype=object).reshape(3, 3))
    return buffer.getvalue()


def _npz(*arrays: bytes, names: tuple[str, ...] = ("a.npy", "b.npy", "c.npy")) -> bytes:
    return archive(*(Member(name, data) for name, data in zip(names, arrays, strict=False)))


NUMPY: Files = {
    "a magic word only": lambda: b"\x93NUMPY",
    "no header": lambda: b"\x93NUMPY\x01\x00",
    "a version of the future": lambda: _headed(array_header(), version=(9, 9)),
    "a header that is longer than the file": lambda: _headed(array_header(), length=65_535),
    "a header of 4 GB, it says": lambda: _headed(
        array_header(), version=(2, 0), length=2**32 - 1),
    "a header of nothing": lambda: _headed(""),
    "a header that is a program": lambda: _headed("__import__('os').system('true')"),
    "a header that is a list": lambda: _headed("[1, 2, 3]\n"),
    "a header without a shape": lambda: _headed("{'descr': '<i8', 'fortran_order': False}\n"),
    "a header with one key more": lambda: _headed(array_header()[:-4] + ", 'x': 1}\n"),
    "a header of 5,000 brackets": lambda: _headed("(" * 5_000 + ")" * 5_000),
    "a header of 60,000 minus signs": lambda: _headed("-" * 60_000 + "1"),
    "a header of one long number": lambda: _headed("9" * 60_000),
    "a header with a NUL": lambda: _headed("{'descr': '<i8'\0}\n"),
    "a header that is no text": lambda: _headed(b"\xff\xfe" * 50),
    "objects": _objects,
    "objects in a field": lambda: _npy("[('a', '|O'), ('b', '<i8')]"),
    "objects of a header only": lambda: _npy("'|O'"),
    "cells without content": lambda: _npy("'|S0'", "(1000000000, 3)"),
    "texts of a gigabyte each": lambda: _npy("'<U999999999'"),
    "texts of a negative length": lambda: _npy("'S-1'"),
    "a type that is none": lambda: _npy("'??'"),
    "a type that is nothing": lambda: _npy("None"),
    "fields in fields in fields": lambda: _npy("[('a', " * 60 + "'<i8'" + ")]" * 60),
    "fields of one name": lambda: _npy("[('a', '<i8'), ('a', '<i8')]"),
    "fields that are arrays": lambda: _npy(
        "[('a', '<i4', (2,)), ('b', '<i4'), ('c', '<f4')]", "(4,)"),
    "a field of a million numbers": lambda: _npy("[('a', '<i8', (1000000,))]"),
    "ten thousand fields": lambda: _npy(str([(f"f{k}", "<i8") for k in range(4_000)])),
    "dates": lambda: _npy("'<M8[ns]'"),
    "durations of nothing": lambda: _npy("'<m8'"),
    "complex numbers": lambda: _npy("'<c16'", "(2, 2)"),
    "numbers of 16 bytes": lambda: _npy("'<f16'", "(2, 2)"),
    "numbers of half precision": lambda: _npy("'<f2'", "(12, 3)"),
    "bytes in the other order": lambda: _npy("'>i8'"),
    "a billion rows": lambda: _npy(shape="(1000000000000, 3)"),
    "sides whose product is nothing": lambda: _npy(shape="(4611686018427387904, 4)"),
    "sides beyond 64 bits": lambda: _npy(shape="(18446744073709551616, 3)"),
    "a negative side": lambda: _npy(shape="(-3, -3)"),
    "sides that are no numbers": lambda: _npy(shape="('3', 3.0)"),
    "a side that is infinite": lambda: _npy(shape="(1e999, 3)"),
    "sides that are truths": lambda: _npy(shape="(True, True, True)"),
    "a hundred sides": lambda: _npy(shape=str((1,) * 100)),
    "no side": lambda: _npy(shape="()"),
    "sides of nothing": lambda: _npy(shape="(0, 3)"),
    "an order that is none": lambda: _npy(order="'x'"),
    "not a number anywhere": lambda: raw.npy(
        array_header("'<f8'"), np.full(9, np.nan).tobytes()),
    "numbers beyond floating point": lambda: raw.npy(
        array_header("'<f8'"), np.array([1e308, -1e308, np.inf, -np.inf] * 3)[:9].tobytes()),
    "texts beyond Unicode": lambda: raw.npy(array_header("'<U2'"), b"\xff" * 72),
    "half surrogates": lambda: raw.npy(
        array_header("'<U2'"), struct.pack("<2I", 0xD800, 0xDC00) * 9),
    "texts with NULs": lambda: raw.npy(array_header("'|S4'"), b"a\0b\0" * 9),
    "an archive of objects": lambda: _npz(_objects()),
    "an archive of lengths that differ": lambda: _npz(
        _npy(), _npy(shape="(9,)"), _npy(shape="(1, 9)")),
    "an archive with a lie": lambda: _npz(_npy(), _npy(shape="(1000000000000, 3)")),
    "an archive with a bomb": lambda: archive(Member("a.npy", b"", raw=bomb(bytes(10**6), 200))),
    "an archive of 3,000 arrays": lambda: archive(*(
        Member(f"a{k}.npy", _npy()) for k in range(3_000))),
    "a sparse tensor of wrong sides": lambda: _npz(
        _npy(), _npy(shape="(9,)"), _npy("'<f8'", "(3,)"),
        names=("coords.npy", "data.npy", "shape.npy")),
    "a sparse tensor beyond its size": lambda: _npz(
        raw.npy(array_header(), np.full(9, 2**62).tobytes()), _npy(shape="(3,)"),
        _npy(shape="(3,)"),
        names=("coords.npy", "data.npy", "shape.npy")),
}


def _deep(depth: int, kind: int) -> bytes:
    """ColumnCells in cells, or structs in structs."""
    more = (raw.fields(["a"]),) if kind == raw.STRUCT else ()
    inner = matrix("", (3, 3), _NINE)
    for _ in range(depth):
        inner = matrix("", (1, 1), *more, inner, kind=kind)
    return matlab(matrix("a", (1, 1), *more, inner, kind=kind))


def _with(*parts: bytes, dims: tuple[int, ...] = (3, 3), **options) -> Callable[[], bytes]:
    return lambda: matlab(matrix("a", dims, *parts, **options))


MATLAB: Files = {
    "a head only": lambda: matlab(),
    "half a head": lambda: matlab()[:60],
    "an order of bytes that is none": lambda: matlab(matrix("a", (3, 3), _NINE), endian=b"XX"),
    "the other order of bytes, it says": lambda: matlab(matrix("a", (3, 3), _NINE), endian=b"MI"),
    "a version of the future": lambda: matlab(matrix("a", (3, 3), _NINE), version=0xFFFF),
    "version 7.3 without HDF5": lambda: matlab(
        version=0x0200, text=b"MATLAB 7.3 MAT-file").ljust(600, b"\0"),
    "an element of an unknown type": lambda: matlab(element(99, _BODY)),
    "an element that is longer than the file": lambda: matlab(
        element(raw.MATRIX, _BODY, 2**31)),
    "an element of 4 GB": lambda: matlab(element(raw.MATRIX, _BODY, 2**32 - 1)),
    "an element of nothing": lambda: matlab(element(raw.MATRIX, b"")),
    "elements of nothing without end": lambda: matlab(element(raw.MATRIX, b"") * 10_000),
    "numbers where an array should be": lambda: matlab(_NINE),
    "sides of a terabyte": _with(_NINE, dims=(10**6, 10**6)),
    "sides of a gigabyte of texts": _with(
        element(raw.UTF8, b"abc"), dims=(30_000, 30_000), kind=raw.CHAR),
    "sides whose product is nothing": _with(_NINE, dims=(2**31 - 1, 2**31 - 1, 4)),
    "negative sides": _with(_NINE, dims=(-3, -3)),
    "sixty sides": _with(_NINE, dims=(1,) * 60),
    "no sides": _with(_NINE, dims=()),
    "fewer numbers than sides": _with(numbers([1]), dims=(3, 3)),
    "more numbers than sides": _with(numbers([1] * 999), dims=(3, 3)),
    "no numbers": _with(dims=(3, 3)),
    "texts where numbers should be": _with(element(raw.UTF8, b"abcdefgh" * 9)),
    "complex without its other half": _with(_NINE, flags=8),
    "a class that is none": _with(_NINE, kind=99),
    "a function": _with(_NINE, kind=raw.FUNCTION),
    "an opaque thing": _with(element(raw.INT8, b"MCOS"), kind=raw.OPAQUE),
    "an object of a class": _with(
        element(raw.INT8, b"evil"), raw.fields(["a"]), matrix("", (3, 3), _NINE), dims=(1, 1),
        kind=raw.OBJECT),
    "cells a hundred deep": lambda: _deep(100, raw.CELL),
    "cells 3,000 deep": lambda: _deep(3_000, raw.CELL),
    "structs 3,000 deep": lambda: _deep(3_000, raw.STRUCT),
    "more cells than there are": _with(
        matrix("", (3, 3), _NINE), dims=(1_000, 1_000), kind=raw.CELL),
    "a struct without names": _with(raw.fields([]), dims=(1, 1), kind=raw.STRUCT),
    "a struct of names without length": _with(
        raw.fields(["a"], 0), matrix("", (3, 3), _NINE), dims=(1, 1), kind=raw.STRUCT),
    "a struct of names of 2 GB": _with(
        raw.fields(["a"], 2**31 - 1), matrix("", (3, 3), _NINE), dims=(1, 1), kind=raw.STRUCT),
    "a struct of a negative length": _with(
        raw.fields(["a"], -1), matrix("", (3, 3), _NINE), dims=(1, 1), kind=raw.STRUCT),
    "a sparse array beyond its sides": _with(
        element(raw.INT32, struct.pack("<3i", 999, -1, 2)), element(raw.INT32, bytes(16)),
        numbers([1, 2, 3]), kind=raw.SPARSE, most=3),
    "a sparse array of 4 GB, it says": _with(
        element(raw.INT32, bytes(12)), element(raw.INT32, bytes(16)), numbers([1, 2, 3]),
        kind=raw.SPARSE, most=2**32 - 1),
    "a small element that says it is long": _with(raw.small(raw.INT32, b"abcd", 60_000)),
    "packed data that is none": lambda: matlab(element(raw.COMPRESSED, _BODY)),
    "packed data that is cut off": lambda: matlab(
        element(raw.COMPRESSED, zlib.compress(matrix("a", (3, 3), _NINE))[:30])),
    "packed in packed in packed": lambda: matlab(compressed(compressed(compressed(_NINE)))),
    "a packed bomb": lambda: matlab(compressed(matrix("a", (10_000, 3_000), numbers([0] * 10**6)))),
    "a packed terabyte, it says": lambda: matlab(compressed(element(raw.MATRIX, _BODY, 2**32 - 1))),
    "one name a thousand times": lambda: matlab(matrix("a", (3, 3), _NINE) * 1_000),
    "a name of 100,000 letters": lambda: matlab(matrix("a" * 100_000, (3, 3), _NINE)),
    "a name that is no text": lambda: matlab(matrix("\udcff".encode("utf-8", "replace").decode(),
                                                    (3, 3), _NINE)),
    "no name": lambda: matlab(matrix("", (3, 3), _NINE)),
    "a name of Python's own": lambda: matlab(matrix("__class__", (3, 3), _NINE)),
    "rubbish behind": lambda: matlab(matrix("a", (3, 3), _NINE)) + b"rubbish",
}
