"""Starts, asks, watches and ends processes that read files."""

from __future__ import annotations

import atexit
import hashlib
import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.reading import ConjointGiven, MatrixGiven, MeasuredGiven, OtherTask
from tripletscope.dashboard.jobs.child import Child, Gone, Lost, Supply
from tripletscope.dashboard.jobs.line import Message

__all__ = ["Ended", "Gone", "Worker", "Workers", "workers"]

log = logging.getLogger(__name__)

#: Seconds of a request, and more of them for each megabyte.
PATIENCE, PER_MEGABYTE = 60.0, 2.0
#: Seconds after which an idle process is ended.
_IDLE = 300.0
_LOOK = 5.0  # seconds between looks for unwanted processes
_TICK = 0.2  # seconds between looks for room
_GRACE = 1.0  # seconds from the request to stop until the end
_AT_MOST = 6  # processes with an upload, over all sessions
_LONGEST = 4 * 2**30  # bytes of an answer
_LINES = 8  # simultaneous requests to one process
_KEPT = 16  # answers
_TRIES = 3

File = tuple[str, bytes]  # name and content

_ERRORS = {
    kind.__name__: kind
    for kind in (DataError, OtherTask, ConjointGiven, MatrixGiven, MeasuredGiven)
}
_SMALLER = "Upload a smaller part of it, or save it again as CSV."


#: Module that a process runs.
READER = "tripletscope.dashboard.sandbox.reader"


class Ended(DataError):
    """There was no answer, which need not be because of the file."""


class Worker(Child):
    """A process that answers questions about one upload, while it is `wanted`."""

    def __init__(self, wanted: Callable[[], bool] = lambda: True) -> None:
        from tripletscope.dashboard.sandbox import wire

        super().__init__(
            READER, receive=lambda line: wire.unpack(line.recv_bytes(_LONGEST)), lines=_LINES
        )
        self._pack = wire.pack
        self.wanted = wanted

    def ask(
        self, what: str, *, file: str, progress: Progress = silent, patience: float | None = None,
        contents: Callable[[str], list[File]] | None = None, **arguments: Any,
    ) -> Any:
        """The process's answer.

        what: A question of `tripletscope.dashboard.sandbox.questions`.
        file: Name for messages.
        progress: Called in this thread, also without news.
        patience: Seconds until the process is ended; by default it grows with the request.
        contents: The files of a key that the process does not have.
        **arguments: Plain data.
        """
        done = 0.0

        def heard(message: Message) -> bool:
            nonlocal done
            done = max(done, message.get("report", 0.0))
            return progress(done)

        def exchange(files: Mapping[str, list[File]]) -> Message:
            data = self._pack({"do": what, "arguments": arguments, "files": files})
            late = threading.Event()

            def end() -> None:
                late.set()
                self.abandon()

            clock = threading.Timer(patience or PATIENCE + PER_MEGABYTE * len(data) / 1e6, end)
            clock.daemon = True
            clock.start()
            try:
                return self._exchange([data], heard, lambda: _GRACE)
            except (Lost, Gone) as error:
                if late.is_set():
                    raise DataError(
                        "reading took too long and was stopped", file=file, remedy=_SMALLER
                    ) from None
                if isinstance(error, Gone):
                    raise
                raise self._ended(file, error.stopping) from None
            finally:
                clock.cancel()

        message = exchange({})
        for _ in range(_TRIES):  # another question may have replaced its files
            if contents is not None and isinstance(missing := message.get("missing"), list):
                keys = [key for key in arguments["keys"].values() if key in missing]
                message = exchange({key: contents(key) for key in keys})
        return _result(message, file)

    def _ended(self, file: str, asked_to_stop: bool) -> Exception:
        """The error for a process that has ended."""
        if asked_to_stop or self._dismissed:
            return Stopped()
        log.warning("the process that read %s has ended", file)
        return Ended(
            "the file is damaged, or reading it takes too much memory", file=file, remedy=_SMALLER,
        )


def _hash_of(what: str, arguments: Mapping[str, Any]) -> str:
    """Equal for equal questions."""
    from tripletscope.dashboard.sandbox import wire

    return hashlib.sha256(wire.pack([what, dict(arguments)])).hexdigest()


