"""Long computations in the background, independent of Streamlit.

Steps of all jobs wait in one queue, short ones in front. One worker never takes long steps, so
that nobody waits for somebody else's.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Progress, Stopped
from tripletscope.dashboard.files.errors import WorkspaceError
from tripletscope.dashboard.jobs.pace import Pace

log = logging.getLogger(__name__)

#: Upper limit of steps at work, with those that take longer than estimated.
_MOST_THREADS = 16
#: Jobs of one owner that have not ended.
_MOST_OF_ONE = 20
_TEND_EVERY = 5.0  # seconds


_current: ContextVar[Job | None] = ContextVar("current", default=None)


class Failed(Exception):
    """Why something was not computed, as sentences for the user; `trouble` as of a `DataError`."""

    def __init__(self, why: str, trouble: str | None = None) -> None:
        super().__init__(why)
        self.trouble = trouble


def not_enough(than: str = "") -> Failed:
    """That there was not enough memory; than: how much was needed."""
    return Failed(f"There was not enough memory{than}. Use fewer answers or dimensions.",
                  trouble="memory")


@dataclass
class Step:
    """One part of a job.

    weight: Its share of the bar.
    seconds: Rough estimate; long steps give way to short ones.
    estimates: Name of the loss that it reports, where that is worth showing.
    """

    title: str
    work: Callable[[Progress], Any]
    weight: float = 1.0
    seconds: float = 1.0
    estimates: str = ""


@dataclass(eq=False)
class Job:
    """A sequence of steps; without any it is done at once.

    id: Unguessable. Digits and letters only: widgets are named by it, and some signs part names.
    slot: A newer job of the same owner there replaces it.
    state {"waiting", "running", "done", "stopped", "failed"}: It may wait again between its steps.
    place: In the queue, from 1; 0 while it does not wait.
    losses: Loss after every iteration of the present step, by start.
    snapshot: Latest iterate of the start with the lowest loss.
    message: For the user, why it failed or what is lost; `trouble` as of a `DataError`.
    views: Functions by name that show the running job as text, or None; called from any thread.
    given_up: Whether nobody needs to know the end.
    """

    owner: str
    slot: str
    title: str
    steps: list[Step]
    id: str = field(default_factory=lambda: secrets.token_hex(12))
    state: str = "waiting"
    place: int = 0
    step: int = 0
    fraction: float = 0.0
    losses: dict[int, list[float]] = field(default_factory=dict)
    snapshot: np.ndarray | None = None
    results: list[Any] = field(default_factory=list)
    message: str = ""
    trouble: str | None = None
    views: dict[str, Callable[[], str | None]] = field(default_factory=dict)
    given_up: bool = False
    begun: float | None = None
    context: Context = field(default_factory=copy_context, repr=False)
    _stop: threading.Event = field(default_factory=threading.Event)
    _ended: threading.Event = field(default_factory=threading.Event)
    _cancelled: Callable[[], None] = field(default=lambda: None)
    _queued: float = 0.0
    _seconds: float = 0.0
    _pace: Pace | None = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        return self.state in ("waiting", "running")

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    @property
    def present_step(self) -> Step:
        """The step at work, or the next or last one; one without work where there is none."""
        there = self.steps[self.step : self.step + 1] or self.steps[-1:]
        return there[0] if there else Step(self.title, _nothing)

    @property
    def share_done(self) -> float:
        if self.step >= len(self.steps):
            return 1.0
        weights = [step.weight for step in self.steps]
        done = sum(weights[: self.step]) + weights[self.step] * self.fraction
        return min(done / sum(weights), 1.0)

    @property
    def seconds_left(self) -> float | None:
        """Estimated time to the end of the present step; None where unknown."""
        pace = self._pace  # read once: the step may end meanwhile
        return pace.seconds_left(time.monotonic()) if pace is not None else None

    def cancel(self) -> None:
        """Ask to stop; the present step keeps its partial result."""
        self._stop.set()
        self._cancelled()

    def show(self, name: str, view: Callable[[], str | None]) -> None:
        """Add a view for as long as the job is active."""
        self.views[name] = view
        if not self.active:  # it has ended meanwhile
            self.views.clear()

    def follow(self, other: Job) -> None:
        """Show the losses of another job, for which this one waits."""
        self.losses, self.snapshot = other.losses, other.snapshot

    def give_up(self) -> None:
        """Ask to stop, without telling anybody."""
        self.given_up = True
        self.cancel()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; False after the timeout."""
        return self._ended.wait(timeout)

    def _report(
        self, fraction: float, *, loss: float | None = None, snapshot: np.ndarray | None = None,
        start: int = 0,
    ) -> bool:
        self.fraction = max(self.fraction, fraction)
        self._pace.advance(time.monotonic(), fraction)
        if loss is not None:
            best = min((curve[-1] for curve in self.losses.values()), default=np.inf)
            self.losses.setdefault(start, []).append(loss)
            if snapshot is not None and loss <= best:
                self.snapshot = snapshot.copy()
        return self._stop.is_set()

    def _advance(self) -> None:
        """Do the next step; then wait for the one after it, or end."""
        self.state, self.fraction, self.begun, self.losses = "running", 0.0, time.monotonic(), {}
        self._pace = Pace(self.begun)
        _current.set(self)
        try:
            if self._stop.is_set():
                raise Stopped
            if self.step < len(self.steps):
                self.results.append(self.steps[self.step].work(self._report))
                self.step += 1
            if self._stop.is_set():
                self._end("stopped")
            elif self.step >= len(self.steps):
                self._end("done")
            else:
                self.state, self.fraction, self.begun = "waiting", 0.0, None
                self._pace = None
        except Stopped as stopped:
            self._end("stopped", str(stopped))
        except (DataError, Failed, ValueError, WorkspaceError) as error:
            self._end("failed", error)
        except MemoryError:
            self._end("failed", not_enough())
        except BaseException:  # also SystemExit: its place would never be free
            self._fail()

    def _run(self) -> None:
        while self.active:
            self._advance()

    def _work(self, what: Callable[[], None]) -> None:
        try:
            self.context.run(what)
        except BaseException:  # of the context, which is in use: steps that fail have ended
            self._fail()

    def _may_wait(self) -> bool:
        """Whether a step waits for its turn; whatever is wrong with the job ends it alone."""
        try:
            if self.stopping:
                self._end("stopped")
            elif self.step >= len(self.steps):
                self._end("done")
            else:
                self._seconds = float(self.steps[self.step].seconds)
        except Exception:
            self._fail()
        return self.active

    def _fail(self) -> None:
        log.exception("job %s failed", self.title)
        self._end("failed", Failed(
            "Something went wrong inside the program; the server's log says what.",
            trouble="faults",
        ))

    def _end(self, state: str, why: Exception | str = "") -> None:
        self.message, self.trouble, self.state = str(why), getattr(why, "trouble", None), state
        # Ended jobs are remembered, without their data.
        self.steps = [
            replace(step, work=_nothing) for step in self.steps or () if type(step) is Step
        ]
        self.views.clear()
        self._ended.set()


