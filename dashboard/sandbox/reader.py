"""A process that reads files, run by `tripletscope.dashboard.jobs.line`."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.parallel import single_blas_thread
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.reading.formats.isolated import declare_isolated
from tripletscope.dashboard.jobs.line import Line
from tripletscope.dashboard.sandbox import limits, questions, wire


def work(connections: Sequence[Connection]) -> None:
    """Answer the server, without rights, until it ends."""
    questions.get_ready()  # before the limits: no file can be opened later
    answer(connections)


def answer(connections: Sequence[Connection]) -> None:
    """Give up rights, and answer on all lines."""
    with single_blas_thread():  # more would only need memory
        _close_others({connection.fileno() for connection in connections})
        limits.shut_in()
        declare_isolated()
        answering = questions.Answering()
        lines = [Line(connection, lambda message: [wire.pack(message)])
                 for connection in connections]
        for line in lines[1:]:
            threading.Thread(target=_answer_all, args=(line, answering), daemon=True).start()
        _answer_all(lines[0], answering)


def _close_others(lines: set[int]) -> None:
    """Close all but the lines and the sentinel of the server's end; print nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in range(3):
        os.dup2(nowhere, descriptor)
    if os.name != "nt":
        kept = {*range(3), *lines, parent_process().sentinel}
        for descriptor in set(map(int, os.listdir("/dev/fd"))) - kept:
            with suppress(OSError):  # the listing's own
                os.close(descriptor)


def _answer_all(line: Line, answering: questions.Answering) -> None:
    line.send({"ready": True})
    for data in line.requests():
        _answer(line, answering, data)


def _answer(line: Line, answering: questions.Answering, data: bytes) -> None:
    last = -1.0

    def progress(fraction: float, **details: Any) -> bool:
        nonlocal last
        if fraction - last >= 0.01:
            last = fraction
            line.send({"report": float(fraction)})
        return line.stopped()

    limits.allow()
    try:
        message = wire.unpack(data)
        reply = {"done": answering.answer(
            message["do"], message["arguments"], message["files"], progress
        )}
    except questions.Missing as missing:
        reply = {"missing": missing.keys}
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
        line.send(reply)
    except MemoryError:
        line.send({"memory": True})
