"""The process that reads files. Run as a program: its argument is where the package is found.

Messages come from standard input and go to what was standard output: eight bytes that tell the
length, then plain data. It ends when the server does, which closes its input.

With a second argument, a socket, it reads nothing itself but makes readers of copies of itself:
getting ready takes seconds, a copy takes milliseconds.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn

LENGTH = 8  # bytes that precede a message
READY = b"!"


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    from tripletscope.dashboard.door import desk

    desk.get_ready()
    if len(sys.argv) > 2:
        _multiply(socket.socket(fileno=int(sys.argv[2])))
        return
    # Whatever prints something does not disturb.
    target = os.dup(1)
    os.dup2(2, 1)
    _become_reader(sys.stdin.fileno(), target)


def _multiply(asked: socket.socket) -> None:
    """Become a reader in a new process for each pair of descriptors that is handed over.

    Nothing that a stranger wrote is ever read here, and no thread of Python is at work.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody is told how they end
    asked.sendall(READY)
    while True:
        _, descriptors, _, _ = socket.recv_fds(asked, 1, 2)
        if len(descriptors) < 2:
            return  # the server has ended
        child = os.fork()
        if child == 0:
            asked.close()
            _become_reader(*descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        asked.sendall(child.to_bytes(LENGTH, "little"))


def _become_reader(source: int, target: int) -> NoReturn:
    from tripletscope.dashboard.door import desk, limits

    limits.shut_in()
    _serve(os.fdopen(source, "rb"), os.fdopen(target, "wb", buffering=0), desk.Desk())


def _serve(source: BinaryIO, target: BinaryIO, desk: Any) -> NoReturn:
    from tripletscope.dashboard.door.plain import pack, unpack

    writing, stops = threading.Lock(), {}

    def send(message: dict[str, Any]) -> None:
        data = pack(message)
        # The server may be gone; then this process is about to end.
        with writing, suppress(OSError):
            for piece in (len(data).to_bytes(LENGTH, "little"), memoryview(data)):
                while len(piece):
                    piece = piece[target.write(piece):]

    send({"ready": True})
    while len(head := source.read(LENGTH)) == LENGTH:
        message = unpack(source.read(int.from_bytes(head, "little")))
        number = message["id"]
        if "cancel" in message:
            if number in stops:
                stops[number].set()
            continue
        stops[number] = threading.Event()
        threading.Thread(
            target=_answer, args=(desk, message, send, stops[number]), daemon=True
        ).start()
    os._exit(0)  # requests may be at work


def _answer(
    desk: Any, message: dict[str, Any], send: Callable[[dict], None], stop: threading.Event
) -> None:
    from tripletscope.core.computing.progress import Stopped
    from tripletscope.core.data.errors import DataError
    from tripletscope.dashboard.door import limits
    from tripletscope.dashboard.door.desk import REQUESTS

    number, last = message["id"], -1.0

    def progress(fraction: float, **details: Any) -> bool:
        nonlocal last
        if fraction - last >= 0.01:
            last = fraction
            send({"id": number, "progress": float(fraction)})
        return stop.is_set()

    limits.allow()
    given = dict(message["given"])
    if REQUESTS[message["do"]]:
        given["progress"] = progress
    try:
        reply = {"done": getattr(desk, message["do"])(**given)}
    except Stopped:
        reply = {"stopped": True}
    except MemoryError:
        reply = {"memory": True}
    except DataError as error:
        reply = {"failed": {
            "kind": type(error).__name__, "problem": error.problem, "file": error.file,
            "row": error.row, "remedy": error.remedy,
        }}
    except Exception as error:
        reply = {"broken": f"{type(error).__name__}: {error}"[:2000]}
    try:
        send({"id": number, **reply})
    except MemoryError:
        send({"id": number, "memory": True})


if __name__ == "__main__":
    main()
