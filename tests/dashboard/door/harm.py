"""A reader of files that was led astray: it does what its reading says."""

import ctypes
import os
import socket
import time
from functools import partial

import numpy as np

from tripletscope.dashboard.door import desk, limits
from tripletscope.dashboard.door.reader import _answer, pack, unpack

__all__ = ["begin", "get_ready", "pack", "unpack"]


def memory() -> None:
    kept = []
    while sum(map(len, kept)) < 10 * 2**30:
        kept.append(np.ones(2**28, dtype=np.uint8))


def forever() -> None:
    while True:
        time.sleep(0.01)


def crash() -> None:
    ctypes.string_at(0)


def passwords() -> None:
    with open("/etc/passwd") as file:
        file.read()


def write() -> None:
    with open("/tmp/written by a reader", "w") as file:
        file.write("x")


def network() -> None:
    socket.socket()


def more() -> None:
    import resource

    resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))


def another() -> None:
    if os.fork() == 0:
        os.execv("/bin/cat", ["cat", "/etc/passwd"])
    _, code = os.wait()
    if code:
        raise OSError(code)


HARMS = {harm.__name__: harm for harm in (
    memory, forever, crash, passwords, write, network, more, another
)}


class Astray(desk.Desk):
    """Does harm."""

    def objects(self, name: str, content: bytes) -> str:
        if name == "nonsense":
            os.write(int(content), b"\x05\0\0\0\0\0\0\0abcde")
        else:
            HARMS[name]()
        return "done"


def get_ready():
    """Nothing is needed."""
    yield


def begin():
    limits.shut_in()
    return partial(_answer, Astray())
