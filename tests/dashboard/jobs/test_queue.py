"""Jobs: progress, cancel, replacement, failure; none of it depends on timing."""

from __future__ import annotations

import gc
import secrets
import threading
import time
import weakref
from functools import partial

import numpy as np
import pytest

from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.progress import Stopped
from tripletscope.dashboard.jobs.pace import Pace
from tripletscope.dashboard.jobs.queue import Job, Jobs, Step


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
        assert self.go.wait(300)
        self.stopped = progress(0.5, loss=1.0, snapshot=np.zeros(2))


def job(*work, owner="me", slot="page") -> Job:
    return Job(owner, slot, "A job", [Step(f"step {k}", w) for k, w in enumerate(work)])


def test_runs_its_steps_in_order(jobs):
    done = []
    one = jobs.submit(job(lambda p: done.append(1), lambda p: done.append(2)))
    assert one.wait(300)
    assert (done, one.state, one.share_done, one.active) == ([1, 2], "done", 1.0, False)


def test_a_view_is_kept_for_as_long_as_the_job_runs(jobs):
    gate = Gate()
    one = jobs.submit(job(gate))
    one.show("map", str)
    assert one.views
    gate.go.set()
    assert one.wait(300)
    one.show("map", str)
    assert not one.views


def test_the_time_left_is_asked_while_a_step_ends():
    paces = iter([Pace(0.0), None])

    class Ending(Job):
        def __getattribute__(self, name):
            return next(paces) if name == "_pace" else super().__getattribute__(name)

    assert Ending("me", "page", "A job", []).seconds_left is None


def test_shows_how_far_it_is(jobs):
    gate = Gate()

    def work(progress):
        progress(0.2, loss=5.0, snapshot=np.ones(2), start=1)
        progress(0.1, loss=7.0, snapshot=np.zeros(2), start=0)
        gate(progress)

    one = jobs.submit(job(work, lambda p: None))
    assert gate.begun.wait(300)
    assert one.active
    assert one.fraction == 0.2
    assert one.share_done == pytest.approx(0.1)
    assert one.losses == {1: [5.0], 0: [7.0]}
    assert one.snapshot.tolist() == [1, 1], "the snapshot is that of the lowest loss"
    gate.go.set()
    assert one.wait(300)


def test_cancel_lets_the_step_end_and_skips_the_rest(jobs):
    gate, later = Gate(), []
    one = jobs.submit(job(gate, lambda p: later.append(1)))
    assert gate.begun.wait(300)
    one.cancel()
    assert one.stopping
    gate.go.set()
    assert one.wait(300)
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
    assert older.wait(300)
    assert newer.wait(300)
    assert elsewhere.wait(300)
    assert (older.state, newer.state, elsewhere.state) == ("stopped", "done", "done")


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (DataError("is wrong", file="a.csv", remedy="Mend it."), "a.csv: is wrong. Mend it."),
        (ValueError("share is 2."), "share is 2."),
        (MemoryError(), "not enough memory"),
        (ZeroDivisionError("secret"), "the server's log"),
        (SystemExit("secret"), "the server's log"),
    ],
)
def test_failures_are_put_in_words(jobs, error, message, caplog):
    def work(progress):
        raise error

    one = jobs.submit(job(work))
    assert one.wait(300)
    assert one.state == "failed"
    assert message in one.message
    assert "secret" not in one.message
    assert ("secret" in caplog.text) == ("log" in message)
    assert jobs.submit(job(lambda p: None)).wait(300), "the place is free"


def test_nothing_to_keep_is_no_failure(jobs):
    def work(progress):
        raise Stopped

    one = jobs.submit(job(work))
    assert one.wait(300)
    assert (one.state, one.message) == ("stopped", "")


def test_only_the_last_ended_jobs_are_remembered():
    jobs = Jobs(workers=1, keep=3)
    for _ in range(6):
        assert jobs.submit(job(lambda p: None)).wait(300)
    assert len(jobs.of("me")) <= 4
    jobs.shutdown()


def test_what_others_compute_makes_nobodys_results_forgotten(monkeypatch):
    jobs = Jobs(workers=1, keep=3, gone=3600)
    mine = jobs.submit(job(lambda p: "mine"))
    assert mine.wait(300)
    for number in range(9):
        assert jobs.submit(job(lambda p: None, owner=f"other {number}")).wait(300)
    begun = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 23 * 3600)
    jobs.tend()
    assert jobs.latest("me", "page").results == ["mine"]
    jobs.seen("me")
    monkeypatch.setattr(time, "monotonic", lambda: begun + 25 * 3600)
    jobs.tend()
    assert jobs.of("me") == [mine]
    assert jobs.of("other 8") == [], "who is gone for a day"
    jobs.shutdown()


def test_owners_see_their_own_jobs(jobs):
    mine, theirs = jobs.submit(job(lambda p: None)), jobs.submit(job(lambda p: None, owner="you"))
    assert jobs.of("me") == [mine]
    assert jobs.of("you") == [theirs]
    assert jobs.latest("me", "elsewhere") is None


# Fairness ------------------------------------------------------------------------------------


def long(work, owner: str, seconds: float = 100.0) -> Job:
    return Job(owner, f"{owner} {secrets.token_hex(4)}", "A job", [Step("long", work, 1, seconds)])


@pytest.fixture
def gates():
    """Makes gates, and opens all of them at the end."""
    made: list[Gate] = []

    def make() -> Gate:
        made.append(Gate())
        return made[-1]

    yield make
    for gate in made:
        gate.go.set()


