"""Where the numbers are in an HDF5 file, and its checksums made anew after they were changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SIGNATURES = (
    b"TREE", b"SNOD", b"HEAP", b"GCOL", b"OCHK", b"FRHP", b"FHDB", b"FHIB", b"BTHD", b"BTLF",
    b"BTIN", b"FAHD", b"FADB", b"EAHD", b"EAIB", b"EADB", b"FSHD", b"FSSE", b"SMTB",
)
_START = b"\x89HDF\r\n\x1a\n"


@dataclass(frozen=True)
class Place:
    """A number: where it is, its bytes, and what it says."""

    offset: int
    size: int
    what: str


def places(data: bytes) -> list[Place]:
    """The numbers of superblock, object headers, and of whatever has a signature."""
    start = max(data.find(_START), 0)
    found = list(_superblock(data, start))
    for signature in SIGNATURES:
        at = data.find(signature)
        while at >= 0:
            name = signature.decode()
            found += [Place(at + k, 1, name) for k in range(4, 8)]
            found += [Place(at + k, 8, name) for k in range(8, 72, 8)]
            at = data.find(signature, at + 4)
    for begin, end in _headers_1(data):
        found += _messages(data, begin + 16, end, 8, lambda at: (
            int.from_bytes(data[at : at + 2], "little"),
            int.from_bytes(data[at + 2 : at + 4], "little"),
        ))
        found += [Place(begin, 1, "version"), Place(begin + 2, 2, "messages"),
                  Place(begin + 4, 4, "references"), Place(begin + 8, 4, "header")]
    for begin, first, end, step in _headers_2(data):
        found += _messages(data, first, end, step, lambda at: (
            data[at], int.from_bytes(data[at + 1 : at + 3], "little")
        ))
        found += [Place(begin + 5, 1, "header flags"), Place(first - 1, 1, "header size")]
    return [place for place in found if place.offset + place.size <= len(data)]


def changed(data: bytes, changes: list[tuple[Place, int]]) -> bytes:
    """The file with other numbers, and with checksums that are right again."""
    new = bytearray(data)
    for place, value in changes:
        new[place.offset : place.offset + place.size] = (
            value % 2 ** (8 * place.size)
        ).to_bytes(place.size, "little")
    start = max(data.find(_START), 0)
    blocks = [(begin, end) for begin, _, end, _ in _headers_2(data)]
    if data[start + 8 : start + 9] in (b"\x02", b"\x03"):
        blocks.append((start, start + 44))
    for begin, end in blocks:
        new[end : end + 4] = lookup3(bytes(new[begin:end])).to_bytes(4, "little")
    return bytes(new)


def _superblock(data: bytes, start: int) -> Iterator[Place]:
    def at(offset: int, size: int, what: str) -> Place:
        return Place(start + offset, size, f"superblock {what}")

    if data[start + 8 : start + 9] in (b"\x02", b"\x03"):
        yield from (at(8, 1, "version"), at(9, 1, "offsets"), at(10, 1, "lengths"),
                    at(11, 1, "flags"))
        yield from (at(k, 8, "address") for k in (12, 20, 28, 36))
        return
    yield from (at(k, 1, "version") for k in range(8, 16))
    yield from (at(16, 2, "leaf"), at(18, 2, "inner"), at(20, 4, "flags"))
    yield from (at(k, 8, "address") for k in range(24, 96, 8))


def _headers_1(data: bytes) -> Iterator[tuple[int, int]]:
    """Object headers without a signature: what looks like one."""
    for at in range(0, len(data) - 24, 8):
        if data[at] != 1 or data[at + 1] or data[at + 12 : at + 16] != bytes(4):
            continue
        count = int.from_bytes(data[at + 2 : at + 4], "little")
        size = int.from_bytes(data[at + 8 : at + 12], "little")
        kind = int.from_bytes(data[at + 16 : at + 18], "little")
        if 0 < count < 64 and 8 <= size < 4096 and size % 8 == 0 and kind < 0x19:
            yield at, min(at + 16 + size, len(data))


def _headers_2(data: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Begin, first message, end, and size of what precedes a message, of headers with one."""
    at = data.find(b"OHDR")
    while at >= 0 and at + 8 < len(data):
        flags = data[at + 5]
        first = at + 6 + 16 * bool(flags & 0x20) + 4 * bool(flags & 0x10)
        width = 1 << (flags & 3)
        size = int.from_bytes(data[first : first + width], "little")
        end = first + width + size
        if end + 4 <= len(data):
            yield at, first + width, end, 4 + 2 * bool(flags & 4)
        at = data.find(b"OHDR", at + 4)


def _messages(data: bytes, at: int, end: int, head: int, read) -> Iterator[Place]:
    while at + head <= end:
        kind, size = read(at)
        what = f"message {kind}"
        yield Place(at, 2 if head == 8 else 1, f"{what} type")
        yield Place(at + (2 if head == 8 else 1), 2, f"{what} size")
        for k in range(at + head, min(at + head + size, end)):
            offset = k - at - head
            yield Place(k, 1, what)
            for width in (2, 4, 8):
                if offset % width == 0 and k + width <= end:
                    yield Place(k, width, what)
        at += head + size


def lookup3(data: bytes) -> int:
    """Bob Jenkins' hash of 2006, which HDF5 takes for checksums."""
    a = b = c = (0xDEADBEEF + len(data)) & 0xFFFFFFFF

    def turn(value: int, k: int) -> int:
        return (value << k | value >> (32 - k)) & 0xFFFFFFFF

    at, left = 0, len(data)
    while left > 12:
        a, b, c = ((x + int.from_bytes(data[at + k : at + k + 4], "little")) & 0xFFFFFFFF
                   for x, k in ((a, 0), (b, 4), (c, 8)))
        a = (a - c & 0xFFFFFFFF) ^ turn(c, 4)
        c = c + b & 0xFFFFFFFF
        b = (b - a & 0xFFFFFFFF) ^ turn(a, 6)
        a = a + c & 0xFFFFFFFF
        c = (c - b & 0xFFFFFFFF) ^ turn(b, 8)
        b = b + a & 0xFFFFFFFF
        a = (a - c & 0xFFFFFFFF) ^ turn(c, 16)
        c = c + b & 0xFFFFFFFF
        b = (b - a & 0xFFFFFFFF) ^ turn(a, 19)
        a = a + c & 0xFFFFFFFF
        c = (c - b & 0xFFFFFFFF) ^ turn(b, 4)
        b = b + a & 0xFFFFFFFF
        at, left = at + 12, left - 12
    if not left:
        return c
    rest = data[at:].ljust(12, b"\0")
    a, b, c = ((x + int.from_bytes(rest[k : k + 4], "little")) & 0xFFFFFFFF
               for x, k in ((a, 0), (b, 4), (c, 8)))
    c = ((c ^ b) - turn(b, 14)) & 0xFFFFFFFF
    a = ((a ^ c) - turn(c, 11)) & 0xFFFFFFFF
    b = ((b ^ a) - turn(a, 25)) & 0xFFFFFFFF
    c = ((c ^ b) - turn(b, 16)) & 0xFFFFFFFF
    a = ((a ^ c) - turn(c, 4)) & 0xFFFFFFFF
    b = ((b ^ a) - turn(a, 14)) & 0xFFFFFFFF
    return ((c ^ b) - turn(b, 24)) & 0xFFFFFFFF
