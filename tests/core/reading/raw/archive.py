"""Zip archives whose every field can be given."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field
from typing import Any

_LOCAL = ("version", "flags", "method", "time", "date", "crc", "packed", "size")
_CENTRAL = (
    "made_by", "version", "flags", "method", "time", "date", "crc", "packed", "size", "name_length",
    "extra_length", "comment_length", "disk", "internal", "external", "offset",
)
_LONG = ("crc", "packed", "size", "external", "offset")


@dataclass
class Member:
    """An entry of an archive.

    method: 0 is stored and 8 is deflated; others are only said to be so.
    local, central: Fields of both headers that are to be others than they should.
    raw: What stands for the packed data.
    """

    name: str | bytes
    data: bytes
    method: int = 8
    extra: bytes = b""
    local: dict[str, int] = field(default_factory=dict)
    central: dict[str, int] = field(default_factory=dict)
    raw: bytes | None = None


def archive(
    *members: Member, comment: bytes = b"", before: bytes = b"", end: dict[str, int] | None = None
) -> bytes:
    """A zip file of `members`; `end` are fields of its last record."""
    body, directory = bytearray(before), bytearray()
    for member in members:
        name = member.name.encode() if isinstance(member.name, str) else member.name
        packed = member.raw if member.raw is not None else _packed(member)
        fields: dict[str, Any] = {
            "made_by": 20, "version": 20, "flags": 0x800, "method": member.method, "time": 0,
            "date": 33, "crc": zlib.crc32(member.data), "packed": len(packed),
            "size": len(member.data), "name_length": len(name), "extra_length": len(member.extra),
            "comment_length": 0, "disk": 0, "internal": 0, "external": 0, "offset": len(body),
        }
        near, far = fields | member.local, fields | member.central
        body += struct.pack(
            "<IHHHHHIIIHH", 0x04034B50, *(_fits(near[key], key) for key in _LOCAL),
            len(name), len(member.extra),
        )
        body += name + member.extra + packed
        directory += struct.pack(
            "<IHHHHHHIIIHHHHHII", 0x02014B50, *(_fits(far[key], key) for key in _CENTRAL)
        )
        directory += name + member.extra
    last = {
        "disk": 0, "start_disk": 0, "here": len(members), "total": len(members),
        "size": len(directory), "offset": len(body), "comment_length": len(comment),
    } | (end or {})
    return bytes(body + directory) + struct.pack(
        "<IHHHHIIH", 0x06054B50, *(last[key] & 0xFFFF for key in list(last)[:4]),
        last["size"] & 0xFFFFFFFF, last["offset"] & 0xFFFFFFFF, last["comment_length"] & 0xFFFF,
    ) + comment


def zip64(size: int, packed: int, offset: int | None = None) -> bytes:
    """The additional field that holds sizes beyond 4 GB."""
    values = [size, packed, *([] if offset is None else [offset])]
    body = b"".join(struct.pack("<Q", value) for value in values)
    return struct.pack("<HH", 1, len(body)) + body


def _packed(member: Member) -> bytes:
    if member.method != 8:
        return member.data
    pack = zlib.compressobj(6, zlib.DEFLATED, -15)
    return pack.compress(member.data) + pack.flush()


def _fits(value: int, key: str) -> int:
    return value & (0xFFFFFFFF if key in _LONG else 0xFFFF)
