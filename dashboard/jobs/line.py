"""The other side of `child`: the first steps of a process, and its ends of the lines."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any, NoReturn

Message = dict[str, Any]
#: In place of a request: the answer is no longer wanted.
STOP = b"!"


def run(module: str, connections: Sequence[Connection], *arguments: Any) -> None:
    """Call ``work`` of a module, by name so that the server need not load it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server decides on interrupts
    _end_with_server()
    import_module(module).work(connections, *arguments)


def _end_with_server() -> None:
    """Let Linux end this process with the server, also while compiled code runs."""
    if sys.platform != "linux":  # elsewhere it ends at the next look at a line
        return
    import fcntl

    sentinel = parent_process().sentinel
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(sentinel, fcntl.F_SETFL, fcntl.fcntl(sentinel, fcntl.F_GETFL) | os.O_ASYNC)


class Line:
    """One end of a line, for one request at a time; `pack` makes pieces of bytes of a message."""

    def __init__(self, connection: Connection, pack: Callable[[Message], list[Any]]) -> None:
        self._connection, self._pack = connection, pack
        self._stopped = False
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Send a message; others follow one with ``report``."""
        pieces = self._pack(message)
        with self._sending, suppress(OSError):  # the server has ended: this process will
            for piece in pieces:
                self._connection.send_bytes(piece)

    def requests(self) -> Iterator[bytes]:
        """Requests, each answered before the next; the process ends with them."""
        while True:
            data = self._received()
            if data != STOP:  # the request has its answer already
                self._stopped = False
                yield data

    def wait(self, seconds: float) -> bool:
        """Wait for the server; whether it has sent something."""
        try:
            return self._connection.poll(seconds)
        except OSError:
            _end()

    def stopped(self) -> bool:
        """Whether the answer is no longer wanted."""
        if not self._stopped and self.wait(0):
            self._received()
            self._stopped = True
        return self._stopped

    def _received(self) -> bytes:
        try:
            return self._connection.recv_bytes()
        except (EOFError, OSError):
            _end()


def _end() -> NoReturn:
    """End with the server, whatever other threads do."""
    os._exit(0)
