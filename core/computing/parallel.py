"""Independent pieces of a long job, on whatever engine joblib has been told to use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from joblib import Parallel, cpu_count, delayed
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController


class Halt:
    """Tells pieces of work to stop; a progress object that reports to nobody.

    A copy sent to another process is never set.
    """

    #: See `tripletscope.core.computing.progress.is_coarse`.
    coarse = True

    def __init__(self) -> None:
        self._set = False

    def set(self) -> None:
        self._set = True

    def __call__(self, *report: Any, **details: Any) -> bool:
        return self._set

    def __reduce__(self) -> tuple[Any, ...]:
        return (Halt, ())


def in_parallel(
    function: Callable[..., Any], items: Iterable[tuple], *, shared: bool = False
) -> Iterator[Any]:
    """Results of ``function(*item, halt)``, in the order of the items, as they become available.

    Runs in threads, one per processor, unless the caller has chosen otherwise through joblib::

        with joblib.parallel_config("loky", n_jobs=8):
            cross_validate(STE(), triplets)

    Inside a piece of work, further pieces run one after the other. Closing the iterator abandons
    what has not begun, sets `halt` for what has, and waits for it.

    Parameters
    ----------
    function : callable
    items : iterable of tuple
        Positional arguments of each call, without `halt`.
    shared : bool
        Whether the calls talk to each other through memory, which keeps them in threads.
    """
    halt = Halt()
    items = list(items)
    backend, n_jobs = get_active_backend()
    if len(items) == 1 or (n_jobs is None and backend.nesting_level > 0):
        n_jobs = 1
    elif n_jobs is None:
        n_jobs = cpu_count()
    engine = _alone if n_jobs == 1 else _threads if shared else _joblib
    with single_blas_thread():
        results = engine(function, items, n_jobs, halt)
        try:
            # "yield from" would close the results before they can be told to halt.
            for result in results:  # noqa: UP028
                yield result
        finally:
            halt.set()
            for _ in results:
                pass


def _alone(function: Callable, items: list[tuple], n_jobs: int, halt: Halt) -> Iterator[Any]:
    for item in items:
        if halt():
            return
        yield function(*item, halt)


def _threads(function: Callable, items: list[tuple], n_jobs: int, halt: Halt) -> Iterator[Any]:
    # joblib's pool of threads takes 20 ms to set up, as long as many a fit.
    with ThreadPoolExecutor(min(n_jobs, len(items))) as pool:
        futures = [pool.submit(function, *item, halt) for item in items]
        for future in futures:
            if halt():
                future.cancel()
            else:
                yield future.result()


def _joblib(function: Callable, items: list[tuple], n_jobs: int, halt: Halt) -> Iterator[Any]:
    work = (delayed(function)(*item, halt) for item in items if not halt())
    yield from Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(work)


@cache
def _pools() -> ThreadpoolController:
    return ThreadpoolController()


def single_blas_thread() -> AbstractContextManager:
    """Context in which linear algebra keeps to one thread.

    On the small matrices here more threads only wait for each other, and the last bits of a
    result would depend on their number.
    """
    return _pools().limit(limits=1, user_api="blas")
