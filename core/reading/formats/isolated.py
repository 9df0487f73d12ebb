"""Reads files of statistics programs in a process of its own, which may end, hang or grow.

`subprocess` starts it, so a script needs no ``if __name__ == "__main__"``. It stays for the next
file for a while: the first one waits for a second until everything is loaded.
"""

from __future__ import annotations

import atexit
import logging
import os
import subprocess
import sys
import threading
import time
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.import_path import import_path
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.reading.formats.reader import READY, received, send
from tripletscope.core.reading.formats.statistics import read_statistics
from tripletscope.core.reading.formats.variables import StatisticsTable, from_bytes

log = logging.getLogger(__name__)

#: Module that the process runs.
READER = "tripletscope.core.reading.formats.reader"
#: Seconds of a file, and more of them for each megabyte.
PATIENCE, PER_MEGABYTE = 30.0, 2.0
_IDLE = 60.0  # seconds after which a process without a file is ended
_TICK = 0.05  # seconds between looks for a wish to stop
_SMALLER = "Save it again, or save the answers as CSV."
#: Its environment, beside the path: nothing is imported from the working directory, and threads
#: take little memory.
_VARIABLES = {
    "PYTHONSAFEPATH": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2", "ARROW_DEFAULT_MEMORY_POOL": "system",
}

_lock = threading.Lock()
_idle: list[_Reader] = []
_is_isolated = False


class _Ended(Exception):
    """The process has ended without an answer."""


class ReaderError(RuntimeError):
    """The process cannot be started, which is no fault of the file."""


def declare_isolated() -> None:
    """Say that this process is isolated, and may start no other: it reads the files itself."""
    global _is_isolated
    _is_isolated = True


def isolated_table(
    data: bytes, program: str, name: str, progress: Progress = silent,
    patience: float | None = None,
) -> StatisticsTable:
    """The table of a file, as of `read_statistics`.

    patience: Seconds until the process is ended; by default they grow with the file.

    DataError if the file cannot be read, ReaderError if none can.
    """
    if _is_isolated:
        return read_statistics(data, program, name)
    patience = patience or PATIENCE + PER_MEGABYTE * len(data) / 1e6
    while True:
        reader = _taken()
        is_new = not reader.has_read
        try:
            head, body = reader.ask({"program": program, "name": name}, data, patience, progress)
        except TimeoutError:
            raise DataError(
                "reading took too long and was stopped", file=name, remedy=_SMALLER
            ) from None
        except _Ended:
            if not reader.is_ready:
                raise ReaderError(
                    f"the process that reads files of {program} does not start; "
                    f"python -m {READER} says why"
                ) from None
            if not is_new:  # earlier files may have left it weak
                continue
            log.warning("the process that read %s has ended", name)
            raise DataError(
                f"the file of {program} is damaged, or reading it takes too much memory", file=name,
                remedy=_SMALLER,
            ) from None
        _rest(reader)
        return _result(head, body, name)


def _result(head: dict[str, Any], body: bytes, name: str) -> StatisticsTable:
    if "memory" in head:
        raise DataError("there is not enough memory to read it", file=name, remedy=_SMALLER,
                        trouble="memory")
    if "missing" in head:  # the installation is not whole
        raise ImportError(head["missing"])
    if "problem" in head:
        raise DataError(head["problem"], file=name, remedy=head["remedy"])
    return StatisticsTable(from_bytes(body), head["notes"], head["omitted"])


class _Reader:
    """A process that reads one file at a time."""

    def __init__(self) -> None:
        path = {"PYTHONPATH": os.pathsep.join(import_path())}
        self._process = subprocess.Popen(
            [sys.executable, "-m", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, env={**os.environ, **_VARIABLES, **path},
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
        self.is_ready = False
        self.has_read = False
        self.clock: threading.Timer | None = None

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(
        self, head: dict[str, Any], data: bytes, patience: float, progress: Progress
    ) -> tuple[dict[str, Any], bytes]:
        """The answer; without one, the process is ended."""
        head = {**head, "patience": patience}
        answers: list[tuple[dict[str, Any], bytes]] = []
        thread = threading.Thread(
            target=self._exchange, args=(head, data, answers), name="reader of a file", daemon=True
        )
        end = time.monotonic() + patience
        try:
            thread.start()
            while thread.is_alive():
                thread.join(_TICK)
                if progress(0.0):
                    raise Stopped
                if time.monotonic() > end and thread.is_alive():
                    raise TimeoutError
            if not answers:
                raise _Ended
        except BaseException:
            self.close()
            raise
        self.has_read = True
        return answers[0]

    def _exchange(self, head: dict[str, Any], data: bytes, answers: list[Any]) -> None:
        try:
            self.is_ready = self.is_ready or received(self._process.stdout)[0] == READY
            send(self._process.stdin, head, data)
            answers.append(received(self._process.stdout))
        except (OSError, EOFError, ValueError):
            return  # it has ended, or been ended

    def close(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            try:
                stream.close()
            except (OSError, ValueError):  # what was not written, to nobody
                continue


def _taken() -> _Reader:
    """A process that waits, or else a new one."""
    with _lock:
        while _idle:
            reader = _idle.pop()
            if reader.clock is not None:  # or each file would leave a thread that waits
                reader.clock.cancel()
            if reader.alive:
                return reader
            reader.close()
    return _Reader()


def _rest(reader: _Reader) -> None:
    """Keep one process for the next file, for some time."""
    with _lock:
        is_first = not _idle
        if is_first:
            reader.clock = threading.Timer(_IDLE, _dismiss, (reader,))
            reader.clock.daemon = True
            reader.clock.start()
            _idle.append(reader)
    if not is_first:
        reader.close()


def _dismiss(reader: _Reader) -> None:
    with _lock:
        if reader not in _idle:
            return
        _idle.remove(reader)
    reader.close()


@atexit.register
def _end() -> None:
    while _idle:
        _idle.pop().close()


def _forget() -> None:
    """Leave the process to the one that this one is a copy of."""
    global _lock
    _lock = threading.Lock()
    _idle.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