def _result(message: dict[str, Any], file: str) -> Any:
    """The value in a message, or an error."""
    if "done" in message:
        return message["done"]
    if "stopped" in message:
        raise Stopped
    if "memory" in message:
        raise DataError("there is not enough memory to read it", file=file, remedy=_SMALLER,
                        trouble="memory")
    if "failed" in message:
        error = message["failed"]
        raise _ERRORS[error["kind"]](
            error["problem"], file=error["file"], row=error["row"], remedy=error["remedy"]
        )
    log.error("%s could not be read: %s", file, message.get("broken"))
    raise DataError(
        "the program failed to read it; the server's log says why", file=file,
        remedy="Save it again as CSV.",
    )


class Workers:
    """The processes of a server, and a cache of their last answers, by hash of the question."""

    def __init__(self) -> None:
        self._lock = threading.Condition()
        self._taken: dict[str, Worker] = {}
        self._answers: OrderedDict[str, Any] = OrderedDict()
        self._source = Supply(Worker)
        self._watcher: threading.Thread | None = None
        self._closed = False

    def warm(self) -> None:
        """Prepare for the next upload; returns at once."""
        self._source.warm()

    def ask(
        self, what: str, about: str, *, file: str, contents: Callable[[str], list[File]],
        wanted: Callable[[], bool], keep: bool = False, progress: Progress = silent,
        patience: float | None = None, **arguments: Any,
    ) -> Any:
        """An answer about an upload, by the process that has read it or by another one.

        about: Key of the upload.
        keep: Whether to cache the answer or error.
        contents, patience, **arguments: As of `Worker.ask`.
        """
        question = _hash_of(what, arguments) if keep else ""
        with self._lock:
            answer = self._answers.pop(question, None)
        if answer is None:
            try:
                answer = self._ask(
                    what, about, wanted, file=file, progress=progress, patience=patience,
                    contents=contents, **arguments,
                )
            except Ended:
                raise
            except DataError as error:
                answer = error
        if keep:
            with self._lock:
                self._answers[question] = answer
                while len(self._answers) > _KEPT:
                    self._answers.popitem(last=False)
        if isinstance(answer, DataError):
            raise answer
        return answer

    def _ask(
        self, what: str, about: str, wanted: Callable[[], bool], *, file: str, **arguments: Any
    ) -> Any:
        ended = False
        for _ in range(_TRIES):
            worker = None
            try:
                worker = self.take(wanted, about)
                return worker.ask(what, file=file, **arguments)
            except Gone:
                continue  # another upload needed its place
            except Ended:
                if ended:
                    raise
                ended = True  # the system may have killed it
            finally:
                if worker is not None:
                    worker.reserved = False
        raise Ended("too many files are being read at once", file=file, remedy="Try again.")

    def dismiss(self, about: str) -> None:
        """End the process with an upload, if there is one."""
        with self._lock:
            worker = self._taken.pop(about, None)
        if worker is not None:
            worker.close()

    def take(self, wanted: Callable[[], bool], about: str = "") -> Worker:
        """The process with an upload, or else a new one, maybe in place of another."""
        about = about or secrets.token_hex(8)
        with self._lock:
            for key in [key for key, other in self._taken.items() if not other.alive]:
                self._taken.pop(key).close()
            worker = self._taken.get(about)
            if worker is None:
                self._make_room()
                worker = self._taken[about] = self._source.take()
            worker.wanted, worker.reserved = wanted, True
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._watch, name="watcher of readers", daemon=True
                )
                self._watcher.start()
        worker.get_ready()
        self.warm()
        return worker

    def _make_room(self) -> None:
        while len(alive := [w for w in self._taken.values() if w.alive]) >= _AT_MOST:
            idle = [worker for worker in alive if not worker.busy]
            if idle:
                min(idle, key=lambda worker: worker.used).close()
            else:
                self._lock.wait(_TICK)

    def _watch(self) -> None:
        while not self._closed:
            time.sleep(_LOOK)
            self.dismiss_unwanted()

    def dismiss_unwanted(self) -> None:
        """End unwanted and idle processes."""
        for worker in list(self._taken.values()):
            idle = not worker.busy and time.monotonic() - worker.used > _IDLE
            if worker.alive and (idle or not worker.wanted()):
                worker.close()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            self._closed = True
            for worker in list(self._taken.values()):
                worker.close()
            self._source.close()


@cache
def workers() -> Workers:
    """The processes of this server."""
    readers = Workers()
    atexit.register(readers.close)
    return readers
