"""Whole-file writes with sums, and files of arrays. Used by processes of jobs, too."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import secrets
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, Protocol, runtime_checkable

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.parsing import undisturbed
from tripletscope.dashboard.files.contents import (
    PackedArray,
    Unsound,
    is_there,
    opened,
    packed_arrays,
)
from tripletscope.dashboard.files.errors import DamagedFile, WorkspaceError

#: Names of incomplete files and folders.
PARTIAL = re.compile(r"[^.].*\.[0-9a-f]{8}\.partial")

#: Errors of reading damaged files of any kind.
_UNREADABLE = (
    OSError, ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError,
    RecursionError, zipfile.BadZipFile, LookupError, MemoryError, NotImplementedError, zlib.error,
)
#: Of these, errors of the disk rather than the file.
_PASSING = {errno.EIO, errno.EMFILE, errno.ENFILE, errno.EACCES, errno.EPERM, errno.ENOMEM}
#: Names that Windows does not allow.
_TAKEN = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)")
#: Bytes from which arrays are stored uncompressed and mapped to memory.
MAPPED = 2**24
#: Bytes up to which an array is read to see what it is.
_SMALL = 2**20
#: Files that have their sums: path, sum, time, size and inode.
Compared = set[tuple]


@runtime_checkable
class HeldArrays(Protocol):
    """Arrays of another process."""

    def write(self, path: Path) -> str:
        """As `write_arrays` does, there."""


def partial_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")


@contextmanager
def whole_file(path: Path, *, sync: bool = True) -> Iterator[io.BufferedWriter]:
    """A file that appears under its name only when it is complete.

    With `sync`, content and name are on the disk at the end: not every file system keeps the order
    of renames over a power cut.
    """
    with unfinished(path) as partial:
        with partial.open("wb") as file:
            yield file
            if sync:
                file.flush()
                os.fsync(file.fileno())
        put(partial, path, sync=sync)


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A path beside another to write to; what is still there at the end is removed."""
    partial = partial_of(path)
    try:
        yield partial
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)


def put(partial: Path, path: Path, *, sync: bool = True) -> None:
    partial.replace(path)
    if sync:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    if os.name == "nt":  # folders cannot be opened there
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):  # impossible there
            raise
    finally:
        os.close(descriptor)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> str:
    """Write arrays to the disk; the hash of the file."""
    large = max((values.nbytes for values in arrays.values()), default=0) > MAPPED
    with path.open("wb") as file:
        (np.savez if large else np.savez_compressed)(file, **arrays)
    return synced(path)


def read_arrays(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file; large ones are mapped to memory."""
    with _arrays_in(path) as (file, archive, arrays):
        return {
            name: _mapped(path, file, one) if _is_mapped(one) else _loaded(archive, one)
            for name, one in arrays.items()
        }


def outline_of(path: Path) -> dict[str, np.ndarray]:
    """As `read_arrays`, with zeros that take no memory for arrays that are not small."""
    with _arrays_in(path) as (_, archive, arrays):
        return {
            name: _loaded(archive, one) if one.member.file_size <= _SMALL
            else np.broadcast_to(np.zeros((), one.dtype), one.shape)
            for name, one in arrays.items()
        }


@contextmanager
def _arrays_in(
    path: Path
) -> Iterator[tuple[BinaryIO, zipfile.ZipFile, Mapping[str, PackedArray]]]:
    with opened(path) as file, zipfile.ZipFile(file) as archive:
        size = os.fstat(file.fileno()).st_size
        yield file, archive, packed_arrays(archive, size, path.name, MAPPED)


def _is_mapped(one: PackedArray) -> bool:
    return one.member.compress_type == zipfile.ZIP_STORED and one.member.file_size > MAPPED


def _loaded(archive: zipfile.ZipFile, one: PackedArray) -> np.ndarray:
    content = archive.read(one.member)
    return undisturbed(lambda: np.load(io.BytesIO(content), allow_pickle=False))


def _mapped(path: Path, file: BinaryIO, one: PackedArray) -> np.ndarray:
    file.seek(one.member.header_offset + 26)  # lengths of the name and of the extra field
    lengths = struct.unpack("<HH", file.read(4))
    begin = file.tell() + sum(lengths) + one.begin
    order = "F" if one.by_column else "C"
    # A plain array: a memmap would be copied where it is sent.
    return np.asarray(np.memmap(path, one.dtype, "r", begin, one.shape, order))


def synced(path: Path) -> str:
    """Write a file to the disk; its hash."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return sum_of(path)


def sum_of(path: Path) -> str:
    with opened(path) as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def hash_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def slug(name: str) -> str:
    """A name that files and folders can have on every system."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    result = re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:40].strip("-") or "data"
    return f"{result}_" if _TAKEN.fullmatch(result) else result


def damaged(path: Path, error: Exception | None = None) -> DamagedFile:
    """A file that is not as it should be, why, and what can be done."""
    why = error.problem if isinstance(error, DataError) else error
    reason = f" ({why})" if isinstance(error, Unsound | DataError) else ""
    state = f"damaged{reason}, and left as it is" if is_there(path) else "missing"
    return DamagedFile(
        f"The file {path.parent.name}/{path.name} of the workspace is {state}. Restore it "
        "from a backup, or import or compute its content again. Everything else works."
    )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn errors of reading into a sentence that names the file."""
    try:
        yield
    except _UNREADABLE as error:
        if isinstance(error, OSError) and error.errno in _PASSING:
            raise WorkspaceError(words_for(error)) from error
        raise damaged(path, error) from error


def words_for(error: OSError) -> str:
    """Sentences on an error of the workspace's folder, and its remedy."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            "The disk of the workspace is full: nothing was changed. Delete data sets or results, "
            "which frees their room at once, or make room elsewhere on the disk."
        )
    if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        return "The folder of the workspace cannot be written: nothing was changed."
    return f"The folder of the workspace cannot be used ({error.strerror}): nothing was changed."


def checked(path: Path, total: str | None, compared: Compared) -> Path:
    """A path whose file has this sum and is no link; each is compared once."""
    with reading(path):
        state = path.lstat()
        mark = path, total, state.st_mtime_ns, state.st_size, state.st_ino
        if mark not in compared:
            if sum_of(path) != total:
                raise Unsound("it is not what was written")
            compared.add(mark)
    return path


def put_beside(
    partial: Path, folder: Path, stem: str, ending: str, total: str, there: Mapping[str, str],
    compared: Compared,
) -> tuple[str, bool]:
    """Give a written file its name, which nobody has: that name, and whether it is new.

    there: Names of files by their sums; one with the same content is taken instead.
    """
    if total in there:
        with suppress(DamagedFile):
            checked(folder / there[total], total, compared)
            return there[total], False
    path = _reserved(folder, stem, ending)
    try:
        put(partial, path)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path.name, True


def _reserved(folder: Path, stem: str, ending: str) -> Path:
    for number in count(1):
        path = folder / (f"{stem}-{number}.{ending}" if number > 1 else f"{stem}.{ending}")
        with suppress(FileExistsError):
            path.open("xb").close()
            return path
    raise AssertionError


def write_json(path: Path, content: Any) -> None:
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())
