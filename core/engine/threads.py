"""Threads within one computation: their number, and a pool."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from typing import Any

import joblib
from joblib.parallel import get_active_backend

_local = threading.local()
#: Processors that this process may use; cached, because a call takes as long as a small evaluation.
_n_processors = cache(joblib.cpu_count)


def threads_here() -> int:
    """Number of threads that a computation may use here.

    All processors; or joblib's number; within a piece in threads
    (`tripletscope.core.engine.parallel.in_parallel`) what the others leave.
    """
    share = getattr(_local, "share", None)
    if share is not None:
        return share
    backend, n_jobs = get_active_backend()
    if n_jobs is None:
        return 1 if backend.nesting_level > 0 else _n_processors()
    # Not the backend's own count: a cluster would be asked at every evaluation.
    wanted = n_jobs if n_jobs > 0 else _n_processors() + 1 + n_jobs
    return min(max(wanted, 1), _n_processors())


@contextmanager
def sharing(threads: int) -> Iterator[None]:
    """Context in which computations may use so many threads."""
    before = getattr(_local, "share", None)
    _local.share = max(threads, 1)
    try:
        yield
    finally:
        _local.share = before


def side_by_side(function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
    """Results of a function that releases the interpreter's lock, in the order of the items.

    For parts of some hundred microseconds: joblib's overhead is longer.
    """
    n_threads = min(threads_here(), len(items))
    if n_threads == 1:
        return [function(item) for item in items]
    results: list[Any] = [None] * len(items)
    numbers, taking = iter(range(len(items))), threading.Lock()

    def work() -> None:
        while True:
            with taking:
                number = next(numbers, None)
            if number is None:
                return
            results[number] = function(items[number])

    others = [_pool().submit(work) for _ in range(n_threads - 1)]
    try:
        work()
    finally:
        wait(others)  # they write where the caller is going to read
    for other in others:
        other.result()
    return results


_making = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def _pool() -> ThreadPoolExecutor:
    """Threads of this process, which wait between computations."""
    process = os.getpid()  # a copy of a process has none of its threads
    with _making:
        if process not in _pools:
            _pools.clear()
            _pools[process] = ThreadPoolExecutor(_n_processors(), thread_name_prefix="part")
        return _pools[process]
