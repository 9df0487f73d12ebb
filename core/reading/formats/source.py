"""Any source -> the unpacked bytes of its tables, or an error that names what it is."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import zlib
from pathlib import Path
from typing import IO

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.formats.archive import (
    MAX_BYTES,
    Archive,
    damaged,
    read_within,
    too_large,
)
from tripletscope.core.reading.formats.excel import is_workbook
from tripletscope.core.reading.formats.statistics import R_STARTS, is_r
from tripletscope.core.reading.names import file_name, listing

Source = str | Path | bytes | IO[bytes]

TABLE_SUFFIXES = (
    ".csv", ".tsv", ".tab", ".txt", ".dat", ".parquet", ".pq", ".json", ".jsonl", ".ndjson",
    ".npy", ".npz", ".mat", ".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".h5", ".hdf5",
    ".sav", ".zsav", ".por", ".dta", ".sas7bdat", ".xpt", ".rds", ".rda", ".rdata",
)

_CSV = "Upload the answers as a CSV, TSV, JSON, Excel or Parquet file."

#: Beginnings of files that are no tables: pattern, kind, remedy.
_LOOKS_LIKE = (
    (rb"\x89PNG", "a PNG picture", _CSV),
    (rb"\xff\xd8\xff", "a JPEG picture", _CSV),
    (rb"GIF8", "a GIF picture", _CSV),
    (rb"BM....\x00\x00\x00\x00", "a BMP picture", _CSV),
    (rb"RIFF", "a picture, sound or film", _CSV),
    (rb"%PDF", "a PDF document", _CSV),
    (rb"SQLite format 3", "a SQLite database", "Export the table of answers as CSV."),
    (rb"7z\xbc\xaf|Rar!|BZh[1-9]|\xfd7zXZ|\x28\xb5\x2f\xfd|.{257}ustar", "an archive",
     "Unpack it, or make a zip file."),
    (rb"\x1f\x8b", "a gzip file inside a gzip file", "Unpack it."),
    (rb"(?i)\s*<(?:!doctype|html|\?xml|svg)", "a web page or XML", _CSV),
)


def unpacked(
    source: Source, name: str | None = None, member: str | None = None
) -> list[tuple[bytes, str]]:
    """Bytes and name of every table in a file."""
    data, name = fetch(source, name)
    result = [(data, name)]
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        result = _from_zip(data, name, member)
    elif data.startswith(b"\x1f\x8b"):
        result = [(from_gzip(data, name), name)]
    elif data.startswith((b"BZh", b"\xfd7zXZ")):
        result = [(_from_r(data, name), name)]
    return result


def fetch(source: Source, name: str | None = None) -> tuple[bytes, str]:
    """The bytes of a source, and the name of the file."""
    if isinstance(source, bytes | bytearray | memoryview):
        data, own_name = bytes(source), "upload"
    elif isinstance(source, str | Path):
        data, own_name = _from_path(Path(source)), Path(source).name
    elif not hasattr(source, "read"):
        raise TypeError(
            f"the source is {type(source).__name__}; it must be the path, the bytes or the open "
            "file of a table"
        )
    else:
        if source.seekable():
            source.seek(0)
        data = source.read(MAX_BYTES + 1)
        if not isinstance(data, bytes):
            raise TypeError("open the file in binary mode: open(path, 'rb')")
        own_name = file_name(str(getattr(source, "name", "") or "upload"))
    name = name or own_name
    if len(data) > MAX_BYTES:
        raise too_large(name)
    return data, name


def named_source(source: Source, otherwise: str) -> str:
    """The name of a file, without folders; bytes have none."""
    name = source if isinstance(source, str | Path) else getattr(source, "name", "")
    return file_name(str(name)) or otherwise


def title_of(name: str) -> str:
    """The file's name without folders and the extensions of tables and archives."""
    endings = "|".join(suffix.removeprefix(".") for suffix in TABLE_SUFFIXES)
    return re.sub(rf"(?<=.)(\.({endings}))?(\.(gz|zip))?$", "", file_name(name), flags=re.I)


def refuse_other_kinds(data: bytes, name: str) -> None:
    """Raise DataError if there are no bytes, or they begin like something that is no table."""
    if not data.strip(b" \t\r\n\0"):
        raise DataError("the file is empty", file=name, remedy="Check that it was saved.")
    start = data[:1024]
    for pattern, kind, remedy in _LOOKS_LIKE:
        if re.match(pattern, start, re.DOTALL):
            raise DataError(f"this is {kind}, not a table of answers", file=name, remedy=remedy)


def _from_path(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise too_large(path.name)
        return path.read_bytes()
    except DataError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or "the path is not valid"
        raise DataError(
            f"the file cannot be opened: {reason}", file=path.name, remedy="Check the path."
        ) from error


def from_gzip(data: bytes, name: str) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as stream:
            return read_within(stream, 0, len(data), name)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise damaged("the gzip file", name) from error


def _from_r(data: bytes, name: str) -> bytes:
    """Unpack R's bzip2 or xz; other bytes stay unchanged."""
    opened = bz2.open if data.startswith(b"BZh") else lzma.open
    try:
        with opened(io.BytesIO(data)) as stream:
            start = stream.read(R_STARTS)
            rest = len(start)
            return start + read_within(stream, rest, len(data), name) if is_r(start) else data
    except (EOFError, OSError, lzma.LZMAError) as error:
        raise damaged("the packed file", name) from error


def _from_zip(data: bytes, name: str, member: str | None) -> list[tuple[bytes, str]]:
    archive = Archive(data, name)
    names = archive.names
    if is_workbook(data, name) or (names and all(path.endswith(".npy") for path in names)):
        return [(data, name)]
    tables = [path for path in names if path.lower().endswith(TABLE_SUFFIXES)]
    if member is not None and member not in names:
        raise DataError(
            f"there is no {member!r} in it", file=name, remedy=f"It holds {listing(tables)}."
        )
    if member is None and not tables:
        raise DataError(
            "there is no table in the zip file", file=name,
            remedy="It should hold a file ending in .csv, .tsv, .txt, .json or .parquet.",
        )
    return [(archive.read(path), f"{name}/{path}") for path in ([member] if member else tables)]
