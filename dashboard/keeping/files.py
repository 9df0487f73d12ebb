"""Files that appear when they are complete, and arrays in one. Known to processes of jobs, too."""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import secrets
import unicodedata
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tripletscope.dashboard.keeping.dataset import DamagedFile

#: How a file or folder is called that is not yet complete.
PARTIAL = re.compile(r"[^.].*\.[0-9a-f]{8}\.partial")

#: What reading a damaged file raises, whatever kind of file it is.
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)


@runtime_checkable
class HeldArrays(Protocol):
    """Arrays of another process."""

    def write(self, path: Path) -> str:
        """As `write_arrays` does, there."""


def partial_of(path: Path) -> Path:
    """What a file is called while it is not complete."""
    return path.with_name(f"{path.name}.{secrets.token_hex(4)}.partial")


@contextmanager
def whole_file(path: Path, *, sync: bool = True) -> Iterator[io.BufferedWriter]:
    """A file that appears under its name only when it is complete.

    With `sync`, it is on the disk when this ends, and under that name: not every file system has
    renamed a file that is there after a power cut because another, written later, is.
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
    """Give a complete file its name."""
    partial.replace(path)
    if sync and os.name != "nt":  # where a folder cannot be opened
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Have on the disk what the files of a folder are called."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):  # cannot be had there
            raise
    finally:
        os.close(descriptor)


def write_arrays(path: Path, arrays: Mapping[str, np.ndarray]) -> str:
    """Write arrays to a file, and have it on the disk; the hash of its content."""
    with path.open("wb") as file:
        np.savez_compressed(file, **arrays)
    return synced(path)


def synced(path: Path) -> str:
    """Have a file on the disk; the hash of its content."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())
    return sum_of(path)


def sum_of(path: Path) -> str:
    """Hash of the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def hash_of(content: bytes) -> str:
    """Name for a content."""
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def slug(name: str, most: int = 40) -> str:
    """A name as files and folders can be called everywhere."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9_]+", "-", plain)[:most].strip("-") or "data"


def damaged(path: Path) -> DamagedFile:
    """What is said of a file that is missing, or not what was written."""
    how = "is not what was written: it is damaged" if path.is_file() else "is missing"
    return DamagedFile(
        f"The file {path.parent.name}/{path.name} of the workspace {how}. Put it back from a "
        "backup, or import or compute again what it holds. Everything else can be used."
    )


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Say which file cannot be read."""
    try:
        yield
    except _UNREADABLE as error:
        raise damaged(path) from error


def checked(path: Path, total: str | None, compared: set[Path]) -> Path:
    """A path whose file has this sum; each is compared once."""
    if path not in compared or not path.exists():
        with reading(path):
            found = sum_of(path)
        if found != total:
            raise damaged(path)
        compared.add(path)
    return path


def written(
    folder: Path, stem: str, ending: str, write: Callable[[Path], Any], there: Mapping[str, str],
    compared: set[Path],
) -> tuple[str, str, bool]:
    """Write a file that is whole when it appears: its name, its sum, and whether it is new.

    there: Names of files of this ending by their sums. One with the same content is taken instead.
    """
    with unfinished(folder / f"{stem}.{ending}") as partial:
        total = write(partial)
        if not isinstance(total, str):
            total = synced(partial)
        if total in there:
            with suppress(DamagedFile):
                checked(folder / there[total], total, compared)
                return there[total], total, False
        path = _reserved(folder, stem, ending)
        try:
            put(partial, path)
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        compared.add(path)
    return path.name, total, True


def _reserved(folder: Path, stem: str, ending: str) -> Path:
    """A name that no other file has, nor will have."""
    for number in count(1):
        path = folder / (f"{stem}-{number}.{ending}" if number > 1 else f"{stem}.{ending}")
        with suppress(FileExistsError):
            path.open("xb").close()
            return path
    raise AssertionError


def writer_of(arrays: Mapping[str, np.ndarray] | HeldArrays) -> Callable[[Path], str]:
    if isinstance(arrays, HeldArrays):
        return arrays.write
    return lambda path: write_arrays(path, arrays)


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    with whole_file(path) as file:
        file.write(json.dumps(content, indent=1, ensure_ascii=False).encode())
