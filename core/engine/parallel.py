"""Independent pieces of a long job, on the engine that joblib is set to."""

from __future__ import annotations

import math
import queue
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Any

from joblib import Parallel, cpu_count, delayed, parallel_config
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from tripletscope.core.engine import crews
from tripletscope.core.engine.pieces import CancelToken, Packing, ended
from tripletscope.core.engine.progress import Progress, Stopped, stop_requested
from tripletscope.core.engine.threads import sharing

__all__ = ["CancelToken", "Running", "at_work", "in_parallel", "results_of", "single_blas_thread"]

#: Highest share of time for overhead; seconds of work of a batch, at least (if there are enough
#: pieces) and at most.
_OVERHEAD, _LEAST, _MOST = 0.05, 0.2, 2.0
#: Work is sent if it takes this many times as long as an empty batch.
_WORTH = 5
#: Tries of a piece that ends its process.
_TRIES = 3
#: Seconds between checks for a stop and for the engine.
_LOOK = 0.25


@dataclass(eq=False)  # equal numbers do not make the same work
class Running:
    """Pieces that this process waits for."""

    name: str
    done: int
    total: int

    def __str__(self) -> str:
        return f"{self.name} {self.done} of {self.total}"


_running: list[Running] = []


def at_work() -> list[Running]:
    """Parallel work of this process at the moment."""
    return [Running(one.name, one.done, one.total) for one in list(_running)]


class _StopRequested(Exception):
    """A request to stop while there was nothing but to wait."""


def _look() -> None:
    if stop_requested():
        raise _StopRequested


def in_parallel(
    function: Callable[..., Any], items: Iterable[tuple], *, shared: bool = False,
    partial: bool = False,
) -> Iterator[Any]:
    """Results of ``function(*item, halt)``, in the order of the items, as they become available.

    Runs in threads, one per processor, unless the caller has chosen otherwise, by
    `tripletscope.core.engine.engine` or through joblib::

        with joblib.parallel_config("loky", n_jobs=8):
            cross_validate(STE(), triplets)

    Pieces within a piece run one after the other. Closing the iterator abandons pieces that have
    not begun and sets `halt` for the others; it waits for threads, not for processes.

    items: Positional arguments of each call, without `halt`. Shared arguments are sent to a
        process once.
    shared: Whether the calls share memory, which keeps them in threads.
    partial: Whether the first results are useful alone: the iterator then ends if it has to stop
        while it waits (`tripletscope.core.engine.progress.stopping`).
    """
    halt = CancelToken()
    items = list(items)
    named = getattr(function, "func", function)
    running = Running(getattr(named, "__qualname__", type(named).__name__), 0, len(items))
    results = _results(function, items, shared, halt)
    _running.append(running)
    try:
        with single_blas_thread():
            try:
                # "yield from" would close the results before halt.set().
                for result in results:
                    running.done += 1
                    yield result
            except _StopRequested:
                if not partial:
                    raise Stopped from None
            finally:
                halt.set()
                for _ in results:
                    pass
    finally:
        _running.remove(running)


def results_of(
    function: Callable[..., Any], items: Sequence[tuple], progress: Progress, *,
    least: int | None = None, efforts: Sequence[float] | None = None,
) -> Iterator[Any]:
    """Results of `in_parallel`, with a report to `progress` after each.

    When it asks to stop, the iterator ends; with fewer results than `least` it raises Stopped.

    least: By default all.
    efforts: Relative durations of the items; by default equal.
    """
    done = list(accumulate(efforts or [1] * len(items)))
    number = 0
    for number, result in enumerate(in_parallel(function, items, partial=True), 1):
        yield result
        if progress(done[number - 1] / done[-1]):
            break
    if number < (len(items) if least is None else least):
        raise Stopped


def _results(
    function: Callable, items: list[tuple], shared: bool, halt: CancelToken
) -> Iterator[Any]:
    # By default joblib would take processes, and one thread if it prefers threads.
    (backend, _), (_, n_jobs) = get_active_backend(prefer="threads"), get_active_backend()
    if len(items) <= 1 or n_jobs == 1 or (n_jobs is None and backend.nesting_level > 0):
        return _alone(function, items, halt)
    n_jobs = cpu_count() if n_jobs is None else n_jobs if n_jobs > 0 else cpu_count() + 1 + n_jobs
    if shared or getattr(backend, "uses_threads", False):
        return _threads(function, items, max(n_jobs, 1), halt)
    crew = _crew(backend, max(n_jobs, 1))
    if crew is None:
        return _joblib(function, items, halt)
    return _Sent(function, items, crew, halt).results()


def _alone(function: Callable, items: list[tuple], halt: CancelToken) -> Iterator[Any]:
    for item in items:
        if halt():
            return
        yield function(*item, halt)


def _threads(
    function: Callable, items: list[tuple], n_jobs: int, halt: CancelToken
) -> Iterator[Any]:
    share = n_jobs // len(items)

    def piece(item: tuple) -> Any:
        with parallel_config("sequential", n_jobs=1), sharing(share):
            return function(*item, halt)

    # joblib's pool of threads takes 20 ms to set up, as long as many a fit.
    with ThreadPoolExecutor(min(n_jobs, len(items))) as pool:
        futures = [pool.submit(piece, item) for item in items]
        try:
            for future in futures:
                if halt():
                    return
                while not wait([future], timeout=_LOOK).done:
                    _look()
                yield future.result()
        finally:
            halt.set()
            pool.shutdown(cancel_futures=True)


