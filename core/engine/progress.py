"""Reports of long computations, and requests to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np


class Progress(Protocol):
    """A function that a long computation calls now and then.

    fraction: Share of the work that is done, 0 to 1; never decreases.
    loss: At the current iterate.
    snapshot: The current iterate. Valid during the call only: copy it to keep it.
    start: Number of the start, if there are several.
    Returns: True asks the computation to stop soon and to return what it has.
    """

    def __call__(
        self,
        fraction: float,
        *,
        loss: float | None = None,
        snapshot: np.ndarray | None = None,
        start: int = 0,
    ) -> bool: ...


def silent(
    fraction: float, *, loss: float | None = None, snapshot: np.ndarray | None = None,
    start: int = 0,
) -> bool:
    """Report nothing, never stop."""
    return False


silent.coarse = True


def is_coarse(progress: Progress) -> bool:
    """Whether a progress does not need every iteration, by its attribute ``coarse``."""
    return getattr(progress, "coarse", False)


def as_coarse_as(progress: Progress, report: Progress) -> Progress:
    """`report`, which passes on to `progress`, and is coarse if that is."""
    report.coarse = is_coarse(progress)
    return report


class Stopped(Exception):
    """A request to stop a computation that has no result yet."""


def part(
    progress: Progress, low: float = 0.0, high: float = 1.0,
    show: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Progress:
    """A progress for the share from `low` to `high` of a longer computation.

    show: Transforms the iterates that it reports.
    """

    def report(fraction: float, **details: Any) -> bool:
        if show and details.get("snapshot") is not None:
            details["snapshot"] = show(details["snapshot"])
        return progress(low + (high - low) * fraction, **details)

    return as_coarse_as(progress, report)


_local = threading.local()


@contextmanager
def stopping(should_stop: Callable[[], bool]) -> Iterator[None]:
    """Context in which waits of this thread, which report nothing, end if `should_stop`."""
    before = getattr(_local, "should_stop", None)
    _local.should_stop = should_stop
    try:
        yield
    finally:
        _local.should_stop = before


def stop_requested() -> bool:
    """Whether waits should end, see `stopping`."""
    should_stop = getattr(_local, "should_stop", None)
    return should_stop is not None and should_stop()
