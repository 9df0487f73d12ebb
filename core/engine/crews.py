"""Processes of loky or Dask that compute batches of pieces.

joblib's own calls have no part here: one dead process ends them, what pieces share is pickled for
each, a stop waits for the next result and does not reach pieces on Dask, and processes of loky
outlive a parent that was killed.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
import uuid
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from joblib.externals import loky

from tripletscope.core.engine.pieces import (
    Batch,
    EngineError,
    Outcome,
    ended,
    nothing,
    opened,
    work,
)

#: Bytes of unused data that a cluster keeps for one client.
_KEPT = 2_000_000_000
#: Seconds between checks for workers of a cluster, and without any until an error.
_ROLL_CALL, _PATIENCE = 5.0, 60.0
#: Seconds until idle processes of loky end.
_IDLE = 300
#: Seconds between checks for the parent process.
_ORPHANED = 1.0
#: Linear algebra would start threads that it may not use.
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


class Crew(ABC):
    """Processes that compute batches; a context for one sequence of them.

    width: Batches at work at the same time.
    """

    #: Errors of a batch that was lost with its process, and has to be sent again.
    losses: tuple[type[BaseException], ...] = ()
    width: int

    def __enter__(self) -> Crew:
        return self

    @abstractmethod
    def submit(self, batch: Batch, contents: Mapping[str, bytes], name: str) -> Future:
        """Send a batch."""

    def outcomes(self, future: Any) -> list[Outcome]:
        return future.result()

    @abstractmethod
    def __exit__(self, *_: object) -> None:
        """Abandon unfinished batches, without waiting."""

    @property
    @abstractmethod
    def overhead(self) -> float:
        """Seconds for an empty batch, measured once; 0 before that."""

    def check(self) -> None:  # noqa: B027 - processes of this machine are started anew
        """Raise `EngineError` if no result can come any more."""


class LokyCrew(Crew):
    """Processes of this machine. A folder has their shared arguments; they stop when it is gone."""

    losses = (BrokenExecutor,)
    _executors: ClassVar[dict[int, Executor]] = {}
    _measured: ClassVar[dict[int, float]] = {}
    _lock = threading.RLock()

    def __init__(self, width: int) -> None:
        self.width = width
        self._folder = tempfile.TemporaryDirectory(
            prefix="tripletscope-", ignore_cleanup_errors=True
        )
        self._futures: set[Future] = set()

    @classmethod
    def leave(cls, width: int) -> None:
        with cls._lock:
            executor = cls._executors.pop(width, None)
        if executor is not None:
            executor.shutdown(wait=False)

    def submit(self, batch: Batch, contents: Mapping[str, bytes], name: str) -> Future:
        folder = Path(self._folder.name)
        for digest in batch.digests:
            path = folder / digest
            if not path.exists():
                path.write_bytes(contents[digest])
        future = self._submitted(_in_folder, batch, folder, os.getpid())
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def _submitted(self, *call: Any) -> Future:
        width = self.width
        with self._lock:
            if width in self._executors:
                try:
                    return self._executors[width].submit(*call)
                except BrokenExecutor:
                    del self._executors[width]
            # Not joblib's processes: joblib restarts them when its own settings change.
            executor = self._executors[width] = loky.ProcessPoolExecutor(
                width, timeout=_IDLE, env=_ONE_THREAD, initializer=_load, initargs=(_loaded(),),
            )
            executor.submit(nothing).result()
            begun = time.perf_counter()
            executor.submit(nothing).result()  # before anything else keeps it waiting
            self._measured[width] = time.perf_counter() - begun
            return executor.submit(*call)

    @property
    def overhead(self) -> float:
        return self._measured.get(self.width, 0.0)

    def __exit__(self, *_: object) -> None:
        for future in list(self._futures):
            future.cancel()
        self._folder.cleanup()


def _loaded() -> list[str]:
    return [name for name in sys.modules if name.startswith("tripletscope.core.")]


def _load(modules: list[str]) -> None:
    """Load the modules of pieces: loky ends processes that grow much after their first call."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    for name in modules:
        import_module(name)