def test_long_jobs_of_anybody_keep_nobodys_map_waiting(gates):
    jobs = Jobs(workers=3)
    begun = [gates() for _ in range(4)]
    first, second, third, of_first = (
        jobs.submit(long(gate, owner)) for gate, owner in zip(begun, "abca", strict=True)
    )
    assert begun[0].begun.wait(300)
    assert begun[1].begun.wait(300)
    for owner in "abcd":
        one = jobs.submit(job(lambda p: 1, owner=owner, slot="map"))
        assert one.wait(300), "there is always a worker for it"
        assert one.state == "done"
    assert (first.place, second.place, third.place, of_first.place) == (0, 0, 1, 2)
    assert not begun[2].begun.is_set()
    jobs.shutdown()


def test_one_session_has_one_long_step_at_work(gates):
    jobs = Jobs(workers=4)
    mine = [gates(), gates()]
    for gate in mine:
        jobs.submit(long(gate, "me"))
    theirs = gates()
    jobs.submit(long(theirs, "you"))
    assert theirs.begun.wait(300)
    assert mine[0].begun.wait(300)
    assert not mine[1].begun.is_set()
    mine[0].go.set()
    assert mine[1].begun.wait(300)
    jobs.shutdown()


def test_what_takes_longer_than_was_thought_lets_others_by(gates):
    jobs = Jobs(workers=1)
    gate = gates()
    jobs.submit(job(gate, owner="me"))
    assert gate.begun.wait(300)
    other = jobs.submit(job(lambda p: 1, owner="you"))
    assert other.place == 1
    jobs.tend()
    assert other.place == 1
    other.steps[0].seconds, jobs.long = 0.0, 1e-9
    jobs.tend()
    assert other.wait(300)
    jobs.shutdown()


def test_short_steps_go_first_and_between_the_steps_of_others(gates):
    jobs, order = Jobs(workers=1), []
    gate = gates()
    running = jobs.submit(Job("me", "a", "A job", [
        Step("first", gate, 1, 2.0), Step("second", lambda p: order.append("second"), 1, 5.0),
    ]))
    assert gate.begun.wait(300)
    waiting = [
        jobs.submit(Job(owner, "a", owner, [
            Step(owner, lambda p, owner=owner: order.append(owner), 1, seconds)
        ])) for owner, seconds in (("slow", 8.0), ("quick", 1.0), ("middle", 3.0))
    ]
    assert [other.place for other in waiting] == [3, 1, 2]
    gate.go.set()
    assert all(other.wait(300) for other in (running, *waiting))
    assert order == ["quick", "middle", "second", "slow"]
    jobs.shutdown()


def test_who_waits_gets_nearer_to_the_front(gates, monkeypatch):
    jobs, gate = Jobs(workers=1), gates()
    jobs.submit(job(gate, owner="me"))
    assert gate.begun.wait(300)
    jobs.long = np.inf
    early = jobs.submit(long(lambda p: 1, "early", 60.0))
    begun = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 59)
    late = jobs.submit(long(lambda p: 1, "late", 2.0))
    assert (early.place, late.place) == (1, 2)
    jobs.shutdown()


def test_a_waiting_job_is_cancelled_at_once(gates):
    jobs, gate = Jobs(workers=1), gates()
    jobs.submit(job(gate, owner="me"))
    assert gate.begun.wait(300)
    first, second = (jobs.submit(job(lambda p: 1, owner=owner)) for owner in ("you", "they"))
    assert (first.place, second.place) == (1, 2)
    first.cancel()
    assert first.wait(0)
    assert (first.state, first.results, second.place) == ("stopped", [], 1)
    jobs.shutdown()


def test_jobs_of_who_is_gone_are_stopped_and_keep_what_they_have(gates, monkeypatch):
    jobs, gate = Jobs(workers=3, gone=3600), gates()
    gone = jobs.submit(job(lambda p: "first", gate, owner="gone"))
    here = jobs.submit(job(gates(), owner="here"))
    assert gate.begun.wait(300)
    begun = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: begun + 3500)
    jobs.seen("here")
    jobs.tend()
    assert not gone.stopping
    monkeypatch.setattr(time, "monotonic", lambda: begun + 3700)
    jobs.tend()
    assert (gone.stopping, here.stopping) == (True, False)
    gate.go.set()
    assert gone.wait(300)
    assert (gone.state, gone.results) == ("stopped", ["first", None])
    jobs.shutdown()


def test_one_session_cannot_fill_the_queue(gates):
    jobs = Jobs(workers=1)
    gate = gates()
    accepted = [jobs.submit(job(gate, slot=f"place {k}")) for k in range(20)]
    refused = jobs.submit(job(gate, slot="one more"))
    assert (refused.state, refused.place) == ("failed", 0)
    assert "20 computations are waiting already" in refused.message
    assert jobs.submit(job(gate, slot="place 19")).active, "it takes the place of another"
    assert jobs.submit(job(gate, owner="you")).active
    assert not accepted[-1].active
    jobs.shutdown()


def test_ended_jobs_do_not_hold_what_they_computed_with(jobs):
    class Data:
        pass

    data = Data()
    alive = weakref.ref(data)
    job = jobs.submit(Job("me", "a", "x", [Step("x", partial(lambda data, progress: 1, data))]))
    del data
    assert job.wait(300)
    gc.collect()
    assert alive() is None
    assert (jobs.latest("me", "a"), job.results, job.share_done) == (job, [1], 1.0)
