"""Processes, however the system has them: as copies of one that is ready, or each by itself."""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Protocol

import tripletscope
from tripletscope.dashboard.processes import program

log = logging.getLogger(__name__)

#: Seconds for a process to get ready; the first one of an installation compiles.
READY = 600.0
#: Whether processes are copied. Elsewhere a copy of a process is not safe, or there is none.
COPIES = sys.platform == "linux"

_ROOT = str(Path(tripletscope.__file__).resolve().parent.parent)


class Process(Protocol):
    """What is needed of `subprocess.Popen`."""

    stdin: BinaryIO
    stdout: BinaryIO
    pid: int

    def poll(self) -> int | None: ...

    def kill(self) -> None: ...

    def wait(self) -> int: ...


@dataclass(frozen=True)
class Kind:
    """What is to be known of processes to start them.

    module: Name of their `tripletscope.dashboard.processes.program.Duty`.
    variables: Of their environment, beside the server's.
    quiet: Whether what they print is lost, rather than in the server's log.
    """

    module: str
    variables: Mapping[str, str] = field(default_factory=dict)
    quiet: bool = True

    def start(self, *further: str, **options: object) -> subprocess.Popen:
        """The program in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-I", program.__file__, _ROOT, self.module, *further],
            stderr=subprocess.DEVNULL if self.quiet else None, env={**os.environ, **self.variables},
            start_new_session=True,  # an interrupt at the terminal is for the server
            **options,
        )


class Supply:
    """Where processes of a kind come from; one is ready ahead, or one to copy."""

    def __init__(self, kind: Kind) -> None:
        self._kind = kind
        self._lock = threading.Lock()
        self._template: Template | None = None
        self._spare: Process | None = None
        self._closed = False

    def warm(self) -> None:
        """Have one ready; returns at once."""
        with self._lock:
            if self._closed:
                return
            if COPIES:
                self._template = self._template or Template(self._kind)
            elif self._spare is None:
                self._spare = self._alone()

    def take(self) -> Process:
        """A process of one's own, which may have to get ready yet."""
        self.warm()
        if COPIES:
            return self._copied()
        with self._lock:
            self._refuse_if_closed()
            process, self._spare = self._spare or self._alone(), None
            return process

    def close(self) -> None:
        """End what is ready; those that were taken go on."""
        with self._lock:
            self._closed = True
            if self._template is not None:
                self._template.close()
            if self._spare is not None:
                self._spare.kill()
                self._spare.wait()

    def _alone(self) -> Process:
        return self._kind.start(stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _copied(self) -> Process:
        # Not under the lock: it may take minutes to get ready, and the server may end meanwhile.
        template = self._to_copy()
        try:
            return template.copy()
        except OSError:
            with self._lock:
                self._refuse_if_closed()
                if self._template is template:  # unless somebody else has found out
                    log.warning("the process that is copied has ended", exc_info=True)
                    template.close()
                    self._template = Template(self._kind)
            return self._to_copy().copy()

    def _to_copy(self) -> Template:
        with self._lock:
            self._refuse_if_closed()
            return self._template

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise OSError("the server is about to end")


class Template:
    """A process that is ready, and is copied."""

    def __init__(self, kind: Kind) -> None:
        self._asked, theirs = socket.socketpair()
        self._asked.settimeout(READY)
        with theirs:
            self._process = kind.start(
                str(theirs.fileno()), pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
            )
        self._one_at_a_time = threading.Lock()
        self._ready = False

    def copy(self) -> Process:
        """A process that is ready."""
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
        self._process.kill()
        self._process.wait()
        with self._one_at_a_time:  # whoever waits for it hears of its end
            self._asked.close()


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
