"""Processes that read files: started ahead, asked, watched, and ended."""

from __future__ import annotations

import atexit
import logging
import threading
import time
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.io import MatrixGiven, MeasuredGiven, OtherTask, PreferencesGiven
from tripletscope.dashboard.processes.child import Child, Gone, Lost, Supply
from tripletscope.dashboard.processes.line import Message

__all__ = ["Ended", "Gone", "Worker", "Workers", "workers"]

log = logging.getLogger(__name__)

#: Seconds after which a request is given up: so many, and so many more for each megabyte.
PATIENCE, PER_MEGABYTE = 60.0, 2.0
#: Seconds after which a process that nobody asks is ended; it is made again from the files.
_IDLE = 300.0
_LOOK = 5.0  # seconds between two looks at who is still wanted
_TICK = 0.2  # seconds between two looks at whether there is room
_GRACE = 1.0  # seconds after which one that is told to stop is ended
_AT_MOST = 6  # processes with an upload, over all sessions
_LONGEST = 4 * 2**30  # bytes of an answer
_LINES = 8  # requests to one process at the same time

_ERRORS = {
    kind.__name__: kind
    for kind in (DataError, OtherTask, MatrixGiven, MeasuredGiven, PreferencesGiven)
}
_SMALLER = "Upload a smaller part of it, or save it again as CSV."


#: What a process that reads does.
READER = "tripletscope.dashboard.door.reader"


class Ended(DataError):
    """A process has ended while it was reading."""


class Worker(Child):
    """A process that reads one upload.

    wanted: Whether anybody still waits for it; asked now and then.
    """

    def __init__(self, wanted: Callable[[], bool] = lambda: True) -> None:
        from tripletscope.dashboard.door import plain  # loads all whose records may come

        super().__init__(
            READER, receive=lambda line: plain.unpack(line.recv_bytes(_LONGEST)), lines=_LINES
        )
        self._pack = plain.pack
        self.wanted = wanted
        self._late = False

    def ask(
        self, what: str, *, file: str, progress: Progress = silent, patience: float | None = None,
        **given: Any,
    ) -> Any:
        """What the process answers.

        what: One of `tripletscope.dashboard.door.desk.REQUESTS`.
        file: What is read, for messages.
        progress: Called in this thread, also where there is nothing new.
        patience: Seconds until the process is ended; by default it depends on what is handed in.
        **given: Plain data.
        """
        done = 0.0

        def heard(message: Message) -> bool:
            nonlocal done
            done = max(done, message.get("report", 0.0))
            return progress(done)

        data = self._pack({"do": what, "given": given})
        patience = patience or PATIENCE + PER_MEGABYTE * len(data) / 1e6
        clock = threading.Timer(patience, self._out_of_time)
        clock.daemon = True
        clock.start()
        try:
            message = self._exchange([data], heard, lambda: _GRACE)
        except Lost as lost:
            raise self._ended(file, lost.stopping) from None
        finally:
            clock.cancel()
        return _result(message, file)

    def _out_of_time(self) -> None:
        self._late = True
        self._end()

    def _ended(self, file: str, asked_to_stop: bool) -> Exception:
        """What it means that the process is no more."""
        if self._late:
            return DataError(
                "reading takes too long and was given up", file=file, remedy=_SMALLER
            )
        if asked_to_stop or self._dismissed:
            return Stopped()
        log.warning("the process that read %s has ended", file)
        return Ended(
            "the file is damaged so that reading it ends the program that reads, or takes all of "
            "its memory", file=file, remedy=_SMALLER,
        )


def _result(message: dict[str, Any], file: str) -> Any:
    """The value that was asked for, or an error."""
    if "done" in message:
        return message["done"]
    if "stopped" in message:
        raise Stopped
    if "memory" in message:
        raise DataError("there is not enough memory to read it", file=file, remedy=_SMALLER)
    if "failed" in message:
        said = message["failed"]
        raise _ERRORS[said["kind"]](
            said["problem"], file=said["file"], row=said["row"], remedy=said["remedy"]
        )
    log.error("%s could not be read: %s", file, message.get("broken"))
    raise DataError(
        "the program has failed to read it; the server's log says why", file=file,
        remedy="Save it again as CSV.",
    )


class Workers:
    """The processes of a server: one that waits for the next upload, and those that have one."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._taken: weakref.WeakSet[Worker] = weakref.WeakSet()
        self._source = Supply(Worker)
        self._watcher: threading.Thread | None = None
        self._closed = False

    def warm(self) -> None:
        """Have a process ready for the next upload, or what is copied; returns at once."""
        self._source.warm()

    def take(self, wanted: Callable[[], bool]) -> Worker:
        """A process for an upload; one that nobody has asked for long may have to go.

        wanted: Whether anybody still waits for it.
        """
        with self._lock:
            self._make_room()
            worker = self._source.take()
            worker.wanted = wanted
            self._taken.add(worker)
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._watch, name="watcher of readers", daemon=True
                )
                self._watcher.start()
        worker.get_ready()
        self.warm()
        return worker

    def _make_room(self) -> None:
        while len(there := [w for w in self._taken if w.alive]) >= _AT_MOST:
            idle = [worker for worker in there if not worker.busy]
            if idle:
                min(idle, key=lambda worker: worker.used).close()
            else:
                self._lock.wait(_TICK)

    def _watch(self) -> None:
        while not self._closed:
            time.sleep(_LOOK)
            self.dismiss_unwanted()

    def dismiss_unwanted(self) -> None:
        """End the processes that nobody waits for, and those that nobody has asked for long."""
        for worker in list(self._taken):
            idle = not worker.busy and time.monotonic() - worker.used > _IDLE
            if worker.alive and (idle or not worker.wanted()):
                worker.close()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            for worker in list(self._taken):
                worker.close()
            self._source.close()


@cache
def workers() -> Workers:
    """The processes of this server."""
    found = Workers()
    atexit.register(found.close)
    return found
