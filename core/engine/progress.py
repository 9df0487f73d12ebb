"""How long computations report, and how they are told to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np


class Progress(Protocol):
    """A function that a long computation calls now and then.

    fraction: Share of the work that is done, 0 to 1; never decreases.
    loss: Value of the loss at the current iterate.
    snapshot: The current iterate. Valid during the call only: copy what is kept.
    start: Which of several starts this report is about.
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
    """Report to nobody, never stop."""
    return False


silent.coarse = True


def is_coarse(progress: Progress) -> bool:
    """Whether a progress need not be told of every iteration: its attribute ``coarse`` says so."""
    return getattr(progress, "coarse", False)


def as_coarse_as(progress: Progress, report: Progress) -> Progress:
    """`report`, which hands on to `progress`, and is coarse if that is."""
    report.coarse = is_coarse(progress)
    return report


class Stopped(Exception):
    """A computation that has nothing to show for itself yet was asked to stop."""


def part(
    progress: Progress, low: float = 0.0, high: float = 1.0,
    show: Callable[[np.ndarray], np.ndarray] | None = None,
) -> Progress:
    """A progress for the share from `low` to `high` of a longer piece of work.

    show: The form in which its iterates are shown.
    """

    def report(fraction: float, **details: Any) -> bool:
        if show and details.get("snapshot") is not None:
            details["snapshot"] = show(details["snapshot"])
        return progress(low + (high - low) * fraction, **details)

    return as_coarse_as(progress, report)


_local = threading.local()


@contextmanager
def stopping(asked: Callable[[], bool]) -> Iterator[None]:
    """Let `asked` tell those who wait in this thread, with nothing to report, whether to stop."""
    before = getattr(_local, "asked", None)
    _local.asked = asked
    try:
        yield
    finally:
        _local.asked = before


def asked_to_stop() -> bool:
    """What those who wait are told, see `stopping`."""
    asked = getattr(_local, "asked", None)
    return asked is not None and asked()
