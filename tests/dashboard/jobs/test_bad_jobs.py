"""Whatever is wrong with a job, it ends alone: others are computed, and the queue is tended."""

from __future__ import annotations

import contextvars
import threading

import numpy as np
import pytest

from tripletscope.dashboard.jobs.queue import Job, Jobs, Step
from tripletscope.dashboard.ui.watching import state_of


def nothing(progress) -> None:
    """Do nothing."""


def raising(error: BaseException):
    def work(progress) -> None:
        raise error
    return work


def job(*steps: object, **further: object) -> Job:
    return Job("somebody", "place", "A job", list(steps), **further)


def good(work=nothing, **further: object) -> Step:
    return Step("good", work, **further)


def emptied() -> Job:
    made = job(good(), good())
    made.steps[0].work = lambda progress: made.steps.clear()
    return made


def without_steps() -> Job:
    made = job()
    made.steps = None
    return made


def ended() -> Job:
    made = job(good())
    made._end("done")
    return made


def stopped() -> Job:
    made = job(good())
    made.cancel()
    return made


def stopping_itself() -> Job:
    made = job()
    made.steps.append(good(lambda progress: made.cancel()))
    return made


def in_a_context_that_is_in_use() -> Job:
    context = contextvars.copy_context()
    begun = threading.Event()

    def stay() -> None:
        begun.set()
        threading.Event().wait()

    threading.Thread(target=context.run, args=(stay,), daemon=True).start()
    begun.wait()
    return job(good(), context=context)


def with_views_that_fail() -> Job:
    made = job(good())
    made.views["broken"] = raising(RuntimeError())
    return made


BAD = {
    "no steps": job,
    "steps that are missing": without_steps,
    "a step that is none": lambda: job(None),
    "a step of another type": lambda: job("step"),
    "a good step, then none": lambda: job(good(), None),
    "no work": lambda: job(Step("x", None)),
    "work that takes nothing": lambda: job(good(lambda: None)),
    "steps that go meanwhile": emptied,
    "no estimate": lambda: job(good(seconds=None)),
    "an estimate in words": lambda: job(good(seconds="a minute")),
    "an estimate that is no number": lambda: job(good(seconds=float("nan"))),
    "an endless estimate": lambda: job(good(seconds=float("inf"))),
    "a negative estimate": lambda: job(good(seconds=-5.0)),
    "an array of estimates": lambda: job(good(seconds=np.ones(2))),
    "no weight": lambda: job(good(weight=None)),
    "weights of zero": lambda: job(good(weight=0.0)),
    "an exit": lambda: job(good(raising(SystemExit()))),
    "an interruption": lambda: job(good(raising(KeyboardInterrupt()))),
    "no memory": lambda: job(good(raising(MemoryError()))),
    "a deep recursion": lambda: job(good(raising(RecursionError()))),
    "an error whose words fail": lambda: job(good(raising(type(
        "Mute", (Exception,), {"__str__": lambda self: 1 / 0})()))),
    "a title that is none": lambda: Job("somebody", "place", None, [good(None)]),
    "a slot that is an array": lambda: Job("somebody", np.ones(2), "A job", [good(None)]),
    "it has ended": ended,
    "it was stopped": stopped,
    "it stops itself": stopping_itself,
    "its context is in use": in_a_context_that_is_in_use,
    "views that fail": with_views_that_fail,
}


@pytest.fixture
def jobs():
    found = Jobs(workers=2)
    yield found
    found.shutdown()


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("make", BAD.values(), ids=[name.replace(" ", "_") for name in BAD])
def test_a_bad_job_ends_alone(jobs, make, at_once, monkeypatch):
    died = []
    monkeypatch.setattr(threading, "excepthook", died.append)
    bad = jobs.submit(make(), at_once=at_once)
    jobs.tend()
    other = jobs.submit(Job("you", "place", "Another job", [good(lambda p: 1), good(lambda p: 2)]))
    assert other.wait(300)
    assert (other.state, other.results) == ("done", [1, 2])
    assert bad.wait(300)
    assert bad.state in ("done", "failed", "stopped")
    assert state_of(bad)["active"] is False
    jobs.tend()
    assert not jobs.active()
    jobs._pool.shutdown(wait=True)
    assert not jobs._running
    assert not died


def test_a_job_without_steps_is_done_at_once(jobs):
    nobody_works = threading.Event()
    for owner in "abc":
        jobs.submit(Job(owner, "place", "A job", [good(lambda p: nobody_works.wait())]))
    try:
        assert jobs.submit(job()).state == "done"
    finally:
        nobody_works.set()


def test_a_job_that_is_submitted_twice_is_computed_once(jobs):
    done, go = [], threading.Event()

    def work(progress) -> None:
        go.wait()
        done.append(1)

    one = job(good(work))
    assert jobs.submit(one) is one
    assert jobs.submit(one) is one
    go.set()
    assert one.wait(300)
    assert (one.state, done) == ("done", [1])
    assert jobs.submit(one).state == "done"


def test_tending_goes_on_after_it_failed(jobs, monkeypatch):
    """The thread that tends has nobody who would start it again."""
    tended, looks = threading.Event(), iter([False, False, True])
    turns = []

    def tend() -> None:
        turns.append(1)
        if len(turns) == 1:
            raise RuntimeError("whatever is wrong")
        tended.set()

    monkeypatch.setattr(jobs, "tend", tend)
    monkeypatch.setattr(jobs._over, "wait", lambda timeout: next(looks))
    jobs._tend_always()
    assert tended.is_set()
