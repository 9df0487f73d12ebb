"""Processes that read files: started ahead, asked, watched, and ended."""

from __future__ import annotations

import atexit
import logging
import queue
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, BinaryIO

from tripletscope.core.computing.progress import Progress, Stopped, silent
from tripletscope.core.data.errors import DataError
from tripletscope.core.io import MatrixGiven, OtherTask
from tripletscope.dashboard.door import program
from tripletscope.dashboard.door.plain import pack, unpack
from tripletscope.dashboard.door.processes import COPIES, READY, Process, Template, alone

log = logging.getLogger(__name__)

#: Seconds after which a request is given up: so many, and so many more for each megabyte.
PATIENCE, PER_MEGABYTE = 60.0, 2.0
#: Seconds after which a process that nobody asks is ended; it is made again from the files.
_IDLE = 300.0
_LOOK = 5.0  # seconds between two looks at who is still wanted
_TICK = 0.2  # seconds between two looks at whether somebody wants to stop
_AT_MOST = 6  # processes with an upload, over all sessions
_LONGEST = 4 * 2**30  # bytes of an answer

_ERRORS = {kind.__name__: kind for kind in (DataError, OtherTask, MatrixGiven)}
_SMALLER = "Upload a smaller part of it, or save it again as CSV."


class Gone(Exception):
    """A process has ended between two requests; another one can be asked."""


class Ended(DataError):
    """A process has ended while it was reading."""


class Worker:
    """A process that reads one upload.

    Parameters
    ----------
    process : Process
    wanted : callable
        Whether anybody still waits for it; asked now and then.

    Attributes
    ----------
    reserved : bool
        Whether it must not make room for others; whoever took it decides.
    """

    def __init__(self, process: Process, wanted: Callable[[], bool] = lambda: True) -> None:
        self.wanted = wanted
        self.reserved = True
        self.used = time.monotonic()
        self._process = process
        self._numbers = count(1)
        self._inboxes: dict[int, queue.SimpleQueue] = {0: queue.SimpleQueue()}
        self._writing = threading.Lock()
        self._late = self._dismissed = False
        self._listening = threading.Thread(
            target=_listen, args=(process.stdout, self._inboxes), daemon=True,
            name="reader of files",
        )
        self._listening.start()
        # Whoever forgets it has ended it.
        self._end = weakref.finalize(self, _kill, process)

    @property
    def alive(self) -> bool:
        """Whether it can be asked: one that has said what makes no sense is not listened to."""
        return self._listening.is_alive() and self._process.poll() is None

    @property
    def busy(self) -> bool:
        """Whether it is about to be asked, or has not answered."""
        return self.reserved or len(self._inboxes) > 1

    @property
    def pid(self) -> int:
        return self._process.pid

    def get_ready(self) -> None:
        """Wait until it can be asked.

        Raises
        ------
        Gone
            If it could not be started.
        """
        with suppress(queue.Empty):
            if self._inboxes[0].get(timeout=READY) is not None:
                self._inboxes[0].put({"ready": True})
                return
        self.close()
        raise Gone

    def ask(
        self, what: str, *, file: str, progress: Progress = silent, patience: float | None = None,
        **given: Any,
    ) -> Any:
        """What the process answers.

        Parameters
        ----------
        what : str
            One of `tripletscope.dashboard.door.desk.REQUESTS`.
        file : str
            What is read, for messages.
        progress : Progress
            Called in this thread, also where there is nothing new.
        patience : float, optional
            Seconds until the process is ended; by default it depends on what is handed in.
        **given
            Plain data.

        Raises
        ------
        DataError
            If the file cannot be read, or reading it takes too much time or memory, or ends the
            process.
        Stopped
            If `progress` asked to stop, or nobody wanted to know any more.
        Gone
            If the process had ended before it was asked.
        """
        number, inbox = next(self._numbers), queue.SimpleQueue()
        self._inboxes[number] = inbox
        data = pack({"id": number, "do": what, "given": given})
        patience = patience or PATIENCE + PER_MEGABYTE * len(data) / 1e6
        clock = threading.Timer(patience, self._out_of_time)
        clock.daemon = True
        clock.start()
        try:
            if not self.alive:
                raise Gone
            self._send(data)
            return self._answer(inbox, number, file, progress)
        finally:
            clock.cancel()
            del self._inboxes[number]
            self.used = time.monotonic()

    def close(self) -> None:
        """End the process; what it was asked is not answered."""
        self._dismissed = True
        self._end()

    def _out_of_time(self) -> None:
        self._late = True
        self._end()

    def _send(self, data: bytes) -> None:
        with self._writing, suppress(OSError, ValueError):  # it has ended: so will the answer
            self._process.stdin.write(len(data).to_bytes(program.LENGTH, "little"))
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _answer(
        self, inbox: queue.SimpleQueue, number: int, file: str, progress: Progress
    ) -> Any:
        done, asked_to_stop, begun = 0.0, False, 0.0
        try:
            while True:
                message = {}
                with suppress(queue.Empty):
                    message = inbox.get(timeout=_TICK)
                over = not self._listening.is_alive() and inbox.empty()
                if message is None or (not message and over):
                    raise self._ended(file, asked_to_stop)
                done = max(done, message.get("progress", 0.0))
                if "progress" in message or not message:
                    if progress(done) and not asked_to_stop:
                        asked_to_stop, begun = True, time.monotonic()
                        self._send(pack({"id": number, "cancel": True}))
                    if asked_to_stop and time.monotonic() - begun > 1.0:
                        self.close()
                    continue
                return _result(message, file)
        except BaseException:  # also the end of a page that waited
            self._send(pack({"id": number, "cancel": True}))
            raise

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


