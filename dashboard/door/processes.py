"""Processes that read files, however the system has them: as copies of one, or each by itself."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Protocol

import tripletscope
from tripletscope.core.io.formats.foreign import NO_PLUGINS
from tripletscope.dashboard.door import program

PROGRAM = program.__file__
#: Seconds for a process to get ready; the first one of an installation compiles.
READY = 600.0
#: Whether processes are copied. Elsewhere a copy of a process is not safe, or there is none.
COPIES = sys.platform == "linux"

_ROOT = str(Path(tripletscope.__file__).resolve().parent.parent)
#: Threads of linear algebra, and what they allocate, would need memory and help nobody.
_VARIABLES = NO_PLUGINS | {
    "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "4",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


class Process(Protocol):
    """What is needed of `subprocess.Popen`."""

    stdin: BinaryIO
    stdout: BinaryIO
    pid: int

    def poll(self) -> int | None: ...

    def kill(self) -> None: ...

    def wait(self) -> int: ...


def start(*further: str, **options: object) -> subprocess.Popen:
    """The program in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-I", PROGRAM, _ROOT, *further], stderr=subprocess.DEVNULL,
        env=os.environ | _VARIABLES,
        start_new_session=True,  # an interrupt at the terminal is for the server
        **options,
    )


def alone() -> Process:
    """A process that gets ready by itself."""
    return start(stdin=subprocess.PIPE, stdout=subprocess.PIPE)


class Template:
    """A process that is ready, and is copied."""

    def __init__(self) -> None:
        self._asked, theirs = socket.socketpair()
        self._asked.settimeout(READY)
        with theirs:
            self._process = start(
                str(theirs.fileno()), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._one_at_a_time = threading.Lock()
        self._ready = False

    def copy(self) -> Process:
        """A process that is ready.

        Raises
        ------
        OSError
            If the template has ended.
        """
        theirs_in, ours_in = os.pipe()
        ours_out, theirs_out = os.pipe()
        with (
            os.fdopen(ours_in, "wb") as stdin, os.fdopen(ours_out, "rb") as stdout,
            os.fdopen(theirs_in, "rb"), os.fdopen(theirs_out, "wb"), self._one_at_a_time,
        ):
            if not self._ready:
                self._receive(len(program.READY))
                self._ready = True
            socket.send_fds(self._asked, [b"?"], [theirs_in, theirs_out])
            pid = int.from_bytes(self._receive(program.LENGTH), "little")
            return _Copy(pid, os.dup(stdin.fileno()), os.dup(stdout.fileno()))

    def _receive(self, length: int) -> bytes:
        data = self._asked.recv(length, socket.MSG_WAITALL)
        if len(data) < length:
            raise OSError("the process that is copied has ended")
        return data

    def close(self) -> None:
        """End it; its copies go on."""
        self._asked.close()
        self._process.kill()
        self._process.wait()


class _Copy:
    """A process that is no child of this one."""

    def __init__(self, pid: int, stdin: int, stdout: int) -> None:
        self.pid = pid
        self.stdin, self.stdout = os.fdopen(stdin, "wb"), os.fdopen(stdout, "rb")
        self._handle = os.pidfd_open(pid)  # another process may get its number

    def __del__(self) -> None:
        with suppress(OSError, AttributeError):  # it had ended before there was a handle
            os.close(self._handle)

    def poll(self) -> int | None:
        return 0 if self._ended(0) else None

    def kill(self) -> None:
        signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> int:
        self._ended(None)
        return 0

    def _ended(self, milliseconds: int | None) -> bool:
        poll = select.poll()
        poll.register(self._handle, select.POLLIN)
        return bool(poll.poll(milliseconds))