def _end_with_parent() -> None:
    """End with the parent process: if killed, it cannot send a signal."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(_ORPHANED)
    os._exit(1)


def _in_folder(batch: Batch, folder: Path, owner: int) -> list[Outcome]:
    data = {digest: opened(digest, folder / digest) for digest in batch.digests}
    return work(
        batch, data, lambda: not (folder.exists() and _is_there(owner)), f"process {os.getpid()}"
    )


def _is_there(process: int) -> bool:
    """Whether a process still runs: a killed one leaves its folder."""
    if os.name == "nt":  # os.kill would end it there
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


class DaskCrew(Crew):
    """Workers of a Dask cluster. Shared arguments are scattered under the hash of their content."""

    losses = (CancelledError,)
    _overheads: ClassVar[WeakKeyDictionary[Any, float]] = WeakKeyDictionary()
    _scattered: ClassVar[
        WeakKeyDictionary[Any, OrderedDict[str, tuple[int, Any]]]
    ] = WeakKeyDictionary()
    _lock = threading.Lock()

    def __init__(self, client: Any) -> None:
        self._client = client
        self._last_check = self._last_worker = time.monotonic()
        self.check()
        self.width = max(sum(client.nthreads().values()), 1)
        self._waiting: dict[Any, set[str]] = {}
        self._doubted: set[str] = set()  # may have been lost with a worker

    def submit(self, batch: Batch, contents: Mapping[str, bytes], name: str) -> Any:
        digests = sorted(batch.digests)
        with self._lock:
            data = [self._sent(digest, contents[digest]) for digest in digests]
            self._trim(batch.digests)
        future = self._client.submit(
            _in_dask, batch, digests, data, key=f"{name}-{uuid.uuid4().hex}", pure=False
        )
        self._waiting[future] = batch.digests
        return future

    def _sent(self, digest: str, content: bytes) -> Any:
        scattered = self._scattered.setdefault(self._client, OrderedDict())
        missing = digest in self._doubted or digest not in scattered
        if missing or scattered[digest][1].status != "finished":
            key = f"data-{digest}"
            # If the old future went before the new one came, the scheduler would drop the new data.
            scattered[digest] = len(content), self._client.scatter({key: content})[key]
            self._doubted.discard(digest)
        scattered.move_to_end(digest)
        return scattered[digest][1]

    def _trim(self, used: set[str]) -> None:
        used = used.union(*list(self._waiting.values()))
        scattered = self._scattered.get(self._client, {})
        total = sum(size for size, _ in scattered.values())
        for digest in [digest for digest in scattered if digest not in used]:
            if total <= _KEPT:
                break
            total -= scattered.pop(digest)[0]

    def outcomes(self, future: Any) -> list[Outcome]:
        from distributed.scheduler import KilledWorker

        shared = self._waiting.pop(future)
        try:
            return future.result()
        except CancelledError:  # the client may hear of lost data much later
            self._doubted |= shared
            raise
        except KilledWorker as error:  # after several tries of the scheduler
            raise ended(future.key.rpartition("-")[0], error.allowed_failures + 1) from None

    @property
    def overhead(self) -> float:
        if self._client not in self._overheads:
            # Not as a task, which would queue behind others' tasks.
            worker, times = [next(iter(self._client.nthreads()))], []
            for _ in range(4):
                begun = time.perf_counter()
                self._client.run(nothing, workers=worker)
                times.append(time.perf_counter() - begun)
            self._overheads[self._client] = min(times)
        return self._overheads[self._client]

    def check(self) -> None:
        if self._client.status != "running":
            raise EngineError(
                f"The connection to the Dask scheduler at {self._client.scheduler.address} was "
                "lost. Check that it runs, and start again."
            )
        now = time.monotonic()
        if now < self._last_check + _ROLL_CALL:
            return
        self._last_check = now
        if self._client.nthreads():
            self._last_worker = now
        elif now > self._last_worker + _PATIENCE:  # new workers may replace those that ended
            raise EngineError(
                f"The Dask cluster at {self._client.scheduler.address} has no workers any more, "
                "and none has come for a minute. Check that they run, and start again."
            )

    def __exit__(self, *_: object) -> None:
        waiting = list(self._waiting)
        if waiting and self._client.status == "running":
            self._client.cancel(waiting, force=True)


def _in_dask(batch: Batch, digests: list[str], contents: list[bytes]) -> list[Outcome]:
    from distributed import get_worker
    from distributed.utils import thread_state

    worker, key = get_worker(), thread_state.key

    def abandoned() -> bool:
        # Dask cannot stop a thread of a worker.
        task = worker.state.tasks.get(key)
        return task is None or task.state not in ("executing", "long-running")

    data = {d: opened(d, content) for d, content in zip(digests, contents, strict=True)}
    return work(batch, data, abandoned, f"{worker.name} ({worker.address})")
