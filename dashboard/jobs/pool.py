"""The processes in which jobs compute."""

from __future__ import annotations

import atexit
import logging
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tripletscope.core.data.triplets import Triplets
from tripletscope.core.engine.pieces import EngineError
from tripletscope.core.engine.progress import Progress, Stopped, silent
from tripletscope.core.run import Run
from tripletscope.dashboard.jobs import memory, worker
from tripletscope.dashboard.jobs.child import Child, Gone, Lost, Supply, end_template
from tripletscope.dashboard.jobs.line import Message
from tripletscope.dashboard.jobs.pickling import Key, Parcel, received
from tripletscope.dashboard.jobs.queue import Failed, Job, current_job, not_enough

if TYPE_CHECKING:
    from tripletscope.core.engine.method import Method

log = logging.getLogger(__name__)

#: What a process of jobs does.
WORKER = worker.__name__

#: Seconds to stop before a process is ended: if its computation has not noticed, and if it has
#: and is about to return a partial result.
_UNHEARD, _HEARD = 10.0, 120.0
#: Seconds from which a computation gives way to others.
_QUICK = 5.0
#: Idle processes that are kept, for how many seconds, and with how many bytes at most.
_SPARE, _IDLE, _GROWN = 2, 300.0, 2**30
_TIMES = 3  # attempts: a process may be gone after a long wait

_LOST = (
    "The process that computed this has ended: either memory ran out, or compiled code failed. "
    "Nothing else is affected; you can start it again."
)
_NOT_HEARD = (
    f"It did not stop within {_UNHEARD:g} seconds and was ended. Its partial result is lost."
)


class JobProcess(Child):
    """A process that computes, for one job at a time.

    held, pieces: Bytes that it holds, and its parallel work, by its last report.
    slow: Whether it has given way to others, which is for good.
    """

    def __init__(self, most: int | None) -> None:
        super().__init__(WORKER, most, _QUICK, receive=received)
        self.job: Job | None = None
        self.held = 0
        self.pieces: list[str] = []
        self.slow = False
        self._most = most
        self._there: set[Key] = set()

    def compute(
        self, task: str, method: Method, triplets: Triplets | None,
        options: Mapping[str, Any] | None, *, begun: Run | None = None,
        progress: Progress = silent,
    ) -> Run:
        """As `tripletscope.core.run.run`; the arrays stay there until they are written."""
        work = partial(worker.compute, begun=begun)
        result = self.call(work, task, method, triplets, options, progress=progress)
        return replace(result, arrays=_Held(self))

    def call(self, function: Callable[..., Any], *args: Any, progress: Progress = silent) -> Any:
        """The result of ``function(*args, progress=...)``, both of which can be pickled."""
        stopping, done = False, 0.0

        def heard(message: Message) -> bool:
            nonlocal stopping, done
            stopping = message.get("stopping", stopping)
            self.held = message.get("held", self.held)
            self.pieces = message.get("pieces", self.pieces)
            stop = False
            for fraction, details in message.get("report", ()):
                done = fraction
                stop = bool(progress(fraction, **details)) or stop
            return stop or (not message and progress(done))

        parcel = Parcel(partial(function, *args), self._there)
        self._there = parcel.keys
        begun = time.monotonic()
        try:
            reply = self._exchange(parcel.pieces, heard, lambda: _HEARD if stopping else _UNHEARD)
        except Lost as lost:
            if lost.stopping:
                raise Stopped(_NOT_HEARD if self._abandoned else "") from None
            if self._dismissed:
                raise Stopped from None
            log.error(
                "the process %d has ended, at %s", self.pid, self.job.title if self.job else "work"
            )
            raise Failed(_LOST) from None
        except Gone:  # between two requests
            if self._dismissed:
                raise Stopped from None
            raise Failed(_LOST) from None
        finally:
            self.slow = self.slow or time.monotonic() - begun > _QUICK
        return self._result(reply)

    def _result(self, reply: Message) -> Any:
        self.held = reply.get("held", self.held)
        if "done" in reply:
            return reply["done"]
        if "memory" in reply:
            self.close()  # it may hold most of the memory
            raise not_enough(
                f": this needed more than {self._most / 2**30:.3g} GB" if self._most else ""
            )
        if "failed" in reply:
            error = reply["failed"]
            raise Failed(str(error)) if isinstance(error, EngineError) else error
        raise RuntimeError(reply["broken"])


@dataclass(frozen=True)
class _Held:
    """Arrays in a process, see `tripletscope.dashboard.files.storage.HeldArrays`."""

    worker: JobProcess

    def write(self, path: Path) -> str:
        return self.worker.call(worker.write, path)


class Pool:
    """The processes in which jobs compute, of at most `most` bytes each."""

    def __init__(self) -> None:
        self.most = memory.allowed()
        self._source = Supply(lambda: JobProcess(self.most))
        self._lock = threading.Lock()
        self._busy: list[JobProcess] = []
        self._idle: list[JobProcess] = []
        self._watcher: threading.Thread | None = None
        self._closed = False

    def warm(self) -> None:
        self._source.warm()

    @property
    def busy(self) -> list[JobProcess]:
        with self._lock:
            return list(self._busy)

    @contextmanager
    def taken(self) -> Iterator[JobProcess]:
        process = self._take()
        process.job = current_job()
        try:
            yield process
        finally:
            self._give_back(process)

    def call(self, function: Callable[..., Any], *args: Any, progress: Progress = silent) -> Any:
        with self.taken() as process:
            return process.call(function, *args, progress=progress)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            processes = [*self._busy, *self._idle]
        for one in processes:
            one.close()
        self._source.close()

    def _take(self) -> JobProcess:
        for _ in range(_TIMES):
            with self._lock:
                process = self._idle.pop() if self._idle else None
            try:
                if process is None:
                    process = self._source.take()
                    process.get_ready()
            except (Gone, OSError):
                log.warning("a process for computations could not be started", exc_info=True)
                continue
            if process.alive:
                with self._lock:
                    self._busy.append(process)
                return process
        raise Failed("No process could be started to compute this. The server's log says why.")

    def _give_back(self, process: JobProcess) -> None:
        process.job, process.pieces = None, []
        with self._lock:
            self._busy.remove(process)
            keep = (
                process.alive and not process.slow and process.held < _GROWN and not self._closed
                and len(self._idle) < _SPARE
            )
            if keep:
                self._idle.append(process)
                if self._watcher is None:
                    self._watcher = threading.Thread(
                        target=self._watch, name="watcher of computations", daemon=True
                    )
                    self._watcher.start()
        if not keep:
            process.close()

    def _watch(self) -> None:
        while not self._closed:
            time.sleep(_IDLE / 10)
            self.dismiss_idle()

    def dismiss_idle(self, seconds: float = _IDLE) -> None:
        since = time.monotonic() - seconds
        with self._lock:
            gone = [one for one in self._idle if one.used <= since]
            self._idle = [one for one in self._idle if one.used > since]
        for one in gone:
            one.close()


@cache
def pool() -> Pool:
    processes = Pool()
    atexit.register(processes.close)
    return processes


def close_pool() -> None:
    pool().close()
    pool.cache_clear()
    end_template()
