"""NumPy's and MATLAB's files, written piece by piece."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

INT8, UINT8, INT16, UINT16, INT32, UINT32, SINGLE, DOUBLE = 1, 2, 3, 4, 5, 6, 7, 9
INT64, UINT64, MATRIX, COMPRESSED, UTF8, UTF16 = 12, 13, 14, 15, 16, 17
CELL, STRUCT, OBJECT, CHAR, SPARSE, FULL = 1, 2, 3, 4, 5, 6
FUNCTION, OPAQUE = 16, 17


def npy(
    header: str | bytes, body: bytes = b"", version: tuple[int, int] = (1, 0),
    length: int | None = None,
) -> bytes:
    """An array of NumPy with any header, of which `length` is what it says of its own."""
    text = header if isinstance(header, bytes) else header.encode()
    size = 2 if version == (1, 0) else 4
    said = (len(text) if length is None else length) & (2 ** (8 * size) - 1)
    return b"\x93NUMPY" + bytes(version) + said.to_bytes(size, "little") + text + body


def array_header(descr: str = "'<i8'", shape: str = "(3, 3)", order: str = "False") -> str:
    """The dictionary in front of an array, of expressions in Python."""
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n"


def element(kind: int, data: bytes, length: int | None = None) -> bytes:
    """A data element of MATLAB with its tag, filled up to eight bytes."""
    said = len(data) if length is None else length
    end = b"" if kind == COMPRESSED else bytes(-len(data) % 8)
    return struct.pack("<II", kind & 0xFFFFFFFF, said & 0xFFFFFFFF) + data + end


def small(kind: int, data: bytes, length: int | None = None) -> bytes:
    """A data element of at most four bytes in one tag."""
    said = len(data) if length is None else length
    return struct.pack("<HH", kind & 0xFFFF, said & 0xFFFF) + data[:4].ljust(4, b"\0")


def compressed(data: bytes) -> bytes:
    """An element that holds a packed one."""
    return element(COMPRESSED, zlib.compress(data))


def matrix(
    name: str, dims: Sequence[int], *parts: bytes, kind: int = FULL, flags: int = 0,
    most: int = 0,
) -> bytes:
    """An array of MATLAB: its flags, dimensions, name, and whatever follows."""
    head = element(UINT32, struct.pack("<II", (kind & 0xFF) | flags << 8, most & 0xFFFFFFFF))
    sides = struct.pack(f"<{len(dims)}i", *(_signed(side) for side in dims))
    body = head + element(INT32, sides) + element(INT8, name.encode()) + b"".join(parts)
    return element(MATRIX, body)


def numbers(values: Sequence[float]) -> bytes:
    """An element of real numbers."""
    return element(DOUBLE, struct.pack(f"<{len(values)}d", *values))


def matlab(*elements: bytes, version: int = 0x0100, endian: bytes = b"IM",
           text: bytes = b"MATLAB 5.0 MAT-file, Platform: GLNXA64") -> bytes:
    """A file of elements."""
    return text.ljust(116)[:116] + bytes(8) + struct.pack("<H", version) + endian + b"".join(
        elements
    )


def fields(names: Sequence[str], length: int = 32) -> bytes:
    """What precedes the values of a struct, whose names are said to be of `length`."""
    width = min(max(length, 0), 4096)
    packed = b"".join(name.encode().ljust(width, b"\0")[:width] for name in names)
    return small(INT32, struct.pack("<i", _signed(length))) + element(INT8, packed)


def _signed(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31
