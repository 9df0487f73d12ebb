"""Jobs: progress, cancel, replacement, failure; none of it depends on timing."""

from __future__ import annotations

import gc
import threading
import weakref
from functools import partial

import numpy as np
import pytest

from tripletscope.core.computing.progress import Stopped
from tripletscope.core.data.errors import DataError
from tripletscope.dashboard.keeping.jobs import Job, Jobs, Step


@pytest.fixture
def jobs():
    found = Jobs(workers=2)
    yield found
    found.shutdown()


class Gate:
    """Work that says when it has begun, and goes on when it is let."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.stopped = None

    def __call__(self, progress) -> None:
        self.begun.set()
        assert self.go.wait(20)
        self.stopped = progress(0.5, loss=1.0, snapshot=np.zeros(2))


def job(*work, owner="me", slot="page") -> Job:
    return Job(owner, slot, "A job", [Step(f"step {k}", w) for k, w in enumerate(work)])


def test_runs_its_steps_in_order(jobs):
    done = []
    one = jobs.submit(job(lambda p: done.append(1), lambda p: done.append(2)))
    assert one.wait(20)
    assert (done, one.state, one.share_done, one.active) == ([1, 2], "done", 1.0, False)


def test_shows_how_far_it_is(jobs):
    gate = Gate()

    def work(progress):
        progress(0.2, loss=5.0, snapshot=np.ones(2), start=1)
        progress(0.1, loss=7.0, snapshot=np.zeros(2), start=0)
        gate(progress)

    one = jobs.submit(job(work, lambda p: None))
    assert gate.begun.wait(20)
    assert one.active
    assert one.fraction == 0.2
    assert one.share_done == pytest.approx(0.1)
    assert one.losses == {1: [5.0], 0: [7.0]}
    assert one.snapshot.tolist() == [1, 1], "the snapshot is that of the lowest loss"
    gate.go.set()
    assert one.wait(20)


def test_cancel_lets_the_step_end_and_skips_the_rest(jobs):
    gate, later = Gate(), []
    one = jobs.submit(job(gate, lambda p: later.append(1)))
    assert gate.begun.wait(20)
    one.cancel()
    assert one.stopping
    gate.go.set()
    assert one.wait(20)
    assert gate.stopped is True
    assert (one.state, later) == ("stopped", [])


def test_a_newer_job_in_the_same_slot_replaces_the_older(jobs):
    gate, other = Gate(), Gate()
    older, elsewhere = jobs.submit(job(gate)), jobs.submit(job(other, owner="somebody else"))
    newer = jobs.submit(job(lambda p: None))
    assert older.stopping
    assert not elsewhere.stopping
    assert jobs.latest("me", "page") is newer
    gate.go.set()
    other.go.set()
    assert older.wait(20)
    assert newer.wait(20)
    assert elsewhere.wait(20)
    assert (older.state, newer.state, elsewhere.state) == ("stopped", "done", "done")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DataError("is wrong", file="a.csv", remedy="Mend it."), "a.csv: is wrong. Mend it."),
        (ValueError("share is 2."), "share is 2."),
        (MemoryError(), "not enough memory"),
        (ZeroDivisionError("secret"), "the server's log"),
    ],
)
def test_failures_are_put_in_words(jobs, error, message, caplog):
    def work(progress):
        raise error

    one = jobs.submit(job(work))
    assert one.wait(20)
    assert one.state == "failed"
    assert message in one.message
    assert "secret" not in one.message
    assert ("secret" in caplog.text) == isinstance(error, ZeroDivisionError)


def test_nothing_to_keep_is_no_failure(jobs):
    def work(progress):
        raise Stopped

    one = jobs.submit(job(work))
    assert one.wait(20)
    assert (one.state, one.message) == ("stopped", "")


def test_only_the_last_ended_jobs_are_remembered():
    jobs = Jobs(workers=1, keep=3)
    for _ in range(6):
        assert jobs.submit(job(lambda p: None)).wait(20)
    assert len(jobs.of("me")) <= 4
    jobs.shutdown()


def test_owners_see_their_own_jobs(jobs):
    mine, theirs = jobs.submit(job(lambda p: None)), jobs.submit(job(lambda p: None, owner="you"))
    assert jobs.of("me") == [mine]
    assert jobs.of("you") == [theirs]
    assert jobs.latest("me", "elsewhere") is None


def test_ended_jobs_do_not_hold_what_they_computed_with(jobs):
    class Data:
        pass

    data = Data()
    alive = weakref.ref(data)
    job = jobs.submit(Job("me", "a", "x", [Step("x", partial(lambda data, progress: 1, data))]))
    del data
    assert job.wait(10)
    gc.collect()
    assert alive() is None
    assert (jobs.latest("me", "a"), job.results, job.share_done) == (job, [1], 1.0)
