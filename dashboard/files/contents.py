"""What files of others hold, looked at before it is read: in folders, results and uploads alike.

The folder of a data set may come from anybody. That a path is a file and no pipe, how large it is,
and how much becomes of it in memory are known before its content is; `Unsound` says why it is not
used.
"""

from __future__ import annotations

import json
import math
import os
import stat
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO

import numpy as np

from tripletscope.core.engine.parsing import undisturbed
from tripletscope.core.reading.formats.archive import MAX_ENTRIES, check_size

#: Bytes of a description that is read at once.
MOST_TEXT = 2**26
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0,
}
#: At once, without waiting for the other end of a pipe, and not through a link.
_HOW = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NONBLOCK", "O_NOFOLLOW", "O_BINARY"))


class Unsound(ValueError):
    """Why the content of a file is not used."""


def is_there(path: Path) -> bool:
    """Whether a name is taken, be it by a link that leads nowhere."""
    return os.path.lexists(path)


def opened(path: Path) -> BinaryIO:
    """A file that is one: no folder, link, pipe or device, which may never answer."""
    _check_kind(path.lstat())
    file = os.fdopen(os.open(path, _HOW), "rb")
    try:
        _check_kind(os.fstat(file.fileno()))  # it may be another by now
    except Unsound:
        file.close()
        raise
    return file


def _check_kind(status: os.stat_result) -> None:
    kinds = {
        "link": stat.S_ISLNK, "folder": stat.S_ISDIR, "pipe": stat.S_ISFIFO,
        "socket": stat.S_ISSOCK,
    }
    if not stat.S_ISREG(status.st_mode):
        kind = next((name for name, is_it in kinds.items() if is_it(status.st_mode)), "device")
        raise Unsound(f"it is a {kind}")


def content_of(path: Path, most: int = MOST_TEXT) -> bytes:
    """The content of a small file."""
    with opened(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            raise Unsound(f"it has {size / 1e6:,.0f} MB, and at most {most / 1e6:,.0f} are read")
        return file.read(most)


def json_of(content: bytes) -> Any:
    """Content in JSON; what is none is said with its line and column."""
    try:
        return json.loads(content)
    except json.JSONDecodeError as error:
        raise Unsound(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise Unsound(f"{_line(content, error.start)}: this is not UTF-8") from error
    except RecursionError as error:
        raise Unsound("it is nested too deeply") from error


def entry_in(content: bytes, name: str) -> str:
    """Where an entry is that is not as it should be, as words."""
    place = content.find(json.dumps(name, ensure_ascii=False).encode())
    if place < 0:
        return f"the entry {name!r} is missing"
    return f"{_line(content, place)}: the entry {name!r} is not as this program writes it"


def _line(content: bytes, place: int) -> str:
    before = content[:place]
    column = len(before[before.rfind(b"\n") + 1 :].decode(errors="replace")) + 1
    return f"line {before.count(bytes([10])) + 1}, column {column}"


def check_table(about: Any, packed: int, name: str) -> None:
    """Refuse a table whose rows would take too much memory.

    about: Metadata of a Parquet file; repeated values take no room in it, but in a table.
    packed: Bytes of the file.
    """
    from tripletscope.core.reading.formats.text import MAX_COLUMNS  # lists need none of it
    from tripletscope.core.reading.records import MAX_ROWS

    if about.num_rows > MAX_ROWS or about.num_columns > MAX_COLUMNS:
        raise Unsound(
            f"it has {about.num_rows:,} rows and {about.num_columns:,} columns, and at most "
            f"{MAX_ROWS:,} and {MAX_COLUMNS:,} are read"
        )
    unpacked = sum(about.row_group(i).total_byte_size for i in range(about.num_row_groups))
    check_size(max(unpacked, 8 * about.num_rows * about.num_columns), packed, name)


@dataclass(frozen=True)
class PackedArray:
    """An array in a file of arrays, known by its head alone.

    begin: Of its numbers, in the bytes of the member.
    """

    member: zipfile.ZipInfo
    shape: tuple[int, ...]
    by_column: bool
    dtype: np.dtype
    begin: int


def packed_arrays(
    archive: zipfile.ZipFile, packed: int, name: str, mapped: int | None = None
) -> Mapping[str, PackedArray]:
    """The arrays in a file, none of which takes more memory than its head says.

    packed: Bytes of the file.
    mapped: Bytes from which arrays that are not compressed are mapped to memory, and not read.
    """
    members = archive.infolist()
    if len(members) > MAX_ENTRIES or len({one.filename for one in members}) < len(members):
        raise Unsound("its list of arrays is not as this program writes it")
    check_size(sum(
        one.file_size for one in members
        if mapped is None or one.compress_type != zipfile.ZIP_STORED or one.file_size <= mapped
    ), packed, name)
    return {one.filename.removesuffix(".npy"): _head(archive, one) for one in members}


def _head(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> PackedArray:
    with archive.open(member) as content:
        shape, by_column, dtype = undisturbed(lambda: _header(content))
        begin = content.tell()
    whole = begin + math.prod(shape) * dtype.itemsize
    if dtype.hasobject or any(size < 0 for size in shape) or whole != member.file_size:
        raise Unsound(f"its array {member.filename} is not what its head says")
    return PackedArray(member, shape, by_column, dtype, begin)


def _header(content: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype]:
    content.seek(0)
    version = np.lib.format.read_magic(content)
    if version not in _HEADERS:
        raise Unsound("its arrays are of an unknown version")
    return _HEADERS[version](content)
