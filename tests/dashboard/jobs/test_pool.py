"""Processes that compute: what they hand on, how they end, and what that does to others."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.dashboard.jobs import harm
from tests.paths import ROOT
from tests.processes import has_ended, kill
from tests.waiting import becomes
from tripletscope.core.data.errors import DataError
from tripletscope.core.engine.engine import VARIABLE
from tripletscope.core.engine.progress import Stopped
from tripletscope.core.models.embedding import STE
from tripletscope.core.run import run
from tripletscope.dashboard.jobs import child, memory, pickling
from tripletscope.dashboard.jobs import pool as module
from tripletscope.dashboard.jobs.pool import Pool, pool
from tripletscope.dashboard.jobs.queue import Failed, Job, Jobs, Step

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")


@pytest.fixture
def worker():
    with pool().taken() as found:
        yield found
        found.close()


@pytest.fixture
def own(monkeypatch):
    """A pool in which nothing takes long, however busy the machine is."""
    monkeypatch.setattr(module, "_QUICK", 600.0)
    found = Pool()
    yield found
    found.close()


# What it computes ----------------------------------------------------------------------------


def test_a_result_is_the_one_that_there_is_here(worker, planted, tmp_path):
    method, options = STE(n_init=2), {}
    expected = run("fit", method, planted, options)
    found = worker.compute("fit", method, planted, options)
    file = tmp_path / "a.npz"
    name = found.arrays.write(file)
    assert (found.key, found.data, found.complete) == (expected.key, expected.data, True)
    assert found.numbers == expected.numbers
    assert len(name) == 32
    with np.load(file) as arrays:
        assert set(arrays) == set(expected.arrays)
        for key, array in expected.arrays.items():
            assert array.tobytes() == arrays[key].tobytes()


def test_answers_are_handed_over_once(worker, planted, monkeypatch):
    sent, name = [], pickling.Parcel.persistent_id
    monkeypatch.setattr(pickling.Parcel, "persistent_id", lambda parcel, value: (
        (pid := name(parcel, value)) and pid[1] and sent.append(pid[1][-1])
    ) or pid)
    found = worker.call(harm.about, planted, planted)
    assert found == (planted.fingerprint, True, False, 0)
    worker.call(harm.about, planted, planted)
    assert sent == [planted.name]
    for k in range(6):
        other = planted.take(np.arange(100 + k))
        assert worker.call(harm.about, other, planted)[0] == other.fingerprint


def test_every_loss_arrives_and_the_best_iterate(worker):
    job = Job("me", "page", "x", [Step("x", lambda p: worker.call(harm.losses, 3000, progress=p))])
    jobs = Jobs()
    assert jobs.submit(job).wait(300)
    assert (job.state, job.message) == ("done", "")
    assert job.losses == {0: list(np.arange(3000.0, 0, -2)), 1: list(np.arange(2999.0, 0, -2))}
    assert job.snapshot.shape == (3, 2)
    jobs.shutdown()


def test_threads_report_at_once(worker):
    seen = {0: [], 1: []}
    worker.call(harm.in_two_threads, progress=lambda fraction, loss=None, start=0, **_: (
        loss is not None and seen[start].append(loss)
    ))
    assert seen == {0: [-float(k) for k in range(500)], 1: [-float(k) for k in range(500)]}


@pytest.mark.parametrize("size", [4, 2**18], ids=["small", "large"])
@pytest.mark.parametrize("writable", [True, False])
def test_arrays_go_as_they_are(worker, writable, size):
    array = np.arange(3.0 * size).reshape(3, size)
    array.setflags(write=writable)
    found = worker.call(harm.echo, {"a": array, "b": [array[1:], "x"]})
    assert np.array_equal(found["a"], array)
    assert found["a"].flags.writeable == writable
    assert np.array_equal(found["b"][0], array[1:])


def test_no_buffer_is_held_by_what_is_sent():
    """One that is garbage together with who holds it cannot be closed: Python 3.13 says so."""
    first, *large = pickling.packed({"a": np.zeros(2**18)})
    assert isinstance(first, bytes)
    assert sum(map(len, large)) == 8 + 2**21


def test_what_it_prints_does_not_disturb(worker):
    assert worker.call(harm.prints) == 1


@pytest.mark.parametrize(("kind", "error", "message"), [
    ("data", DataError, "a.csv: is wrong. Mend it."), ("value", ValueError, "share is 2."),
    ("bug", RuntimeError, "ZeroDivisionError: secret"), ("exit", RuntimeError, "secret"),
    ("engine", Failed, "It has no workers"),
])
def test_errors_come_back(worker, kind, error, message):
    with pytest.raises(error, match=message):
        worker.call(harm.fail, kind)
    assert worker.call(harm.echo, 1) == 1, "it goes on"


def test_what_cannot_be_sent_is_an_error(worker):
    with pytest.raises(RuntimeError, match="not_to_be_sent"):
        worker.call(harm.not_to_be_sent)
    assert worker.call(harm.echo, 1) == 1


# How it ends ---------------------------------------------------------------------------------


def test_one_that_ends_between_two_requests(worker, planted, tmp_path):
    found = worker.compute("fit", STE(n_init=1), planted, {})
    kill(worker.pid)
    assert has_ended(worker.pid)
    for ask in (lambda: found.arrays.write(tmp_path / "a.npz"), lambda: worker.call(harm.echo, 1)):
        with pytest.raises(Failed, match="has ended"):
            ask()


@pytest.mark.parametrize("way", ["crash", "leave", "killed"])
def test_the_end_of_a_process_is_that_of_one_job_alone(way):
    jobs, begun, go = Jobs(), threading.Event(), threading.Event()

    def other(progress):
        with pool().taken() as worker:
            worker.call(harm.echo, 1)
            begun.set()
            assert go.wait(300)
            return worker.call(harm.echo, 2)

    def work(progress):
        with pool().taken() as worker:
            if way == "killed":
                return worker.call(harm.until_stopped, progress=lambda *_, **__: kill(worker.pid))
            return worker.call(getattr(harm, way), progress=progress)

    good = jobs.submit(Job("you", "page", "good", [Step("x", other)]))
    assert begun.wait(300)
    bad = jobs.submit(Job("me", "page", "bad", [Step("x", work)]))
    assert bad.wait(300)
    assert bad.state == "failed"
    assert "has ended" in bad.message
    assert "start it again" in bad.message
    go.set()
    assert good.wait(300)
    assert good.results == [2]
    again = jobs.submit(Job("me", "page", "again", [
        Step("x", lambda p: pool().call(harm.echo, 3, progress=p))
    ]))
    assert again.wait(300)
    assert again.results == [3]
    jobs.shutdown()


@needs_linux
def test_memory_has_a_limit(own):
    own.most = 2**30
    with own.taken() as worker, pytest.raises(Failed, match=r"more than 1 GB\. Use fewer"):
        worker.call(harm.memory)
    assert has_ended(worker.pid)
    assert own.call(harm.echo, 1) == 1


def test_a_computation_stops_with_what_there_is(worker):
    assert worker.call(harm.until_stopped, progress=lambda fraction, **_: True) == "what there is"
    assert worker.alive


@pytest.mark.parametrize("way", ["hold_the_interpreter", "count_for_long"])
def test_what_does_not_stop_is_ended(worker, way, monkeypatch):
    monkeypatch.setattr(module, "_UNHEARD", 1.0)
    # On a busy machine Python has heard of it by the time that it counts on.
    monkeypatch.setattr(module, "_HEARD", 1.0)
    with pytest.raises(Stopped, match="is lost"):
        worker.call(getattr(harm, way), progress=lambda fraction, **_: True)
    assert has_ended(worker.pid)


def test_whoever_asks_has_gone_away_meanwhile(worker):
    def progress(fraction, **details):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        worker.call(harm.until_stopped, progress=progress)
    assert has_ended(worker.pid)


def test_a_process_serves_the_next_job_unless_it_has_grown(own, monkeypatch):
    first = own.call(harm.process)
    assert own.call(harm.process) == first
    own._idle[0].held = 2**40
    assert own.call(harm.process) == first, "what counts is what it holds at its end"
    monkeypatch.setattr(module, "_GROWN", 1)
    assert own.call(harm.process) == first
    assert has_ended(first)
    assert own.call(harm.process) != first


def test_one_that_is_gone_is_not_asked(own):
    first = own.call(harm.process)
    kill(first)
    assert becomes(lambda: not own._idle[0].alive)
    assert own.call(harm.process) != first
    own.dismiss_idle(0.0)
    assert own._idle == []


@needs_linux
def test_what_takes_long_gives_way(own, monkeypatch):
    usual = os.getpriority(os.PRIO_PROCESS, 0)
    assert own.call(harm.priority, usual) == usual
    assert len(own._idle) == 1
    own.dismiss_idle(0.0)
    monkeypatch.setattr(module, "_QUICK", 0.1)
    assert own.call(harm.priority, usual + 5) == usual + 5
    assert own._idle == [], "it would be slow for the next one"


def test_they_end_with_the_server(own):
    with own.taken() as worker:
        worker.call(harm.echo, 1)
        worker._lines.get().close()
        assert has_ended(worker.pid)


@needs_linux
def test_one_that_holds_the_interpreter_ends_with_the_server():
    code = """
