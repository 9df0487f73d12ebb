"""Files that appear when they are complete, and arrays in one. Known to processes of jobs, too."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

#: How a file or folder is called that is not yet complete.
PARTIAL = re.compile(r"[^.].*\.[0-9a-f]{8}\.partial")


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
