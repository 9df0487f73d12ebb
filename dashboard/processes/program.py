"""A process of the server. Run as a program: its arguments are where the package is found, and the
module that says what it does.

Messages come from standard input and go to what was standard output: eight bytes that tell the
length, then what the module makes of them. It ends when the server does, which closes its input.

With a third argument, a socket, it does nothing itself but makes copies of itself that do: getting
ready takes seconds, a copy takes milliseconds.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, BinaryIO, NoReturn, Protocol

import numpy as np

LENGTH = 8  # bytes that precede a message
READY = b"!"

Message = dict[str, Any]
Send = Callable[[Message], None]


class Duty(Protocol):
    """What a module says of the processes that it is about."""

    @staticmethod
    def get_ready() -> Iterator[None]:
        """Load what is needed, in parts: from the first one on there can be copies."""

    @staticmethod
    def begin() -> Callable[[Message, Send, threading.Event], None]:
        """Give up what is not needed; what answers a message, in a thread for each.

        The event tells that the answer is no longer wanted.
        """

    @staticmethod
    def pack(message: Message) -> list[bytes]:
        """A message as bytes, in pieces."""

    @staticmethod
    def unpack(data: memoryview) -> Message: ...


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    duty = import_module(sys.argv[2])
    if len(sys.argv) > 3:
        _multiply(duty, socket.socket(fileno=int(sys.argv[3])))
        return
    for _ in duty.get_ready():
        pass
    # Whatever prints something does not disturb.
    target = os.dup(1)
    os.dup2(2, 1)
    _work(duty, sys.stdin.fileno(), target)


def _multiply(duty: Duty, asked: socket.socket) -> None:
    """Go to work in a new process for each pair of descriptors that is handed over.

    Nothing that a stranger wrote is ever read here, and no thread of Python is at work.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody is told how they end
    copies: list[int] = []
    parts = duty.get_ready()
    next(parts, None)
    with suppress(OSError):  # the server may have ended: that is seen when it asks
        asked.sendall(READY)
    for _ in parts:
        while select.select([asked], [], [], 0)[0]:
            _copy(duty, asked, copies)
    gc.collect()
    gc.freeze()  # or it would write to memory that copies share
    while True:
        _copy(duty, asked, copies)


def _copy(duty: Duty, asked: socket.socket, copies: list[int]) -> None:
    """One copy, when it is asked for; the end of all of them when the server has ended."""
    descriptors: list[int] = []
    with suppress(OSError):  # it has ended, and has not read all that it was told
        _, descriptors, _, _ = socket.recv_fds(asked, 1, 2)
    if len(descriptors) < 2:
        _end(copies)  # they end by themselves, but not while compiled code holds the interpreter
    child = os.fork()
    if child == 0:
        asked.close()
        for copy in copies:
            os.close(copy)
        _work(duty, *descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    copies[:] = _alive(copies)
    with suppress(OSError):  # it has ended already
        copies.append(os.pidfd_open(child))
    with suppress(OSError):
        asked.sendall(child.to_bytes(LENGTH, "little"))


def _alive(copies: list[int]) -> list[int]:
    """The handles of those that go on; the others are closed."""
    ended = set(select.select(copies, [], [], 0)[0])
    for copy in ended:
        os.close(copy)
    return [copy for copy in copies if copy not in ended]


def _end(copies: list[int]) -> NoReturn:
    for copy in copies:
        with suppress(OSError):
            signal.pidfd_send_signal(copy, signal.SIGKILL)
    os._exit(0)


def _work(duty: Duty, source: int, target: int) -> NoReturn:
    answer = duty.begin()
    _serve(duty, answer, os.fdopen(source, "rb"), os.fdopen(target, "wb", buffering=0))


def _serve(duty: Duty, answer: Callable, source: BinaryIO, target: BinaryIO) -> NoReturn:
    """Answer until the server closes the other end."""
    writing = threading.Lock()
    stops: dict[int, threading.Event] = {}

    def send(message: Message) -> None:
        pieces = duty.pack(message)
        # The server may be gone; then this process is about to end.
        with writing, suppress(OSError):
            write(target, pieces)

    def work(message: Message, stop: threading.Event) -> None:
        try:
            answer(message, send, stop)
        finally:
            stops.pop(message["id"], None)  # what is no request has the number of others

    send({"id": 0})
    while (data := read(source)) is not None:
        message = duty.unpack(data)
        if "cancel" in message:
            if message["cancel"] in stops:
                stops[message["cancel"]].set()
            continue
        stop = stops[message["id"]] = threading.Event()
        threading.Thread(target=work, args=(message, stop), daemon=True).start()
    os._exit(0)  # requests may be at work


def write(target: BinaryIO, pieces: Iterable[Any]) -> None:
    """Write a message to a stream without a buffer of its own."""
    pieces = [memoryview(piece).cast("B") for piece in pieces]
    length = sum(map(len, pieces)).to_bytes(LENGTH, "little")
    for piece in (memoryview(length), *pieces):
        while len(piece):
            piece = piece[target.write(piece):]


def read(source: BinaryIO, longest: int | None = None) -> memoryview | None:
    """The next message; None at the end, or of one that is longer than anything is to be."""
    head = source.read(LENGTH)
    length = int.from_bytes(head, "little")
    if len(head) < LENGTH or (longest is not None and length > longest):
        return None
    data = np.empty(length, dtype=np.uint8).data  # memory is taken as it comes, whatever was said
    return data if source.readinto(data) == length else None


if __name__ == "__main__":
    main()