from tests.dashboard.jobs import harm
from tests.paths import ROOT
from tripletscope.dashboard.jobs.pool import pool

with pool().taken() as worker:
    print(worker.pid, flush=True)
    worker.call(harm.hold_the_interpreter, progress=lambda *_, **__: print("at it", flush=True))
"""
    server = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE)
    pid = int(server.stdout.readline())
    assert server.stdout.readline() == b"at it\n"
    server.kill()
    server.wait()
    assert has_ended(pid)
    server.stdout.close()


def test_without_copies(monkeypatch, planted):
    """And that the engine that is asked for is in use: a template may have begun before."""
    monkeypatch.setenv(VARIABLE, "threads:3")
    monkeypatch.setattr(child, "COPIES", False)
    monkeypatch.setattr(module, "_QUICK", 600.0)  # or compiling makes it slow: it is not used again
    pool = Pool()
    try:
        with pool.taken() as worker:
            assert worker.compute("fit", STE(n_init=1, max_iter=5), planted, {}).key
            assert worker.call(harm.engine) == ("ThreadingBackend", 3)
            pid = worker.pid
        pool.warm()
        assert pool.call(harm.process) == pid
    finally:
        pool.close()
    assert has_ended(pid)


# Memory --------------------------------------------------------------------------------------


def test_what_a_computation_may_take(monkeypatch):
    monkeypatch.setenv(memory.VARIABLE, "1.5")
    assert memory.allowed() == 3 * 2**29
    monkeypatch.setenv(memory.VARIABLE, "much")
    with pytest.raises(ValueError, match="must be a number of gigabytes, not 'much'"):
        memory.allowed()
    monkeypatch.delenv(memory.VARIABLE)
    assert memory.allowed() in (None, memory.of_machine() // 2)


def test_a_container_has_less_than_the_machine(monkeypatch, tmp_path):
    most = tmp_path / "most"
    monkeypatch.setattr(memory, "_CONTAINERS", (most,))
    machine = memory.of_machine()
    most.write_text("max\n")
    assert memory.of_machine() == machine
    most.write_text(f"{2**20}\n")
    assert memory.of_machine() in (None, 2**20)