def current_job() -> Job | None:
    """The job whose step runs in this thread."""
    return _current.get()


def _nothing(progress: Progress) -> None:
    """The work of a step that is over."""


class Jobs:
    """Runs jobs in threads and remembers the last `keep` of each owner.

    workers: Steps at work at the same time, of which one is short. Each may use all processors.
    gone: Seconds without its owner after which a job is stopped; 24 times later it is forgotten.
    long: Seconds from which a step is long, by its estimate or by its time so far.
    """

    def __init__(self, workers: int = 3, keep: int = 20, gone: float = 3600.0) -> None:
        self.workers = workers
        self.long = 10.0
        self._pool = ThreadPoolExecutor(_MOST_THREADS, thread_name_prefix="job")
        self._jobs: OrderedDict[str, Job] = OrderedDict()
        self._waiting: list[Job] = []
        self._running: list[Job] = []
        self._seen: dict[str, float] = {}
        self._lock = threading.RLock()
        self._keep, self._gone = keep, gone
        self._over = threading.Event()
        threading.Thread(target=self._tend_always, name="jobs", daemon=True).start()

    def submit(self, job: Job, *, at_once: bool = False) -> Job:
        """Start a job; an active one of the same owner in the same slot is cancelled.

        With `at_once` it needs no worker: it waits for another process.
        """
        with self._lock:
            if job.id in self._jobs or not job.active:
                return job
            self.seen(job.owner)
            for other in self.of(job.owner):
                if other.active and other.slot == job.slot:
                    other.cancel()
            ended = [other for other in self.of(job.owner) if not other.active]
            mine = len(self.of(job.owner)) - len(ended)
            self._jobs[job.id] = job
            for other in ended[self._keep:]:
                del self._jobs[other.id]
            if mine >= _MOST_OF_ONE:
                job._end("failed", f"{mine} computations are waiting already. Cancel some of them.")
                return job
            if not at_once:
                job._cancelled = self._schedule
                self._queue(job)
                return job
        threading.Thread(
            target=job._work, args=(job._run,), name="job at once", daemon=True
        ).start()
        return job

    def get(self, job: str) -> Job | None:
        with self._lock:
            return self._jobs.get(job)

    def of(self, owner: str) -> list[Job]:
        """The jobs of one owner, the newest first."""
        with self._lock:
            return [job for job in reversed(self._jobs.values()) if job.owner == owner]

    def active(self) -> list[Job]:
        """All jobs that have not ended: those at work, then by their places."""
        with self._lock:
            return sorted(
                (job for job in self._jobs.values() if job.active), key=lambda job: job.place
            )

    def latest(self, owner: str, slot: str) -> Job | None:
        return next((job for job in self.of(owner) if job.slot == slot), None)

    def seen(self, owner: str) -> None:
        with self._lock:
            self._seen[owner] = time.monotonic()

    def tend(self) -> None:
        """Stop the jobs of absent owners, and reschedule past steps that have become long."""
        now = time.monotonic()
        with self._lock:
            for job in list(self._jobs.values()):
                away = now - self._seen.setdefault(job.owner, now)
                if job.active and away > self._gone and not job.stopping:
                    log.info("%s is stopped: nobody has asked for it in a long time", job.title)
                    job.cancel()
                elif not job.active and away > 24 * self._gone:
                    del self._jobs[job.id]
            owners = {job.owner for job in self._jobs.values()}
            self._seen = {owner: at for owner, at in self._seen.items() if owner in owners}
            self._schedule()

    def shutdown(self) -> None:
        with self._lock:
            self._over.set()
            for job in self._jobs.values():
                job.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)

    # The queue -----------------------------------------------------------------------------

    def _tend_always(self) -> None:
        while not self._over.wait(_TEND_EVERY):
            try:
                self.tend()
            except Exception:  # or nothing would be tended any more
                log.exception("jobs could not be tended")

    def _queue(self, job: Job) -> None:
        with self._lock:
            job._queued = time.monotonic()
            self._waiting.append(job)
            self._schedule()

    def _schedule(self) -> None:
        """Begin what may begin, and number the others."""
        with self._lock:
            now = time.monotonic()
            # Waiting counts, or long steps would wait for all short ones.
            queue = sorted(
                (job for job in self._waiting if job._may_wait()),
                key=lambda job: job._seconds - (now - job._queued),
            )
            self._waiting = []
            for job in queue:
                if not self._over.is_set() and self._may_begin(job):
                    job.place = 0
                    self._running.append(job)
                    self._pool.submit(self._work, job)
                else:
                    self._waiting.append(job)
                    job.place = len(self._waiting)

    def _may_begin(self, job: Job) -> bool:
        if len(self._running) >= _MOST_THREADS:
            return False
        mine = [other for other in self._running if other.owner == job.owner]
        n_long = sum(map(self._is_long, self._running))
        if self._is_long(job):
            return n_long < max(self.workers - 1, 1) and not any(map(self._is_long, mine))
        n_short = len(self._running) - n_long
        return n_short < max(self.workers - n_long, 1) and len(mine) < self.workers

    def _is_long(self, job: Job) -> bool:
        if not job.active:  # and about to leave its worker
            return False
        elapsed = time.monotonic() - job.begun if job.begun is not None else 0.0
        return max(job._seconds, elapsed) >= self.long

    def _work(self, job: Job) -> None:
        job._work(job._advance)
        with self._lock:
            self._running.remove(job)
            if job.active:
                self._queue(job)
            else:
                self._schedule()
