"""Long computations in the background: started, watched, cancelled, collected.

Nothing here knows about Streamlit; the caller polls.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tripletscope.core.computing.progress import Progress, Stopped
from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.keeping.catalogue import WorkspaceError

log = logging.getLogger(__name__)


@dataclass
class Step:
    """One part of a job: a function of a progress object."""

    title: str
    work: Callable[[Progress], Any]
    weight: float = 1.0


@dataclass
class Job:
    """A sequence of steps, computed one after the other.

    Attributes
    ----------
    id : str
        Unguessable. Digits and letters only: widgets are named by it, and some signs part names.
    owner, slot : str
        Whose job it is, and the place that it fills: a newer job there replaces it.
    state : {"waiting", "running", "done", "stopped", "failed"}
    losses : dict of list
        Loss after every iteration, by start, of the step at work.
    snapshot : ndarray or None
        Latest iterate of the start with the lowest loss.
    results : list
        What every step that is done has returned.
    message : str
        Why it failed, in words for the user.
    views : dict of callables
        What there is to see of it while it runs, by name, as text; None where there is nothing
        yet. Called from any thread.
    given_up : bool
        Whether nobody wants to know how it ends.
    """

    owner: str
    slot: str
    title: str
    steps: list[Step]
    id: str = field(default_factory=lambda: secrets.token_hex(12))
    state: str = "waiting"
    step: int = 0
    fraction: float = 0.0
    losses: dict[int, list[float]] = field(default_factory=dict)
    snapshot: np.ndarray | None = None
    results: list[Any] = field(default_factory=list)
    message: str = ""
    views: dict[str, Callable[[], str | None]] = field(default_factory=dict)
    given_up: bool = False
    begun: float | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")

    @property
    def stopping(self) -> bool:
        """Whether it has been asked to stop."""
        return self._stop.is_set()

    @property
    def share_done(self) -> float:
        """Share of all steps that is done."""
        weights = [step.weight for step in self.steps]
        done = sum(weights[: self.step]) + weights[min(self.step, len(weights) - 1)] * self.fraction
        return min(done / sum(weights), 1.0) if self.step < len(weights) else 1.0

    @property
    def seconds_left(self) -> float | None:
        """Estimate of the time to the end of the step at work; None while it is too early."""
        if self.begun is None or self.fraction < 0.02:
            return None
        elapsed = time.monotonic() - self.begun
        return elapsed * (1.0 - self.fraction) / self.fraction if elapsed > 1.0 else None

    def cancel(self) -> None:
        """Ask to stop; the step at work keeps what it has."""
        self._stop.set()

    def show(self, name: str, view: Callable[[], str | None]) -> None:
        """Let a view be seen for as long as the job is active."""
        self.views[name] = view
        if not self.active:  # it has ended meanwhile
            self.views.clear()

    def give_up(self) -> None:
        """Ask to stop, because nobody wants to know any more."""
        self.given_up = True
        self.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; whether it has come."""
        return self._ended.wait(timeout)

    def _report(
        self,
        fraction: float,
        *,
        loss: float | None = None,
        snapshot: np.ndarray | None = None,
        start: int = 0,
    ) -> bool:
        self.fraction = max(self.fraction, fraction)
        if loss is not None:
            best = min((curve[-1] for curve in self.losses.values()), default=np.inf)
            self.losses.setdefault(start, []).append(loss)
            if snapshot is not None and loss <= best:
                self.snapshot = snapshot.copy()
        return self._stop.is_set()

    def _run(self) -> None:
        self.state = "running"
        try:
            for number, step in enumerate(self.steps):
                self.step, self.fraction, self.begun = number, 0.0, time.monotonic()
                self.losses = {}
                if self._stop.is_set():
                    break
                self.results.append(step.work(self._report))
            else:
                self.step = len(self.steps)
            self.state = "stopped" if self._stop.is_set() else "done"
        except Stopped:
            self.state = "stopped"
        except (DataError, ValueError, WorkspaceError) as error:
            self.message, self.state = str(error), "failed"
        except MemoryError:
            self.message = "There was not enough memory. Use fewer answers or dimensions."
            self.state = "failed"
        except Exception:
            log.exception("job %s failed", self.title)
            self.message = "Something went wrong inside the program; the server's log says what."
            self.state = "failed"
        finally:
            # Ended jobs are remembered; what they have computed with may be large.
            self.steps = [replace(step, work=_nothing) for step in self.steps]
            self.views.clear()
            self._ended.set()


def _nothing(progress: Progress) -> None:
    """The work of a step that is over."""


class Jobs:
    """Runs jobs in threads and remembers the last ones.

    Parameters
    ----------
    workers : int
        Jobs at work at the same time. Each may use all processors itself.
    keep : int
        Ended jobs that are remembered.
    """

    def __init__(self, workers: int = 2, keep: int = 50) -> None:
        self.workers = workers
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="job")
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._lock = threading.Lock()
        self._keep = keep

    def submit(self, job: Job) -> Job:
        """Start a job; an active one of the same owner in the same slot is cancelled."""
        with self._lock:
            for other in self._jobs.values():
                if other.active and (other.owner, other.slot) == (job.owner, job.slot):
                    other.cancel()
            self._jobs[job.id] = job
            ended = [name for name, other in self._jobs.items() if not other.active]
            for name in ended[: max(len(self._jobs) - self._keep, 0)]:
                del self._jobs[name]
        self._pool.submit(job._run)
        return job

    def get(self, job: str) -> Job | None:
        """A job by its id, or None if it is forgotten."""
        with self._lock:
            return self._jobs.get(job)

    def of(self, owner: str) -> list[Job]:
        """The jobs of one owner, the newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.owner == owner]

    def latest(self, owner: str, slot: str) -> Job | None:
        """The newest job in a slot, whatever its state."""
        return next((job for job in self.of(owner) if job.slot == slot), None)

    def shutdown(self) -> None:
        """Cancel everything and let the threads end."""
        with self._lock:
            for job in self._jobs.values():
                job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
