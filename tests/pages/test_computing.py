"""The page Computing: jobs, processes, and the engine."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from tests.pages.harness import start, words
from tripletscope.core.engine.engine import EngineWorker, Status
from tripletscope.dashboard.jobs.pool import pool
from tripletscope.dashboard.jobs.queue import Job, Step
from tripletscope.dashboard.state import _KEY
from tripletscope.pages.computing import running


@pytest.fixture
def gate():
    opened = threading.Event()
    yield opened
    opened.set()


def table(app):
    (found,) = [table.value for table in app.dataframe]
    return found.to_dict("list")


def test_says_where_jobs_run_and_that_there_are_none(services):
    app = start("computing")
    assert "Every job runs in a process of its own" in words(app)
    assert "of this machine" in words(app)
    assert "Nothing is being computed." in words(app)
    assert len(app.dataframe) == 0


def test_shows_the_jobs_of_all_but_not_what_others_call_theirs(services, gate):
    app = start("computing")
    me = app.session_state[_KEY].id
    begun = threading.Event()

    def work(progress):
        with pool().taken() as worker:
            worker.held, worker.pieces = 3 * 2**29, ["bootstrap 3 of 200"]
            progress(0.5)
            begun.set()
            assert gate.wait(300)

    services.jobs.workers, services.jobs.long = 1, np.inf
    jobs = [
        services.jobs.submit(Job(owner, "place", "My map", [Step("x", work), Step("y", work)]))
        for owner in (me, "somebody")
    ]
    assert begun.wait(300)
    app.run()
    assert table(app) == {
        "job": ["My map", "of another session"], "state": ["25%", "waiting, next in the queue"],
        "step": ["1 of 2", "1 of 2"], "memory": ["1.5 GB", ""],
        "in parallel": ["bootstrap 3 of 200", ""],
    }
    gate.set()
    assert all(job.wait(300) for job in jobs)


class Cluster:
    remote = True

    def __init__(self, *workers: EngineWorker, problem: str | None = None) -> None:
        self._status = Status(
            "dask://a:1", "tcp://a:1", list(workers), {}, [], "http://a:8787", problem
        )

    def status(self) -> Status:
        return self._status


def test_shows_the_workers_of_a_cluster(services, monkeypatch):
    workers = (
        EngineWorker("w1", "node1", 4, 2**30, 2**32, ["bootstrap", "bootstrap"]),
        EngineWorker("w2", "node2", 2),
    )
    monkeypatch.setattr(running, "engine", lambda: Cluster(*workers))
    app = start("computing")
    assert "Jobs run on dask://a:1: 2 workers with 6 cores" in words(app).replace("\\", "")
    assert table(app) == {
        "worker": ["w1", "w2"], "machine": ["node1", "node2"], "cores": [4, 2],
        "memory": ["1.0 GB of 4.0 GB", ""], "at work on": ["bootstrap", ""],
    }


def test_says_what_is_wrong_with_a_cluster(services, monkeypatch):
    monkeypatch.setattr(running, "engine", lambda: Cluster(problem="There is no scheduler."))
    app = start("computing")
    assert [error.value for error in app.error] == ["There is no scheduler\\."]
    assert len(app.dataframe) == 0
