"""Zip archives and gzip files that are hostile."""

from __future__ import annotations

import gzip

from tests.core.reading.hostile.making import GOOD, Files, bomb
from tests.core.reading.raw.archive import Member, archive, zip64

_HUGE = 2**32 - 1


def _one(name: str | bytes = "a.csv", data: bytes = GOOD, **options) -> bytes:
    return archive(Member(name, data, **options))


def _both(**fields: int) -> dict[str, dict[str, int]]:
    return {"local": fields, "central": fields}


def _nested(depth: int) -> bytes:
    data = GOOD
    for k in range(depth):
        data = _one("a.csv" if k == 0 else "inner.zip", data)
    return data


def _overlapping(n: int) -> bytes:
    """Entries that all are the same bytes of the file."""
    return archive(Member("a.csv", GOOD), *(
        Member(f"{k}.csv", GOOD, raw=b"", central={"offset": 0, "packed": len(GOOD)})
        for k in range(n)
    ))


FILES: Files = {
    "nothing but the last record": lambda: archive(),
    "half of it": lambda: _one()[:40],
    "no directory": lambda: _one()[:60] + b"PK\x05\x06" + bytes(18),
    "a path to the parent folder": lambda: _one("../../etc/passwd.csv"),
    "a path from the root": lambda: _one("/etc/passwd.csv"),
    "a path to a drive": lambda: _one("C:\\Windows\\a.csv"),
    "a path to a server": lambda: _one("\\\\server\\share\\a.csv"),
    "a path with a NUL": lambda: _one("a.csv\0.png"),
    "a path back and forth": lambda: _one("x/../../a.csv"),
    "a path of 60,000 letters": lambda: _one("x/" * 30_000 + "a.csv"),
    "no name": lambda: _one(""),
    "a name of dots": lambda: _one("..."),
    "a name with a line end": lambda: _one("a\n.csv"),
    "a name that is a device": lambda: _one("CON.csv"),
    "a name that turns round": lambda: _one("\u202evsc.a.csv"),
    "a name in no encoding": lambda: _one(b"\xff\xfe\x80.csv"),
    "a link to a file": lambda: _one("a.csv", b"/etc/passwd", central={"external": 0o120777 << 16}),
    "a folder with content": lambda: _one("a.csv/", GOOD),
    "a device": lambda: _one(central={"external": 0o020666 << 16}),
    "archives in archives": lambda: _nested(20),
    "a gzip file inside": lambda: _one("a.csv.gz", gzip.compress(GOOD)),
    "itself inside": lambda: _one("a.zip", _one()),
    "one name twice": lambda: archive(Member("a.csv", GOOD), Member("a.csv", b"x,y,z\n1,2,3\n")),
    "a thousand times one name": lambda: archive(*[Member("a.csv", GOOD)] * 1_000),
    "60,000 entries": lambda: archive(*[Member("a.csv", b"", method=0)] * 60_000),
    "five thousand tables": lambda: archive(*(
        Member(f"p{k}.csv", GOOD, method=0) for k in range(5_000))),
    "names that differ in case only": lambda: archive(Member("a.csv", GOOD), Member("A.CSV", GOOD)),
    "encrypted": lambda: _one(**_both(flags=1)),
    "encrypted by AES": lambda: _one(method=99, **_both(flags=1, method=99)),
    "encrypted only in the directory": lambda: _one(central={"flags": 1}),
    "a masked directory": lambda: _one(**_both(flags=0x2000)),
    "patched data": lambda: _one(**_both(flags=0x20)),
    "sizes behind the data": lambda: _one(**_both(flags=8)),
    "packed by bzip2": lambda: _one(**_both(method=12)),
    "packed by LZMA": lambda: _one(**_both(method=14)),
    "packed by Zstandard": lambda: _one(**_both(method=93)),
    "packed by deflate64": lambda: _one(**_both(method=9)),
    "packed in a way that is none": lambda: _one(**_both(method=65_535)),
    "stored as it says, packed as it is": lambda: _one(**_both(method=0)),
    "packed as it says, stored as it is": lambda: _one(raw=GOOD),
    "a wrong checksum": lambda: _one(**_both(crc=1)),
    "a size that is too small": lambda: _one(**_both(size=3)),
    "a size that is too large": lambda: _one(**_both(size=3_000_000_000)),
    "a packed size that is too large": lambda: _one(**_both(packed=3_000_000_000)),
    "a packed size that is too small": lambda: _one(**_both(packed=3)),
    "sizes that differ between headers": lambda: _one(local={"size": 3}, central={"size": 99}),
    "names that differ between headers": lambda: _one().replace(b"a.csv", b"b.exe", 1),
    "an offset beyond the file": lambda: _one(central={"offset": 2**31}),
    "an offset to another entry": lambda: archive(
        Member("a.csv", GOOD), Member("b.csv", GOOD, central={"offset": 0})),
    "entries that overlap": lambda: _overlapping(3_000),
    "more entries than it says": lambda: archive(
        Member("a.csv", GOOD), Member("b.csv", GOOD), end={"here": 1, "total": 1}),
    "fewer entries than it says": lambda: archive(
        Member("a.csv", GOOD), end={"here": 9, "total": 65_535}),
    "a directory beyond the file": lambda: archive(Member("a.csv", GOOD), end={"offset": 2**31}),
    "a directory before the file": lambda: archive(Member("a.csv", GOOD), end={"size": 2**31}),
    "several disks": lambda: archive(Member("a.csv", GOOD), end={"disk": 3, "start_disk": 2}),
    "a comment that is no zip file's end": lambda: archive(
        Member("a.csv", GOOD), comment=b"PK\x05\x06" + bytes(18)),
    "a comment that is longer than it is": lambda: archive(
        Member("a.csv", GOOD), end={"comment_length": 65_535}),
    "zip64 with sizes beyond 64 bits": lambda: _one(
        extra=zip64(2**64 - 1, 2**64 - 1, 2**64 - 1),
        **_both(size=_HUGE, packed=_HUGE, offset=_HUGE)),
    "zip64 of an exabyte": lambda: _one(
        extra=zip64(2**60, len(GOOD)), **_both(size=_HUGE, packed=_HUGE)),
    "zip64 without its field": lambda: _one(**_both(size=_HUGE, packed=_HUGE)),
    "an additional field that is too long": lambda: _one(extra=b"\x01\0\xff\xff1234"),
    "text before it": lambda: archive(Member("a.csv", GOOD), before=b"anchor,near,far\na,b,c\n"),
    "two archives one after the other": lambda: _one() + _one("b.csv"),
    "a bomb of zeros": lambda: archive(Member("a.csv", b"", raw=bomb(bytes(10**6), 300))),
    "a bomb that says it is small": lambda: archive(
        Member("a.csv", b"", raw=bomb(b"1,2,3\n" * 10**5, 300), **_both(size=100))),
    "a bomb of many entries": lambda: archive(*(
        Member(f"{k}.csv", b"", raw=bomb(bytes(10**6), 3), **_both(size=3 * 10**6))
        for k in range(100))),
    "a bomb among good tables": lambda: archive(
        Member("a.csv", GOOD), Member("b.csv", b"", raw=bomb(b"\n" * 10**6, 100))),
    "a bomb of pictures": lambda: archive(Member("a.png", b"", raw=bomb(bytes(10**6), 200))),
    "a program beside a table": lambda: archive(Member("a.csv", GOOD), Member("a.exe", b"MZ")),
    "a workbook that is none": lambda: archive(Member("xl/workbook.xml", GOOD)),
    "an OpenDocument file that is none": lambda: archive(Member("content.xml", GOOD)),
    "arrays that are none": lambda: archive(Member("a.npy", GOOD)),
    "gzip in gzip in gzip": lambda: gzip.compress(gzip.compress(gzip.compress(GOOD))),
    "gzip with a bomb": lambda: gzip.compress(bytes(100_000_000), 1),
    "gzip that is cut off": lambda: gzip.compress(GOOD * 100)[:-10],
    "gzip with rubbish behind": lambda: gzip.compress(GOOD) + b"rubbish",
    "gzip of nothing": lambda: gzip.compress(b""),
    "a million gzip files of nothing": lambda: gzip.compress(b"") * 50_000 + gzip.compress(GOOD),
    "gzip with a flag that is reserved": lambda: b"\x1f\x8b\x08\xff" + gzip.compress(GOOD)[4:],
}