def _listen(source: BinaryIO, inboxes: dict[int, queue.SimpleQueue]) -> None:
    """Hand out what a process says, until it ends or says what makes no sense."""
    with suppress(OSError, ValueError, TypeError, AttributeError, MemoryError), source:
        while len(head := source.read(program.LENGTH)) == program.LENGTH:
            length = int.from_bytes(head, "little")
            if length > _LONGEST:
                break
            message = unpack(source.read(length))
            inbox = inboxes.get(message.get("id", 0))
            if inbox is not None:
                inbox.put(message)
    for inbox in list(inboxes.values()):
        inbox.put(None)
    # Whoever asks after this finds nobody.
    inboxes[0].put(None)


def _kill(process: Process) -> None:
    with suppress(OSError):
        process.kill()
    process.wait()
    with suppress(OSError):
        process.stdin.close()


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
        self._template: Template | None = None
        self._spare: Worker | None = None
        self._watcher: threading.Thread | None = None
        self._closed = False

    def warm(self) -> None:
        """Have a process ready for the next upload, or one to copy; returns at once."""
        with self._lock:
            if self._closed:
                return
            if COPIES:
                self._template = self._template or Template()
            elif self._spare is None:
                self._spare = Worker(alone())

    def take(self, wanted: Callable[[], bool]) -> Worker:
        """A process for an upload; one that nobody has asked for long may have to go.

        Parameters
        ----------
        wanted : callable
            Whether anybody still waits for it.
        """
        self.warm()
        with self._lock:
            self._make_room()
            # Another upload may have been faster.
            worker = self._copied() if COPIES else self._spare or Worker(alone())
            self._spare = None
            worker.wanted, worker.used = wanted, time.monotonic()
            self._taken.add(worker)
            if self._watcher is None:
                self._watcher = threading.Thread(
                    target=self._watch, name="watcher of readers", daemon=True
                )
                self._watcher.start()
        worker.get_ready()
        self.warm()
        return worker

    def _copied(self) -> Worker:
        try:
            return Worker(self._template.copy())
        except OSError:
            log.warning("the process that is copied for each upload has ended", exc_info=True)
            self._template.close()
            self._template = Template()
            return Worker(self._template.copy())

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
            for process in filter(None, [*self._taken, self._spare, self._template]):
                process.close()


@cache
def workers() -> Workers:
    """The processes of this server."""
    found = Workers()
    atexit.register(found.close)
    return found
