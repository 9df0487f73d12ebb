"""Starts, asks, stops and ends processes of `multiprocessing` that answer the server.

On Linux they are copies of a template: loading takes seconds, a copy milliseconds.
"""

from __future__ import annotations

import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, spawn
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tripletscope.core.engine.import_path import import_path
from tripletscope.dashboard.jobs.line import STOP, Message, run

#: Whether processes are copied; elsewhere copies are unsafe or impossible.
COPIES = sys.platform == "linux"
#: Module that the template loads.
TEMPLATE = "tripletscope.dashboard.jobs.template"
#: Seconds for a process to get ready; the first one of an installation compiles.
READY = 600.0
#: Their environment: nothing is imported from the working directory, HDF5 loads no plug-ins, and
#: threads share memory arenas.
_VARIABLES = {
    "PYTHONSAFEPATH": "1", "HDF5_PLUGIN_PRELOAD": "::", "MALLOC_ARENA_MAX": "4",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

_TICK = 0.1  # seconds between looks for a wish to stop
_FORGOTTEN = 60.0  # seconds to stop a request that nobody waits for, before the process is ended
_DEAF = 10.0  # seconds that a template may take to end
_starting = threading.Lock()
_ends = 0  # of templates, on purpose


class Gone(Exception):
    """A process has ended between two requests; another one can answer."""


class Lost(Exception):
    """A process has ended at work; `stopping` if it was asked to stop."""

    def __init__(self, stopping: bool) -> None:
        super().__init__("a process has ended")
        self.stopping = stopping


def warm() -> None:
    """Start the template, if processes are copied; returns at once."""
    if COPIES:
        with _starting, _surroundings():
            forkserver.set_forkserver_preload([TEMPLATE])
            forkserver.ensure_running()


def end_template() -> None:
    """End the template, without the processes that it has still to make."""
    global _ends
    _ends += 1
    pid = forkserver._forkserver._forkserver_pid  # killed, as it hears nothing until it is ready
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def _surroundings() -> Iterator[None]:
    """Sets the environment of a process while it starts."""
    # Python 3.11 does not hand the path to a template.
    path = {"PYTHONPATH": os.pathsep.join(import_path())}
    before = {name: os.environ.get(name) for name in (*_VARIABLES, *path)}
    os.environ.update({**_VARIABLES, **path})
    try:
        yield
    finally:
        for name, value in before.items():
            del os.environ[name]
            if value is not None:
                os.environ[name] = value


def _without_main(
    name: str, prepared: Callable[[str], dict[str, Any]] = spawn.get_preparation_data
) -> dict[str, Any]:
    """Data for a new process, without the main module: that is the running page."""
    return {key: value for key, value in prepared(name).items() if "init_main" not in key}


def _start(process: BaseProcess) -> None:
    spawn.get_preparation_data = _without_main
    if not COPIES:
        with _starting, _surroundings():
            process.start()
        return
    ends = _ends
    warm()
    template = forkserver._forkserver._forkserver_pid
    try:
        process.start()
    except (OSError, EOFError) as error:  # the template has ended
        if ends != _ends:
            raise
        if isinstance(error, (ConnectionError, EOFError)):
            _wait_for_end(template)
        warm()
        process.start()


def _wait_for_end(template: int) -> None:
    """Wait until the end of the template can be seen: it stops listening a moment before."""
    until = time.monotonic() + _DEAF
    with suppress(ChildProcessError):  # another thread has seen it
        while time.monotonic() < until:
            if os.waitid(os.P_PID, template, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(_TICK / 10)


class Child:
    """A process that answers as many threads at once as it has lines.

    module: As of `tripletscope.dashboard.jobs.line.run`.
    receive: Takes a message from a line; nonsense ends the process.
    reserved: Whether it must not make room for others.
    used: Time of the last request, of the monotonic clock.
    """

    def __init__(
        self, module: str, *arguments: Any, receive: Callable[[Connection], Message],
        lines: int = 1,
    ) -> None:
        self.reserved = True
        self.used = time.monotonic()
        self._receive = receive
        self._dismissed = self._abandoned = False
        self._lines: queue.SimpleQueue[Connection] = queue.SimpleQueue()
        self._n_lines = lines
        context = multiprocessing.get_context("forkserver" if COPIES else "spawn")
        pairs = [context.Pipe() for _ in range(lines)]
        theirs = [there for _, there in pairs]
        self._process = context.Process(target=run, args=(module, theirs, *arguments))
        try:
            _start(self._process)
        except EOFError:
            raise Gone from None
        finally:
            for there in theirs:
                there.close()
        self._silent = [here for here, _ in pairs]
        self._getting_ready = threading.Lock()
        self.pid = self._process.pid
        # A process that is not referenced any more ends.
        self._end = weakref.finalize(self, _kill, self._process, tuple(self._silent))

    @property
    def alive(self) -> bool:
        """Whether it can take requests."""
        try:
            return self._end.alive and self._process.is_alive()
        except (ValueError, AttributeError, OSError):  # another thread is ending it
            return False

    @property
    def busy(self) -> bool:
        """Whether a request is near or open."""
        return self.reserved or self._lines.qsize() < self._n_lines

    def get_ready(self) -> None:
        """Wait until it can take requests; for any number of threads."""
        with self._getting_ready:
            while self._silent:
                if not self._received(self._silent[0], READY):
                    self.close()
                    raise Gone
                self._lines.put(self._silent.pop(0))

    def close(self) -> None:
        """End the process, with its open requests."""
        self._dismissed = True
        self._end()

    def abandon(self) -> None:
        """End the process because of one request; others are to be asked again elsewhere."""
        self._abandoned = True
        self._end()

    def _exchange(
        self, pieces: list[Any], heard: Callable[[Message], bool], grace: Callable[[], float]
    ) -> Message:
        """Send a request; the answer is the first message that is no ``report``.

        heard: Called in this thread with every report, and an empty one now and then; true stops
            the request.
        grace: Seconds from the request to stop until the process is ended.
        """
        here = self._line()
        try:
            try:
                for piece in pieces:
                    here.send_bytes(piece)
            except OSError:
                raise Gone from None
            answer = self._answer(here, heard, grace)
        except BaseException as error:  # also the end of a waiting page, while the request goes on
            if isinstance(error, (Gone, Lost)) or self._n_lines == 1:
                self._end()
            else:  # it may be answering other threads
                threading.Thread(target=self._forget, args=(here,), daemon=True).start()
            raise
        finally:
            self.used = time.monotonic()
        self._lines.put(here)
        return answer

    def _forget(self, here: Connection) -> None:
        """Stop the request on a line, and free that."""
        try:
            self._answer(here, lambda message: True, lambda: _FORGOTTEN)
        except (Lost, Gone):
            self._end()
        else:
            self._lines.put(here)

    def _line(self) -> Connection:
        """A free line."""
        while self.alive:
            with suppress(queue.Empty):
                return self._lines.get(timeout=_TICK)
        raise Gone

    def _answer(
        self, here: Connection, heard: Callable[[Message], bool], grace: Callable[[], float]
    ) -> Message:
        stopping, since = False, 0.0
        while True:
            message = self._received(here, _TICK)
            if message is None:
                if self._abandoned and not stopping:
                    raise Gone
                raise Lost(stopping)
            if message and "report" not in message:
                return message
            if heard(message) and not stopping:
                stopping, since = True, time.monotonic()
                with suppress(OSError):  # it has ended
                    here.send_bytes(STOP)
            if stopping and time.monotonic() - since > grace():
                self.abandon()

    def _received(self, here: Connection, seconds: float) -> Message | None:
        """A message within that time, an empty one, or None for an end or nonsense."""
        with suppress(EOFError, OSError, ValueError, TypeError, AttributeError, MemoryError):
            if not here.poll(seconds):
                return {}
            message = self._receive(here)
            return message if isinstance(message, dict) else None
        return None


def _kill(process: BaseProcess, lines: Sequence[Connection]) -> None:
    if process.is_alive():
        process.kill()
    for line in lines:  # one whose template has ended seems to have ended, and hears it so
        line.close()
    process.join()
    process.close()  # ends it also without its template


class Supply:
    """Makes processes of a kind, one ahead where they are not copied."""

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._spare: Child | None = None
        self._closed = False

    def warm(self) -> None:
        """Prepare one, or the template; returns at once."""
        warm()
        with self._lock:
            if not COPIES and not self._closed and self._spare is None:
                self._spare = self._start()

    def take(self) -> Any:
        """A process for the caller, which may not be ready."""
        with self._lock:
            taken, self._spare = self._spare, None
        taken = taken or self._start()
        if self._closed:  # meanwhile; the first one may take minutes
            taken.close()
        return taken

    def close(self) -> None:
        """End the spare one; those that were taken go on."""
        with self._lock:
            self._closed = True
            if self._spare is not None:
                self._spare.close()
