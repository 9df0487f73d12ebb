"""Parquet and HDF5 files that are hostile."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet

from tests.core.reading.hostile.making import Files
from tests.core.reading.raw import hdf5 as places
from tests.core.reading.raw import thrift
from tests.core.reading.raw.thrift import Many, field

_TABLE = pa.table({name: ["a", "b", "c"] * 5 for name in ("anchor", "near", "far")})


def _parquet(table: pa.Table = _TABLE, **options: Any) -> bytes:
    buffer = io.BytesIO()
    pyarrow.parquet.write_table(table, buffer, **options)
    return buffer.getvalue()


def _noted(*path: int, to: Any = 0, **options: Any) -> Callable[[], bytes]:
    """A file with another value in its notes."""
    def made() -> bytes:
        footer, chunks = thrift.taken_apart(_parquet(**options))
        content = thrift.written(footer)
        field(footer, *path)[2] = to
        data = thrift.put_together(footer, chunks)
        assert thrift.written(footer) != content
        return data
    return made


def _paged(number: int, *path: int, to: Any, **options: Any) -> Callable[[], bytes]:
    """A file with another value in the header of a page of its first column."""
    def made() -> bytes:
        footer, chunks = thrift.taken_apart(_parquet(**options))
        field(chunks[0].pages[number][0], *path)[2] = to
        return thrift.put_together(footer, chunks)
    return made


def _content(number: int, content: bytes, **options: Any) -> Callable[[], bytes]:
    """A file with other content of a page of its first column."""
    def made() -> bytes:
        footer, chunks = thrift.taken_apart(_parquet(compression="none", **options))
        head, old = chunks[0].pages[number]
        chunks[0].pages[number] = head, content[: len(old)].ljust(len(old), content[-1:])
        return thrift.put_together(footer, chunks)
    return made


def _footer_length(length: int) -> Callable[[], bytes]:
    return lambda: thrift.put_together(*thrift.taken_apart(_parquet()), length=length)


def _many(which: int, said: int) -> Callable[[], bytes]:
    """A list of the notes that says it is longer than it is."""
    def made() -> bytes:
        footer, chunks = thrift.taken_apart(_parquet())
        field(footer, which)[2].said = said
        return thrift.put_together(footer, chunks)
    return made


def _nested(depth: int) -> pa.Table:
    kind = pa.int64()
    for _ in range(depth):
        kind = pa.list_(kind)
    return pa.table({"deep": pa.nulls(3, kind), "a": [1, 2, 3], "b": [2, 3, 1], "c": [3, 1, 2]})


def _kinds(column: pa.Array) -> Callable[[], bytes]:
    return lambda: _parquet(pa.table({"anchor": column, "near": column, "far": column}))


_GROUP, _COLUMN = (thrift.GROUPS, 0), (thrift.GROUPS, 0, thrift.COLUMNS, 0, thrift.META)
_SIZE, _COUNT = 2, (5, 1)  # of a page: bytes once it is unpacked, and values
_HUGE = 2**31 - 1

PARQUET: Files = {
    "two words of magic": lambda: b"PAR1PAR1",
    "no footer": lambda: b"PAR1" + bytes(8) + b"PAR1",
    "encrypted": lambda: _parquet()[:-4] + b"PARE",
    "a footer before the file": _footer_length(2**31),
    "a footer of 4 GB": _footer_length(2**32 - 1),
    "a footer of nothing": _footer_length(0),
    "a footer that is cut off": _footer_length(40),
    "two billion columns, it says": _many(thrift.SCHEMA, _HUGE),
    "two billion groups of rows, it says": _many(thrift.GROUPS, _HUGE),
    "no groups of rows": _noted(thrift.GROUPS, to=Many(thrift.STRUCT, [])),
    "no columns": _noted(thrift.SCHEMA, to=Many(thrift.STRUCT, [])),
    "a root of a billion children": _noted(thrift.SCHEMA, 0, 5, to=10**9),
    "a root of minus one child": _noted(thrift.SCHEMA, 0, 5, to=-1),
    "a root without children": _noted(thrift.SCHEMA, 0, 5, to=0),
    "a column of a type that is none": _noted(thrift.SCHEMA, 1, 1, to=77),
    "a column that is of another type": _noted(thrift.SCHEMA, 1, 1, to=1),
    "a column that repeats": _noted(thrift.SCHEMA, 1, 3, to=2),
    "a column without a name": _noted(thrift.SCHEMA, 1, 4, to=b""),
    "a column whose name is no text": _noted(thrift.SCHEMA, 1, 4, to=b"\xff\xfe"),
    "two columns of one name": _noted(thrift.SCHEMA, 1, 4, to=b"near"),
    "a billion rows, it says": _noted(thrift.ROWS, to=10**9),
    "rows beyond all limits": _noted(thrift.ROWS, to=2**62),
    "minus one row": _noted(thrift.ROWS, to=-1),
    "no rows, it says": _noted(thrift.ROWS, to=0),
    "a group of a billion rows": _noted(*_GROUP, thrift.GROUP_ROWS, to=10**9),
    "a group of minus one row": _noted(*_GROUP, thrift.GROUP_ROWS, to=-1),
    "a group of no bytes": _noted(*_GROUP, thrift.GROUP_SIZE, to=0),
    "a group of an exabyte": _noted(*_GROUP, thrift.GROUP_SIZE, to=2**60),
    "a group of minus one byte": _noted(*_GROUP, thrift.GROUP_SIZE, to=-1),
    "a billion values of a column": _noted(*_COLUMN, thrift.VALUES, to=10**9),
    "minus one value of a column": _noted(*_COLUMN, thrift.VALUES, to=-1),
    "a way of packing that is none": _noted(*_COLUMN, thrift.CODEC, to=99),
    "another way of packing": _noted(*_COLUMN, thrift.CODEC, to=6),
    "a path to another column": _noted(*_COLUMN, thrift.PATH, to=Many(thrift.BINARY, [b"far"])),
    "a column that is in another file": lambda: _elsewhere(),
    "a page of 2 GB, it says": _paged(0, _SIZE, to=_HUGE),
    "a page of minus one byte": _paged(0, _SIZE, to=-1),
    "a page of more bytes than the file": _paged(0, 3, to=_HUGE),
    "a page of a kind that is none": _paged(0, 1, to=9),
    "a dictionary of two billion words": _paged(0, 7, 1, to=_HUGE),
    "a dictionary of minus one word": _paged(0, 7, 1, to=-1),
    "a page of two billion values": _paged(1, *_COUNT, to=_HUGE),
    "a page of minus one value": _paged(1, *_COUNT, to=-1),
    "a page in an encoding that is none": _paged(1, 5, 2, to=99),
    "a page in another encoding": _paged(1, 5, 2, to=5),
    "words that are not in the dictionary": _content(1, b"\x02\0\0\0\x03\xff\xff\xff\xff\xff"),
    "words of 4 GB": _content(0, b"\xff\xff\xff\xff"),
    "texts that are no text": _kinds(pa.array([b"\xff\xfe"] * 5)),
    "texts with NULs": _kinds(pa.array(["a\0b"] * 5)),
    "lists a hundred deep": lambda: _parquet(_nested(100)),
    "columns of lists only": _kinds(pa.array([[1], [2]])),
    "columns of nothing": _kinds(pa.nulls(5)),
    "dates beyond all years": _kinds(pa.array([2**62, -2**62], pa.timestamp("us"))),
    "times beyond the day": _kinds(pa.array([2**40], pa.time64("us"))),
    "durations beyond all time": _kinds(pa.array([2**62], pa.duration("s"))),
    "numbers that are none": _kinds(pa.array([float("nan"), float("inf"), -float("inf")])),
    "numbers of half precision": _kinds(pa.array(np.array([0, 0.5, 2], np.float16))),
    "numbers of 76 digits": _kinds(pa.array([None], pa.decimal256(76, 70))),
    "20,001 columns": lambda: _parquet(pa.table({f"c{k}": [1] for k in range(20_001)})),
    "a text of a megabyte a million times": lambda: _parquet(pa.table({
        name: pa.DictionaryArray.from_arrays(np.zeros(10**6, np.int32), ["x" * 10**6])
        for name in ("anchor", "near", "far")})),
    "half of it": lambda: _parquet()[: 400] + _parquet()[-8:],
}


def _elsewhere() -> bytes:
    footer, chunks = thrift.taken_apart(_parquet())
    column = field(footer, thrift.GROUPS, 0, thrift.COLUMNS)[2].items[0]
    column.insert(0, [1, thrift.BINARY, b"/etc/passwd"])
    return thrift.put_together(footer, chunks)


# HDF5 ---------------------------------------------------------------------------------------------

_ROWS = np.arange(30).reshape(10, 3)


def _hdf5(fill: Callable[[h5py.File], Any], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with h5py.File(buffer, "w", **options) as file:
        fill(file)
    return buffer.getvalue()


def _answers(file: h5py.File) -> None:
    file.create_dataset("answers", data=_ROWS, chunks=(5, 3), compression="gzip")


def _changed(what: str, to: int, number: int = 0, **options: Any) -> Callable[[], bytes]:
    """A file with another number in one of its places of a kind, and with right checksums."""
    def made() -> bytes:
        data = _hdf5(_answers, **options)
        found = [place for place in places.places(data) if place.what == what]
        return places.changed(data, [(found[number], to)])
    return made


def _all(what: str, to: int, **options: Any) -> Callable[[], bytes]:
    """The same with all places of a kind."""
    def made() -> bytes:
        data = _hdf5(_answers, **options)
        found = [place for place in places.places(data) if place.what == what]
        return places.changed(data, [(place, to) for place in found])
    return made


def _filled(fill: Callable[[h5py.File], Any], **options: Any) -> Callable[[], bytes]:
    return lambda: _hdf5(fill, **options)


def _around(file: h5py.File) -> None:
    group = file.create_group("a")
    for k in range(50):
        group[f"g{k}"] = file["/"]
    file["answers"] = _ROWS


def _deep(file: h5py.File) -> None:
    group: h5py.Group = file
    for _ in range(500):
        group = group.create_group("g")
    group["answers"] = _ROWS


def _soft(file: h5py.File) -> None:
    for k in range(20):
        file[f"s{k}"] = h5py.SoftLink(f"/s{(k + 1) % 20}")
    file["answers"] = _ROWS


def _virtual(file: h5py.File) -> None:
    layout = h5py.VirtualLayout((10, 3), "i8")
    layout[:] = h5py.VirtualSource("/etc/passwd", "a", (10, 3))
    file.create_virtual_dataset("answers", layout)


def _filter(file: h5py.File) -> None:
    created = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    created.set_chunk((5, 3))
    created.set_filter(32_015, h5py.h5z.FLAG_OPTIONAL, (3,))
    space = h5py.h5s.create_simple((10, 3))
    h5py.h5d.create(file.id, b"answers", h5py.h5t.NATIVE_INT64, space, created)


def _set(name: str, *shape: int, kind: Any = "i8", **options: Any) -> Callable[[], bytes]:
    return _filled(lambda file: file.create_dataset(name, shape, kind, **options))


_EARLY, _LATE = {"libver": "earliest"}, {"libver": "latest"}

HDF5: Files = {
    "a magic word only": lambda: b"\x89HDF\r\n\x1a\n",
    "half of it": lambda: _hdf5(_answers)[:1_000],
    "the end is missing": lambda: _hdf5(_answers)[:-100],
    "a version of the future": _changed("superblock version", 99),
    "places of no bytes": _changed("superblock version", 0, 5),
    "places of 255 bytes": _changed("superblock version", 255, 5),
    "lengths of 255 bytes": _changed("superblock version", 255, 6),
    "nodes of no entries": _changed("superblock leaf", 0),
    "nodes of 65,535 entries": _changed("superblock leaf", 65_535),
    "a base beyond the file": _changed("superblock address", 2**62, 0),
    "an end before the beginning": _changed("superblock address", 1, 2),
    "a root beyond the file": _changed("superblock address", 2**40, 5),
    "a root that is the superblock": _changed("superblock address", 0, 5),
    "a new superblock's root beyond the file": _changed("superblock address", 2**40, 3, **_LATE),
    "a new superblock's root at the beginning": _changed("superblock address", 0, 3, **_LATE),
    "object headers of 65,535 messages": _all("messages", 65_535, **_EARLY),
    "object headers of 4 GB": _all("header", 2**32 - 1, **_EARLY),
    "object headers of a future version": _all("version", 9, **_EARLY),
    "messages of no size": _all("message 1 size", 0, **_EARLY),
    "messages of 65,535 bytes": _all("message 8 size", 65_535, **_EARLY),
    "shapes of all ones": _all("message 1", 1, **_EARLY),
    "shapes of all 255s": _all("message 1", 255, **_EARLY),
    "types of all 255s": _all("message 3", 255, **_EARLY),
    "types of all zeros": _all("message 3", 0, **_EARLY),
    "layouts of all 255s": _all("message 8", 255, **_EARLY),
    "layouts of all zeros": _all("message 8", 0, **_EARLY),
    "filters of all 255s": _all("message 11", 255, **_EARLY),
    "filters of all ones": _all("message 11", 1, **_EARLY),
    "fill values of all 255s": _all("message 5", 255, **_EARLY),
    "new shapes of all 255s": _all("message 1", 255, **_LATE),
    "new layouts of all 255s": _all("message 8", 255, **_LATE),
    "new links of all 255s": _all("message 6", 255, **_LATE),
    "trees of all 255s": _all("TREE", 2**64 - 1, **_EARLY),
    "trees of all zeros": _all("TREE", 0, **_EARLY),
    "heaps of all 255s": _all("HEAP", 2**64 - 1, **_EARLY),
    "heaps of all zeros": _all("HEAP", 0, **_EARLY),
    "symbols of all 255s": _all("SNOD", 2**64 - 1, **_EARLY),
    "symbols of all zeros": _all("SNOD", 0, **_EARLY),
    "groups in a circle": _filled(_around),
    "groups 500 deep": _filled(_deep),
    "soft links in a circle": _filled(_soft),
    "a link to another file": _filled(
        lambda file: file.__setitem__("answers", h5py.ExternalLink("/etc/passwd", "/a"))),
    "values in another file": _filled(_virtual),
    "a filter that is a program": _filled(_filter),
    "ten billion numbers that were never written": _set(
        "answers", 10**10, 3, chunks=(1_000, 3)),
    "as many as there are": _set("answers", 2**62, chunks=(1_000,)),
    "texts of a megabyte that were never written": _set("answers", 10**6, kind="S1000000",
                                                        chunks=(1,)),
    "a fill value for a gigabyte": _set("answers", 10**8, 3, chunks=(1_000, 3), fillvalue=7),
    "nothing at all": _filled(lambda file: None),
    "an array without rows": _set("answers", 0, 3),
    "an array of 20 sides": _set("answers", *[1] * 20),
    "one number": _set("answers"),
    "numbers in the other order of bytes": _filled(
        lambda file: file.__setitem__("answers", _ROWS.astype(">i4"))),
    "texts that are no text": _filled(
        lambda file: file.__setitem__("answers", np.full((5, 3), b"\xff\xfe"))),
    "texts of every length": _filled(lambda file: file.create_dataset(
        "answers", data=[["x" * k, "b", "c"] for k in range(50)], dtype=h5py.string_dtype())),
    "references": _filled(lambda file: file.create_dataset("answers", (5, 3), h5py.ref_dtype)),
    "lists of every length": _filled(
        lambda file: file.create_dataset("answers", (5, 3), h5py.vlen_dtype("i4"))),
    "a thousand fields": _filled(lambda file: file.create_dataset(
        "answers", (5,), np.dtype([(f"f{k}", "i4") for k in range(1_000)]))),
    "a thousand arrays": _filled(
        lambda file: [file.__setitem__(f"a{k}", _ROWS) for k in range(1_000)]),
    "a name that is a path": _filled(lambda file: file.__setitem__("../../etc/passwd", _ROWS)),
    "a name that is no text": _filled(lambda file: file.__setitem__(b"\xff\xfe", _ROWS)),
    "a name of 60,000 letters": _filled(lambda file: file.__setitem__("a" * 60_000, _ROWS)),
    "MATLAB 7.3": lambda: b"MATLAB 7.3 MAT-file".ljust(512, b"\0") + _hdf5(
        _answers, userblock_size=512)[512:],
}