def _joblib(function: Callable, items: list[tuple], halt: CancelToken) -> Iterator[Any]:
    """On an engine that only joblib knows."""
    backend, _ = get_active_backend()
    kind = "generator" if backend.supports_return_generator else "list"
    yield from Parallel(return_as=kind)(
        delayed(_nested)(function, item, halt) for item in items if not halt()
    )


def _nested(function: Callable, item: tuple, halt: CancelToken) -> Any:
    with parallel_config("sequential", n_jobs=1):
        return function(*item, halt)


def _crew(backend: Any, n_jobs: int) -> crews.Crew | None:
    # By name: Dask is slow to import, and may not be there.
    match type(backend).__name__:
        case "LokyBackend" | "MultiprocessingBackend":
            return crews.LokyCrew(n_jobs)
        case "DaskDistributedBackend":
            return crews.DaskCrew(backend.client)
    return None


#: Recent seconds per piece, by function and bits of the number of bytes sent.
_seconds: dict[tuple[str, int], float] = {}
_seconds_lock = threading.Lock()


class _Sent:
    """Pieces in processes, in batches whose size depends on the engine's overhead."""

    def __init__(
        self, function: Callable, items: list[tuple], crew: crews.Crew, halt: CancelToken
    ) -> None:
        self._function, self._items, self._crew, self._halt = function, items, crew, halt
        self._packing = Packing(function, items)
        named = getattr(function, "func", function)
        self._name = getattr(named, "__name__", type(named).__name__).strip("_<>")
        size = self._packing.size(self._packing.batch([0]))
        self._kind = f"{named.__module__}.{self._name}", size.bit_length()
        self._todo: deque[int] = deque(range(len(items)))
        self._outcomes: dict[int, Any] = {}
        self._tries: Counter[int] = Counter()
        self._overhead = 0.0

    def results(self) -> Iterator[Any]:
        with self._crew as crew:
            seconds, self._overhead = _seconds.get(self._kind), crew.overhead
            if seconds is not None and seconds * len(self._items) < _WORTH * self._overhead:
                for item in self._items:
                    if self._halt():
                        return
                    yield _nested(self._function, item, self._halt)
                return
            done: queue.SimpleQueue[Any] = queue.SimpleQueue()
            sent: dict[Any, list[int]] = {}
            for number in range(len(self._items)):
                while number not in self._outcomes:
                    while self._todo and len(sent) < 2 * crew.width:
                        self._send(sent, done)
                    try:
                        future = done.get(timeout=_LOOK)
                    except queue.Empty:
                        crew.check()
                        _look()
                    else:
                        self._receive(future, sent.pop(future))
                yield self._outcomes.pop(number)
                if self._halt():
                    return

    def _send(self, sent: dict[Any, list[int]], done: queue.SimpleQueue[Any]) -> None:
        together = min(self._together(), len(self._todo))
        numbers = [self._todo.popleft() for _ in range(together)]
        batch = self._packing.batch(numbers)
        try:
            future = self._crew.submit(batch, self._packing.contents, self._name)
        except Exception:
            self._crew.check()  # has a better message, if the engine is gone
            raise
        self._packing.forget(batch)
        sent[future] = numbers
        future.add_done_callback(done.put)

    def _together(self) -> int:
        """Number of pieces of the next batch."""
        seconds = _seconds.get(self._kind)
        if seconds is None:
            return 1
        wanted = min(max(self._overhead / _OVERHEAD, _LEAST), _MOST)
        fair = math.ceil(len(self._todo) / (2 * self._crew.width))
        return max(min(int(wanted / max(seconds, 1e-6)), fair), 1)

    def _receive(self, future: Any, numbers: list[int]) -> None:
        try:
            outcomes = self._crew.outcomes(future)
        except self._crew.losses as error:
            self._crew.check()
            self._tries.update(numbers)
            if max(self._tries[number] for number in numbers) >= _TRIES:
                raise ended(self._name, _TRIES) from error
            self._todo.extendleft(reversed(numbers))
            return
        for number, seconds, result in outcomes:
            self._outcomes[number] = result
            with _seconds_lock:
                earlier = _seconds.get(self._kind, seconds)
                _seconds[self._kind] = 0.5 * (earlier + seconds)


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


_limiting = threading.Lock()
_limits: list[Any] = []
_n_limited = 0


@contextmanager
def single_blas_thread() -> Iterator[None]:
    """Context in which linear algebra uses one thread.

    On small matrices more threads only wait for each other, and the last bits of a result would
    depend on their number.
    """
    global _n_limited
    # The limit is the process's: the last thread in such a context lifts it.
    with _limiting:
        if not _n_limited:
            _limits.append(_pools().limit(limits=1, user_api="blas"))
        _n_limited += 1
    try:
        yield
    finally:
        with _limiting:
            _n_limited -= 1
            if not _n_limited:
                _limits.pop().restore_original_limits()
