"""One server for each workspace: a lock on its folder that names the process.

The system releases it with the process: none can be stale. Linux and macOS lock by ``flock``, which
network file systems pass on. On Windows ``msvcrt`` locks a byte far behind the end of the file,
because locked bytes cannot be read.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import threading
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

NAME = "server.lock"
_BEHIND = 2**30


class Held(Exception):
    """Another process holds the folder; the message says which."""


#: The locked files of this process, with those who hold them.
_locks: dict[Path, tuple[int, set[Hold]]] = {}
_one_at_a_time = threading.Lock()


class Hold:
    """The hold of this process on a folder, shared by its workspaces; `is_first` for the first."""

    def __init__(self, folder: Path) -> None:
        self._path = folder.resolve() / NAME
        with _one_at_a_time:
            self.is_first = self._path not in _locks
            if self.is_first:
                _locks[self._path] = _locked(self._path), set()
                with suppress(OSError):  # the lock holds on a full disk, too
                    self._write(None)
            _locks[self._path][1].add(self)

    def announce(self, address: str) -> None:
        with _one_at_a_time, suppress(OSError):
            self._write(address)

    def release(self) -> None:
        """Let go; a second call does nothing."""
        with _one_at_a_time:
            file, holds = _locks.get(self._path, (None, set()))  # none in a forked process
            if self in holds:
                holds.remove(self)
                if not holds:
                    del _locks[self._path]
                    os.close(file)

    def _write(self, address: str | None) -> None:
        file = _locks[self._path][0]
        about = {
            "process": os.getpid(), "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"), "address": address,
        }
        os.ftruncate(file, 0)
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, json.dumps(about).encode())


def _let_go_in_child() -> None:
    """A forked process may outlive this one."""
    for file, _ in _locks.values():
        os.close(file)
    _locks.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_in_child)


def _locked(path: Path) -> int:
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.name == "nt":
            os.lseek(file, _BEHIND, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(file)
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EDEADLK):
            raise Held(_described(path)) from None
        # Some network file systems have no locks.
        if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
            return os.open(path, os.O_RDWR)
        raise
    return file


def _described(path: Path) -> str:
    try:
        about: dict[str, Any] = json.loads(path.read_text())
        since = datetime.fromisoformat(about["since"]).astimezone()
        words = f"process {about['process']} on {about['host']}, since {since:%Y-%m-%d %H:%M}"
        return f"{words}, at {about['address']}" if about["address"] else words
    except (OSError, ValueError, KeyError, TypeError):
        return "another process, which has not said who it is"
