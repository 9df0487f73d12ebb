"""What a process that answers the server does first, and its ends of the lines between the two."""

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
#: What tells that an answer is no longer wanted, in place of a request.
STOP = b"!"


def run(module: str, connections: Sequence[Connection], *arguments: Any) -> None:
    """Be a process of a module: its ``work`` gets the connections and the arguments.

    It is named rather than handed over, so that the server need not load it.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupt at the terminal is for the server
    _end_with_server()
    import_module(module).work(connections, *arguments)


def _end_with_server() -> None:
    """Let Linux end this process when the server ends, also while compiled code is at work."""
    if sys.platform != "linux":  # elsewhere it ends when it next looks at a line
        return
    import fcntl

    sentinel = parent_process().sentinel
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(sentinel, fcntl.F_SETFL, fcntl.fcntl(sentinel, fcntl.F_GETFL) | os.O_ASYNC)


class Line:
    """One request after another comes along a line, and reports and an answer go back.

    pack: Makes bytes of a message, in pieces.
    """

    def __init__(self, connection: Connection, pack: Callable[[Message], list[Any]]) -> None:
        self._connection, self._pack = connection, pack
        self._stopped = False
        self._sending = threading.Lock()

    def send(self, message: Message) -> None:
        """Tell the server; a message with ``report`` is followed by others."""
        pieces = self._pack(message)
        with self._sending, suppress(OSError):  # the server may be gone: so is this, soon
            for piece in pieces:
                self._connection.send_bytes(piece)

    def requests(self) -> Iterator[bytes]:
        """Requests, each to be answered before the next one comes; ends this process with them."""
        while True:
            data = self._received()
            if data != STOP:  # of a request that has been answered
                self._stopped = False
                yield data

    def wait(self, seconds: float) -> bool:
        """Wait for the server; whether it has said something."""
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
    """The server has ended, and others of its requests may be at work."""
    os._exit(0)
