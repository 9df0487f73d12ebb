"""Processes that answer the server: started, asked, told to stop, and ended.

They are processes of `multiprocessing`, and so are the lines to them. On Linux they are copies of
a template that has loaded what they need: that takes seconds, a copy takes milliseconds.
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
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import forkserver, spawn
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from tripletscope.dashboard.processes.line import STOP, Message, run

#: Whether processes are copied. Elsewhere a copy of a process is not safe, or there is none.
COPIES = sys.platform == "linux"
#: Loaded by what is copied.
TEMPLATE = "tripletscope.dashboard.working.template"
#: Seconds for a process to get ready; the first one of an installation compiles.
READY = 600.0
#: Of their environment: nothing is loaded from where the server was started, HDF5 searches the
#: machine for no programs that decode its filters, and what threads allocate does not add up.
_VARIABLES = {
    "PYTHONSAFEPATH": "1", "HDF5_PLUGIN_PRELOAD": "::", "MALLOC_ARENA_MAX": "4",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}

_TICK = 0.1  # seconds between two looks at whether somebody wants to stop
_FORGOTTEN = 60.0  # seconds after which a process is ended that goes on with what nobody waits for
_DEAF = 10.0  # seconds that a template may take to end
_starting = threading.Lock()
_ends = 0  # of templates that were to end


class Gone(Exception):
    """A process has ended between two requests; another one can be asked."""


class Lost(Exception):
    """A process has ended while it was at work.

    stopping: Whether it had been asked to stop.
    """

    def __init__(self, stopping: bool) -> None:
        super().__init__("a process has ended")
        self.stopping = stopping


def warm() -> None:
    """Have the template get ready, if there is one; returns at once."""
    if COPIES:
        with _starting, _surroundings():
            forkserver.set_forkserver_preload([TEMPLATE])
            forkserver.ensure_running()


def end_template() -> None:
    """End it. Processes that it has not made yet will not be."""
    global _ends
    _ends += 1
    pid = forkserver._forkserver._forkserver_pid  # it would look only once it is ready
    if pid is not None:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@contextmanager
def _surroundings() -> Iterator[None]:
    """What a process begins with, for as long as it is started."""
    # A template of Python 3.11 is not told of the path.
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
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
    """What a process is told first, without the main module: that is the page at work."""
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
    """Wait until it can be seen that the template ends: it is deaf a moment before."""
    until = time.monotonic() + _DEAF
    with suppress(ChildProcessError):  # somebody has seen it
        while time.monotonic() < until:
            if os.waitid(os.P_PID, template, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                return
            time.sleep(_TICK / 10)


class Child:
    """A process that answers; as many threads may ask at once as it has lines.

    module: What it does, see `tripletscope.dashboard.processes.line.run`.
    receive: Takes a message from a line; after one that makes no sense it is not listened to.
    reserved: Whether it must not make room for others; whoever took it decides.
    used: When it was asked last.
    """

    def __init__(
        self, module: str, *arguments: Any, receive: Callable[[Connection], Message],
        lines: int = 1,
    ) -> None:
        self.reserved = True
        self.used = time.monotonic()
        self._receive = receive
        self._dismissed = False
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
        # Whoever forgets it has ended it.
        self._end = weakref.finalize(self, _kill, self._process)

    @property
    def alive(self) -> bool:
        """Whether it can be asked."""
        try:
            return self._end.alive and self._process.is_alive()
        except (ValueError, AttributeError, OSError):  # it is being ended meanwhile
            return False

    @property
    def busy(self) -> bool:
        """Whether it is about to be asked, or has not answered."""
        return self.reserved or self._lines.qsize() < self._n_lines

    def get_ready(self) -> None:
        """Wait until it can be asked, as any number of threads may."""
        with self._getting_ready:
            while self._silent:
                if not self._received(self._silent[0], READY):
                    self.close()
                    raise Gone
                self._lines.put(self._silent.pop(0))

    def close(self) -> None:
        """End the process; what it was asked is not answered."""
        self._dismissed = True
        self._end()

    def _exchange(
        self, pieces: list[Any], heard: Callable[[Message], bool], grace: Callable[[], float]
    ) -> Message:
        """Send a request, as bytes; the answer to it, which is the first that is no ``report``.

        heard: Called in this thread with every report, and with an empty one now and then; true
            asks the process to stop.
        grace: Seconds after which one that was asked to stop is ended.
        """
        here = self._line()
        try:
            try:
                for piece in pieces:
                    here.send_bytes(piece)
            except OSError:
                raise Gone from None
            answer = self._answer(here, heard, grace)
        except BaseException as error:  # also the end of a page that waited: it is still at it
            if isinstance(error, (Gone, Lost)) or self._n_lines == 1:
                self._end()
            else:  # others may have asked it, too
                threading.Thread(target=self._forget, args=(here,), daemon=True).start()
            raise
        finally:
            self.used = time.monotonic()
        self._lines.put(here)
        return answer

    def _forget(self, here: Connection) -> None:
        """Have it stop what it was asked on a line, and use that for others then."""
        try:
            self._answer(here, lambda message: True, lambda: _FORGOTTEN)
        except Lost:
            self._end()
        else:
            self._lines.put(here)

    def _line(self) -> Connection:
        """One that nobody else uses."""
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
                raise Lost(stopping)
            if message and "report" not in message:
                return message
            if heard(message) and not stopping:
                stopping, since = True, time.monotonic()
                with suppress(OSError):  # it has ended: so will the answer
                    here.send_bytes(STOP)
            if stopping and time.monotonic() - since > grace():
                self.close()

    def _received(self, here: Connection, seconds: float) -> Message | None:
        """What comes in that time: nothing, a message, or None at the end or of nonsense."""
        with suppress(EOFError, OSError, ValueError, TypeError, AttributeError, MemoryError):
            if not here.poll(seconds):
                return {}
            message = self._receive(here)
            return message if isinstance(message, dict) else None
        return None


def _kill(process: BaseProcess) -> None:
    if process.is_alive():
        process.kill()
    process.join()
    process.close()  # which ends one whose template has ended, too


class Supply:
    """Where processes of a kind come from. Where they are not copied, one is ready ahead."""

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._spare: Child | None = None
        self._closed = False

    def warm(self) -> None:
        """Have one ready, or the template; returns at once."""
        warm()
        with self._lock:
            if not COPIES and not self._closed and self._spare is None:
                self._spare = self._start()

    def take(self) -> Any:
        """A process of one's own, which may have to get ready yet."""
        with self._lock:
            taken, self._spare = self._spare, None
        taken = taken or self._start()
        if self._closed:  # meanwhile: the first one may take minutes
            taken.close()
        return taken

    def close(self) -> None:
        """End what is ready; those that were taken go on."""
        with self._lock:
            self._closed = True
            if self._spare is not None:
                self._spare.close()
