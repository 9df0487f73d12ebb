"""Zip archives from strangers: read in memory, never extracted, within limits."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO

from tripletscope.core.data.errors import DataError
from tripletscope.core.reading.names import file_name

#: Most bytes of an unpacked upload.
MAX_BYTES = 2 * 2**30
#: Beyond `RATIO_FREE` unpacked bytes, more than this many per packed byte is a bomb: tables of
#: answers shrink about tenfold, zeros a thousandfold.
MAX_RATIO = 200
RATIO_FREE = 64 * 2**20
MAX_ENTRIES = 50_000
#: Python lacks the deflate64 of large files on Windows.
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)

ARCHIVE_SUFFIXES = (".zip", ".gz", ".tgz", ".tar", ".7z", ".rar", ".bz2", ".xz", ".zst")


def too_large(name: str) -> DataError:
    return DataError(
        f"unpacks to more than {MAX_BYTES / 2**30:g} GB, or to far more than its size allows",
        file=name, remedy="Upload the table itself, or a smaller part of it.",
    )


def check_size(unpacked: int, packed: int, name: str) -> None:
    if unpacked > MAX_BYTES or (unpacked > RATIO_FREE and unpacked > MAX_RATIO * max(packed, 1)):
        raise too_large(name)


def damaged(what: str, name: str, row: int | None = None) -> DataError:
    return DataError(
        f"{what} is damaged or incomplete", file=name, row=row,
        remedy="Copy or download it again, or save the answers as CSV.",
    )


def read_within(stream: IO[bytes], before: int, packed: int, name: str) -> bytes:
    """The rest of a stream; with `before`, it must not be too much for `packed` bytes."""
    chunks, size = [], before
    while chunk := stream.read(1 << 20):
        size += len(chunk)
        check_size(size, packed, name)
        chunks.append(chunk)
    return b"".join(chunks)


class Archive:
    """The files in a zip archive, without folders, hidden files and macOS's additions."""

    def __init__(self, data: bytes, name: str) -> None:
        self.name = name
        self._packed = len(data)
        self._unpacked = 0
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
            entries = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
            raise self._damaged() from error
        if len(entries) > MAX_ENTRIES:
            raise DataError(
                f"holds {len(entries):,} files", file=name,
                remedy=f"At most {MAX_ENTRIES:,} are read.",
            )
        if not all(entry.filename for entry in entries):
            raise self._damaged()
        for entry in entries:
            self._check_entry(entry)
        # Declared sizes may be wrong, so reading counts again.
        check_size(sum(e.file_size for e in entries), self._packed, name)
        self._entries = {e.filename: e for e in entries if not (e.is_dir() or _hidden(e.filename))}

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def read(self, member: str) -> bytes:
        entry = self._entries[member]
        try:
            with self._zip.open(entry) as stream:
                content = read_within(stream, self._unpacked, self._packed, self.name)
        except DataError:
            raise
        except (
            zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError,
        ) as error:
            raise self._damaged(member) from error
        self._unpacked += len(content)
        return content

    def __iter__(self) -> Iterator[tuple[str, bytes]]:
        for member in self._entries:
            yield member, self.read(member)

    def _check_entry(self, entry: zipfile.ZipInfo) -> None:
        path = entry.orig_filename
        outside = (
            path.startswith("/") or "\\" in path or "\0" in path
            or re.match(r"[A-Za-z]:", path) or ".." in path.split("/")
        )
        packed_again = path.lower().endswith(ARCHIVE_SUFFIXES) and not _hidden(path)
        for wrong, problem, remedy in (
            (outside, "points outside the archive",
             "Make a new zip file from the files themselves."),
            (entry.flag_bits & 0x1, "is encrypted", "Make a zip file without a password."),
            (entry.compress_type not in _METHODS, "is compressed by an unusual method",
             "Make a zip file with the usual method, deflate."),
            (packed_again, "is itself an archive",
             "Unpack the inner archive and upload the files in it."),
        ):
            if wrong:
                raise DataError(f"its entry {path!r} {problem}", file=self.name, remedy=remedy)

    def _damaged(self, member: str | None = None) -> DataError:
        return damaged(f"its entry {member!r}" if member else "the zip file", self.name)


def _hidden(path: str) -> bool:
    return path.startswith("__MACOSX/") or file_name(path).startswith((".", "~$"))
