"""A reader of files that was led astray: it does what its reading says."""

import ctypes
import errno
import os
import socket
import threading
import time
from multiprocessing import parent_process
from multiprocessing.connection import Connection

import numpy as np
import pyarrow as pa

from tripletscope.dashboard.sandbox import questions
from tripletscope.dashboard.sandbox.reader import answer

_lines: list[Connection] = []


def memory() -> None:
    kept = []
    while sum(map(len, kept)) < 10 * 2**30:
        kept.append(np.empty(2**28, dtype=np.uint8))  # counts before anything is written there


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


def grandchild() -> None:
    if os.fork() == 0:
        os._exit(0)


def program() -> None:
    os.execv("/bin/true", ["true"])


def kill() -> None:
    os.kill(os.getppid(), 0)


def signal_thread() -> None:
    _call("tgkill", os.getppid(), os.getppid(), 0)


def write_memory() -> None:
    _call("process_vm_writev", os.getppid(), 0, 0, 0, 0, 0)


def trace() -> None:
    _call("ptrace", 16, os.getppid(), 0, 0)


def limit_others() -> None:
    import resource

    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)


def threads() -> None:
    """No harm: what libraries do that compute."""
    found = []
    workers = [threading.Thread(
        target=lambda: found.append(np.eye(300) @ np.eye(300)), daemon=True
    ) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == len(workers)
    assert len(pa.array(range(10**6)).cast("string")) == 10**6


def nonsense() -> None:
    _on_every_line(b"abcde")


def too_long() -> None:
    _on_every_line(bytes(2**20 + 1))


def _on_every_line(message: bytes) -> None:
    for line in _lines:
        line.send_bytes(message)


def descriptors() -> None:
    """No harm, if there are only lines, and what tells that the server has ended."""
    there = set()
    for descriptor in range(3, 256):
        try:
            os.lseek(descriptor, 0, os.SEEK_CUR)
        except OSError as error:
            if error.errno == errno.EBADF:
                continue
        there.add(descriptor)
    expected = {*(line.fileno() for line in _lines), parent_process().sentinel}
    assert there == expected, f"{there} instead of {expected}"


def _call(name: str, *given: int) -> None:
    system = ctypes.CDLL(None, use_errno=True)
    if getattr(system, name)(*given) == -1:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


#: What is done to a file that is there.
TO_FILES = {
    "rename": lambda file: os.rename(file, f"{file}.other"),
    "truncate": lambda file: os.truncate(file, 0),
    "unlink": os.unlink,
    "chmod": lambda file: os.chmod(file, 0o777),
    "link": lambda file: os.link(file, f"{file}.other"),
    "symlink": lambda file: os.symlink(file, f"{file}.other"),
    "mkdir": lambda file: os.mkdir(f"{file}.other"),
    "utime": lambda file: os.utime(file, (0, 0)),
    "stat": os.stat,
}
HARMS = {harm.__name__: harm for harm in (
    memory, forever, crash, passwords, write, network, more, another, grandchild, program, kill,
    signal_thread, write_memory, trace, limit_others, threads, nonsense, too_long, descriptors,
)}


def harm(progress: object, name: str, content: bytes) -> str:
    if name in TO_FILES:
        TO_FILES[name](content.decode())
    else:
        HARMS[name]()
    return "done"


def work(connections):
    """What Arrow loads late is loaded before."""
    pa.array(range(3)).cast("string")
    _lines.extend(connections)
    questions.OF_FILES["objects"] = harm
    answer(connections)
