"""Parquet's own notes (Thrift's compact protocol) as trees that can be changed, and back.

A structure is a list of `[id, type, value]`; a list is a `Many` of a type and its values.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


@dataclass
class Many:
    """A list: the type of its items, the items, and how many there are said to be."""

    kind: int
    items: list
    said: int | None = None


class Reader:
    """Reads structures from bytes."""

    def __init__(self, data: bytes, place: int = 0) -> None:
        self.data, self.place = data, place

    def structure(self) -> list[list]:
        """The structure that begins here."""
        found, last = [], 0
        while (head := self._byte()) != 0:
            kind, delta = head & 15, head >> 4
            last = last + delta if delta else self._signed()
            found.append([last, kind, self._value(kind)])
        return found

    def _byte(self) -> int:
        self.place += 1
        return self.data[self.place - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def _value(self, kind: int) -> Any:
        match kind:
            case 1 | 2:
                return kind == TRUE
            case 3:
                return self._byte()
            case 4 | 5 | 6:
                return self._signed()
            case 7:
                self.place += 8
                return struct.unpack("<d", self.data[self.place - 8 : self.place])[0]
            case 8:
                length = self._unsigned()
                self.place += length
                return self.data[self.place - length : self.place]
            case 9 | 10:
                head = self._byte()
                count = head >> 4
                count = self._unsigned() if count == 15 else count
                inner = head & 15
                one = self._byte if inner in (TRUE, FALSE) else lambda: self._value(inner)
                return Many(inner, [one() for _ in range(count)])
            case 12:
                return self.structure()
        raise ValueError(f"type {kind}")


def written(structure: list[list]) -> bytes:
    """The bytes of a structure."""
    out, last = bytearray(), 0
    for number, kind, value in structure:
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        if 0 < number - last < 16:
            out.append((number - last) << 4 | kind)
        else:
            out.append(kind)
            out += _signed(number)
        out += _value(kind, value)
        last = number
    return bytes(out + b"\0")


def _unsigned(value: int) -> bytes:
    value &= 2**64 - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def _signed(value: int) -> bytes:
    return _unsigned(value << 1 ^ -(value < 0))


def _value(kind: int, value: Any) -> bytes:
    match kind:
        case 1 | 2:
            return b""
        case 3:
            return bytes([value & 255])
        case 4 | 5 | 6:
            return _signed(value)
        case 7:
            return struct.pack("<d", value)
        case 8:
            return _unsigned(len(value)) + value
        case 9 | 10:
            count = len(value.items) if value.said is None else value.said
            head = bytes([min(count, 15) << 4 & 0xF0 | value.kind])
            if count >= 15:
                head += _unsigned(count)
            one = (lambda item: bytes([item & 255])) if value.kind in (TRUE, FALSE) else (
                lambda item: _value(value.kind, item))
            return head + b"".join(map(one, value.items))
        case 12:
            return written(value)
    raise ValueError(f"type {kind}")


def field(structure: list[list], *path: int) -> list:
    """`[id, type, value]` by the numbers of fields, and by positions in lists, from the root."""
    found, node = [], structure
    for step in path:
        if isinstance(node, Many):
            node = node.items[step]
            continue
        found = next(one for one in node if one[0] == step)
        node = found[2]
    return found


# Parquet ------------------------------------------------------------------------------------------

#: Numbers of fields in the notes of a file, of a row group, and of a column.
VERSION, SCHEMA, ROWS, GROUPS = 1, 2, 3, 4
COLUMNS, GROUP_SIZE, GROUP_ROWS = 1, 2, 3
META = 3
KIND, ENCODINGS, PATH, CODEC, VALUES, UNPACKED, PACKED = 1, 2, 3, 4, 5, 6, 7
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE = 9, 10, 11


@dataclass
class Chunk:
    """The pages of a column in a row group: header and content of each."""

    meta: list[list]
    pages: list[tuple[list[list], bytes]]


def taken_apart(data: bytes) -> tuple[list[list], list[Chunk]]:
    """Footer and column chunks of a Parquet file that is whole."""
    length = int.from_bytes(data[-8:-4], "little")
    footer = Reader(data[-8 - length : -8]).structure()
    chunks = []
    for group in field(footer, GROUPS)[2].items:
        for column in field(group, COLUMNS)[2].items:
            meta = field(column, META)[2]
            starts = [one[2] for one in meta if one[0] in (DATA_PAGE, DICTIONARY_PAGE) and one[2]]
            place, end = min(starts), min(starts) + field(meta, PACKED)[2]
            pages = []
            while place < end:
                reader = Reader(data, place)
                head = reader.structure()
                size = field(head, 3)[2]
                pages.append((head, data[reader.place : reader.place + size]))
                place = reader.place + size
            chunks.append(Chunk(meta, pages))
    return footer, chunks


def put_together(
    footer: list[list], chunks: list[Chunk], length: int | None = None
) -> bytes:
    """A Parquet file; where pages have moved, the footer says so.

    What the footer says of places is changed only where it was true before, and `length` is what
    the file says of its footer.
    """
    out = bytearray(b"PAR1")
    for chunk in chunks:
        first = True
        begin = len(out)
        for head, content in chunk.pages:
            kind = next((one[2] for one in head if one[0] == 1), 0)
            which = DICTIONARY_PAGE if kind == 2 else DATA_PAGE
            if kind == 2 or first or which == DATA_PAGE:
                for one in chunk.meta:
                    if one[0] == which and (kind == 2 or first):
                        one[2] = len(out)
                first = first and kind == 2
            out += written(head) + content
        for one in chunk.meta:
            if one[0] == PACKED:
                one[2] = len(out) - begin
    end = written(footer)
    said = len(end) if length is None else length
    return bytes(out) + end + (said & 0xFFFFFFFF).to_bytes(4, "little") + b"PAR1"
