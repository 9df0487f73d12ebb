"""Zip archives of tables, of archives, and of what only says to be one."""

from __future__ import annotations

import gzip
import zlib

from benchmarks.grammar.arrays import npy
from benchmarks.grammar.dice import NUMBERS, Dice
from benchmarks.grammar.documents import document
from benchmarks.grammar.texts import text
from tests.core.reading.raw.archive import Member, zip64
from tests.core.reading.raw.archive import archive as zip_file

_NAMES = (
    "../a.csv", "/etc/passwd.csv", "..\\a.csv", "C:/a.csv", "a\0.csv", "", "/", "a/", ".csv",
    "__MACOSX/a.csv", "~$a.csv", ".a.csv", "a.csv/b.csv", "a.zip", "a.csv.gz", "a.tar", "x" * 60_000
    + ".csv", "é.csv", "\u202evsc.a", "CON.csv", "a.exe", "xl/workbook.xml", "content.xml", "a.npy",
    "x.png", "xl/workbook.bin", b"\xff\xfe.csv", b"a\x80.csv", "./a.csv", "a/../b.csv", "A.CSV",
    "a\n.csv", "//a.csv", "file:///a.csv",
)
_FIELDS = ("flags", "method", "crc", "packed", "size", "version", "offset", "disk", "external",
           "name_length", "extra_length", "comment_length", "date", "time")


def archive(dice: Dice) -> tuple[str, bytes]:
    """A zip file."""
    return dice.choice(("a.zip", "a.zip", "a.csv")), zip_of(dice, 0)


def zip_of(dice: Dice, depth: int) -> bytes:
    """The bytes of an archive."""
    n = dice.many(dice.few(6), 3000)
    one = _member(dice, 0, depth)
    members = [_member(dice, k, depth) for k in range(n)] if n < 50 else [
        Member(f"{k}.csv", one.data, method=one.method) for k in range(n)]
    end = {}
    for key in ("here", "total", "size", "offset", "comment_length", "disk", "start_disk"):
        if dice.off(0.3):
            end[key] = dice.choice(NUMBERS)
    data = zip_file(
        *dice.shuffled(members), end=end,
        comment=dice.randbytes(dice.few(300)) if dice.off() else b"",
        before=dice.choice((b"#!/bin/sh\n", b"a,b,c\n1,2,3\n", b"PK\x03\x04")) if dice.off(0.5)
        else b"",
    )
    if dice.off(0.2):
        data += dice.choice((b"x" * 30, b"PK\x05\x06" + bytes(18), data))
    return data


def _content(dice: Dice, depth: int) -> tuple[str, bytes]:
    if depth < 3 and dice.off(0.5):
        return "inner.zip", zip_of(dice, depth + 1)
    name, data = dice.choice((text, text, document, npy))(dice)
    if dice.off(0.3):
        return f"{name}.gz", gzip.compress(data, 1)
    return name, data


def _member(dice: Dice, k: int, depth: int) -> Member:
    own, data = _content(dice, depth)
    name = dice.choice(_NAMES) if dice.off() else f"p{k if not dice.off() else 0}_{own}"
    made = Member(name, data, method=dice.choice((0, 8)))
    if dice.off():
        made.method = dice.choice((1, 9, 12, 14, 93, 95, 98, 99, 97))
    for headers in (made.local, made.central):
        for key in _FIELDS:
            if dice.off(0.2):
                usual = {"size": len(data), "crc": zlib.crc32(data)}.get(key, 0)
                headers[key] = dice.choice((dice.choice(NUMBERS), usual + 1, usual // 2))
    if dice.off(0.5):  # encrypted; sizes in a record behind
        made.local["flags"] = made.central["flags"] = dice.choice((1, 0x808, 0x41, 0x2000, 0x20))
    if dice.off(0.5):
        made.extra = dice.of(
            lambda: zip64(dice.choice(NUMBERS) % 2**64, dice.choice(NUMBERS) % 2**64,
                          dice.choice((None, 0, 2**63))),
            lambda: dice.randbytes(dice.few(60)), lambda: b"\x01\x00\xff\xff" + bytes(8),
        )
        if dice.random() < 0.7:
            made.central |= {"size": 2**32 - 1, "packed": 2**32 - 1}
    if dice.off(0.3):
        bomb = zlib.compressobj(9, zlib.DEFLATED, -15)
        size = int(10 ** dice.uniform(4, 7.3))
        made.raw = bomb.compress(dice.choice((b"0", b"\n", b"1,2,3\n", b'"')) * size) + bomb.flush()
        made.method = 8
    return made
